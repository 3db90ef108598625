"""What the tests of the bundled service share."""

from collections.abc import Iterator
from contextlib import ExitStack
from pathlib import Path

import pytest

from item_visibility_service.database import open_database
from item_visibility_service.embedded import EmbeddedService
from item_visibility_service.http_protocol import HttpParser
from item_visibility_service.settings import Switches
from item_visibility_service.store import Store
from tests.support.bundled_service import OperationLog, run_bundled, sqlite_url
from tests.support.postgres import postgres_server, postgres_url

__all__ = ["postgres_server", "postgres_url"]

HTTP_PARSERS: tuple[HttpParser, ...] = ("h11", "httptools")


class FakeClock:
    """A clock that moves when a test says so."""

    def __init__(self) -> None:
        self.now = 1_000.0

    def __call__(self) -> float:
        """The time now, in seconds."""
        return self.now


@pytest.fixture
def clock() -> FakeClock:
    """A clock that stands still."""
    return FakeClock()


@pytest.fixture
def sqlite_store(tmp_path: Path) -> Iterator[Store]:
    """An empty store on an SQLite file."""
    store = Store(open_database(sqlite_url(tmp_path)))
    yield store
    store.close()


@pytest.fixture(params=[pytest.param("sqlite"), pytest.param("postgresql", marks=pytest.mark.peer)])
def database_url(request: pytest.FixtureRequest, tmp_path: Path) -> str:
    """The address of an empty database, of each kind that the service knows."""
    if request.param == "sqlite":
        return sqlite_url(tmp_path)
    url: str = request.getfixturevalue("postgres_url")
    return url


@pytest.fixture
def store(database_url: str) -> Iterator[Store]:
    """An empty store, on each kind of database."""
    opened = Store(open_database(database_url))
    yield opened
    opened.close()


class SharedServices:
    """Services that run as long as the session: starting one takes longer than most tests."""

    def __init__(self, folder: Path) -> None:
        self.log = OperationLog()
        self._folder = folder
        self._stack = ExitStack()
        self._running: dict[HttpParser, EmbeddedService] = {}

    def fresh(self, http: HttpParser) -> EmbeddedService:
        """A service as it is at its start: empty, with the ordinary switches."""
        if http not in self._running:
            url = f"sqlite:///{self._folder / http}.sqlite"
            self._running[http] = self._stack.enter_context(run_bundled(url, self.log, http=http))
        running = self._running[http]
        running.service.switches = Switches()
        running.service.store.clear()
        return running

    def stop(self) -> None:
        """Stop them all."""
        self._stack.close()


@pytest.fixture(scope="session")
def shared_services(tmp_path_factory: pytest.TempPathFactory) -> Iterator[SharedServices]:
    """The services of this session."""
    services = SharedServices(tmp_path_factory.mktemp("services"))
    yield services
    services.stop()


@pytest.fixture
def operation_log(shared_services: SharedServices) -> Iterator[OperationLog]:
    """What the services ran in this test; checked against what was asked when the test ends."""
    shared_services.log.operations.clear()
    yield shared_services.log
    shared_services.log.assert_as_asked()


@pytest.fixture
def service(shared_services: SharedServices, operation_log: OperationLog) -> EmbeddedService:  # noqa: ARG001  (it checks)
    """A running, empty service on an SQLite file."""
    return shared_services.fresh("auto")


@pytest.fixture(params=HTTP_PARSERS)
def parsed_service(
    request: pytest.FixtureRequest,
    shared_services: SharedServices,
    operation_log: OperationLog,  # noqa: ARG001  (it checks)
) -> EmbeddedService:
    """A running, empty service, with each HTTP parser that uvicorn has."""
    return shared_services.fresh(request.param)
