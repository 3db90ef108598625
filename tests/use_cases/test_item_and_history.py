"""The use cases of one item and its history, on a fake service and a real database."""

import io
import zipfile
from collections.abc import Iterable, Iterator
from dataclasses import replace
from datetime import timedelta
from pathlib import Path
from unittest.mock import Mock

import pytest

from item_visibility.client.identifiers import ItemKey
from item_visibility.errors import (
    IdentifierError,
    NotPossibleError,
    OtherEnvironmentError,
    ReadOnlyError,
    RecordsError,
)
from item_visibility.lists.reader import read_table
from item_visibility.lists.table import pick
from item_visibility.model.change import ChangeKind, ChangeOperation, ChangeStep, Goal
from item_visibility.model.known_ids import Kind
from item_visibility.model.outcome import (
    HistoryEntry,
    OthersChanges,
    Outcome,
    StepResult,
    Verdict,
)
from item_visibility.model.read_item import ReadItem
from item_visibility.storage.history import HistoryFilter
from item_visibility.use_cases.choose_recipients import offered_groups
from item_visibility.use_cases.exports import write_history
from item_visibility.use_cases.history import day_of_item
from item_visibility.use_cases.undo import Undo, undo_request
from tests.saving.saving import ask
from tests.storage.entries import a_job, begin
from tests.support.desk import (
    ITEM,
    OTHER_ITEM,
    TEST_ENVIRONMENT,
    DeskKit,
    a_request,
    break_records,
    open_kit,
    put_names,
)
from tests.support.fake_visibilities import START, Fault, do_nothing, refused


@pytest.fixture
def kit(tmp_path: Path) -> Iterator[DeskKit]:
    with open_kit(tmp_path, {ITEM: {"A", "B"}}) as kit:
        yield kit


def test_a_running_save_of_the_item_is_not_settled(kit: DeskKit) -> None:
    answers: list[bool] = []
    kit.fake.before_call = lambda _call: answers.append(kit.desk.settle(ITEM))
    kit.save(a_request(ITEM, base="AB", add="C"))
    kit.fake.before_call = do_nothing

    assert answers
    assert all(answers)
    assert not kit.desk.settle(ITEM)


def test_only_what_the_service_confirmed_becomes_known(kit: DeskKit) -> None:
    kit.desk.remember_use(OTHER_ITEM)
    kit.fake.faults.append(Fault("addVisibility", refused()))
    kit.save(a_request(OTHER_ITEM, key="refused", add={"WRONG"}))

    assert not kit.desk.names.is_known(Kind.RECIPIENT, "WRONG")
    assert not kit.desk.names.known_items([OTHER_ITEM])
    assert kit.desk.recent_items() == ()

    kit.save(a_request(OTHER_ITEM, key="taken", add={"RIGHT"}))
    assert kit.desk.names.is_known(Kind.RECIPIENT, "RIGHT")
    assert kit.desk.recent_items() == (OTHER_ITEM,)


def test_the_last_eight_items_that_a_person_opened_are_offered(kit: DeskKit) -> None:
    items = [ItemKey(ITEM.supplier, f"item-{number}") for number in range(10)]
    put_names(kit.records.directory, items=[(item, "", "") for item in items])
    for item in items:
        kit.desk.remember_use(item)
        kit.fake.time.move(1)

    assert kit.desk.recent_items() == tuple(reversed(items[2:]))


def test_an_undone_id_becomes_unknown(kit: DeskKit) -> None:
    put_names(kit.records.directory, recipients=[("SHOP", "Sonnenhof")])
    kit.save(a_request(OTHER_ITEM, key="k1", add={"WRONG", "SHOP"}))
    undo = a_request(OTHER_ITEM, key="k2", base={"WRONG", "SHOP"}, remove={"WRONG"})
    kit.save(replace(undo, kind=ChangeKind.UNDO, undo_of="k1"))

    assert not kit.desk.names.is_known(Kind.RECIPIENT, "WRONG")
    assert kit.desk.names.is_known(Kind.RECIPIENT, "SHOP")
    assert kit.desk.names.known_items([OTHER_ITEM])

    undo = a_request(OTHER_ITEM, key="k3", base={"SHOP"}, remove={"SHOP"})
    kit.save(replace(undo, kind=ChangeKind.UNDO, undo_of="k1", confirmed_count=1))

    assert not kit.desk.names.known_items([OTHER_ITEM])
    assert kit.desk.names.is_known(Kind.RECIPIENT, "SHOP")


