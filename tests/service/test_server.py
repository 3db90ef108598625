"""The service as a program: what it serves, where, and how it ends."""

import signal
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import uvicorn

from item_visibility_service import server
from item_visibility_service.http.accepted_ids import Item
from item_visibility_service.sample.load import SHOWCASE, sample_visibilities
from item_visibility_service.service_settings import ServiceSettings, ServiceSettingsError
from item_visibility_service.storage.service_database import open_database
from item_visibility_service.storage.visibility_store import Store
from tests.support.bundled_service import sqlite_url


@pytest.fixture
def served(monkeypatch: pytest.MonkeyPatch) -> list[dict[str, Any]]:
    """The options of each call to uvicorn, which returns at once."""
    calls: list[dict[str, Any]] = []
    monkeypatch.setattr(uvicorn, "run", lambda _asgi, **options: calls.append(options))
    return calls


@pytest.fixture
def handlers(monkeypatch: pytest.MonkeyPatch) -> Iterator[dict[int, Any]]:
    """The signal handlers that were set; none is."""
    found: dict[int, Any] = {}
    with monkeypatch.context() as patch:
        patch.setattr(signal, "signal", found.__setitem__)
        yield found


def test_a_service_is_served_where_it_was_asked_for(
    tmp_path: Path, served: list[dict[str, Any]], handlers: dict[int, Any]
) -> None:
    """No line of the log holds an address with ids; each signal is a good end."""
    server.run_service(ServiceSettings(sqlite_url(tmp_path), "us", "hush"), host="127.0.0.1", port=8700)
    (options,) = served
    assert (options["host"], options["port"], options["access_log"]) == ("127.0.0.1", 8700, False)
    assert set(handlers) == {signal.SIGINT, signal.SIGTERM}
    with pytest.raises(SystemExit) as ended:
        handlers[signal.SIGTERM](signal.SIGTERM, None)
    assert ended.value.code == 0


@pytest.mark.usefixtures("handlers")
def test_a_sample_service_holds_the_sample(tmp_path: Path, served: list[dict[str, Any]]) -> None:
    """It does so when it begins to serve."""
    server.run_sample_service(sqlite_url(tmp_path), host="127.0.0.1", port=8700)
    store = Store(open_database(sqlite_url(tmp_path)))
    assert len(served) == 1
    showcase = Item(*SHOWCASE)
    assert set(store.recipients(showcase)) == sample_visibilities()[showcase]
    store.close()


@pytest.mark.usefixtures("handlers")
def test_sample_data_is_served_on_this_machine_only(tmp_path: Path, served: list[dict[str, Any]]) -> None:
    """Its secret is public."""
    with pytest.raises(ServiceSettingsError):
        server.run_sample_service(sqlite_url(tmp_path), host="0.0.0.0", port=8700)
    assert served == []
