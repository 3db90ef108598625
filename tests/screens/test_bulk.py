"""The bulk page: lists in many forms, their preview, the job, its results; exports."""

from collections.abc import Callable
from dataclasses import replace
from datetime import UTC, datetime
from unittest.mock import Mock

import pytest

from components.bulk import export_box, list_form
from components.markdown_escape import escaped
from item_visibility.lists.reader import read_table
from item_visibility.model.change import ChangeStep, Goal
from item_visibility.model.job import (
    BulkItem,
    ItemPreview,
    JobOrigin,
    JobState,
    Outage,
)
from item_visibility.model.outcome import Outcome, StepResult
from item_visibility.use_cases.exports import ExportRun
from tests.lists.workbooks import text_row, workbook, xlsx_sheets
from tests.screens.bulk import (
    BULK_PAGE,
    FINDINGS,
    ITEMS,
    JOBS,
    NOT_TAKEN,
    RECIPIENTS,
    RESULTS,
    SUPPLIER,
    Bulk,
    item,
)
from tests.screens.conftest import OpenBulk
from tests.storage.entries import a_job
from tests.support.desk import ANN, TEST_ENVIRONMENT, put_names, wait_until
from tests.support.fake_visibilities import NOBODY, START, Fault, refused
from tests.support.screens import Window
from tests.support.waiting import HeldCalls

UNKNOWN = "Items and recipients that are not in your directory"
KNOWN = "Known items of the supplier, with checkboxes"
THREE = {item(f"I{number}"): {"R1"} for number in range(3)}
ADD_R2 = [(SUPPLIER, f"I{number}", "R2") for number in range(3)]


@pytest.fixture
def bulk(open_bulk: OpenBulk) -> Bulk:
    return open_bulk(THREE)


@pytest.fixture
def held(bulk: Bulk) -> HeldCalls:
    bulk.kit.fake.before_call = held = HeldCalls(
        lambda call: call.operation != "getVisibilities"
    )
    return held


