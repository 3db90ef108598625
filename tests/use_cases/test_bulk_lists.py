"""Lists that are read beside the screen, and what becomes of what a file hides."""

import threading

import pytest

from item_visibility.client.identifiers import ItemKey
from item_visibility.errors import FileError
from item_visibility.lists.layout import Fixed
from item_visibility.lists.table import Watch, heading_words
from item_visibility.use_cases.bulk.lists import AT_ONCE, HiddenCells, ListReader
from tests.lists.workbooks import text_row, workbook
from tests.support.desk import wait_until

INTAKE = ListReader(lambda *_, **__: ())


def test_a_list_is_read_in_the_background() -> None:
    """It reports its progress, and the result in the end."""
    has_reported, goes_on = threading.Event(), threading.Event()

    def read(watch: Watch) -> str:
        watch(0.5)
        has_reported.set()
        goes_on.wait(60)
        return "all"

    run = INTAKE.start_reading(read)
    assert has_reported.wait(60)
    share = run.share
    goes_on.set()
    assert run.wait(timeout_s=60)
    assert (share, run.share, run.result()) == (0.5, 1.0, "all")


def test_reading_that_is_stopped_ends_with_an_error() -> None:
    """Also when it reports no progress any more."""
    begun, goes_on = threading.Event(), threading.Event()

    def read(_watch: Watch) -> None:
        begun.set()
        goes_on.wait(60)

    run = INTAKE.start_reading(read)
    assert begun.wait(60)
    assert not run.wait(timeout_s=0)
    run.stop()
    goes_on.set()
    assert run.wait(timeout_s=60)
    with pytest.raises(FileError, match="Reading the list was stopped") as caught:
        run.result()
    assert caught.value.advice.startswith("Nothing was changed.")


@pytest.mark.filterwarnings("ignore::pytest.PytestUnhandledThreadExceptionWarning")
def test_reading_that_breaks_off_is_told() -> None:
    """Any error is told, so nobody waits for ever."""

    def read(_watch: Watch) -> None:
        raise ZeroDivisionError

    run = INTAKE.start_reading(read)
    assert run.wait(timeout_s=60)
    with pytest.raises(FileError, match="Reading the list failed"):
        run.result()
    wait_until(lambda: "list" not in {one.name for one in threading.enumerate()})


def test_a_few_lists_are_read_at_once() -> None:
    """The others wait for their turn, and then they are read, too."""
    intake = ListReader(lambda *_, **__: ())
    begun, goes_on = threading.Semaphore(0), threading.Event()

    def read(_watch: Watch) -> bool:
        begun.release()
        return goes_on.wait(60)

    runs = [intake.start_reading(read) for _ in range(AT_ONCE + 1)]
    assert [begun.acquire(timeout=60) for _ in range(AT_ONCE)] == [True] * AT_ONCE
    assert not begun.acquire(timeout=0.05)
    goes_on.set()
    assert [run.wait(timeout_s=60) and run.result() for run in runs] == [True] * (AT_ONCE + 1)


def test_headings_that_are_hidden_are_not_skipped() -> None:
    """Without them the columns might be taken for others."""
    top = text_row(1, "Recipient", "Supplier", "Item").replace("<row", '<row hidden="1"')
    content = workbook(top + text_row(2, "9522000010007", "9521000010000", "09521000010017"))
    with pytest.raises(FileError, match="Row 1 holds headings and is hidden"):
        INTAKE.read_file(content, hidden=HiddenCells.SKIP)
    assert INTAKE.read_file(content, hidden=HiddenCells.USE).table.header[0] == "Recipient"


def test_a_row_that_holds_hidden_columns_alone_does_not_vanish() -> None:
    """It stands aside when they are skipped."""
    rows = text_row(1, "Item", "Note") + text_row(2, "", "x") + text_row(3, "I1", "")
    content = workbook(rows, before='<cols><col min="2" max="2" width="0"/></cols>')
    table = INTAKE.read_file(content, hidden=HiddenCells.SKIP).table
    assert [row.number for row in table.rows] == [3]
    assert [(one.row.number, one.reason) for one in table.aside] == [
        (2, "All of the row is hidden in the file, and what is hidden is skipped.")
    ]


def test_items_that_were_ticked_make_a_list() -> None:
    """It came from no file, so that no row of it holds headings."""
    made = INTAKE.list_items(["I1", "I2"])
    understood = made.with_fixed(Fixed(supplier="S", recipients=frozenset({"R"}))).understood()
    assert [one.item for one in understood.items] == [ItemKey("S", "I1"), ItemKey("S", "I2")]
    assert heading_words(made.table) == ""


def test_the_headings_are_told() -> None:
    """The words name their row, or say that there are none."""
    assert heading_words(INTAKE.read_paste("Supplier\tItem\nS\tI").table) == "Row 1 holds the headings."
    without = INTAKE.read_paste("Supplier\tItem\nS\tI", has_heading=False)
    assert heading_words(without.table) == "The list has no headings: every row is a row of it."
