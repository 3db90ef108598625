"""Dashboards that run as long as the tests, and for each test a browser that knows nothing."""

from collections.abc import Callable, Iterator
from contextlib import ExitStack

import pytest
from playwright.sync_api import Browser

from tests.browser.held_service import HoldingLog
from tests.browser.ways import Way
from tests.browser.windows import Windows
from tests.support.bundled_service import run_bundled, sqlite_url
from tests.support.chromium import chromium
from tests.support.dashboard import Place, run_configured, run_demo, run_read_only_demo
from tests.support.pages import Person
from tests.support.postgres import PostgresServer, postgres_server
from tests.support.thorough import this_is_thorough

__all__ = ["chromium", "postgres_server"]

NewPerson = Callable[[], Person]


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Everything here needs a browser."""
    for item in items:
        if "tests/browser" in item.path.as_posix():
            item.add_marker(pytest.mark.browser)


@pytest.fixture(scope="session")
def demo(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Place]:
    """The dashboard with nothing configured."""
    with run_demo(tmp_path_factory.mktemp("demo")) as place:
        yield place


@pytest.fixture(scope="session")
def read_only_demo(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Place]:
    """A demo that was used, where nothing can be changed any more."""
    with run_read_only_demo(tmp_path_factory.mktemp("read_only_demo")) as place:
        yield place


@pytest.fixture(scope="session")
def service_log() -> HoldingLog:
    """The calls that the configured service got."""
    return HoldingLog()


@pytest.fixture(scope="session")
def configured(tmp_path_factory: pytest.TempPathFactory, service_log: HoldingLog) -> Iterator[Place]:
    """The dashboard on another service, which the variables name."""
    folder = tmp_path_factory.mktemp("configured")
    with (
        run_bundled(sqlite_url(folder), service_log) as service,
        run_configured(folder / "home", service) as place,
    ):
        yield place


@pytest.fixture(params=["demo", "configured"] if this_is_thorough() else ["demo"])
def place(request: pytest.FixtureRequest) -> Place:
    """One; and the other, in a thorough run."""
    found: Place = request.getfixturevalue(request.param)
    return found


@pytest.fixture(scope="session")
def on_postgres(tmp_path_factory: pytest.TempPathFactory, postgres_server: PostgresServer) -> Iterator[Place]:
    """The configured dashboard with its own records on PostgreSQL."""
    folder = tmp_path_factory.mktemp("on_postgres")
    records = {"ITEM_VISIBILITY_DATABASE_URL": postgres_server.create_database()}
    with (
        run_bundled(sqlite_url(folder)) as service,
        run_configured(folder / "home", service, **records) as place,
    ):
        yield place


@pytest.fixture(
    params=[
        pytest.param("on_postgres", marks=pytest.mark.peer),
        *(["configured"] if this_is_thorough() else []),
    ]
)
def either_database(request: pytest.FixtureRequest) -> Place:
    """The configured dashboard with its own records on PostgreSQL; on SQLite too, in a thorough run."""
    found: Place = request.getfixturevalue(request.param)
    return found


@pytest.fixture(scope="package")
def windows(chromium: Browser) -> Windows:
    """The windows of this folder's tests."""
    return Windows(chromium)


@pytest.fixture(scope="package")
def touch_windows(chromium: Browser) -> Windows:
    """Those with a touch screen."""
    return Windows(chromium, has_touch=True)


@pytest.fixture
def new_person(windows: Windows) -> Iterator[NewPerson]:
    """Gives browser windows, each of a new person; looks at the end what they did that they may not."""
    with ExitStack() as lent:
        yield lambda: lent.enter_context(windows.lend())


@pytest.fixture
def way() -> Way:
    """A mouse and a wide screen; a test of a journey names others."""
    return Way()


@pytest.fixture
def person(windows: Windows, way: Way) -> Iterator[Person]:
    """Somebody who works this way, and whose browser knows nothing yet."""
    with windows.lend() as person:
        person.page.set_viewport_size(way.viewport)
        person.hand = way.hand
        yield person


@pytest.fixture
def touching(touch_windows: Windows) -> Iterator[Person]:
    """Somebody at a wide touch screen, whose browser knows nothing yet."""
    with touch_windows.lend() as person:
        yield person