def test_items_are_ticked_by_name_and_recipients_found_by_name(
    bulk: Bulk, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(list_form, "_ITEMS_SHOWN", 2)
    put_names(
        bulk.kit.records.directory,
        suppliers=[(SUPPLIER, "Alpenmühle")],
        items=[(key, "", f"Oats {number}") for number, key in enumerate(THREE)],
        recipients=[("R2", "Sonnenhof")],
    )
    window = bulk.window
    window.find("picked", SUPPLIER, key="bulk_supplier")
    assert [row[0] for row in window.rows(KNOWN)] == ["Oats 0", "Oats 1"]
    assert window.says("The first 2 are shown. For other items, paste their numbers.")

    bulk.window.select(KNOWN, 1)
    window.find("entered", "Supermarkets", key="bulk_recipients")
    window.click("preview")
    question = 'Decide what the text under "Recipients for all items" means.'
    assert f"{question} Then press Preview." in window.alerts
    assert "job" not in window.address

    window.find("dropped", "Supermarkets", key="bulk_recipients")
    window.find("entered", "Sonnenhof", key="bulk_recipients")
    window.click("preview")
    bulk.rests()
    assert window.says("**Job** 1 item of Alpenmühle")

    window.click("apply")
    bulk.rests()
    assert bulk.recipients_of("I0", "I1", "I2") == [{"R1"}, {"R1", "R2"}, {"R1"}]


def test_a_file_is_previewed_automatically_and_leads_through_three_steps(
    bulk: Bulk,
) -> None:
    window = bulk.window
    assert window.says("**1 Choose** · 2 Review · 3 Apply")

    bulk.drop(*ADD_R2, (SUPPLIER, "I0", "R1"))
    key = bulk.rests().key
    assert window.says("1 Choose · **2 Review** · 3 Apply")
    assert window.rows(ITEMS)[0] == ("", "I0", SUPPLIER, 1, 0, 1, "")

    bulk.window.select(ITEMS, 0)
    assert window.rows(RECIPIENTS) == [
        ("Add", "", "R2"),
        ("Already in place", "", "R1"),
    ]

    bulk.back()
    assert "apply" not in window.keys

    window.click("preview")
    assert bulk.rests().key != key

    window.type("bulk_reason", "Ticket 7")
    assert bulk.kit.fake.writes == []

    window.click("apply")
    bulk.rests()
    assert window.says("1 Choose · 2 Review · **3 Apply**")
    assert window.says("Why: Ticket 7")
    assert window.alerts == ["3 verified · 1 already in place"]
    row = ("2", "I0", "", "Add", "Verified", "", "R2", "I0", SUPPLIER)
    assert row in window.rows(RESULTS)


def test_unknown_ids_are_reported_before_apply(bulk: Bulk) -> None:
    bulk.drop((SUPPLIER, "I0", "R1"), (SUPPLIER, "I0", "R2"), (SUPPLIER, "I9", "R2"))
    bulk.rests()
    assert "Some numbers are not in your directory." in bulk.window.alerts
    assert bulk.window.rows(UNKNOWN) == [
        ("Item", "I9", SUPPLIER),
        ("Recipient", "R2", ""),
    ]
    assert not bulk.window.is_off("apply")


def test_large_removals_are_marked_and_need_their_count(open_bulk: OpenBulk) -> None:
    bulk = open_bulk({item("I0"): {"R1", "R2", "R3"}, item("I1"): {"R1"}})
    bulk.drop(
        (SUPPLIER, "I0", "R1", "remove"),
        (SUPPLIER, "I0", "R2", "remove"),
        (SUPPLIER, "I1", "", "withdraw all"),
    )
    bulk.rests()
    window = bulk.window
    window.switch("bulk_items_shown", "Large removals")
    assert [row[-1] for row in window.rows(ITEMS)] == [
        "Large removal: 2 of 3 would no longer see the item",
        "Large removal: 1 of 1 would no longer see the item",
    ]
    assert any("Type 3 to confirm" in alert for alert in window.alerts)

    number = f"bulk_confirm_count_{bulk.job.key}"
    window.type(number, "2")
    window.click("apply")
    assert "Nothing was applied." in window.alerts
    assert window.says("type 3 to confirm, and apply again")
    assert bulk.job.state is JobState.PREVIEWED

    window.type(number, "3")
    window.click("apply")
    assert bulk.rests().is_verified
    assert bulk.recipients_of("I0", "I1") == [{"R3"}, set()]


def test_a_preview_can_be_cancelled_and_continued(bulk: Bulk) -> None:
    bulk.drop(*ADD_R2)
    bulk.rests()
    bulk.window.click("cancel")
    assert bulk.job.state is JobState.CANCELLED
    assert bulk.window.says("**1 Choose** · 2 Review · 3 Apply")
    assert "The preview was cancelled. Nothing was changed." in bulk.window.alerts
    assert not bulk.window.says("items done")
    assert JOBS not in bulk.window.tables

    bulk.window.click("resume")
    assert bulk.job.state is JobState.PREVIEWED


def test_a_changed_list_is_previewed_again_before_apply(bulk: Bulk) -> None:
    bulk.drop(*ADD_R2)
    before = bulk.rests()
    bulk.window.switch("bulk_action", "Remove")
    assert "Press Preview to see what this list would do." in bulk.window.alerts
    assert "apply" not in bulk.window.keys
    assert ITEMS not in bulk.window.tables

    bulk.window.click("preview")
    assert bulk.rests().key != before.key
    given_up = bulk.kit.desk.bulk.store.job(before.key)
    assert given_up is not None
    assert given_up.state is JobState.CANCELLED
    assert bulk.window.alerts == [
        "Nothing to change: all items except refused ones already match the list."
    ]


def test_jobs_are_listed_and_opened(bulk: Bulk) -> None:
    first = bulk.apply(*ADD_R2)
    bulk.back()
    bulk.drop((SUPPLIER, "I0", "R9"), name="other.csv")
    bulk.rests()
    bulk.window.click("all_jobs")
    columns = ("What", "State", "Outcome", "Who", "Items")
    listed = bulk.window.rows(JOBS, *columns)
    assert listed == [
        ("other.csv", "Previewed, not applied", "", "ann", 1),
        ("list.csv", "Ended", "3 verified", "ann", 3),
    ]

    bulk.window.select(JOBS, 1)
    assert bulk.job.key == first.key
    assert bulk.window.says("**Job** list.csv")
    assert JOBS not in bulk.window.tables

    bulk.window.click("undo_job")
    assert bulk.rests().undo_of == first.key
    assert bulk.window.says("**Undo of a job** list.csv")

    bulk.window.click("apply")
    assert bulk.rests().is_verified
    assert bulk.recipients_of("I0", "I1", "I2") == [{"R1"}] * 3


@pytest.mark.parametrize(
    ("press", "state"), [("pause", JobState.PAUSED), ("cancel", JobState.CANCELLED)]
)
def test_a_running_job_shows_progress_and_can_be_stopped_and_resumed(
    bulk: Bulk, held: HeldCalls, press: str, state: JobState
) -> None:
    bulk.drop(*ADD_R2)
    bulk.rests()
    bulk.window.click("apply")
    wait_until(lambda: bulk.job.state is JobState.RUNNING)
    other = Window.on(BULK_PAGE, job=bulk.job.key)
    assert other.says("Running · 0 of 3 items")

    since = datetime(2026, 11, 21, 13, 0, 5, tzinfo=UTC)
    next_try_at = datetime(2026, 11, 21, 13, 2, 5, tzinfo=UTC)
    outage = Outage("It is down.", since, next_try_at)
    bulk.kit.records.jobs.move(
        bulk.job.key,
        JobState.WAITING,
        expected={JobState.RUNNING},
        at=since,
        message="It is down.",
        outage=outage,
    )
    other.leave()
    waiting = (
        "Waiting for the service since 21 Nov 13:00 · 0 of 3 items · next try at "
        "13:02:05"
    )
    assert escaped(waiting) in other.markdown
    assert "It is down." in other.texts

    bulk.window.click(press)
    held.let_go()
    assert bulk.rests().state is state
    assert bulk.window.says(f"{state.value.capitalize()}: ")

    bulk.window.click("resume")
    assert bulk.rests().is_verified


def leave_job_of_a_command(bulk: Bulk, state: JobState) -> Window:
    """Leave a job as a killed command does, with one of two items done.

    Return a window that shows it.
    """
    # Make the job and its preview.
    jobs = bulk.kit.records.jobs
    job = a_job(
        "left", state=JobState.READING, person_key=ANN.key, origin=JobOrigin.COMMAND
    )
    r2 = frozenset({"R2"})
    intents = [BulkItem(item=item("I0"), add=r2), BulkItem(item=item("I1"), add=r2)]
    jobs.create(job, intents)
    previews = [
        ItemPreview.of(intent, frozenset({"R1"}), read_at=START) for intent in intents
    ]
    jobs.put_previews("left", dict(enumerate(previews)))

    # Work at it, and leave it in the state.
    if state is not JobState.PREVIEWED:
        refusal = StepResult(ChangeStep("R2", Goal.VISIBLE), Outcome.REFUSED)
        jobs.end_item("left", 0, [refusal])
        jobs.move("left", JobState.RUNNING, expected=set(JobState), at=START)
    outage = None
    message = ""
    if state is JobState.WAITING:
        outage = Outage("It is down.", START, START)
        message = "It is down. Nothing is skipped: the job tries again by itself."
    jobs.move(
        "left", state, expected=set(JobState), at=START, outage=outage, message=message
    )
    return Window.on(BULK_PAGE, job="left")


@pytest.mark.parametrize(
    "state", [JobState.QUEUED, JobState.RUNNING, JobState.WAITING, JobState.PAUSED]
)
def test_an_interrupted_job_of_a_command_can_only_be_cancelled(
    bulk: Bulk, state: JobState
) -> None:
    window = leave_job_of_a_command(bulk, state)
    assert window.says("Interrupted: 1 of 2 items done.")
    assert window.says(
        "It was started by a command, and only a command can continue it"
    )
    assert not window.says("by itself")
    assert not window.says("It is down.")
    assert not {"resume", "pause", "apply"} & window.keys

    window.click("cancel")
    assert bulk.kit.desk.bulk.job("left").state is JobState.CANCELLED
    assert window.says("Cancelled: 1 of 2 items done.")
    assert "resume" not in window.keys

    window.click("retry_failed")
    assert bulk.kit.fake.writes == []


def test_an_interrupted_job_of_a_command_is_listed_as_such(bulk: Bulk) -> None:
    leave_job_of_a_command(bulk, JobState.RUNNING)
    ((_, title, state, *_),) = Window.on(BULK_PAGE).rows(JOBS)
    assert title == "List.xlsx"
    assert state == "Interrupted"


@pytest.mark.parametrize(
    ("press", "after"), [("pause", JobState.PAUSED), ("cancel", JobState.CANCELLED)]
)
def test_a_running_job_of_a_command_can_be_stopped_here(
    bulk: Bulk, press: str, after: JobState
) -> None:
    with bulk.kit.records.jobs.claim("left", sleep=Mock()):
        window = leave_job_of_a_command(bulk, JobState.RUNNING)
        assert window.says("Running · 1 of 2 items")
        assert window.says(
            "A command works on this job. It stops if you pause or cancel it here."
        )
        assert not window.says("Interrupted")

        window.click(press)
        assert bulk.kit.desk.bulk.job("left").state is after
        assert "resume" not in window.keys


def test_the_preview_of_a_command_cannot_be_applied_here(bulk: Bulk) -> None:
    window = leave_job_of_a_command(bulk, JobState.PREVIEWED)
    assert window.says("A command made this preview. It was not applied.")
    assert not {"resume", "apply", "reread"} & window.keys

    window.click("cancel")
    assert window.says("The preview was cancelled. Nothing was changed.")
    assert "resume" not in window.keys


def test_the_address_decides_which_job_is_shown(bulk: Bulk) -> None:
    bulk.drop(*ADD_R2)
    key = bulk.rests().key
    bulk.window.send_address()
    bulk.window.leave()
    assert bulk.window.address == {"job": key}

    bulk.window.go_back_to()
    assert bulk.window.address == {}
    assert ITEMS not in bulk.window.tables

    bulk.window.go_back_to(job="gone")
    unknown = "The job in this link does not exist here. Nothing was changed."
    assert unknown in bulk.window.alerts

    bulk.window.click("leave_job")
    assert unknown not in bulk.window.alerts


def test_failed_rows_come_first_and_can_be_retried_in_one_action(bulk: Bulk) -> None:
    bulk.kit.fake.faults.append(Fault("addVisibility", refused(), recipient_id="R2"))
    bulk.apply(*ADD_R2, (SUPPLIER, "I0", "R1"), ADD_R2[1], (SUPPLIER, "I2", ""))
    window = bulk.window
    counts = "2 verified · 1 already in place · 1 refused · 1 skipped"
    assert window.alerts == [f"6 rows: {counts} · 1 repeated in the list"]
    assert window.rows(RESULTS, "Outcome", "Why") == [("Refused", "A title")]
    groups = {group.key: group for group in window.app.get("button_group")}
    assert groups["bulk_look"].options == ["Failed (1)", "Done (3)"]

    window.switch("bulk_look", "Done (3)")
    assert len(window.rows(RESULTS)) == 3

    window.click("retry_failed")
    bulk.rests()
    bulk.rests()
    assert window.alerts == ["1 verified"]
    undo = window.app.button(key="undo_job")
    assert undo.help == "Undoes the job and its retries: 2 jobs"
    assert bulk.recipients_of("I0", "I1", "I2") == [{"R1", "R2"}] * 3


def test_a_press_on_an_old_screen_sends_nothing(bulk: Bulk) -> None:
    bulk.drop(*ADD_R2)
    bulk.rests()
    bulk.kit.desk.bulk.cancel(bulk.job.key)
    bulk.window.click("apply")
    assert "Nothing was applied." in bulk.window.alerts

    bulk.window.click("resume")
    bulk.kit.desk.environment = replace(TEST_ENVIRONMENT, is_read_only=True)
    bulk.window.leave()
    assert bulk.window.is_off("apply")
    assert bulk.window.says("Read only: nothing can be applied here.")
    assert bulk.kit.fake.writes == []


EXPORTED = [(SUPPLIER, "I1", "=B"), (SUPPLIER, "I1", "A")]


@pytest.fixture
def exports(open_bulk: OpenBulk) -> Bulk:
    exports = open_bulk(
        {item("I1"): {"A", "=B"}, item("I2"): NOBODY}, known=(item("I1"), item("I2"))
    )
    put_names(exports.kit.records.directory, suppliers=[(SUPPLIER, "")])
    return exports


def export(exports: Bulk) -> list[tuple[str, ...]]:
    exports.window.click("export")
    run = run_of(exports)
    wait_until(lambda: run.has_ended)
    exports.window.leave()
    return [row.cells for row in read_table(run.content).rows]


def run_of(exports: Bulk) -> ExportRun:
    run = exports.window.app.session_state[export_box.RUN]
    assert isinstance(run, ExportRun)
    return run


def test_items_of_a_supplier_are_exported(exports: Bulk) -> None:
    exports.window.switch("export_items", "Known items of a supplier")
    assert exports.window.app.button(key="export").disabled

    exports.window.find("picked", SUPPLIER, key="export_supplier")
    assert export(exports) == EXPORTED
    assert exports.window.says("2 rows of 2 items")
    assert exports.window.says(
        "Items left out of the file because they have no recipients: 1"
    )
    assert "export_file" in exports.window.keys
    assert exports.kit.fake.writes == []


def test_the_items_of_the_uploaded_list_are_exported(exports: Bulk) -> None:
    exports.drop(("", "X"), header=("Item", "Recipient"))
    exports.window.switch("export_items", "Items in the list above")
    exports.window.click("export")
    assert exports.window.alerts[-1] == "No file was made. Nothing was changed."

    exports.drop(("I1", "X1"), header=("Item", "Recipient"), name="other.csv")
    exports.window.find("entered", SUPPLIER, key="bulk_supplier")
    exports.rests()
    assert export(exports) == EXPORTED


def test_an_export_shows_progress_and_can_be_stopped(exports: Bulk) -> None:
    exports.kit.fake.before_call = held = HeldCalls()
    exports.window.click("export")
    assert "export_file" not in exports.window.keys

    first = run_of(exports)
    exports.window.click("export")
    exports.window.click("export_stop")
    second = run_of(exports)
    held.let_go()
    wait_until(lambda: first.has_ended and second.has_ended)
    exports.window.leave()
    assert exports.window.says("The export was stopped.")
    assert first.content == b""
    assert second.content == b""


GTIN = "04006381333931:276"
GLN = "9522000020006"
DAMAGED = f"{GLN}\N{NO-BREAK SPACE}"
HEADINGS = text_row(1, "Supplier", "Item", "Recipient")


@pytest.fixture
def lists(open_bulk: OpenBulk) -> Bulk:
    return open_bulk({item(GTIN): NOBODY, item("I1"): NOBODY, item("I2"): NOBODY})


@pytest.mark.parametrize(
    ("number", "press"),
    [("9521000010017270", "skip_undecided"), ("9521000010017", "keep_as_is")],
)
def test_an_id_that_lost_digits_is_never_sent(
    lists: Bulk, number: str, press: str
) -> None:
    whole = text_row(2, SUPPLIER, GTIN, GLN)
    as_text = f'<c t="inlineStr"><is><t>{GTIN}</t></is></c>'
    damaged = text_row(3, SUPPLIER, GTIN, GLN)
    damaged = damaged.replace(as_text, f"<c><v>{number}</v></c>")
    rows = HEADINGS + whole + damaged
    lists.window.upload("upload", workbook(rows), name="list.xlsx")
    found = lists.window.rows(FINDINGS, "Row", "Column", "Value", "Suggestion")
    assert found == [("3", "B · Item", number, "")]

    lists.window.click(press)
    lists.rests()
    assert "1 row of the list is skipped." in lists.window.alerts

    lists.window.click("apply")
    assert lists.rests().skipped == 1

    columns = ("Row", "Supplier", "Item", "Recipient")
    skipped = lists.window.rows(NOT_TAKEN, *columns)
    assert skipped == [("3", SUPPLIER, number, GLN)]
    downloads = [button.label for button in lists.window.app.get("download_button")]
    assert "1 skipped, with reasons (XLSX)" in downloads
    assert {call.item for call in lists.kit.fake.writes} == {item(GTIN)}


def test_suggestions_are_accepted_or_not_by_row(lists: Bulk) -> None:
    lists.drop((SUPPLIER, GTIN, DAMAGED), (SUPPLIER, GTIN, "952200000031"))
    window = lists.window
    assert window.alerts == ["Make the decisions above, then the preview starts."]

    window.select(FINDINGS, 1)
    window.click("accept_selected")
    assert [row[0] for row in window.rows(FINDINGS)] == ["2"]

    window.select(FINDINGS, 0)
    assert "job" not in window.address

    window.click("keep_as_is")
    lists.rests()
    assert window.says("1 suggestion accepted, 1 kept, 0 rows skipped")

    window.click("apply")
    first = lists.rests().key
    assert DAMAGED in lists.recipients_of(GTIN)[0]

    lists.back()
    window.click("decide_again")
    assert len(window.rows(FINDINGS)) == 2

    window.click("accept_all")
    assert lists.rests().key != first


def test_columns_that_were_not_found_are_chosen_by_hand(lists: Bulk) -> None:
    lists.drop((SUPPLIER, "I1", GLN), header=("Haus", "Ware", "Laden"))
    window = lists.window
    assert window.alerts == [
        "No column holds the supplier. Choose one, or enter the supplier of all rows."
    ]

    toggles = {toggle.label: toggle for toggle in window.app.toggle}
    toggle = toggles["First row is a heading"]
    assert toggle.value is True

    window.switch(str(toggle.key), value=False)
    assert window.says("The list has no headings: every row is data.")

    window.switch(str(toggle.key), value=True)
    lists.choose("Supplier column", "A · Haus")
    lists.choose("Item column", "B · Ware")
    lists.choose("Recipient column", "C · Laden")
    lists.rests()
    assert window.rows(ITEMS)[0][1:3] == ("I1", SUPPLIER)


def test_the_columns_of_a_list_without_headings_are_asked_about(lists: Bulk) -> None:
    put_names(lists.kit.records.directory, suppliers=[(SUPPLIER, "")])
    window = lists.window
    window.upload("upload", f"I1,{SUPPLIER},{GLN}\n".encode(), name="list.csv")
    assert window.alerts == ["The list has no headings. Choose what each column holds."]
    assert window.says("Column B holds a known supplier.")
    assert "job" not in window.address

    lists.choose("Supplier column", f"B · {SUPPLIER}")
    lists.choose("Item column", "A · I1")
    assert "job" not in window.address

    lists.choose("Recipient column", f"C · {GLN}")
    lists.rests()
    assert window.rows(ITEMS)[0][1:3] == ("I1", SUPPLIER)


def test_a_list_without_headings_is_read_if_known_ids_prove_its_order(
    lists: Bulk,
) -> None:
    put_names(
        lists.kit.records.directory,
        items=[(item("I1"), "", "")],
        recipients=[(GLN, "")],
    )
    lists.window.upload("upload", f"{SUPPLIER},I1,{GLN}\n".encode(), name="list.csv")
    lists.rests()
    assert lists.window.rows(ITEMS)[0][1:3] == ("I1", SUPPLIER)


def test_a_cell_with_several_ids_is_asked_about_however_often_it_occurs(
    lists: Bulk,
) -> None:
    cells = [f"{GLN};95220000{end}" for end in ("00015", "00022", "00039")]
    lists.drop(*((SUPPLIER, "I1", cell) for cell in cells))
    several = (
        "It holds several ids, but a cell can hold only one. Give each its own row."
    )
    found = lists.window.rows(FINDINGS, "Value", "What it is")
    assert found == [(cell, several) for cell in cells]
    assert "job" not in lists.window.address


def test_a_word_for_nothing_is_an_empty_cell(lists: Bulk) -> None:
    lists.drop((SUPPLIER, "I1", GLN), (SUPPLIER, "I2", "nan"))
    lists.rests()
    assert [row[0] for row in lists.window.rows(ITEMS)] == [""]
    assert lists.window.says("1 row for 1 item, 1 row skipped")


def test_the_preview_of_pasted_rows_starts_after_all_decisions(lists: Bulk) -> None:
    window = lists.window
    window.click("preview")
    assert window.alerts == [
        "There is nothing to preview yet. Upload a file, or paste rows."
    ]

    row = f"{SUPPLIER}\t{GTIN}\t{DAMAGED}"
    window.type("bulk_paste", f"Supplier\tItem\tRecipient\n{row}")
    window.click("preview")
    assert window.alerts == ["Make the decisions above, then the preview starts."]

    window.click("accept_all")
    lists.rests()
    assert ITEMS in window.tables


@pytest.mark.parametrize(
    ("heading", "cell", "decide", "removed"),
    [
        ("Colour", "red", lambda lists: lists.window.click("accept_columns"), set()),
        (
            "Verfahren",
            "remove",
            lambda lists: lists.choose("Action column", "D · Verfahren"),
            {GLN},
        ),
    ],
    ids=["not read", "the action"],
)
def test_an_unknown_column_needs_a_decision(
    lists: Bulk,
    heading: str,
    cell: str,
    decide: Callable[[Bulk], None],
    removed: set[str],
) -> None:
    lists.drop(
        (SUPPLIER, GTIN, GLN, cell), header=("Supplier", "Item", "Recipient", heading)
    )
    assert "Some columns of the list are not used." in lists.window.alerts
    assert "job" not in lists.window.address

    decide(lists)
    lists.rests()
    (job_item,) = lists.kit.desk.bulk.store.items(lists.job.key)
    assert job_item.intent.remove == removed
    assert job_item.intent.add == {GLN} - removed


def test_a_text_that_is_not_utf_8_is_read_as_windows_text(lists: Bulk) -> None:
    content = f"Lieferant;Artikel;Empfänger\r\n{SUPPLIER};I1;{GLN}\r\n".encode("cp1252")
    lists.window.upload("upload", content, name="Liste.csv")
    lists.rests()
    assert lists.window.says(
        "The file was read as Windows text. Do the umlauts look right? “Empfänger”"
    )
    assert lists.window.rows(ITEMS)[0][1] == "I1"


def test_fields_that_do_not_apply_are_hidden_while_a_file_is_loaded(
    lists: Bulk,
) -> None:
    fields = {"bulk_paste", "bulk_set"}
    assert fields <= lists.window.keys

    lists.drop((SUPPLIER, "I1", GLN), (SUPPLIER, "", GLN))
    lists.rests()
    lists.back()
    assert not fields & lists.window.keys

    lists.choose("Recipient column", "not in the list")
    assert "bulk_set" in lists.window.keys
    assert "bulk_paste" not in lists.window.keys


def test_hidden_rows_are_named_and_asked_about(lists: Bulk) -> None:
    window = lists.window
    hidden = text_row(2, SUPPLIER, "I1", GLN).replace("<row", '<row hidden="1"')
    content = workbook(HEADINGS + hidden + text_row(3, SUPPLIER, "I2", GLN))
    window.upload("upload", content, name="list.xlsx")
    assert "Your file hides row 2. Use the hidden cells?" in window.alerts
    assert "job" not in window.address

    window.click("skip_hidden")
    lists.rests()
    assert window.says("1 row for 1 item, 1 row skipped")
    assert window.says("Hidden rows and columns: skip.")

    lists.back()
    window.click("decide_again")
    window.click("use_hidden")
    lists.rests()
    assert window.says("2 rows for 2 items")


def test_a_person_chooses_one_of_several_sheets(lists: Bulk) -> None:
    window = lists.window
    first = HEADINGS + text_row(2, SUPPLIER, "I1", GLN)
    second = HEADINGS + text_row(2, SUPPLIER, "I2", GLN)
    sheets = [
        ("old", "visible", first),
        ("new", "visible", second),
        ("Data", "hidden", first),
    ]
    window.upload("upload", xlsx_sheets(sheets), name="list.xlsx")
    assert "Choose the sheet to read." in window.alerts[0]
    assert "job" not in window.address

    window.switch("bulk_sheet", "new")
    lists.rests()
    assert window.says("Sheet “new” is read; not read: “old”, “Data” (hidden).")

    window.click("apply")
    lists.rests()
    assert lists.recipients_of("I1", "I2") == [set(), {GLN}]
