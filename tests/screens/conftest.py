"""The desk behind the screens of a test, on a fake or on the bundled service."""

import asyncio
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import ExitStack
from pathlib import Path
from typing import Any

import httpx
import pytest
from starlette.types import ASGIApp
from streamlit.components.v2 import manifest_scanner
from streamlit.runtime.scriptrunner.script_cache import ScriptCache
from streamlit.testing.v1 import app_test, local_script_runner
from streamlit.testing.v1.local_script_runner import LocalScriptRunner

from components import session
from components.item import open_and_save
from item_visibility.client.identifiers import ItemKey
from item_visibility.use_cases.desk import Desk
from tests.screens.bulk import BULK_PAGE, Bulk, item
from tests.support.desk import DeskKit, ThreadDispatcher, open_kit, put_names
from tests.support.screens import Window

give_up_if_it_runs = local_script_runner.require_widgets_deltas


@pytest.fixture(scope="session", autouse=True)
def prepared_app_tests() -> Iterator[None]:
    """Save time: look for components once and compile each page once.

    Wait for each save.
    """
    found = manifest_scanner.scan_component_manifests()
    compiled = ScriptCache()
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(manifest_scanner, "scan_component_manifests", lambda: found)
        patch.setattr(local_script_runner, "ScriptCache", lambda: compiled)
        patch.setattr(app_test, "ScriptCache", lambda: compiled)
        patch.setattr(local_script_runner, "require_widgets_deltas", wait_for_the_run)
        patch.setattr(open_and_save, "WAIT_FOR_SAVE_S", 60.0)
        yield


def wait_for_the_run(runner: LocalScriptRunner, timeout: float) -> None:
    """Wait until the run ends. Fail as Streamlit does if that takes too long."""
    thread = runner._script_thread  # noqa: SLF001  # nothing public waits for it
    assert thread is not None
    thread.join(timeout)
    if not runner.script_stopped():
        give_up_if_it_runs(runner, 0)


OpenDesk = Callable[..., DeskKit]
OpenBulk = Callable[..., Bulk]


@pytest.fixture
def open_desk(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[OpenDesk]:
    session.desks.close()
    with ExitStack() as opened:

        def open_one(
            items: Mapping[ItemKey, Iterable[str]] | None = None,
            **options: Any,  # noqa: ANN401  # those of `open_kit`
        ) -> DeskKit:
            kit = opened.enter_context(open_kit(tmp_path, items, **options))
            monkeypatch.setattr(session, "open_desk", lambda *_, **__: kit.desk)
            return kit

        yield open_one
        session.desks.close()


@pytest.fixture
def open_bulk(open_desk: OpenDesk) -> Iterator[OpenBulk]:
    with ExitStack() as opened:

        def open_one(
            items: Mapping[ItemKey, Iterable[str]],
            *,
            known: Iterable[ItemKey] = (item("I0"),),
        ) -> Bulk:
            dispatcher = ThreadDispatcher()
            kit = open_desk(items, dispatcher=dispatcher)
            opened.callback(dispatcher.close)
            put_names(
                kit.records.directory,
                items=[(known_item, "", "") for known_item in known],
                recipients=[("R0", "")],
            )
            return Bulk(kit, Window.on(BULK_PAGE))

        yield open_one


@pytest.fixture
def demo(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Desk]:
    monkeypatch.setenv("ITEM_VISIBILITY_DEMO", "true")
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path))
    session.desks.close()
    yield session.get_desk()
    session.desks.close()


def answer_of(
    app: ASGIApp,
    path: str,
    *,
    method: str = "GET",
    headers: Mapping[str, str] | None = None,
) -> httpx.Response:
    async def ask() -> httpx.Response:
        transport = httpx.ASGITransport(app=app)
        async with httpx.AsyncClient(
            transport=transport, base_url="http://localhost"
        ) as client:
            return await client.request(method, path, headers=headers)

    return asyncio.run(ask())
