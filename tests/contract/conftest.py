"""A fault service that runs as long as the session: a test begins with `begin`."""

from collections.abc import Iterator

import pytest

from tests.contract.wiring import open_fault_service
from tests.support.fault_service import FaultService


@pytest.fixture(scope="session")
def shared_fault_service() -> Iterator[FaultService]:
    """The fault service of this session; what went wrong in it is told when it stops."""
    with open_fault_service() as service:
        yield service
