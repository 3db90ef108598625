"""One browser and one Keycloak for all tests of this folder: a Keycloak takes 15 s to start."""

from collections.abc import Iterator

import pytest

from tests.browser.conftest import new_person, windows
from tests.peers.keycloak import Keycloak, KeycloakProcess, run_keycloak_process
from tests.support.chromium import chromium

__all__ = ["chromium", "new_person", "windows"]


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Everything here talks to a peer. Tests that need Keycloak can be run apart: `-m keycloak`."""
    for item in items:
        if "tests/peers" in item.path.as_posix():
            item.add_marker(pytest.mark.peer)
            if isinstance(item, pytest.Function) and "keycloak" in item.fixturenames:
                item.add_marker(pytest.mark.keycloak)


@pytest.fixture(scope="session")
def keycloak_process() -> Iterator[KeycloakProcess]:
    """A Keycloak of our own, which a test may kill and start again."""
    with run_keycloak_process() as process:
        yield process


@pytest.fixture(scope="session")
def keycloak(keycloak_process: KeycloakProcess) -> Keycloak:
    """A Keycloak with the realm `platform-api`."""
    return keycloak_process.keycloak
