"""The history: the undo of a save, who could see an item on a day, and the file."""

import io
import zipfile
from collections.abc import Iterable, Iterator
from dataclasses import replace
from datetime import timedelta
from pathlib import Path
from unittest.mock import Mock

import pytest

from item_visibility.lists import writer
from item_visibility.lists.reader import read_table
from item_visibility.lists.table import pick
from item_visibility.saving.outcome import HistoryEntry, OthersChanges, Outcome, StepResult
from item_visibility.saving.plan import ChangeStep, Goal
from item_visibility.storage.history import HistoryFilter
from item_visibility.storage.seen_lists import ReadItem
from item_visibility.use_cases.history import Undo, as_xlsx, day_of_item, undo_request
from tests.saving.saving import ask
from tests.support.desk import ITEM, DeskKit, a_request, open_kit
from tests.support.fake_visibilities import START

DONE = Outcome.DONE


@pytest.fixture
def kit(tmp_path: Path) -> Iterator[DeskKit]:
    with open_kit(tmp_path, {ITEM: {"A", "B"}}) as kit:
        kit.save(a_request(ITEM, key="k1", base="AB", add="CD"))
        kit.fake.time.move(60)
        kit.save(a_request(ITEM, key="k2", base="ABCD", remove="C"))
        yield kit


def undo_of(*steps: tuple[str, Goal, Outcome], current: Iterable[str], changed: Iterable[str] = ()) -> Undo:
    """The undo of a save with these steps, while these recipients can see the item."""
    results = tuple(StepResult(ChangeStep(one, goal), outcome) for one, goal, outcome in steps)
    entry = HistoryEntry(service="s", request=ask(key="save-1"), started_at=START, steps=results)
    reading = ReadItem(item=ITEM, recipients=frozenset(current), asked_at=START, read_at=START)
    search = Mock(changed_since=Mock(return_value=frozenset(changed)), count_undos=Mock(return_value=0))
    return undo_request(search, entry, reading)


def changes(undo: Undo) -> tuple[set[str], set[str]]:
    return set(undo.request.add), set(undo.request.remove)


def test_what_the_save_did_not_do_is_not_undone() -> None:
    others = [outcome for outcome in Outcome if outcome is not DONE]
    undo = undo_of(*((outcome, Goal.VISIBLE, outcome) for outcome in others), current=others)
    assert (changes(undo), undo.left_alone) == ((set(), set()), ())


def test_what_somebody_changed_since_is_left_alone_and_named() -> None:
    undo = undo_of(
        ("A", Goal.VISIBLE, DONE),
        ("B", Goal.NOT_VISIBLE, DONE),
        ("C", Goal.VISIBLE, DONE),
        current="BC",
        changed="C",
    )
    assert (changes(undo), undo.left_alone) == ((set(), set()), ("A", "B", "C"))


def test_an_id_that_no_address_can_carry_is_not_restorable() -> None:
    undo = undo_of(("..", Goal.NOT_VISIBLE, DONE), ("A", Goal.NOT_VISIBLE, DONE), current="")
    assert (changes(undo), undo.not_restorable) == (({"A"}, set()), ("..",))


def test_the_history_says_who_could_see_the_item_on_a_day(kit: DeskKit) -> None:
    first = kit.fake.time.now() - timedelta(minutes=1)
    second = kit.fake.time.now()
    search, day = kit.records.search, timedelta(days=1)
    past = day_of_item(search, ITEM, start=first - day, end=second + day)
    assert set(past.spans) == set("ABCD")
    assert (past.spans["A"], past.spans["D"][1]) == ((None, None), None)
    since, until = past.spans["C"]
    assert first <= since < second <= until
    later = day_of_item(search, ITEM, start=second + day, end=second + 2 * day)
    assert set(later.spans) == set("ABD")
    assert day_of_item(search, ITEM, start=first - 2 * day, end=first - day) is None


def test_what_others_changed_meanwhile_has_rows_of_its_own(kit: DeskKit) -> None:
    entry = kit.records.history.entry("k2")
    others = OthersChanges(added=frozenset("-"))
    entry = replace(entry, result=replace(entry.result, others=others, after=None))
    columns = ("Recipient", "Change", "Could see before", "Could see after")
    rows = pick(read_table(as_xlsx([entry])), columns, ids=("Recipient",))
    assert [row.cells for row in rows] == [
        ("C", "not visible", "yes", ""),
        ("-", "not by this save", "no", ""),
    ]


def test_a_full_sheet_is_followed_by_another(kit: DeskKit, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(writer, "ROWS_OF_A_SHEET", 2)
    with zipfile.ZipFile(io.BytesIO(as_xlsx(kit.records.search.all(HistoryFilter())))) as book:
        sheets = [name for name in book.namelist() if name.startswith("xl/worksheets/sheet")]
    assert len(sheets) == 2


def test_a_text_that_no_cell_can_hold_is_cut_and_says_so(kit: DeskKit) -> None:
    entry = kit.records.history.entry("k2")
    entry = replace(entry, request=replace(entry.request, reason="\ud800" + "x" * 40_000))
    with zipfile.ZipFile(io.BytesIO(as_xlsx([entry]))) as book:
        sheet = book.read("xl/worksheets/sheet1.xml").decode()
    assert "\\ud800xxx" in sheet
    assert "xxx … (cut here)" in sheet
