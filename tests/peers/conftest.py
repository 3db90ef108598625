"""One Keycloak for all tests of this folder: it takes 15 s of processor time to start."""

import os
from collections.abc import Iterator

import pytest

from tests.support.keycloak import Keycloak, KeycloakProcess, run_keycloak_process, use_named_keycloak


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Everything here talks to a peer."""
    for item in items:
        if "tests/peers" in item.path.as_posix():
            item.add_marker(pytest.mark.peer)


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
