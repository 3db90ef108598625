"""The service in a thread and as a program of its own, and the settings that it needs."""

import signal
import socket
import subprocess
import sys
from itertools import product
from pathlib import Path

import httpx
import pytest

from item_visibility_service.server import run_service, start_embedded
from item_visibility_service.settings import (
    ServiceSettings,
    ServiceSettingsError,
    demo_settings,
    holds_password,
)
from tests.support.bundled_service import sqlite_url
from tests.support.ports import free_port
from tests.support.thorough import sample

contract = pytest.mark.contract

RUN_SERVICE = """
import logging, sys
from item_visibility_service.server import run_service
from item_visibility_service.settings import ServiceSettings, demo_settings
logging.basicConfig(level="INFO")
url, port, is_demo = sys.argv[1], int(sys.argv[2]), sys.argv[3] == "demo"
settings = demo_settings(url) if is_demo else ServiceSettings(url, "client", "secret")
run_service(settings, host="127.0.0.1", port=port)
"""
SERVICES_AND_SIGNALS = [*product(["demo", "client"], [signal.SIGINT, signal.SIGTERM])]


@contract
@pytest.mark.parametrize(("host", "start"), [("127.0.0.1", "http://127.0.0.1:"), ("::1", "http://[::1]:")])
def test_an_embedded_service_answers_once_it_is_started(tmp_path: Path, host: str, start: str) -> None:
    with start_embedded(demo_settings(sqlite_url(tmp_path)), host=host) as running:
        health = [httpx.get(f"{running.auth_url}/{path}", trust_env=False) for path in ("healthz", "readyz")]

    assert [one.status_code for one in health] == [200, 200]
    assert [one.json() for one in health] == [{"status": "ok"}, {"status": "ok", "version": "unknown"}]
    assert running.auth_url.startswith(start)
    assert running.base_url == f"{running.auth_url}/v1"


@contract
def test_a_taken_port_is_an_error(tmp_path: Path) -> None:
    with socket.create_server(("127.0.0.1", 0)) as taken, pytest.raises(OSError, match="in use"):
        start_embedded(demo_settings(sqlite_url(tmp_path)), port=taken.getsockname()[1])


@contract
def test_a_service_that_cannot_start_leaves_its_port() -> None:
    port = free_port()
    with pytest.raises(ServiceSettingsError):
        start_embedded(demo_settings("sqlite://"), port=port)

    socket.create_server(("127.0.0.1", port)).close()


@contract
@pytest.mark.parametrize(("kind", "end"), sample(SERVICES_AND_SIGNALS, 2))
def test_a_service_process_ends_with_status_0(tmp_path: Path, kind: str, end: signal.Signals) -> None:
    port = free_port()
    command = [sys.executable, "-c", RUN_SERVICE, sqlite_url(tmp_path), str(port), kind]
    process = subprocess.Popen(command, stderr=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
    assert process.stderr is not None
    first_lines = iter(process.stderr.readline, "")
    started = next(line for line in first_lines if "running on" in line)

    health = httpx.get(f"http://127.0.0.1:{port}/healthz", trust_env=False).json()
    process.send_signal(end)
    _, ended = process.communicate(timeout=60)

    assert (process.returncode, health) == (0, {"status": "ok"})
    assert "Traceback" not in started + ended


@pytest.mark.parametrize("host", ["0.0.0.0", "::", "example.org", ""])
def test_a_demo_listens_on_loopback_only(tmp_path: Path, host: str) -> None:
    settings = demo_settings(sqlite_url(tmp_path))
    for start in (start_embedded, lambda settings, host: run_service(settings, host=host, port=0)):
        with pytest.raises(ServiceSettingsError, match="secret is public"):
            start(settings, host=host)

    assert list(tmp_path.iterdir()) == []


def test_no_secret_is_in_a_repr() -> None:
    shown = repr(ServiceSettings("postgresql://u:database-secret@h/d", "client", "client-secret"))

    assert ("database-secret" in shown, "client-secret" in shown) == (False, False)


@pytest.mark.parametrize(("client_id", "client_secret"), [("", "s"), ("c", "")])
def test_a_client_without_id_or_secret_is_refused(client_id: str, client_secret: str) -> None:
    with pytest.raises(ServiceSettingsError):
        ServiceSettings("sqlite:///x", client_id, client_secret)


@pytest.mark.parametrize(
    ("url", "is_found"),
    [
        ("postgresql://u:p@h/d", True),
        ("postgresql+psycopg://u@h/d?password=p", True),
        ("postgresql://u@h:5432/d", False),
        ("sqlite:////folder/a@b:c.sqlite", False),
    ],
)
def test_a_password_in_the_address_of_a_database_is_found(url: str, *, is_found: bool) -> None:
    assert holds_password(url) is is_found
