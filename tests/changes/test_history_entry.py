"""An entry of the history."""

from dataclasses import replace

import pytest

from item_visibility.changes.history_entry import HistoryEntry
from item_visibility.changes.request import Origin
from tests.changes.saving import ask
from tests.support.fake_visibilities import START


@pytest.mark.parametrize(
    ("before", "add", "remove", "whole"),
    [
        ("AB", "DE", "", True),
        ("ABD", "E", "", True),
        ("AB", "DEF", "A", True),
        ("AB", "D", "", False),
        ("ADE", "", "DE", True),
        ("ADE", "", "D", False),
        ("AD", "", "D", True),
    ],
)
def test_a_list_is_taken_as_a_whole_or_in_part(before: str, add: str, remove: str, *, whole: bool) -> None:
    """As a whole when afterwards all of it, or none of it, can see the item."""
    origin = Origin(set_name="Shops", set_recipients=frozenset("DE"))
    request = replace(ask(base=before, add=add, remove=remove), origin=origin)
    entry = HistoryEntry(service="", request=request, started_at=START, steps=())
    assert entry.took_whole_set is whole
