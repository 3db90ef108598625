"""Many items at once: from a list to a preview, to a job, to the outcome of each row."""

from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path
from threading import Event

import pytest

from components.bulk import job_page, list_form, preview_page
from components.bulk.job_page import time_left
from item_visibility.client.identifiers import ItemKey
from item_visibility.errors import BulkError
from item_visibility.lists.writer import write_xlsx
from item_visibility.saving.job import JobState, Outage
from item_visibility.saving.outcome import Outcome
from item_visibility.storage.directory import Kind, NameRow
from item_visibility.use_cases.bulk.jobs import BulkDesk
from item_visibility.use_cases.desk import Desk
from tests.screens.bulk import BULK_PAGE, ITEMS, JOBS, RECIPIENTS, RESULTS, SUPPLIER, Bulk, item
from tests.screens.conftest import OpenBulk
from tests.screens.test_hostile_texts import assert_harmless
from tests.support.desk import TEST_ENVIRONMENT, break_records, wait_until
from tests.support.fake_visibilities import START, FakeCall, Fault, no_token, refused
from tests.support.hostile_texts import SENDABLE
from tests.support.known_names import put_names
from tests.support.screens import Window

pytestmark = pytest.mark.screen

THREE = {item(f"I{number}"): {"R1"} for number in range(3)}
ADD_R2 = [(SUPPLIER, f"I{number}", "R2") for number in range(3)]


@pytest.fixture
def bulk(open_bulk: OpenBulk) -> Bulk:
    """Three items, each with one recipient."""
    return open_bulk(THREE)


@pytest.fixture
def gate(bulk: Bulk) -> Event:
    """Writes wait until this is set."""
    opened = Event()

    def hold(call: FakeCall) -> None:
        assert call.operation == "getVisibilities" or opened.wait(60)

    bulk.kit.fake.before_call = hold
    return opened


def refuse(bulk: Bulk, recipient_id: str, *, times: int = 1) -> None:
    """Let the service refuse to add this recipient."""
    fault = Fault("addVisibility", refused("addVisibility"), recipient_id=recipient_id)
    bulk.kit.fake.faults += [fault] * times


def test_an_empty_list_of_jobs_offers_an_example(bulk: Bulk) -> None:
    """It fills the field for pasted rows; nothing is sent."""
    put_names(bulk.kit.records.directory, items=[(item("I0"), "", "Butter")], recipients=[("R0", "Shop")])
    window = Window()
    window.go_to(BULK_PAGE)
    window.click("bulk_example")
    assert window.value_of("bulk_paste") == f"Supplier\tItem\tRecipient\n{SUPPLIER}\tI0\tR0"
    assert bulk.kit.fake.writes == []


def test_b4_the_same_recipients_for_many_items_take_four_actions(bulk: Bulk) -> None:
    """B4: paste the items, choose the recipient set, Preview, Apply."""
    bulk.kit.desk.sets.make("Shops", {"R1", "R2", "R3"})
    window = bulk.window
    window.leave()
    window.paste("bulk_paste", "\n".join(f"{SUPPLIER}\tI{number}" for number in range(3)))
    window.switch("bulk_set", "Shops")
    window.click("preview")
    bulk.rests()
    assert window.says("3 items · 3 unchanged · nothing is sent yet")
    window.click("apply")
    bulk.rests()
    assert window.alerts == ["6 verified · 3 already in place"]
    assert window.actions == 4
    assert bulk.recipients_of("I0", "I1", "I2") == [{"R1", "R2", "R3"}] * 3
    assert window.value_of("bulk_paste") == ""


UNKNOWN = "Items and recipients that are not in your directory"
KNOWN = "Known items of the supplier, to be ticked"


@pytest.fixture
def named(bulk: Bulk) -> Bulk:
    """The items and two recipients have names."""
    rows = bulk.kit.records.directory
    rows[Kind.SUPPLIER].put([NameRow((SUPPLIER,), "Alpenmühle")])
    rows[Kind.ITEM].put([NameRow((SUPPLIER, f"I{number}"), f"Oats {number}") for number in range(3)])
    rows[Kind.RECIPIENT].put([NameRow(("R2",), "Sonnenhof"), NameRow(("R3",), "Le Panier")])
    return bulk


