"""The service in a thread, and as a program of its own."""

import asyncio
import signal
import socket
import subprocess
import sys
import threading
from itertools import product
from pathlib import Path

import httpx
import pytest
import uvicorn

from item_visibility_service import embedded
from item_visibility_service.embedded import start_embedded
from item_visibility_service.http import raw_path_protocol
from item_visibility_service.sample.load import SHOWCASE, load_sample
from item_visibility_service.server import run_service
from item_visibility_service.service_settings import ServiceSettingsError, demo_settings
from tests.support.bundled_service import sqlite_url
from tests.support.thorough import sample

RUN_SERVICE = """
import logging, sys
from item_visibility_service.server import run_service
from item_visibility_service.service_settings import ServiceSettings
logging.basicConfig(level="INFO")
run_service(ServiceSettings(sys.argv[1], "client", "secret"), host="127.0.0.1", port=int(sys.argv[2]))
"""
RUN_SAMPLE_SERVICE = """
import logging, sys
from item_visibility_service.server import run_sample_service
logging.basicConfig(level="INFO")
run_sample_service(sys.argv[1], host="127.0.0.1", port=int(sys.argv[2]))
"""
PROGRAMS_AND_SIGNALS = [*product([RUN_SERVICE, RUN_SAMPLE_SERVICE], [signal.SIGINT, signal.SIGTERM])]


@pytest.mark.contract
def test_an_embedded_service_answers_when_it_is_there(tmp_path: Path) -> None:
    """On a port of its own; its addresses are those of the specification."""
    with start_embedded(demo_settings(sqlite_url(tmp_path))) as running:
        health = httpx.get(f"{running.auth_url}/healthz", trust_env=False)

    assert (health.status_code, health.json()) == (200, {"status": "ok"})
    assert running.base_url == f"{running.auth_url}/v1"


@pytest.mark.contract
def test_an_embedded_service_answers_at_the_other_address_of_this_machine(tmp_path: Path) -> None:
    """With the brackets that an address of IPv6 has."""
    with start_embedded(demo_settings(sqlite_url(tmp_path)), host="::1") as running:
        health = httpx.get(f"{running.auth_url}/healthz", trust_env=False)

    assert (health.status_code, running.auth_url[:13]) == (200, "http://[::1]:")


@pytest.mark.contract
def test_small_answers_are_sent_at_once(tmp_path: Path) -> None:
    """The listener says that it is TCP: only then does asyncio switch Nagle's algorithm off."""
    with start_embedded(demo_settings(sqlite_url(tmp_path))) as running:
        protocol = running._listener.proto  # noqa: SLF001  (nothing else shows it but a stopwatch)

    assert protocol == socket.IPPROTO_TCP


@pytest.mark.contract
def test_a_stopped_service_has_left_its_port(tmp_path: Path) -> None:
    """Stopping twice is stopping once."""
    running = start_embedded(demo_settings(sqlite_url(tmp_path)))
    running.stop()
    running.stop()

    with pytest.raises(httpx.ConnectError):
        httpx.get(f"{running.auth_url}/healthz", trust_env=False)


@pytest.mark.contract
def test_what_was_kept_is_there_after_a_restart(tmp_path: Path) -> None:
    """On the port that was asked for."""
    with start_embedded(demo_settings(sqlite_url(tmp_path))) as first:
        key = first.service.store.signing_key()
        port = int(first.auth_url.rpartition(":")[2])
    with start_embedded(demo_settings(sqlite_url(tmp_path)), port=port) as second:
        assert (second.service.store.signing_key(), second.auth_url) == (key, first.auth_url)


@pytest.mark.contract
def test_a_taken_port_is_an_error(tmp_path: Path) -> None:
    """Nobody is sent to somebody else's service."""
    with socket.create_server(("127.0.0.1", 0)) as taken, pytest.raises(OSError, match="in use"):
        start_embedded(demo_settings(sqlite_url(tmp_path)), port=taken.getsockname()[1])


