"""Endpoints that are no models, on the loopback interface: what ``model_server.py`` (a model that misbehaves) cannot be."""

from __future__ import annotations

import json
import ssl
import subprocess
import threading
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

HTML = b"<!doctype html><html><body><h1>Log in to the network</h1></body></html>"
MISSING = b'{"detail": "Not Found"}'
CERTIFICATE = """
import datetime, ipaddress, sys
from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec
key = ec.generate_private_key(ec.SECP256R1())
name = x509.Name([x509.NameAttribute(x509.NameOID.COMMON_NAME, "localhost")])
days = int(sys.argv[2])
now = datetime.datetime.now(datetime.timezone.utc)
made = x509.CertificateBuilder().subject_name(name).issuer_name(name).public_key(key.public_key())
made = made.serial_number(x509.random_serial_number()).not_valid_before(now - datetime.timedelta(days=9))
made = made.not_valid_after(now + datetime.timedelta(days=days))
names = [x509.IPAddress(ipaddress.ip_address(sys.argv[3]))]
made = made.add_extension(x509.SubjectAlternativeName(names), False).sign(key, hashes.SHA256())
pem = serialization.Encoding.PEM
with open(sys.argv[1], "wb") as out:
    out.write(key.private_bytes(pem, serialization.PrivateFormat.PKCS8, serialization.NoEncryption()))
    out.write(made.public_bytes(pem))
"""
"""Run by the agent's Python, which has ``cryptography``: makes a key and a certificate that it signed itself."""

Answer = tuple[int, str, bytes]


def self_signed(python: Path, folder: Path, *, days: int = 2, address: str = "127.0.0.1") -> Path:
    """A file with a key and a certificate for ``address`` that nobody vouches for; expired with negative ``days``."""
    path = folder / f"certificate{days}-{address}.pem"
    subprocess.run([str(python), "-c", CERTIFICATE, str(path), str(days), address], check=True)
    return path


@contextmanager
def endpoint(answers: Mapping[str, Answer], certificate: Path | None = None) -> Iterator[tuple[str, list[str]]]:
    """A server that answers paths as told and 404 to all others. Gives its origin, and the list of what was asked."""
    asked: list[str] = []

    class Handler(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            self.rfile.read(int(self.headers.get("Content-Length", "0")))
            asked.append(f"{self.command} {self.path}")
            status, kind, body = answers.get(self.path) or answers.get("*") or (404, "application/json", MISSING)
            self.send_response(status)
            self.send_header("Content-Type", kind)
            self.send_header("Content-Length", str(len(body)))
            self.end_headers()
            self.wfile.write(body)

        def do_GET(self) -> None:
            self.do_POST()

        def log_message(self, format: str, *args: object) -> None:
            return

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    server.daemon_threads = True
    if certificate is not None:
        context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        context.load_cert_chain(certificate)
        server.socket = context.wrap_socket(server.socket, server_side=True, do_handshake_on_connect=False)
    thread = threading.Thread(target=server.serve_forever, args=(0.02,), daemon=True)
    thread.start()
    try:
        yield f"http{'s' if certificate else ''}://127.0.0.1:{server.server_address[1]}", asked
    finally:
        server.shutdown()
        server.server_close()
        thread.join(5)


def models(*names: str, window: int = 0) -> Answer:
    """A list of models in OpenAI's form, each with a context of ``window`` tokens where it is not 0."""
    entries: Sequence[dict[str, object]] = [
        {"id": each, "object": "model", **({"max_model_len": window} if window else {})} for each in names
    ]
    return 200, "application/json", json.dumps({"object": "list", "data": entries}).encode()