def test_items_are_ticked_by_name_and_recipients_found_by_name(named: Bulk) -> None:
    """No number is typed: supplier, items, recipients, Preview, Apply."""
    window = named.window
    assert window.found("bulk_supplier")["label"] == "Or pick items without a file: their supplier"
    window.find("picked", SUPPLIER, key="bulk_supplier")
    assert [row[0] for row in window.rows(KNOWN)] == ["Oats 0", "Oats 1", "Oats 2"]
    assert window.says("Tick the items to change, then say below who is to see them, and press Preview.")
    named.select(KNOWN, 0, 2)
    window.find("entered", "Sonnenhof", key="bulk_recipients")
    window.find("entered", "Le Panier", key="bulk_recipients")
    window.click("preview")
    named.rests()
    assert window.says("**Job** 2 items of Alpenmühle")
    window.click("apply")
    named.rests()
    assert named.recipients_of("I0", "I1", "I2") == [{"R1", "R2", "R3"}, {"R1"}, {"R1", "R2", "R3"}]


def test_many_known_items_are_shown_in_part(named: Bulk, monkeypatch: pytest.MonkeyPatch) -> None:
    """The browser gets no long list."""
    monkeypatch.setattr(list_form, "_ITEMS_SHOWN", 2)
    named.window.find("picked", SUPPLIER, key="bulk_supplier")
    assert len(named.window.rows(KNOWN)) == 2
    assert named.window.says("The first 2 are shown. Paste the numbers of others.")


def test_a_text_that_is_no_recipient_is_decided_about_first(named: Bulk) -> None:
    """Nothing is previewed with it, and nothing without it."""
    window = named.window
    window.find("picked", SUPPLIER, key="bulk_supplier")
    named.select(KNOWN, 0)
    window.find("entered", "Supermarkets", key="bulk_recipients")
    window.click("preview")
    assert "Decide about the text in Recipients for all items; then press Preview." in window.alerts
    assert "job" not in window.address


def test_a_file_without_doubts_is_previewed_by_itself(bulk: Bulk) -> None:
    """Drop and Apply: the preview shows items, and the recipients of the one that is chosen."""
    bulk.drop(*ADD_R2, (SUPPLIER, "I0", "R1"))
    bulk.rests()
    assert not bulk.window.says("Or pick items without a file")
    assert bulk.window.rows(ITEMS) == [
        ("", "I0", SUPPLIER, 1, 0, 1, ""),
        ("", "I1", SUPPLIER, 1, 0, 0, ""),
        ("", "I2", SUPPLIER, 1, 0, 0, ""),
    ]
    bulk.select(ITEMS, 0)
    assert bulk.window.rows(RECIPIENTS) == [("Add", "", "R2"), ("Already in place", "", "R1")]
    assert bulk.kit.fake.writes == []
    bulk.window.click("apply")
    bulk.rests()
    assert bulk.window.alerts == ["3 verified · 1 already in place"]


def test_the_end_shows_each_row_and_folds_the_list(bulk: Bulk) -> None:
    """The applied list is not offered again, until the person goes back to it and presses Preview."""
    job = bulk.apply(*ADD_R2)
    assert bulk.window.rows(RESULTS) == [
        (str(number + 2), f"I{number}", "", "Add", "Verified", "", "R2", f"I{number}", SUPPLIER)
        for number in range(3)
    ]
    bulk.back()
    bulk.window.click("preview")
    assert bulk.rests().key != job.key
    assert bulk.window.alerts == ["Nothing to change: all that can be changed is already as the list says."]
    assert bulk.window.is_off("apply")


def test_what_is_not_in_the_directory_is_told_before_apply(bulk: Bulk) -> None:
    """An item for which nothing is recorded, and a recipient that nobody sees; the list is a click away."""
    bulk.drop((SUPPLIER, "I0", "R1"), (SUPPLIER, "I0", "R2"), (SUPPLIER, "I9", "R2"))
    bulk.rests()
    assert "1 item and 1 recipient are not in your directory." in bulk.window.alerts
    assert bulk.window.rows(UNKNOWN) == [("Item", "I9", SUPPLIER), ("Recipient", "R2", "")]
    assert not bulk.window.is_off("apply")