def test_a_read_only_environment_refuses_to_save(tmp_path: Path) -> None:
    environment = replace(TEST_ENVIRONMENT, is_read_only=True)
    with open_kit(tmp_path, {ITEM: {"A"}}, environment=environment) as kit:
        with pytest.raises(
            ReadOnlyError, match="test is read-only here: nothing was changed"
        ):
            kit.desk.save(a_request(ITEM, add={"C"}))
        assert kit.fake.calls == []
        assert kit.desk.save_status("key-1") is None
        assert kit.desk.sets.make("Retailers", "A") == kit.records.sets.open(
            "Retailers"
        )


@pytest.mark.parametrize("item", [ItemKey("..", "x"), ItemKey("x", "")])
def test_an_item_that_cannot_be_addressed_is_refused_before_anything_is_sent(
    kit: DeskKit, item: ItemKey
) -> None:
    with pytest.raises(IdentifierError):
        kit.desk.save(a_request(item, add={"C"}))
    assert kit.fake.calls == []


def test_a_save_whose_end_is_not_on_record_is_not_confirmed(kit: DeskKit) -> None:
    begin(kit.records.history, "key-1", item=ITEM, before="AB", add="CD")
    status = kit.desk.save_status("key-1")

    assert status.result.verdict is Verdict.NOT_CONFIRMED
    assert {step.outcome for step in status.result.steps} == {Outcome.UNKNOWN}
    assert status.result.message.startswith("The end of this save was not recorded")


def test_opening_an_item_settles_what_an_interrupted_save_left_open(
    kit: DeskKit,
) -> None:
    begin(kit.records.history, "key-1", item=ITEM, before="AB", add="CD")
    kit.fake.put(ITEM, {"A", "B", "C"})
    assert kit.desk.settle(ITEM) is False

    status = kit.desk.interrupted_save(ITEM)
    assert status.result.added == ("C",)
    assert kit.desk.undo("key-1", kit.desk.read(ITEM)).request.remove == frozenset(
        {"C"}
    )
    assert kit.fake.writes == []


@pytest.mark.parametrize(("days_ago", "is_shown"), [(0.5, True), (2, False)])
def test_an_interrupted_save_is_shown_for_a_day(
    kit: DeskKit, days_ago: float, *, is_shown: bool
) -> None:
    minutes = -days_ago * 24 * 60
    result = begin(kit.records.history, "late", at=minutes, item=ITEM, add="A")
    kit.records.history.record_result("late", result, is_late=True)
    assert (kit.desk.interrupted_save(ITEM) is not None) is is_shown


def test_the_undo_of_a_save_is_a_request_of_its_own(kit: DeskKit) -> None:
    kit.save(a_request(ITEM, base={"A", "B"}, add={"C"}, remove={"A"}))
    reading = kit.desk.read(ITEM)
    sent = len(kit.fake.calls)
    undo = kit.desk.undo("key-1", reading)

    assert len(kit.fake.calls) == sent
    assert undo.request.key == "undo-key-1"
    assert undo.request.base == frozenset({"B", "C"})
    assert undo.request.add == frozenset({"A"})
    assert undo.request.remove == frozenset({"C"})
    assert undo.request.kind is ChangeKind.UNDO
    assert undo.request.undo_of == "key-1"
    assert undo.request.operation is ChangeOperation.EDIT
    assert undo.left_alone == ()
    assert undo.not_restorable == ()

    kit.save(undo.request)
    assert kit.fake.recipients_of(ITEM) == {"A", "B"}


def test_a_save_that_is_not_in_the_history_cannot_be_undone(
    kit: DeskKit, tmp_path: Path
) -> None:
    reading = kit.desk.read(ITEM)
    with pytest.raises(NotPossibleError, match="no longer in the history"):
        kit.desk.undo("no such key", reading)

    break_records(tmp_path)
    with pytest.raises(RecordsError):
        kit.desk.undo("no such key", reading)


