"""Fixtures of the contract tests: fault services, and a process that starts other
processes quickly.
"""

from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.contract.quick_processes import Nursery, open_nursery
from tests.contract.wiring import open_fault_service
from tests.support.fault_service import FaultService


@pytest.fixture(scope="session")
def shared_fault_service() -> Iterator[FaultService]:
    """The fault service of this session. When it stops, it reports its own failures."""
    with open_fault_service() as service:
        yield service


@pytest.fixture
def service() -> Iterator[FaultService]:
    with open_fault_service() as service:
        yield service


@pytest.fixture
def line(service: FaultService, tmp_path: Path, database_url: str) -> tuple[str, ...]:
    """The arguments of `settings_for` and of a process of the nursery: service, folder
    and database.
    """
    return service.base_url, service.auth_url, str(tmp_path), database_url


@pytest.fixture(scope="session")
def nursery() -> Iterator[Nursery]:
    """A process that starts other processes quickly, because it has already imported
    everything.
    """
    with open_nursery("tests.contract.processes") as opened:
        yield opened