def test_a_reason_goes_along(bulk: Bulk) -> None:
    """For the history, and for whoever looks at the job."""
    bulk.drop(*ADD_R2)
    bulk.rests()
    bulk.window.type("bulk_reason", "Ticket 7")
    bulk.window.click("apply")
    assert bulk.rests().reason == "Ticket 7"
    assert bulk.window.says("Why: Ticket 7")


def test_large_removals_stand_out_and_ask_for_their_count(open_bulk: OpenBulk) -> None:
    """The number of all of them together is typed; a wrong one applies nothing."""
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
        "Large removal: 2 of 3 can no longer see it",
        "Large removal: 1 of 1 can no longer see it",
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


def test_items_that_are_refused_are_shown_and_left_alone(bulk: Bulk) -> None:
    """The service's words say why; the others are changed."""
    bulk.kit.fake.faults.append(Fault("getVisibilities", refused("getVisibilities", 403)))
    bulk.drop(*ADD_R2)
    bulk.rests()
    assert "1 item cannot be changed: see Refused." in bulk.window.alerts
    bulk.window.switch("bulk_items_shown", "Refused")
    ((*_, remark),) = bulk.window.rows(ITEMS)
    assert "The service refused it (403)." in remark
    bulk.window.click("apply")
    assert bulk.rests().outcomes == {Outcome.DONE: 2, Outcome.REFUSED: 1}


def test_a_preview_that_is_not_complete_cannot_be_applied(
    bulk: Bulk,
) -> None:
    """It says what was not read, and reads it again."""
    bulk.kit.fake.faults += [Fault("getVisibilities", no_token())] * 40
    bulk.drop(*ADD_R2)
    bulk.rests()
    assert "3 items could not be read. Read again, then apply." in bulk.window.alerts
    assert bulk.window.says("There is no access token.")
    assert bulk.window.is_off("apply")
    assert bulk.window.rows(ITEMS)[0][-1] == "Not read yet"
    bulk.kit.fake.faults.clear()
    bulk.window.click("reread")
    bulk.rests()
    assert not bulk.window.is_off("apply")


def test_a_preview_can_be_cancelled_and_taken_up_again(bulk: Bulk) -> None:
    """Cancel gives it up, and counts nothing; Resume brings back what was read."""
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


def test_a_preview_that_is_being_read_can_be_cancelled(bulk: Bulk) -> None:
    """While reads are on their way."""
    opened = Event()
    bulk.kit.fake.before_call = lambda _call: opened.wait(60) and None
    bulk.drop(*ADD_R2)
    assert bulk.window.says("Preview is being read · 0 of 3 items")
    bulk.window.click("preview")
    assert bulk.window.says("Preview is being read · 0 of 3 items")
    bulk.window.click("cancel")
    opened.set()
    assert bulk.rests().state is JobState.CANCELLED


def test_a_list_that_was_changed_is_not_applied_as_it_was(bulk: Bulk) -> None:
    """Apply is gone until the list is previewed as it is now; the preview before is given up."""
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
    assert bulk.window.alerts == ["Nothing to change: all that can be changed is already as the list says."]


def test_the_three_steps_are_named_and_lead_back(bulk: Bulk) -> None:
    """The preview takes the place of the form; the way back hides it, and nothing has to be dropped again."""
    window = bulk.window
    assert window.says("**1 Choose** · 2 Review · 3 Apply")
    bulk.drop(*ADD_R2)
    key = bulk.rests().key
    assert window.says("1 Choose · **2 Review** · 3 Apply")
    bulk.back()
    assert window.says("**1 Choose** · 2 Review · 3 Apply")
    assert "apply" not in window.keys
    window.click("preview")
    assert bulk.rests().key != key
    window.click("apply")
    bulk.rests()
    assert window.says("1 Choose · 2 Review · **3 Apply**")


@pytest.mark.parametrize(("press", "state"), [("pause", JobState.PAUSED), ("cancel", JobState.CANCELLED)])
def test_a_job_under_way_is_stopped_and_resumed(bulk: Bulk, gate: Event, press: str, state: JobState) -> None:
    """Progress, the part done so far, Resume, and the end."""
    bulk.drop(*ADD_R2)
    bulk.rests()
    bulk.window.click("apply")
    wait_until(lambda: bulk.job.state is JobState.RUNNING)
    bulk.window.leave()
    assert bulk.window.says("Running · 0 of 3 items")
    assert bulk.window.says("The job continues when you close this window.")
    bulk.window.click(press)
    gate.set()
    assert bulk.rests().state is state
    assert bulk.window.says(f"{state.value.capitalize()}: ")
    bulk.window.click("resume")
    assert bulk.rests().is_verified


