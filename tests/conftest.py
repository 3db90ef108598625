"""Settings for every test: no network, and no access to the files and settings of the
person who runs it.
"""

import gc
import importlib
import os
import pkgutil
import signal
from collections.abc import Generator, Iterator
from pathlib import Path

import pytest
from coverage import Coverage

from tests.support import thorough
from tests.support.browser import playwright_folder

pytest_plugins = (
    "tests.support.bundled_service",
    "tests.support.databases",
    "tests.support.postgres",
)
"""The fixtures that several folders share."""
LOOPBACK = ["127.0.0.1", "::1"]
MARKERS = ("contract", "peer")
TESTS = Path(__file__).parent
LONG = TESTS / "browser"
PEERS = TESTS / "peers"
ON_THIS_MACHINE = (LONG, TESTS / "screens")
"""The folders in which every test may call servers on this machine."""
NOT_MEASURED = (
    LONG,
    *(TESTS / folder for folder in ("contract", "house", "setup")),
    TESTS / "screens" / "test_hostile_texts.py",
    TESTS / "client" / "test_hostile_ids.py",
    TESTS / "saving" / "test_save_faults.py",
    TESTS / "use_cases" / "test_unclear_entries.py",
    TESTS / "jobs" / "test_job_faults.py",
)
"""Tests that run without measuring coverage: they run only lines that other tests run
too, and measuring would slow them down by two thirds.
"""
MOST_WORKERS = 8
A_LONG_CAMPAIGN_S = 3_600


def pytest_addoption(parser: pytest.Parser) -> None:
    """Add `--thorough`, which runs all long tests in full."""
    parser.addoption(
        "--thorough",
        action="store_true",
        help="all of the long campaigns: 100 kills, 10,000 rows, every reading of "
        "the specification",
    )


@pytest.hookimpl(tryfirst=True)
def pytest_configure(config: pytest.Config) -> None:
    """Set how thorough this run is.

    Also make Ctrl-C work, which this process and its programs would ignore in the
    background of a script.
    """
    signal.signal(signal.SIGINT, signal.default_int_handler)
    if config.getoption("--thorough"):
        config.option.timeout = A_LONG_CAMPAIGN_S
    thorough.prepare(is_thorough=config.getoption("--thorough"))


def pytest_ignore_collect(collection_path: Path, config: pytest.Config) -> bool | None:
    """Skip the tests with other companies' programs unless asked for: Keycloak alone
    takes 15 s to start.
    """
    if collection_path != PEERS or config.getoption("--thorough"):
        return None
    is_asked_for = any("peers" in argument for argument in config.args)
    return None if is_asked_for else True


@pytest.hookimpl(tryfirst=True)
def pytest_sessionstart(session: pytest.Session) -> None:
    """Stop measurements of coverage 7.17 in a worker: they would also measure the tests
    without coverage.
    """
    if hasattr(session.config, "workerinput"):
        earlier = Coverage.current()
        while earlier is not None:
            earlier.stop()
            earlier = Coverage.current()


@pytest.hookimpl(wrapper=True)
def pytest_collection() -> Generator[None, object, object]:
    """Pause garbage collection while tests are collected: almost everything created
    here stays in use.

    Coverage measures only the imports of the program: otherwise it slows down the
    import of the tests.
    """
    measurement = Coverage.current()
    if measurement is not None:
        for package in ("item_visibility", "item_visibility_service", "components"):
            folders = importlib.import_module(package).__path__
            for module in pkgutil.walk_packages(folders, f"{package}."):
                if not module.name.endswith((".__main__", ".env")):
                    importlib.import_module(module.name)
        measurement.stop()
    gc.disable()
    try:
        return (yield)
    finally:
        gc.enable()
        if measurement is not None:
            measurement.start()


def pytest_collection_finish() -> None:
    """Exclude existing objects from garbage collection, which Streamlit 1.67 starts
    after every run.
    """
    gc.freeze()


def pytest_xdist_auto_num_workers() -> int | None:
    """Use one worker more than there are processors, because tests spend much of their
    time waiting.
    """
    if "PYTEST_XDIST_AUTO_NUM_WORKERS" in os.environ:
        return None
    return min((os.cpu_count() or 1) + 1, MOST_WORKERS)


@pytest.hookimpl(trylast=True)
def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Allow marked tests to call this machine; `--disable-socket` in pyproject.toml
    stops all others.

    This hook runs last, after folders have marked their tests. Long tests come first.
    An idle worker takes tests from the end of another worker's list. The tests that
    share a dashboard are at that end, so that such a worker starts only this dashboard.
    """
    items.sort(key=turn)
    for item in items:
        if any(map(item.path.is_relative_to, NOT_MEASURED)):
            item.add_marker(pytest.mark.no_cover)
        is_of_folder = any(map(item.path.is_relative_to, ON_THIS_MACHINE))
        if is_of_folder or any(item.get_closest_marker(name) for name in MARKERS):
            item.add_marker(pytest.mark.allow_hosts(LOOPBACK))


def turn(item: pytest.Item) -> tuple[bool, bool, bool]:
    """Return the sort key of a test: browser tests first, those that share a dashboard
    together.

    A browser window that opens another dashboard has to load and compile all scripts
    again.
    """
    is_long = isinstance(item, pytest.Function) and item.path.is_relative_to(LONG)
    fixtures = item.fixturenames if is_long else ()
    return not is_long, "demo" in fixtures, "configured" in fixtures


@pytest.fixture(scope="session", autouse=True)
def empty_home(tmp_path_factory: pytest.TempPathFactory) -> Iterator[None]:
    """Use an empty home folder and no configuration, so that no test reads or writes a
    person's files.
    """
    home = tmp_path_factory.mktemp("home")
    folders = {
        "HOME": home,
        "USERPROFILE": home,
        "LOCALAPPDATA": home / "local",
        "XDG_CACHE_HOME": home / "cache",
        "XDG_CONFIG_HOME": home / "config",
        "XDG_DATA_HOME": home / "data",
        "XDG_STATE_HOME": home / "state",
    }
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("PLAYWRIGHT_BROWSERS_PATH", str(playwright_folder()))
        for name, folder in folders.items():
            patch.setenv(name, str(folder))
        settings = [name for name in os.environ if name.startswith("ITEM_VISIBILITY_")]
        for name in settings:
            patch.delenv(name)
        yield
