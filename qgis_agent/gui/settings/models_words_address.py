"""What the first line of a test of a model says: whether its server was reached, and why not."""

from __future__ import annotations

from typing import Any, Callable, Dict, Tuple

from ...bridge.addresses import is_web_address
from ...gis.i18n import translate
from ...gis.secrets import without_secrets

Said = Tuple[str, str]
Facts = Dict[str, Any]
_MAX_ADDRESS = 200


def _better(facts: Facts) -> str:
    """An address that works, as the test found it on the same server; "" when there is none."""
    value = facts.get("address")
    good = isinstance(value, str) and is_web_address(value) and value.isprintable() and len(value) <= _MAX_ADDRESS
    return without_secrets(value) if good else ""


def _path_hint(facts: Facts) -> str:
    better = _better(facts)
    if better:
        return translate("QgisAgent", "This address works: {}").format(better)
    return translate("QgisAgent", "Check the path of the address; for most servers it ends in /v1.")


def _wrong_path(facts: Facts) -> Said:
    return translate("QgisAgent", "The server is there, but not this path (HTTP 404)."), _path_hint(facts)


def _web_page(facts: Facts) -> Said:
    hint = _path_hint(facts)
    if not _better(facts):
        hint = translate(
            "QgisAgent", "Check the address. In a guest network, log in first: its page may stand in for the server."
        )
    return translate("QgisAgent", "A web page answers at this address, not a model."), hint


def _internal(facts: Facts) -> Said:
    kind = "".join(c for c in str(facts.get("kind", "")) if c.isalnum() or c in " _()")[:60]
    return (
        translate("QgisAgent", "The test failed inside the program: {}").format(kind),
        translate("QgisAgent", "Please report this, with the messages in the log panel."),
    )


def _fixed(sentence: Callable[[], str], hint: Callable[[], str] = str) -> Callable[[Facts], Said]:
    return lambda _facts: (sentence(), hint())


def _authority() -> str:
    return translate(
        "QgisAgent",
        "Add the certificate of its authority in QGIS: Settings, Options, Authentication, Manage Certificates. "
        "Then test again.",
    )


ADDRESS: Dict[str, Callable[[Facts], Said]] = {
    "reached": _fixed(lambda: translate("QgisAgent", "The server is reached.")),
    "no_address": _fixed(
        lambda: translate("QgisAgent", "This is no web address."),
        lambda: translate("QgisAgent", "It begins with https:// or http:// and names a server."),
    ),
    "refused": _fixed(
        lambda: translate("QgisAgent", "Nothing listens at this address (connection refused)."),
        lambda: translate("QgisAgent", "Start the server, and check the port in the address."),
    ),
    "unknown_name": _fixed(
        lambda: translate("QgisAgent", "No server of this name is known."),
        lambda: translate("QgisAgent", "Check the spelling of the address, and that there is a network."),
    ),
    "no_connection": _fixed(
        lambda: translate("QgisAgent", "The connection to the server broke off."),
        lambda: translate(
            "QgisAgent", "Check the network, QGIS's proxy settings, and whether it must be https or http."
        ),
    ),
    "no_answer": _fixed(
        lambda: translate("QgisAgent", "The server does not answer."),
        lambda: translate("QgisAgent", "Check the address and the port; a firewall may swallow the request."),
    ),
    "not_encrypted": _fixed(
        lambda: translate("QgisAgent", "The address begins with https, but the server speaks http."),
        lambda: translate("QgisAgent", "Write http:// where the server is on this computer or in your own network."),
    ),
    "certificate_self_signed": _fixed(
        lambda: translate("QgisAgent", "The server's certificate is signed by nobody but itself."), _authority
    ),
    "certificate_expired": _fixed(
        lambda: translate("QgisAgent", "The server's certificate has expired."),
        lambda: translate("QgisAgent", "Its owner must renew it. Check the clock of this computer, too."),
    ),
    "certificate_other_name": _fixed(
        lambda: translate("QgisAgent", "The server's certificate is for another name."),
        lambda: translate("QgisAgent", "Write the name that the certificate is for, not a number or a nickname."),
    ),
    "certificate_unknown": _fixed(
        lambda: translate("QgisAgent", "The server's certificate comes from an authority that is not known here."),
        _authority,
    ),
    "proxy": _fixed(
        lambda: translate("QgisAgent", "The proxy did not let the request through."),
        lambda: translate("QgisAgent", "Check QGIS's proxy settings: Settings, Options, Network."),
    ),
    "wrong_path": _wrong_path,
    "web_page": _web_page,
    "empty_body": _fixed(
        lambda: translate("QgisAgent", "The server answers with nothing at all."),
        lambda: translate("QgisAgent", "Check that the address is that of an OpenAI-compatible interface."),
    ),
    "no_model_interface": _fixed(
        lambda: translate("QgisAgent", "The server sent something that is not an answer of a model."),
        lambda: translate("QgisAgent", "Check that the address is that of an OpenAI-compatible interface."),
    ),
    "library": _fixed(
        lambda: translate("QgisAgent", "The library that talks to models cannot be loaded."),
        lambda: translate("QgisAgent", "Set up the agent environment again."),
    ),
    "internal": _internal,
}