def test_a_link_comes_back_to_the_job(bulk: Bulk, gate: Event) -> None:
    """Another window follows it, and sees its end."""
    bulk.drop(*ADD_R2)
    bulk.rests()
    bulk.window.click("apply")
    wait_until(lambda: bulk.job.state is JobState.RUNNING)
    window = Window()
    window.go_to(BULK_PAGE, job=bulk.job.key)
    assert window.says("Running · 0 of 3 items")
    gate.set()
    bulk.rests()
    window.leave()
    assert window.alerts == ["3 verified"]


def test_a_link_to_a_job_that_is_not_here_is_told(bulk: Bulk) -> None:
    """Instead of an empty screen."""
    bulk.window.go_back_to(job="gone")
    assert bulk.window.alerts == ["The link names a job that is not known here. Nothing was changed."]
    bulk.window.click("leave_job")
    assert bulk.window.alerts == []


def test_an_address_that_is_late_does_not_lose_the_job(bulk: Bulk) -> None:
    """A quick click still brings the address from before."""
    bulk.drop(*ADD_R2)
    key = bulk.job.key
    bulk.window.send_address()
    bulk.window.leave()
    assert bulk.window.address == {"job": key}


def test_back_leaves_the_job(bulk: Bulk) -> None:
    """The list of jobs is there again."""
    bulk.drop(*ADD_R2)
    bulk.rests()
    bulk.window.go_back_to()
    assert bulk.window.address == {}
    assert ITEMS not in bulk.window.tables


def test_failed_rows_come_first_and_are_tried_again_in_one_action(bulk: Bulk) -> None:
    """Each says why it failed; the retry is previewed and, asking for nothing more, applied by itself."""
    refuse(bulk, "R2")
    bulk.apply(*ADD_R2, (SUPPLIER, "I0", "R3"))
    window = bulk.window
    assert window.alerts == ["4 rows: 3 verified · 1 refused"]
    # any one of the three: they run at once
    ((row, refused_item, *_, outcome, why, _, _, _),) = window.rows(RESULTS)
    rows = {"I0": "2", "I1": "3", "I2": "4"}
    assert (outcome, why, row) == ("Refused", "A title", rows[refused_item])
    assert [one.proto.popover.label for one in window.app.get("popover")] == ["Download"]
    window.switch("bulk_look", "Done (3)")
    assert len(window.rows(RESULTS)) == 3
    before = window.actions
    window.click("retry_failed")
    bulk.rests()
    bulk.rests()
    assert window.alerts == ["1 verified"]
    assert window.actions - before == 1
    assert window.app.button(key="undo_job").help == "Covers all 2 attempts at this list"
    window.click("all_jobs")
    assert window.rows(JOBS)[0][1] == "Retry: list.csv"
    assert bulk.recipients_of("I0", "I1", "I2") == [{"R1", "R2", "R3"}, {"R1", "R2"}, {"R1", "R2"}]


def test_the_counts_of_a_job_add_up(bulk: Bulk) -> None:
    """To the rows of its list, those that repeat another one included."""
    refuse(bulk, "R2")
    bulk.apply(*ADD_R2, (SUPPLIER, "I0", "R1"), ADD_R2[1], (SUPPLIER, "I2", ""))
    counts = "2 verified · 1 already in place · 1 refused · 1 skipped · 1 repeated in the list"
    assert bulk.window.alerts == [f"6 rows: {counts}"]
    (look,) = (one for one in bulk.window.app.get("button_group") if one.key == "bulk_look")
    assert look.options == ["Failed (1)", "Done (3)"]


