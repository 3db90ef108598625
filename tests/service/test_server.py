"""The service in a thread and as a program of its own, and the settings that it needs."""

import socket
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

contract = pytest.mark.contract


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
