"""What the contract tests share: fault services, and a process that starts others quickly."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.contract.quick_processes import Nursery, open_nursery
from tests.contract.wiring import open_fault_service
from tests.support.fault_service import FaultService


@pytest.fixture(scope="session")
def shared_fault_service() -> Iterator[FaultService]:
    """The fault service of this session; what went wrong in it is told when it stops."""
    with open_fault_service() as service:
        yield service


@pytest.fixture
def service() -> Iterator[FaultService]:
    with open_fault_service() as service:
        yield service


@pytest.fixture
def line(service: FaultService, tmp_path: Path, database_url: str) -> tuple[str, ...]:
    """What a process of the nursery is told, and `settings_for`: the service, a folder and a database."""
    return service.base_url, service.auth_url, str(tmp_path), database_url


@pytest.fixture(scope="session")
def nursery() -> Iterator[Nursery]:
    """A process that starts working processes quickly, because it has imported everything."""
    with open_nursery("tests.contract.processes") as opened:
        yield opened