def test_what_others_changed_meanwhile_is_tried_again_after_a_look(open_bulk: OpenBulk) -> None:
    """It was left alone for their sake: one press of Retry failed must not take it away unseen."""
    bulk = open_bulk({item("I0"): {"R1", "R2", "R3"}})
    bulk.drop((SUPPLIER, "I0", "R1", "set exactly"), (SUPPLIER, "I0", "R2", "set exactly"))
    bulk.rests()
    bulk.kit.fake.put(item("I0"), {"R1", "R2", "R3", "R9"})
    bulk.window.click("apply")
    bulk.rests()
    assert bulk.window.alerts == ["4 rows: 1 verified · 2 already in place · 1 not sent"]
    bulk.window.click("retry_failed")
    bulk.rests()
    bulk.window.leave()
    assert bulk.job.state is JobState.PREVIEWED
    assert bulk.recipients_of("I0") == [{"R1", "R2", "R9"}]
    bulk.window.click("apply")
    assert bulk.rests().is_verified
    assert bulk.recipients_of("I0") == [{"R1", "R2"}]


def test_a_job_is_taken_back_after_a_look(bulk: Bulk) -> None:
    """Undo shows what it would do; Apply does it."""
    bulk.apply(*ADD_R2)
    before = bulk.window.actions
    bulk.window.click("undo_job")
    bulk.rests()
    assert bulk.window.says("**Undo of a job** list.csv")
    bulk.window.click("apply")
    assert bulk.rests().is_verified
    assert bulk.window.actions - before == 2
    assert bulk.recipients_of("I0", "I1", "I2") == [{"R1"}] * 3


def test_a_job_that_changed_nothing_cannot_be_taken_back(bulk: Bulk) -> None:
    """There is nothing to undo."""
    bulk.kit.fake.faults.append(Fault("addVisibility", refused("addVisibility")))
    bulk.apply((SUPPLIER, "I0", "R2"))
    assert bulk.window.is_off("undo_job")


def test_a_job_that_cannot_be_begun_is_told(bulk: Bulk, monkeypatch: pytest.MonkeyPatch) -> None:
    """And nothing is changed."""
    bulk.apply(*ADD_R2)

    def refuse_undo(_desk: BulkDesk, _key: str) -> str:
        raise BulkError("The job is still under way.", advice="Wait for its end.")

    monkeypatch.setattr(BulkDesk, "undo", refuse_undo)
    bulk.window.leave()
    bulk.window.click("undo_job")
    assert "No new job was started. Nothing was changed." in bulk.window.alerts
    assert bulk.window.says("Wait for its end.")


def test_jobs_are_listed_and_opened(bulk: Bulk) -> None:
    """A row says who, what, when and how it ended; a chosen row is opened, and Undo means that job."""
    first = bulk.apply(*ADD_R2)
    bulk.back()
    bulk.drop((SUPPLIER, "I0", "R9"), name="other.csv")
    bulk.rests()
    bulk.window.click("all_jobs")
    listed = bulk.window.rows(JOBS)
    assert [row[1:-1] for row in listed] == [
        ("other.csv", "Previewed, not applied", "", "ann", 1),
        ("list.csv", "Ended", "3 verified", "ann", 3),
    ]
    bulk.select(JOBS, 1)
    assert bulk.job.key == first.key
    assert bulk.window.says("**Job** list.csv")
    assert JOBS not in bulk.window.tables
    bulk.window.click("undo_job")
    assert bulk.rests().undo_of == first.key


def test_long_results_are_shown_in_part(open_bulk: OpenBulk, monkeypatch: pytest.MonkeyPatch) -> None:
    """The browser gets no long list; the download has all."""
    monkeypatch.setattr(preview_page, "_ROWS", 5)
    monkeypatch.setattr(job_page, "_ROWS", 5)
    bulk = open_bulk({})
    bulk.drop(*[(SUPPLIER, f"I{number}", "R1") for number in range(9)])
    bulk.rests()
    assert len(bulk.window.rows(ITEMS)) == 5
    assert bulk.window.says("The first 5 of 9 are shown.")
    bulk.window.click("apply")
    bulk.rests()
    assert len(bulk.window.rows(RESULTS)) == 5
    assert bulk.window.says("The first 5 of 9 are shown; the download has all.")


def test_nothing_can_be_applied_where_nothing_may_be_written(open_bulk: OpenBulk) -> None:
    """A look is possible all the same."""
    bulk = open_bulk(THREE, environment=replace(TEST_ENVIRONMENT, is_read_only=True))
    bulk.drop(*ADD_R2)
    bulk.rests()
    assert bulk.window.is_off("apply")
    assert bulk.window.says("Read only: nothing can be applied here.")


