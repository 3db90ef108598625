"""A saver on the real client and the fault service, without real waiting."""

from collections.abc import Iterator
from contextlib import contextmanager
from datetime import UTC, datetime

import pytest

from item_visibility import VisibilityClient, timeouts
from tests.support.fake_visibilities import Semantics
from tests.support.fault_service import CLIENT_ID, CLIENT_SECRET, FaultService

HANG_S = 0.15
READ_TIMEOUT_S = 0.05
MAX_ATTEMPTS = 2


def utc_now() -> datetime:
    return datetime.now(UTC)


def at_once(_delay_s: float) -> None:
    """Do not wait."""


@contextmanager
def open_fault_service(semantics: Semantics | None = None) -> Iterator[FaultService]:
    with FaultService(semantics or Semantics(), hang_s=HANG_S) as service:
        yield service


@contextmanager
def open_client(
    base_url: str, auth_url: str, *, read_timeout_s: float = READ_TIMEOUT_S
) -> Iterator[VisibilityClient]:
    """The real client; it repeats quickly, and waits for an answer only as long as it must."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(timeouts, "CALL_ATTEMPTS", MAX_ATTEMPTS)
        patch.setattr(timeouts, "NEXT_PIECE_S", read_timeout_s)
        with VisibilityClient(base_url, auth_url, CLIENT_ID, CLIENT_SECRET, sleep=at_once) as client:
            yield client
