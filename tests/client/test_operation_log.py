"""The check over the whole test run finds what it is there to find."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from item_visibility import ItemKey, VisibilityClient
from item_visibility_service.application import Operation
from item_visibility_service.server import EmbeddedService, start_embedded
from item_visibility_service.settings import ServiceSettings
from item_visibility_service.store import Item
from tests.support.operation_log import OperationLog, watch_clients, watch_services

pytestmark = pytest.mark.contract

ITEM = ItemKey("S/1", "I 1")
PATH = b"/v1/itemvisibilities/S%2F1/I%201"


@pytest.fixture
def log(monkeypatch: pytest.MonkeyPatch) -> OperationLog:
    """A log of its own, that watches what is made from now on."""
    log = OperationLog()
    watch_clients(log, monkeypatch)
    watch_services(log, monkeypatch)
    return log


@pytest.fixture
def service(log: OperationLog, tmp_path: Path) -> Iterator[EmbeddedService]:
    """A bundled service that is watched."""
    assert log.differences() == []
    with start_embedded(ServiceSettings(f"sqlite:///{tmp_path / 's.sqlite'}", "client", "secret")) as service:
        yield service


@pytest.fixture
def client(service: EmbeddedService) -> Iterator[VisibilityClient]:
    """A client that is watched."""
    with VisibilityClient(service.base_url, service.auth_url, "client", "secret") as client:
        client.add_visibility(ITEM, "r")
        client.get_visibilities(ITEM)
        yield client


@pytest.mark.usefixtures("client")
def test_a_good_run_shows_no_difference(log: OperationLog) -> None:
    """Every request was run as asked."""
    assert log.differences() == []


@pytest.mark.usefixtures("client")
@pytest.mark.parametrize(
    "operation",
    [
        Operation("removeVisibilities", Item("S/1", "I 1"), None, PATH + b"/recipient/r"),
        Operation("removeVisibility", Item("S/1", "I 1"), "x", PATH + b"/recipient/r"),
        Operation("addVisibility", Item("S", "I 1"), "r", b"/v1/itemvisibilities/S/I%25201/recipient/r"),
        Operation("setVisibilities", Item("S/1", "I 1"), "r", PATH + b"/recipient/r"),
    ],
)
def test_an_operation_that_is_not_what_its_path_says_is_found(
    log: OperationLog, service: EmbeddedService, operation: Operation
) -> None:
    """Another id, another operation, another shape."""
    log.run(service.service, operation)
    assert [line.split(":")[0] for line in log.differences()] == ["run, but not what the path says"]


def test_a_success_that_was_run_as_another_operation_is_found(
    log: OperationLog, client: VisibilityClient, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The client was told "done", and the service did something else."""
    monkeypatch.setattr(log, "run", lambda *_: None)
    client.remove_visibility(ITEM, "r")
    (difference,) = log.differences()
    assert difference.startswith("done 1 times more often than run")
    assert "removeVisibility" in difference