@pytest.mark.parametrize(
    ("button", "told"), [("cancel", "The preview is as it was."), ("apply", "Nothing was applied.")]
)
def test_somebody_else_was_quicker(bulk: Bulk, button: str, told: str) -> None:
    """A press on an old screen is answered, and sends nothing."""
    bulk.drop(*ADD_R2)
    bulk.rests()
    bulk.kit.desk.bulk.cancel(bulk.job.key)
    bulk.window.click(button)
    assert told in bulk.window.alerts
    assert bulk.kit.fake.writes == []


def test_records_that_cannot_be_read_are_told(bulk: Bulk, tmp_path: Path) -> None:
    """Neither the job nor the list of jobs."""
    bulk.drop(*ADD_R2)
    bulk.rests()
    break_records(tmp_path)
    bulk.window.leave()
    assert "The job could not be read. Nothing was changed by looking at it." in bulk.window.alerts
    assert "The jobs could not be read. Nothing was changed." in bulk.window.alerts


@pytest.mark.parametrize(
    ("elapsed_s", "done", "left", "words"),
    [
        (4, 0, 9, ""),
        (1, 50, 50, "less than a minute left"),
        (10, 5, 95, "about 3 minutes left"),
        (100, 2, 98, "about 1.4 hours left"),
    ],
)
def test_the_time_left_follows_what_was_done(elapsed_s: float, done: int, left: int, words: str) -> None:
    """While this window looked."""
    assert time_left(elapsed_s, done=done, left=left) == words


def test_a_job_that_waits_says_why(bulk: Bulk, gate: Event) -> None:
    """While the service is down."""
    bulk.drop(*ADD_R2)
    bulk.rests()
    bulk.window.click("apply")
    wait_until(lambda: bulk.job.state is JobState.RUNNING)
    since, next_try_at = (datetime(2026, 11, 21, 13, minute, 5, tzinfo=UTC) for minute in (0, 2))
    outage = Outage("It is down.", since, next_try_at)
    bulk.kit.records.jobs.note_outage(bulk.job.key, outage)
    bulk.window.leave()
    waiting = "Waiting for the service since 21 Nov 13:00 · 0 of 3 items · next try at 13:02:05"
    assert waiting in bulk.window.markdown
    assert "It is down." in bulk.window.texts
    gate.set()
    assert bulk.rests().is_verified


def test_a_preview_that_nobody_reads_any_more_is_read_on(bulk: Bulk) -> None:
    """The process that read it is gone."""
    bulk.drop(*ADD_R2)
    bulk.rests()
    jobs = bulk.kit.records.jobs
    jobs.move(bulk.job.key, JobState.READING, expected={JobState.PREVIEWED}, at=START)
    bulk.window.leave()
    bulk.window.click("resume")
    assert bulk.rests().state is JobState.PREVIEWED


def test_a_demo_lets_calls_fail(demo: Desk) -> None:
    """D3 begins here: one click, and another takes it back."""
    assert demo.demo is not None
    window = Window()
    window.go_to(BULK_PAGE)
    window.switch("bulk_failing", value=True)
    assert demo.demo.read_switches().failing_share == 0.3
    window.switch("bulk_failing", value=False)
    assert demo.demo.read_switches().failing_share == 0.0


def test_nothing_in_a_list_is_read_as_markdown(open_bulk: OpenBulk) -> None:
    """Numbers, the name of the file, the reason, and what the service says."""
    texts = list(SENDABLE.values())
    bulk = open_bulk({ItemKey(text, text): {"R1"} for text in texts})
    refuse(bulk, texts[0])
    rows = [(text, text, other) for text in texts for other in texts[:2]]
    name = "![x](http://example.com) :smile: $x$.xlsx"
    bulk.drop_bytes(write_xlsx(("Supplier", "Item", "Recipient"), rows), name=name)
    assert_harmless(bulk.window, name)
    bulk.window.click("keep_as_is")
    bulk.rests()
    bulk.select(ITEMS, 0)
    assert_harmless(bulk.window, name)
    bulk.window.type("bulk_reason", name)
    bulk.window.click("apply")
    bulk.rests()
    assert_harmless(bulk.window, name)
    assert bulk.window.says(f"Why: {name}")
    assert len(bulk.window.rows(RESULTS)) == 1
