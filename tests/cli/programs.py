"""Starting `python -m item_visibility` as a program of its own, in a process group of its own."""

import os
import signal
import socket
import subprocess
import sys
import time
import urllib.error
import urllib.request
from collections.abc import Iterator
from contextlib import closing, contextmanager
from dataclasses import dataclass
from http.client import HTTPConnection
from pathlib import Path

from tests.support.ports import free_port

RECORD_OF_ADDRESSES = """
import os, sys

CALLS = {"socket.connect", "socket.sendto"}
ASKED = CALLS | {"socket.getaddrinfo", "socket.gethostbyname", "socket.gethostbyaddr"}

def record(event, arguments):
    if event in ASKED:
        address = arguments[1] if event in CALLS else arguments
        host = address[0] if isinstance(address, tuple) else "a socket of this machine"
        with open(os.environ["ADDRESSES_ASKED"], "a") as kept:
            kept.write(f"{host}\\n")

sys.addaudithook(record)
"""
OF_THIS_MACHINE = {"127.0.0.1", "::1", "localhost", "None", "a socket of this machine"}

PROJECT = Path(__file__).resolve().parents[2]
STARTED_WITHIN_S = 120.0
ENDED_WITHIN_S = 60.0


@dataclass(frozen=True, slots=True)
class Ended:
    """The end of a program: its status, all that it printed, and whether a process of its group is left."""

    status: int
    output: str
    has_orphan: bool


@dataclass(frozen=True, slots=True)
class Program:
    """A program that runs."""

    process: subprocess.Popen[str]

    def wait_for(self, url: str) -> str:
        """Wait until the address answers, and return its text; fail if the program ends or is too slow."""
        ends_at = time.monotonic() + STARTED_WITHIN_S
        while time.monotonic() < ends_at and self.process.poll() is None:
            try:
                with urllib.request.urlopen(url, timeout=30) as answer:  # noqa: S310  (an address of this machine)
                    return str(answer.read(), "utf-8")
            except (urllib.error.URLError, ConnectionError, TimeoutError):
                time.sleep(0.05)
        raise AssertionError(f"{url} does not answer: {self.end_with(signal.SIGKILL).output}")

    def end_with(self, number: signal.Signals) -> Ended:
        """Send a signal to the whole group, as a terminal does for Ctrl-C, and wait for the end."""
        os.killpg(self.process.pid, number)
        output, _ = self.process.communicate(timeout=ENDED_WITHIN_S)
        return Ended(self.process.returncode, output, _is_group_alive(self.process.pid))


@contextmanager
def run_program(*arguments: str, data_home: Path, **environ: str) -> Iterator[Program]:
    """The command with these arguments, from the project's folder; killed at the end if it still runs."""
    process = subprocess.Popen(
        [sys.executable, "-m", "item_visibility", *arguments],
        cwd=PROJECT,
        env={**os.environ, "XDG_DATA_HOME": str(data_home), **environ},
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        start_new_session=True,
    )
    try:
        yield Program(process)
    finally:
        if process.poll() is None:
            os.killpg(process.pid, signal.SIGKILL)
            process.communicate(timeout=ENDED_WITHIN_S)


@contextmanager
def taken_port() -> Iterator[int]:
    """A port of this machine that another program has."""
    port = free_port()
    with closing(socket.create_server(("127.0.0.1", port))):
        yield port


class Outside:
    """Names that a program looks up, and hosts that it calls, beyond this machine."""

    def __init__(self, folder: Path) -> None:
        (folder / "sitecustomize.py").write_text(RECORD_OF_ADDRESSES, "utf-8")
        self._record = folder / "addresses"
        self._record.touch()
        self.environ = {"PYTHONPATH": str(folder), "ADDRESSES_ASKED": str(self._record)}

    def asked(self) -> set[str]:
        """All that is not this machine."""
        return set(self._record.read_text("utf-8").split("\n")) - OF_THIS_MACHINE - {""}


def open_web_socket(port: int, *, origin: str) -> int:
    """The status of the answer to a browser's first words for a web socket."""
    headers = {
        "Host": f"localhost:{port}",  # by its name, which not every machine can look up
        "Connection": "Upgrade",
        "Upgrade": "websocket",
        "Origin": origin,
        "Sec-WebSocket-Key": "dGhlIHNhbXBsZSBub25jZQ==",
        "Sec-WebSocket-Version": "13",
    }
    with closing(HTTPConnection("127.0.0.1", port, timeout=30)) as connection:
        connection.request("GET", "/_stcore/stream", headers=headers)
        return connection.getresponse().status


def status_of(port: int, *, proxy_says: str, path: str = "/") -> int:
    headers = {"Host": f"localhost:{port}", "X-Forwarded-For": proxy_says}
    with closing(HTTPConnection("127.0.0.1", port, timeout=30)) as connection:
        connection.request("GET", path, headers=headers)
        return connection.getresponse().status


def _is_group_alive(group: int) -> bool:
    try:
        os.killpg(group, 0)
    except ProcessLookupError:
        return False
    return True