@pytest.mark.contract
def test_a_service_that_cannot_start_leaves_its_port(tmp_path: Path) -> None:
    """The error is the one of the settings, and no socket stays open."""
    with pytest.raises(ServiceSettingsError):
        start_embedded(demo_settings("sqlite://"))

    assert list(tmp_path.iterdir()) == []


async def start_slowly(_server: uvicorn.Server, _sockets: object) -> None:
    """A start that takes longer than anybody waits."""
    await asyncio.sleep(0.5)


@pytest.mark.contract
def test_a_service_that_does_not_start_in_time_is_stopped(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Nobody waits for it, and nothing is left running."""
    monkeypatch.setattr(embedded, "_READY_WITHIN_S", 0.05)
    monkeypatch.setattr(uvicorn.Server, "startup", start_slowly)
    before = threading.active_count()

    with pytest.raises(TimeoutError):
        start_embedded(demo_settings(sqlite_url(tmp_path)))

    assert threading.active_count() == before


def test_a_demo_is_served_on_loopback_only(tmp_path: Path) -> None:
    """Embedded or not; nothing is made before it is refused."""
    settings = demo_settings(sqlite_url(tmp_path))
    with pytest.raises(ServiceSettingsError):
        start_embedded(settings, host="0.0.0.0")
    with pytest.raises(ServiceSettingsError):
        run_service(settings, host="0.0.0.0", port=0)

    assert list(tmp_path.iterdir()) == []


@pytest.mark.contract
@pytest.mark.parametrize(("program", "how"), sample(PROGRAMS_AND_SIGNALS, 2))
def test_a_served_service_ends_with_status_0(tmp_path: Path, program: str, how: signal.Signals) -> None:
    """Ctrl-C and SIGTERM: no traceback, and the port is free again."""
    with socket.create_server(("127.0.0.1", 0)) as found:
        port = found.getsockname()[1]
    command = [sys.executable, "-c", program, sqlite_url(tmp_path), str(port)]
    process = subprocess.Popen(command, stderr=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
    began = read_until(process, "running on")

    health = httpx.get(f"http://127.0.0.1:{port}/healthz", trust_env=False).json()
    process.send_signal(how)
    _, ended = process.communicate(timeout=60)

    assert (process.returncode, health) == (0, {"status": "ok"})
    assert "Traceback" not in began + ended


def read_until(process: "subprocess.Popen[str]", words: str) -> str:
    """The output of a process, up to the line with these words."""
    assert process.stderr is not None
    said = ""
    for line in process.stderr:
        said += line
        if words in line:
            return said
    pytest.fail(f"The service did not start:\n{said}")


@pytest.mark.contract
def test_the_sample_is_served_to_the_client_demo(tmp_path: Path) -> None:
    """The item that a person sees first has twelve recipients."""
    with start_embedded(demo_settings(sqlite_url(tmp_path))) as running:
        load_sample(running.service.store)
        form = {"grant_type": "client_credentials", "client_id": "demo", "client_secret": "demo"}
        token_url = f"{running.auth_url}/auth/realms/platform-api/protocol/openid-connect/token"
        token = httpx.post(token_url, data=form, trust_env=False).json()["access_token"]
        answer = httpx.get(
            f"{running.base_url}/itemvisibilities/{'/'.join(SHOWCASE)}",
            headers={"Authorization": f"Bearer {token}"},
            trust_env=False,
        )

    assert len(answer.json()) == 12


def test_httptools_is_used_where_it_is_installed(monkeypatch: pytest.MonkeyPatch) -> None:
    """It is quicker; h11 is always there."""
    installed = raw_path_protocol.http_protocol("auto")
    monkeypatch.setattr(raw_path_protocol, "find_spec", lambda _name: None)

    assert (installed, raw_path_protocol.http_protocol("auto")) != ("h11", "h11")
    assert raw_path_protocol.http_protocol("auto") == "h11"