def test_the_work_continues_without_our_own_database(
    kit: DeskKit, tmp_path: Path
) -> None:
    break_records(tmp_path)
    assert kit.desk.read(ITEM).recipients == {"A", "B"}
    assert kit.desk.recent_items() == ()
    assert kit.desk.save_status("key-1") is None
    assert offered_groups(kit.desk, ITEM, "") == ()


def test_closing_twice_is_closing_once(kit: DeskKit) -> None:
    kit.desk.close()
    kit.desk.close()
    with pytest.raises(RecordsError, match="was closed"):
        kit.desk.save(a_request(ITEM, add={"C"}))


def seen_at(kit: DeskKit) -> dict[str, Iterable[object]]:
    desk = kit.desk
    records = kit.records
    return {
        "history": list(records.history.all(HistoryFilter())),
        "recents": desk.recent_items(),
        "suppliers": desk.names.first(Kind.SUPPLIER).choices,
        "recipients": list(records.directory[Kind.RECIPIENT].current().rows),
        "sets": records.sets.all(),
        "jobs": records.jobs.jobs(),
    }


def test_two_addresses_share_no_data(kit: DeskKit, tmp_path: Path) -> None:
    elsewhere = replace(TEST_ENVIRONMENT, base_url="https://other.example.com/v1")
    kit.save(a_request(ITEM, key="saved", base="AB", add="C"))
    kit.desk.remember_use(ITEM)
    kit.desk.sets.make("Retailers", {"A"})
    kit.records.jobs.create(a_job(), ())
    begin(kit.records.history, "key-1", item=ITEM, before="AB", add="CD")
    before = seen_at(kit)
    with open_kit(tmp_path, {ITEM: "Z"}, environment=elsewhere) as other:
        assert not other.desk.settle(ITEM)
        assert other.desk.save_status("saved") is None
        assert [kind for kind, values in seen_at(other).items() if values] == []
        assert other.fake.calls == []

    assert all(before.values())
    assert seen_at(kit) == before


def test_a_change_from_a_screen_of_another_environment_is_refused(
    tmp_path: Path,
) -> None:
    with open_kit(tmp_path, {ITEM: {"A"}}) as kit:
        with pytest.raises(
            OtherEnvironmentError, match="not made in the environment test"
        ):
            kit.desk.save(a_request(ITEM, add={"C"}, environment="live"))
        assert kit.fake.calls == []
        assert kit.desk.save_status("key-1") is None


def test_an_undo_belongs_to_the_environment_that_offers_it(kit: DeskKit) -> None:
    kit.save(a_request(ITEM, key="saved", base="AB", add="C"))
    undo = kit.desk.undo("saved", kit.desk.read(ITEM))
    assert undo.request.environment == "test"


@pytest.mark.parametrize(
    "action", ["apply", "pause", "cancel", "resume", "retry_failed", "undo"]
)
def test_a_job_of_another_environment_is_not_found(
    kit: DeskKit, tmp_path: Path, action: str
) -> None:
    kit.records.jobs.create(a_job("theirs"), ())
    with open_kit(tmp_path, environment=replace(TEST_ENVIRONMENT, name="twin")) as twin:
        with pytest.raises(NotPossibleError, match="no longer exists"):
            getattr(twin.desk.bulk, action)("theirs")
        assert twin.fake.calls == []


def test_two_environments_at_one_address_share_its_history_and_not_its_jobs(
    kit: DeskKit, tmp_path: Path
) -> None:
    kit.save(a_request(ITEM, key="saved", base="AB", add="C"))
    kit.records.jobs.create(a_job(), ())
    with open_kit(tmp_path, environment=replace(TEST_ENVIRONMENT, name="twin")) as twin:
        assert twin.desk.save_status("saved").result.verdict is Verdict.VERIFIED
        assert twin.records.jobs.jobs() == ()


DONE = Outcome.DONE


@pytest.fixture
def saved(tmp_path: Path) -> Iterator[DeskKit]:
    with open_kit(tmp_path, {ITEM: {"A", "B"}}) as saved:
        saved.save(a_request(ITEM, key="k1", base="AB", add="CD"))
        saved.fake.time.move(60)
        saved.save(a_request(ITEM, key="k2", base="ABCD", remove="C"))
        yield saved


