"""What holds for every test: no network, and nothing of the person who runs it."""

import os
from collections.abc import Iterator

import pytest

from tests.support.browser import playwright_folder
from tests.support.operation_log import operations_run_as_asked

__all__ = ["operations_run_as_asked"]

LOOPBACK = ["127.0.0.1", "::1"]
MARKERS_WITH_LOOPBACK = ("contract", "screen", "browser", "peer")


@pytest.hookimpl(trylast=True)
def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Let tests that say so reach this machine; `--disable-socket` in pyproject.toml stops all others.

    Last, so that the markers that folders give to their tests are there.
    """
    for item in items:
        if any(item.get_closest_marker(name) for name in MARKERS_WITH_LOOPBACK):
            item.add_marker(pytest.mark.allow_hosts(LOOPBACK))


@pytest.fixture(scope="session", autouse=True)
def home_of_nobody(tmp_path_factory: pytest.TempPathFactory) -> Iterator[None]:
    """An empty home and no configuration: no test reads or writes what belongs to a person."""
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
        for name in [name for name in os.environ if name.startswith("ITEM_VISIBILITY_")]:
            patch.delenv(name)
        yield
