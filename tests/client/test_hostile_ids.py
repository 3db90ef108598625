"""Each hostile id arrives unchanged at the intended operation, or is not sent at all.

Note N1.
"""

from collections import Counter
from collections.abc import Callable, Iterator

import pytest

from item_visibility import IdentifierError, ItemKey, VisibilityClient
from item_visibility_service.application import ReceivedCall
from item_visibility_service.server import EmbeddedService
from item_visibility_service.settings import ServiceSettings
from tests.support.hostile_texts import HOSTILE_IDS

pytestmark = pytest.mark.contract

Send = Callable[[VisibilityClient, str], object]
Meant = Callable[[str], tuple[str, str, str, str | None]]
POSITIONS: dict[str, tuple[Send, Meant]] = {
    "supplier": (
        lambda client, value: client.set_visibilities(ItemKey(value, "I"), ["r"]),
        lambda value: ("setVisibilities", value, "I", None),
    ),
    "item": (
        lambda client, value: client.remove_visibilities(ItemKey("S", value)),
        lambda value: ("removeVisibilities", "S", value, None),
    ),
    "recipient": (
        lambda client, value: client.remove_visibility(ItemKey("S", "I"), value),
        lambda value: ("removeVisibility", "S", "I", value),
    ),
}


class Wire:
    """A client on a running service, and the operations that the service has run."""

    def __init__(self, client: VisibilityClient, run: list[ReceivedCall]) -> None:
        self.client = client
        self.run = run

    def fate_of(self, value: str, position: str) -> str:
        """Return whether an id arrived as intended, was refused, or went wrong."""
        send, meant = POSITIONS[position]
        self.run.clear()
        try:
            send(self.client, value)
        except IdentifierError:
            return "wrong" if self.run else "refused"
        arrived = [
            (
                run.operation_id,
                run.item.supplier,
                run.item.supplier_item_id,
                run.recipient_id,
            )
            for run in self.run
        ]
        return "arrived" if arrived == [meant(value)] else "wrong"


@pytest.fixture(scope="module")
def wire(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Wire]:
    folder = tmp_path_factory.mktemp("service")
    run: list[ReceivedCall] = []
    settings = ServiceSettings(
        f"sqlite:///{folder / 'service.sqlite'}", "client", "secret"
    )
    with (
        EmbeddedService(settings, on_operation=run.append) as service,
        VisibilityClient(
            service.base_url, service.auth_url, "client", "secret"
        ) as client,
    ):
        yield Wire(client, run)


@pytest.mark.parametrize("position", POSITIONS)
def test_every_hostile_id_arrives_exactly_or_is_refused(
    wire: Wire, position: str
) -> None:
    fates = {value: wire.fate_of(value, position) for value in HOSTILE_IDS}
    assert [value for value, fate in fates.items() if fate == "wrong"] == []
    assert Counter(fates.values()) == {"arrived": 403, "refused": 144}