def undo_of(
    *steps: tuple[str, Goal, Outcome],
    current: Iterable[str],
    changed: Iterable[str] = (),
) -> Undo:
    """Return the undo of a save with these steps, for this current list."""
    results = tuple(
        StepResult(ChangeStep(recipient, goal), outcome)
        for recipient, goal, outcome in steps
    )
    entry = HistoryEntry(
        service="s", request=ask(key="save-1"), started_at=START, steps=results
    )
    reading = ReadItem(
        item=ITEM, recipients=frozenset(current), asked_at=START, read_at=START
    )
    search = Mock(
        changed_since=Mock(return_value=frozenset(changed)),
        count_undos=Mock(return_value=0),
    )
    return undo_request(search, entry, reading)


def changes(undo: Undo) -> tuple[set[str], set[str]]:
    return set(undo.request.add), set(undo.request.remove)


def test_what_the_save_did_not_do_is_not_undone() -> None:
    others = [outcome for outcome in Outcome if outcome is not DONE]
    undo = undo_of(
        *((outcome, Goal.VISIBLE, outcome) for outcome in others), current=others
    )

    assert changes(undo) == (set(), set())
    assert undo.left_alone == ()


def test_what_somebody_changed_since_is_left_alone_and_named() -> None:
    undo = undo_of(
        ("A", Goal.VISIBLE, DONE),
        ("B", Goal.NOT_VISIBLE, DONE),
        ("C", Goal.VISIBLE, DONE),
        current="BC",
        changed="C",
    )

    assert changes(undo) == (set(), set())
    assert undo.left_alone == ("A", "B", "C")


def test_an_id_that_no_address_can_carry_is_not_restorable() -> None:
    undo = undo_of(
        ("..", Goal.NOT_VISIBLE, DONE), ("A", Goal.NOT_VISIBLE, DONE), current=""
    )

    assert changes(undo) == ({"A"}, set())
    assert undo.not_restorable == ("..",)


def test_the_history_says_who_could_see_the_item_on_a_day(saved: DeskKit) -> None:
    first = saved.fake.time.now() - timedelta(minutes=1)
    second = saved.fake.time.now()
    search = saved.records.history
    day = timedelta(days=1)
    past = day_of_item(search, ITEM, start=first - day, end=second + day)

    assert set(past.spans) == set("ABCD")
    assert past.spans["A"] == (None, None)
    assert past.spans["D"][1] is None

    since, until = past.spans["C"]
    assert first <= since < second <= until

    later = day_of_item(search, ITEM, start=second + day, end=second + 2 * day)
    assert set(later.spans) == set("ABD")
    assert day_of_item(search, ITEM, start=first - 2 * day, end=first - day) is None


def test_an_open_save_shows_the_list_before_it(kit: DeskKit) -> None:
    begin(kit.records.history, "key-1", item=ITEM, before="AB", add="C")
    day = timedelta(days=1)
    past = day_of_item(kit.records.history, ITEM, start=START - day, end=START + day)
    assert set(past.spans) == set("AB")
    assert past.read_at == START


def test_changes_by_others_have_their_own_rows(saved: DeskKit) -> None:
    entry = saved.records.history.entry("k2")
    others = OthersChanges(added=frozenset("-"))
    entry = replace(entry, result=replace(entry.result, others=others, after=None))
    columns = ("Recipient", "Change", "Could see before", "Could see after")
    rows = pick(read_table(write_history([entry])), columns, ids=("Recipient",))

    assert [row.cells for row in rows] == [
        ("C", "not visible", "yes", ""),
        ("-", "not by this save", "no", ""),
    ]


def test_a_text_that_no_cell_can_hold_is_cut_and_says_so(saved: DeskKit) -> None:
    entry = saved.records.history.entry("k2")
    entry = replace(
        entry, request=replace(entry.request, reason="\ud800" + "x" * 40_000)
    )
    with zipfile.ZipFile(io.BytesIO(write_history([entry]))) as book:
        sheet = book.read("xl/worksheets/sheet1.xml").decode()

    assert "\\ud800xxx" in sheet
    assert "xxx … (cut here)" in sheet
