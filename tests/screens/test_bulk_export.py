"""The recipients of many items in a file: chosen, made in the background, downloaded."""

import pytest

from components.bulk import export_box
from item_visibility.lists.reader import read_table
from item_visibility.use_cases.exports import ExportRun
from tests.screens.bulk import SUPPLIER, Bulk, item
from tests.screens.conftest import OpenBulk
from tests.support.desk import wait_until
from tests.support.fake_visibilities import NOBODY
from tests.support.held import HeldCalls
from tests.support.known_names import put_names

ROWS = [(SUPPLIER, "I1", "=B"), (SUPPLIER, "I1", "A")]


@pytest.fixture
def bulk(open_bulk: OpenBulk) -> Bulk:
    """Two known items of the supplier, and one of another."""
    bulk = open_bulk({item("I1"): {"A", "=B"}, item("I2"): NOBODY}, known=(item("I1"), item("I2")))
    put_names(bulk.kit.records.directory, suppliers=[(SUPPLIER, "")])
    return bulk


def export(bulk: Bulk) -> ExportRun:
    """Press Export, and return the run once it has ended."""
    bulk.window.click("export")
    run = run_of(bulk)
    wait_until(lambda: run.has_ended)
    bulk.window.leave()
    return run


def run_of(bulk: Bulk) -> ExportRun:
    run = bulk.window.app.session_state[export_box._RUN]  # noqa: SLF001  (where the component keeps it)
    assert isinstance(run, ExportRun)
    return run


def rows(run: ExportRun) -> list[tuple[str, ...]]:
    return [row.cells for row in read_table(run.content).rows]


def test_items_of_a_supplier_are_exported(bulk: Bulk) -> None:
    bulk.window.switch("export_items", "Known items of a supplier")
    assert bulk.window.app.button(key="export").disabled
    bulk.window.find("picked", SUPPLIER, key="export_supplier")
    assert rows(export(bulk)) == ROWS
    assert bulk.window.says("2 rows of 2 items")
    assert bulk.window.says("Items without recipients have no row: 1")
    assert "export_file" in bulk.window.keys
    assert bulk.kit.fake.writes == []


def test_items_of_the_list_above_are_exported(bulk: Bulk) -> None:
    bulk.drop(("", "X"), header=("Item", "Recipient"))
    bulk.window.switch("export_items", "Those of the list above")
    bulk.window.click("export")
    assert bulk.window.alerts[-1] == "No file was made. Nothing was changed."
    bulk.drop(("I1", "X1"), header=("Item", "Recipient"), name="other.csv")
    bulk.window.find("entered", SUPPLIER, key="bulk_supplier")
    bulk.rests()
    assert rows(export(bulk)) == ROWS


def test_an_export_is_followed_and_can_be_stopped(bulk: Bulk) -> None:
    bulk.kit.fake.before_call = held = HeldCalls()
    bulk.window.click("export")
    assert "export_file" not in bulk.window.keys
    first = run_of(bulk)
    bulk.window.click("export")
    bulk.window.click("export_stop")
    second = run_of(bulk)
    held.let_go()
    wait_until(lambda: first.has_ended and second.has_ended)
    bulk.window.leave()
    assert bulk.window.says("The export was stopped.")
    assert (first.content, second.content) == (b"", b"")
