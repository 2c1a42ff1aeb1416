"""Loopback stand-ins for a network of an organisation: an index of packages, proxies, and one that looks into TLS.

The names of the index and of the model's server end in ``.test``: no machine has that name, only the proxies know it.
"""

from __future__ import annotations

import socket
import ssl
import subprocess
import threading
from collections.abc import Callable
from pathlib import Path

INDEX_HOST = "index.test"

Reply = Callable[[str], tuple[str, bytes]]
"""A path -> content type and body; LookupError for 404."""


def make_authority(folder: Path, host: str) -> tuple[Path, Path]:
    """A CA made now, and one file with key and certificate of ``host`` that it signed. Returns (CA, host's file)."""
    ca_key, ca = folder / "ca.key", folder / "ca.pem"
    key, request, certificate = folder / "host.key", folder / "host.csr", folder / "host.crt"
    extensions = folder / "host.ext"
    extensions.write_text(f"subjectAltName=DNS:{host}\nbasicConstraints=CA:FALSE\n")
    new_key = ["-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes"]
    _openssl(
        "req", "-x509", *new_key, "-keyout", ca_key, "-out", ca, "-days", "2", "-subj", "/CN=Organisation Test CA",
        "-addext", "keyUsage=critical,keyCertSign,cRLSign",
    )  # fmt: skip
    _openssl("req", *new_key, "-keyout", key, "-out", request, "-subj", f"/CN={host}")
    _openssl(
        "x509", "-req", "-in", request, "-CA", ca, "-CAkey", ca_key, "-CAcreateserial", "-days", "2",
        "-extfile", extensions, "-out", certificate,
    )  # fmt: skip
    both = folder / "host.pem"
    both.write_bytes(key.read_bytes() + certificate.read_bytes())
    return ca, both


def _openssl(*arguments: str | Path) -> None:
    subprocess.run(["openssl", *map(str, arguments)], check=True, capture_output=True, timeout=30)


def index_of(folder: Path) -> Reply:
    """A package index (PEP 503) of the wheels in a folder, all of one project."""

    def reply(path: str) -> tuple[str, bytes]:
        name = path.rstrip("/").rsplit("/", 1)[-1]
        if (folder / name).is_file():
            return "application/octet-stream", (folder / name).read_bytes()
        wheels = [each.name for each in folder.glob("*.whl") if each.name.startswith(name + "-")]
        if not wheels:
            raise LookupError(path)
        links = "".join(f'<a href="/files/{each}">{each}</a>' for each in wheels)
        return "text/html", f"<!DOCTYPE html><html><body>{links}</body></html>".encode()

    return reply


class Proxy:
    """An HTTP proxy on a free port of 127.0.0.1 that plays the servers itself.

    ``refuses`` answers every CONNECT with this status line. With ``certificate`` it ends TLS itself, as a proxy does that
    looks into it; without one it knows plain HTTP only. ``credentials`` is the header Proxy-Authorization that it wants.
    """

    def __init__(
        self, reply: Reply, *, certificate: Path | None = None, refuses: str = "", credentials: str = ""
    ) -> None:
        self._reply = reply
        self._certificate = certificate
        self.refuses = refuses
        self._credentials = credentials
        self.asked: list[str] = []
        self._socket = socket.create_server(("127.0.0.1", 0))
        self.port = self._socket.getsockname()[1]
        threading.Thread(target=self._serve, daemon=True).start()

    @property
    def address(self) -> str:
        """As a variable names it."""
        return f"http://127.0.0.1:{self.port}"

    def close(self) -> None:
        """No more connections."""
        self._socket.close()

    def _serve(self) -> None:
        while True:
            try:
                connection, _ = self._socket.accept()
            except OSError:
                return
            threading.Thread(target=self._talk, args=(connection,), daemon=True).start()

    def _talk(self, connection: socket.socket) -> None:
        try:
            connection.settimeout(10)
            line, headers = _head(connection)
            self.asked.append(line)
            if self._credentials and headers.get("proxy-authorization") != self._credentials:
                connection.sendall(_answer("407 Proxy Authentication Required", "text/plain", b"who are you"))
            elif self.refuses:
                connection.sendall(_answer(self.refuses, "text/plain", b"no"))
            elif line.startswith("CONNECT") and self._certificate is not None:
                connection.sendall(b"HTTP/1.1 200 Connection established\r\n\r\n")
                context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
                context.load_cert_chain(str(self._certificate))
                with context.wrap_socket(connection, server_side=True) as inside:
                    self._answer(inside, _head(inside)[0])
            else:
                self._answer(connection, line)
        except (OSError, ValueError):
            pass  # the other side does not like the certificate: that is what is tested
        finally:
            connection.close()

    def _answer(self, connection: socket.socket, line: str) -> None:
        target = line.split(" ")[1]
        self.asked.append(line)
        path = "/" + target.split("://", 1)[-1].partition("/")[2] if "://" in target else target
        try:
            kind, body = self._reply(path)
            connection.sendall(_answer("200 OK", kind, body))
        except LookupError:
            connection.sendall(_answer("404 Not Found", "text/plain", b""))


def _head(connection: socket.socket) -> tuple[str, dict[str, str]]:
    """The first line of a request and its headers; a body of the announced length is read and thrown away."""
    data = b""
    while b"\r\n\r\n" not in data:
        piece = connection.recv(65536)
        if not piece:
            raise OSError("closed")
        data += piece
    head, _, body = data.partition(b"\r\n\r\n")
    lines = head.decode("latin-1").split("\r\n")
    pairs = (each.split(":", 1) for each in lines[1:])
    headers = {name.strip().lower(): value.strip() for name, value in pairs}
    while len(body) < int(headers.get("content-length", "0")):
        body += connection.recv(65536)
    return lines[0], headers


def _answer(status: str, kind: str, body: bytes) -> bytes:
    head = f"HTTP/1.1 {status}\r\nContent-Type: {kind}\r\nContent-Length: {len(body)}\r\nConnection: close\r\n\r\n"
    return head.encode() + body
