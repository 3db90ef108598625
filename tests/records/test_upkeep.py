"""Removing what is old, on either database."""

import pytest

from item_visibility.api.identifiers import ItemKey
from item_visibility.records import HistoryFilter, Records, Sighting, upkeep
from tests.records.entries import begin, minute, save


def test_what_is_old_and_over_is_removed_piece_by_piece(
    records: Records, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Of one environment; open saves stay, and everything else reads as before."""
    monkeypatch.setattr(upkeep, "PIECE", 2)
    history = records.history(environment="default", base_url="")
    elsewhere = records.history(environment="test", base_url="")
    for number in range(5):
        save(history, f"old-{number}", at=number, item=ItemKey("S", str(number)), before="A", add="B")
    begin(history, "open", at=1, item=ItemKey("S", "open"), before="A", add="B")
    save(history, "new", at=60, item=ItemKey("S", "0"), before="AB", add="C")
    save(elsewhere, "elsewhere", at=1, before="AE", add="B")
    keeper = records.history_upkeep(environment="default")
    assert keeper.count_before(minute(30)) == 5
    assert keeper.remove_before(minute(30)) == 5
    left = list(records.history_search(environment="default").all(HistoryFilter()))
    assert [(entry.key, entry.before) for entry in left] == [
        ("new", frozenset("AB")),
        ("open", frozenset("A")),
    ]
    assert elsewhere.entry("elsewhere") is not None


def test_a_list_as_seen_last_outlives_its_entry(records: Records) -> None:
    """A later read is still compared with it."""
    history = records.history(environment="default", base_url="")
    item = ItemKey("S", "I")
    save(history, "old", at=0, item=item, before="A", add="B")
    records.history_upkeep(environment="default").remove_before(minute(30))
    later = Sighting(item=item, recipients=frozenset("AX"), asked_at=minute(40), seen_at=minute(40))
    history.note_read(later)
    (entry,) = records.history_search(environment="default").all(HistoryFilter())
    assert (entry.before, entry.after) == (frozenset("AB"), frozenset("AX"))
