"""The ports, hosts and base paths where servers listen, as an address names them."""

import re
import socket

import click

from item_visibility.errors import SettingsError
from item_visibility.timeouts import PORTS_TRIED

PORT = click.IntRange(1, 65535)
EVERYWHERE = frozenset({"0.0.0.0", "::"})  # noqa: S104  (recognised, not listened on)

_BASE_PATH = re.compile(r"[A-Za-z0-9_-]+(?:/[A-Za-z0-9_-]+)*")
_HOST_NAME = re.compile(r"((?:\*\.)?[A-Za-z0-9_-]+(?:\.[A-Za-z0-9_-]+)*|\[[0-9A-Fa-f:.]+\])(?::[0-9]{1,5})?")


class BasePath(click.ParamType[str]):
    """A path in front of all addresses; given as `/visibility`, used without slashes at its ends."""

    name = "path"

    def convert(self, value: str, param: click.Parameter | None, ctx: click.Context | None) -> str:
        """Return it as Streamlit takes it; a usage error for what an address cannot begin with."""
        path = value.strip("/")
        if path and not _BASE_PATH.fullmatch(path):
            self.fail("Write it like /visibility: letters, digits, - and _, with single slashes.", param, ctx)
        return path


class HostName(click.ParamType[str]):
    """A name that people open the dashboard by. A port after it counts for nothing."""

    name = "name"

    def convert(self, value: str, param: click.Parameter | None, ctx: click.Context | None) -> str:
        """Return the name alone; a usage error for anything that is none."""
        found = _HOST_NAME.fullmatch(value)
        if found is None:
            self.fail("Write a host name, such as visibility.example.com or *.example.com.", param, ctx)
        return found[1].strip("[]").lower()


def first_free_port(host: str, port: int) -> int:
    """Return this port, or the next free one at this address. SettingsError when there is none."""
    for candidate in range(port, min(port + PORTS_TRIED, 65536)):
        if is_free(host, candidate):
            return candidate
    raise SettingsError(f"No port from {port} on is free.", advice="Choose another one with --port.")


def is_free(host: str, port: int) -> bool:
    """True when a server can listen there now."""
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    try:
        socket.create_server((host, port), family=family).close()
    except OSError:
        return False
    return True


def name_in_address(host: str) -> str:
    """Return the host for an address that opens here. If all are listened on, that is localhost."""
    return "localhost" if host in EVERYWHERE else bracketed(host)


def bracketed(host: str) -> str:
    """Return the host as written before a port."""
    return f"[{host}]" if ":" in host else host


def require_free(host: str, port: int) -> None:
    """Refuse a port that cannot be listened on."""
    if not is_free(host, port):
        raise click.ClickException(
            f"{bracketed(host)}:{port} cannot be used:"
            " another program has it, or it is no address of this machine.\n"
            "Choose another one with --port or --host."
        )
