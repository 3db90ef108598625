"""One browser and one Keycloak for all tests of this folder: a Keycloak takes 15 s to start."""

import os
from collections.abc import Iterator

import pytest

from tests.browser.conftest import new_person, windows
from tests.support.chromium import chromium
from tests.support.keycloak import Keycloak, KeycloakProcess, run_keycloak_process, use_named_keycloak

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
    if os.environ.get("KEYCLOAK_URL"):
        pytest.skip("KEYCLOAK_URL names a Keycloak that we may not stop")
    with run_keycloak_process() as process:
        yield process


@pytest.fixture(scope="session")
def keycloak(request: pytest.FixtureRequest) -> Iterator[Keycloak]:
    """A Keycloak with the realm `platform-api`: our own, or the one that KEYCLOAK_URL names."""
    if url := os.environ.get("KEYCLOAK_URL"):
        with use_named_keycloak(url, os.environ["KEYCLOAK_ADMIN_PASSWORD"]) as named:
            yield named
    else:
        process: KeycloakProcess = request.getfixturevalue("keycloak_process")
        yield process.keycloak
