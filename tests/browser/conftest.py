"""Dashboards that these tests share, and a clean browser window for each test."""

from collections.abc import Iterator

import pytest
from playwright.sync_api import Browser

from tests.browser.windows import Way, Windows
from tests.support.bundled_service import OperationLog, run_bundled, sqlite_url
from tests.support.chromium import chromium
from tests.support.dashboard import Place, run_configured, run_demo
from tests.support.pages import Person

__all__ = ["chromium"]


@pytest.fixture(scope="session")
def demo(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Place]:
    with run_demo(tmp_path_factory.mktemp("demo")) as place:
        yield place


@pytest.fixture(scope="session")
def service_log() -> OperationLog:
    return OperationLog()


@pytest.fixture(scope="session")
def configured(
    tmp_path_factory: pytest.TempPathFactory, service_log: OperationLog
) -> Iterator[Place]:
    folder = tmp_path_factory.mktemp("configured")
    with (
        run_bundled(sqlite_url(folder), service_log) as service,
        run_configured(folder / "home", service) as place,
    ):
        yield place


@pytest.fixture(scope="package")
def windows(chromium: Browser) -> Windows:
    return Windows(chromium)


@pytest.fixture
def way() -> Way:
    """Return the default way: a mouse and a wide screen.

    Tests of journeys override it.
    """
    return Way()


@pytest.fixture
def person(windows: Windows, way: Way) -> Iterator[Person]:
    with windows.lend() as person:
        person.page.set_viewport_size(way.viewport)
        person.hand = way.hand
        yield person
