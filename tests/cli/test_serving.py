"""The commands that run until a signal ends them, in processes of their own."""

import json
import os
import re
import resource
import signal
import sys
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager
from functools import partial
from pathlib import Path

import httpx
import pytest

from item_visibility import __version__
from tests.support.dashboard import run_demo
from tests.support.listening import free_port
from tests.support.long_headers import status_of
from tests.support.program import Program

pytestmark = pytest.mark.contract

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


@contextmanager
def serving(
    *arguments: str,
    at: str,
    folder: Path,
    signs_off: signal.Signals = signal.SIGTERM,
    **environ: str,
) -> Iterator[None]:
    """Run this command until a signal ends its process group with status 0.

    Check that it looks up no name, calls no other machine and leaves no process.
    `folder` has data and log.
    """
    (folder / "sitecustomize.py").write_text(RECORD_OF_ADDRESSES, "utf-8")
    (folder / "addresses").touch()
    variables = {
        name: value
        for name, value in os.environ.items()
        if name.startswith("COVERAGE_")
    }
    variables |= {
        "PYTHONPATH": str(folder),
        "ADDRESSES_ASKED": str(folder / "addresses"),
    }
    program = Program(
        [sys.executable, "-m", "item_visibility", *arguments],
        log=folder / "log",
        ready_url=f"{at}/readyz",
        variables=variables | {"XDG_DATA_HOME": str(folder), **environ},
    )
    try:
        program.start()
        yield
        os.killpg(program.pid, signs_off)
        assert program.ended() == 0
        with pytest.raises(ProcessLookupError):
            os.killpg(program.pid, 0)
    finally:
        program.kill()
    assert set(
        (folder / "addresses").read_text("utf-8").split("\n")
    ) <= OF_THIS_MACHINE | {""}


def get(url: str, **headers: str) -> httpx.Response:
    return httpx.get(url, headers=headers, trust_env=False)


def open_web_socket(at: str, *, origin: str) -> int:
    """Open a web socket as a browser does, and return the status of the answer."""
    headers = {
        "Connection": "Upgrade",
        "Upgrade": "websocket",
        "Origin": origin,
        "Sec-WebSocket-Key": "dGhlIHNhbXBsZSBub25jZQ==",
        "Sec-WebSocket-Version": "13",
    }
    with httpx.stream(
        "GET", f"{at}/_stcore/stream", headers=headers, trust_env=False
    ) as answer:
        return answer.status_code


def test_a_demo_ignores_the_configuration_and_stops_on_ctrl_c(tmp_path: Path) -> None:
    port = free_port()
    at = f"http://127.0.0.1:{port}"
    wrong = {"ITEM_VISIBILITY_BASE_URL": "nonsense"}
    options = ("demo", "--port", str(port), "--no-browser")
    with serving(*options, at=at, folder=tmp_path, signs_off=signal.SIGINT, **wrong):
        assert get(f"{at}/readyz").text == f"ready {__version__}\n"
        assert (
            'item_visibility_records_up{environment="Demo"} 1.0\n'
            in get(f"{at}/metrics").text
        )
        assert get(at, **{"X-Forwarded-For": "203.0.113.7"}).status_code == 403
    assert (tmp_path / "log").read_text(
        "utf-8"
    ).strip() == f"The demo opens on {at} (Ctrl-C ends it)."
    assert {path.name for path in (tmp_path / "item-visibility").glob("*.sqlite")} == {
        "demo-records.sqlite",
        "demo-service.sqlite",
    }


def test_a_dashboard_for_others_opens_no_browser_and_stops_on_sigterm(
    tmp_path: Path,
) -> None:
    port = free_port()
    at = f"http://127.0.0.1:{port}"
    options = ("dashboard", "--host", "0.0.0.0", "--port", str(port), "--no-browser")
    ours = {
        "ITEM_VISIBILITY_OPEN": "yes-everyone-may-write",
        "ITEM_VISIBILITY_DEMO": "true",
    }
    ours["ITEM_VISIBILITY_LOG"] = "json"
    origins = (
        at,
        "http://localhost:3000",
        "http://0.0.0.0:3000",
        "https://evil.example",
    )
    with serving(*options, at=at, folder=tmp_path, **ours):
        assert [open_web_socket(at, origin=origin) for origin in origins] == [
            101,
            403,
            403,
            403,
        ]
        assert (
            get(f"{at}/metrics", **{"X-Forwarded-For": "203.0.113.7"}).status_code
            == 403
        )
    lines = (tmp_path / "log").read_text("utf-8").splitlines()
    assert [json.loads(line)["message"] for line in lines][:3] == [
        f"The dashboard (Demo) opens on http://localhost:{port} (Ctrl-C ends it).",
        (
            "There is no sign-in: everyone who can reach it can read and change"
            " visibilities."
        ),
        f"Version {__version__} starts.",
    ]


