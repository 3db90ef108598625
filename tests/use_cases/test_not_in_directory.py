"""Ids that a preview would change and the directory does not know."""

from pathlib import Path

import pytest

from item_visibility.client.identifiers import ItemKey
from item_visibility.saving.job import BulkItem
from item_visibility.storage.directory import Kind, NameRow
from item_visibility.use_cases import bulk
from item_visibility.use_cases.bulk import NotInDirectory
from tests.support.desk import open_kit, wait_until

ONE, TWO = ItemKey("S", "I1"), ItemKey("S", "I2")


@pytest.mark.parametrize(
    ("looked_at", "unknown"),
    [
        (20_000, NotInDirectory((TWO,), ("R2",))),
        (1, NotInDirectory((TWO,), ("R2",), is_more=True)),
    ],
)
def test_unknown_items_and_recipients_are_found(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, looked_at: int, unknown: NotInDirectory
) -> None:
    monkeypatch.setattr(bulk, "LOOKED_AT", looked_at)
    with open_kit(tmp_path, {ONE: {"R1"}}) as kit:
        kit.records.directory[Kind.RECIPIENT].put([NameRow(("R3",))])
        asked = [
            BulkItem(item=ONE, add=frozenset({"R1"})),
            BulkItem(item=TWO, add=frozenset({"R2", "R3"})),
        ]
        key = kit.desk.bulk.start_preview(asked, title="list")
        wait_until(lambda: not kit.desk.bulk.is_being_read(key))
        assert kit.desk.bulk.not_in_directory(key) == unknown


@pytest.mark.parametrize(
    ("unknown", "words"),
    [
        (NotInDirectory(), ""),
        (NotInDirectory((ONE,)), "1 item is not in your directory."),
        (NotInDirectory((), ("R1", "R2")), "2 recipients are not in your directory."),
        (
            NotInDirectory((ONE, TWO), ("R1",), is_more=True),
            "At least 2 items and 1 recipient are not in your directory.",
        ),
    ],
)
def test_unknown_ones_are_counted_in_words(unknown: NotInDirectory, words: str) -> None:
    assert unknown.words == words
