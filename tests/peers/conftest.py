"""One browser and one Keycloak for all tests of this folder: a Keycloak takes 15 s to
start.
"""

from collections.abc import Callable, Iterator
from contextlib import ExitStack

import pytest

from tests.browser.conftest import windows
from tests.browser.windows import Windows
from tests.peers.keycloak import Keycloak, run_keycloak
from tests.support.chromium import chromium
from tests.support.pages import Person

__all__ = ["chromium", "windows"]

NewPerson = Callable[[], Person]


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Mark all tests of this folder as `peer`.

    Tests that need Keycloak can run alone: `-m keycloak`.
    """
    for item in items:
        if "tests/peers" in item.path.as_posix():
            item.add_marker(pytest.mark.peer)
            if isinstance(item, pytest.Function) and "keycloak" in item.fixturenames:
                item.add_marker(pytest.mark.keycloak)


@pytest.fixture(scope="session")
def keycloak() -> Iterator[Keycloak]:
    with run_keycloak() as running:
        yield running


@pytest.fixture
def new_person(windows: Windows) -> Iterator[NewPerson]:
    """Give each new person a browser window.

    At the end, check that the browser did nothing forbidden.
    """
    with ExitStack() as lent:
        yield lambda: lent.enter_context(windows.lend())