KB = 1024
STREAM = "/_stcore/stream"
PAGE_STATUSES = {8: 200, 16: 200, 31: 200, 32: 200, 33: 431, 70: 431}
SOCKET_STATUSES = {8: 101, 16: 101, 31: 101, 32: 101, 33: 101, 40: 101, 70: 403}


def page_statuses(port: int, *, is_in_parts: bool) -> dict[int, int]:
    return {
        size: status_of(port, size * KB, is_in_parts=is_in_parts)
        for size in PAGE_STATUSES
    }


def socket_statuses(port: int, *, is_in_parts: bool) -> dict[int, int]:
    """Return the status for each size in KB. A refused web socket gets 403."""
    return {
        size: status_of(
            port, size * KB, path=STREAM, is_web_socket=True, is_in_parts=is_in_parts
        )
        for size in SOCKET_STATUSES
    }


@contextmanager
def streamlit_run(folder: Path) -> Iterator[int]:
    with run_demo(folder) as place:
        yield int(place.dashboard.url.rpartition(":")[2])


@contextmanager
def command(name: str, folder: Path) -> Iterator[int]:
    port = free_port()
    options = (name, "--port", str(port), "--no-browser")
    is_demo = {"ITEM_VISIBILITY_DEMO": "true"}
    with serving(*options, at=f"http://127.0.0.1:{port}", folder=folder, **is_demo):
        yield port


WAYS_TO_START: dict[str, Callable[[Path], AbstractContextManager[int]]] = {
    "demo": partial(command, "demo"),
    "dashboard": partial(command, "dashboard"),
    "streamlit run": streamlit_run,
}


@pytest.fixture(scope="module", params=WAYS_TO_START)
def started(
    request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[int]:
    """Yield the port of a dashboard, started in each way."""
    with WAYS_TO_START[request.param](tmp_path_factory.mktemp("started")) as port:
        yield port


@pytest.mark.parametrize("is_in_parts", [False, True])
def test_pages_and_web_socket_accept_32_kb_of_headers(
    started: int, *, is_in_parts: bool
) -> None:
    assert page_statuses(started, is_in_parts=is_in_parts) == PAGE_STATUSES
    assert socket_statuses(started, is_in_parts=is_in_parts) == SOCKET_STATUSES


def test_a_web_socket_may_have_many_headers(started: int) -> None:
    assert (
        status_of(started, 31 * KB, path=STREAM, lines=500, is_web_socket=True) == 101
    )


def test_headers_of_any_size_are_answered(started: int) -> None:
    assert status_of(started, 900 * KB) == 431
    assert status_of(started, 900 * KB, path=STREAM, is_web_socket=True) == 403


def test_the_log_says_that_headers_are_too_large(tmp_path: Path) -> None:
    with command("demo", tmp_path) as port:
        status_of(port, 33 * KB)
    assert "WARNING components.server_limits: Refused a request with 33792 bytes" in (
        (tmp_path / "log").read_text("utf-8")
    )


def test_a_dashboard_may_open_more_files_than_its_soft_limit(tmp_path: Path) -> None:
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    resource.setrlimit(resource.RLIMIT_NOFILE, (512, hard))
    try:
        with command("demo", tmp_path) as port:
            metrics = get(f"http://127.0.0.1:{port}/metrics").text
    finally:
        resource.setrlimit(resource.RLIMIT_NOFILE, (soft, hard))
    (allowed,) = re.findall(r"^process_max_fds (\S+)$", metrics, re.MULTILINE)
    assert float(allowed) == min(10_240, hard)


def test_a_sample_service_gives_tokens_to_the_demo_client(tmp_path: Path) -> None:
    port = free_port()
    at = f"http://[::1]:{port}"
    form = {
        "grant_type": "client_credentials",
        "client_id": "demo",
        "client_secret": "demo",
    }
    token = f"{at}/auth/realms/platform-api/protocol/openid-connect/token"
    options = ("service", "--host", "::1", "--port", str(port), "--sample")
    with serving(*options, at=at, folder=tmp_path, ITEM_VISIBILITY_LOG="json"):
        assert get(f"{at}/readyz").json() == {"status": "ok", "version": __version__}
        assert httpx.post(token, data=form, trust_env=False).json()["access_token"]
    levels = {
        json.loads(line)["level"]
        for line in (tmp_path / "log").read_text("utf-8").splitlines()
    }
    assert levels == {"INFO"}
    assert (tmp_path / "item-visibility" / "sample-service.sqlite").exists()
