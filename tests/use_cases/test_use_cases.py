"""The use cases, on a recording fake and a real database."""

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from threading import Event

import pytest

from item_visibility.client.identifiers import ItemKey
from item_visibility.errors import (
    HistoryError,
    IdentifierError,
    ReadOnlyError,
    RecordsError,
    UnknownOutcomeError,
)
from item_visibility.lists.paste import read_entered
from item_visibility.saving.outcome import Outcome, Verdict
from item_visibility.saving.plan import plan_changes
from item_visibility.saving.request import ChangeKind, Operation, Origin
from item_visibility.saving.save import OTHER_CONTENT
from item_visibility.saving.save_worker import SaveState
from item_visibility.use_cases.directory import Kind
from item_visibility.use_cases.find_by_name import Choice, read_one
from item_visibility.use_cases.known_names import KnownId
from tests.support.desk import (
    ITEM,
    OTHER_ITEM,
    TEST_ENVIRONMENT,
    DeskKit,
    FakeService,
    a_request,
    break_records,
    ended_save,
    open_kit,
)
from tests.support.fake_visibilities import START, FakeCall, Fault, not_sent, refused, unknown_outcome
from tests.support.known_names import put_names


@pytest.fixture
def kit(tmp_path: Path) -> Iterator[DeskKit]:
    """A desk on one item with two recipients."""
    with open_kit(tmp_path, {ITEM: {"A", "B"}}) as kit:
        yield kit


def test_reading_tells_who_can_see_the_item_and_when(kit: DeskKit) -> None:
    """The list and its time, as the service gave it."""
    reading = kit.desk.read(ITEM)
    assert (reading.item, reading.recipients, reading.read_at) == (ITEM, {"A", "B"}, START)


def test_an_item_with_recipients_is_known_once_it_was_read(kit: DeskKit) -> None:
    """The next time, the person picks it from a list."""
    kit.desk.read(ITEM)
    assert kit.desk.names.is_known_supplier(ITEM.supplier)
    assert kit.desk.names.is_known_item(ITEM)
    assert kit.desk.names.find_items(ITEM.supplier, "0401", limit=5) == (
        KnownId(ITEM.supplier_item_id, "", "Germany"),
    )


def test_an_item_that_nothing_is_recorded_of_is_not_remembered(kit: DeskKit) -> None:
    """A mistyped id does not become a suggestion."""
    assert kit.desk.read(OTHER_ITEM).recipients is None
    assert not kit.desk.names.is_known_item(OTHER_ITEM)


def test_a_read_that_fails_is_told(kit: DeskKit) -> None:
    """The error of the call comes through."""
    kit.fake.faults.append(Fault("getVisibilities", unknown_outcome("getVisibilities")))
    with pytest.raises(UnknownOutcomeError):
        kit.desk.read(ITEM)


def test_a_save_sends_what_was_asked_and_is_verified(kit: DeskKit) -> None:
    """One call a recipient, and a read afterwards that agrees."""
    status = kit.save(a_request(ITEM, base={"A", "B"}, add={"C"}, remove={"A"}))

    assert status.state is SaveState.ENDED
    assert status.result is not None
    assert status.result.verdict is Verdict.VERIFIED
    assert [(call.operation, call.recipient_id) for call in kit.fake.writes] == [
        ("addVisibility", "C"),
        ("removeVisibility", "A"),
    ]
    assert kit.fake.recipients_of(ITEM) == {"B", "C"}


def test_the_same_key_is_saved_once(kit: DeskKit) -> None:
    """Pressing Save twice changes nothing more."""
    request = a_request(ITEM, base={"A", "B"}, add={"C"})
    first, second = kit.save(request), kit.save(request)
    assert first == second
    assert len(kit.fake.writes) == 1


def test_a_key_is_bound_to_its_content_across_a_restart(tmp_path: Path) -> None:
    """Pressing twice saves once, also when the program was started again; other content is refused."""
    request = a_request(ITEM, base={"A", "B"}, add={"C"})
    fake = FakeService({ITEM: {"A", "B"}})
    with open_kit(tmp_path, fake=fake) as kit:
        first = kit.save(request).result
    with open_kit(tmp_path, fake=fake) as kit:
        again = kit.save(request).result
        refused = kit.desk.save(replace(request, add=frozenset("D"))).result
    assert again == first
    assert refused is not None
    assert (refused.verdict, refused.message) == (Verdict.NOTHING_SENT, OTHER_CONTENT.message)
    assert [call.recipient_id for call in fake.writes] == ["C"]


def test_what_was_saved_is_known_from_then_on(kit: DeskKit) -> None:
    """An item that had no recipients, and the recipients that were added."""
    kit.save(a_request(OTHER_ITEM, add={"SHOP"}))
    assert kit.desk.names.is_known_item(OTHER_ITEM)
    text = f"so can SHOP see {OTHER_ITEM.supplier_item_id} of {OTHER_ITEM.supplier}?"
    assert [one.recipient_id for one in kit.desk.check.read(text)] == ["SHOP"]


def test_what_the_service_did_not_confirm_is_not_known(kit: DeskKit) -> None:
    """Neither the item, nor the recipient, nor among the items used last; refused, and not read back."""
    kit.desk.remember_use(OTHER_ITEM)
    kit.fake.faults.append(Fault("addVisibility", refused("addVisibility")))
    kit.save(a_request(OTHER_ITEM, key="refused", add={"WRONG"}))
    assert kit.desk.names.known_recipients(["WRONG"]) == frozenset()
    assert not kit.desk.names.is_known_item(OTHER_ITEM)
    assert kit.desk.recent_items() == ()
    kit.save(a_request(OTHER_ITEM, key="taken", add={"RIGHT"}))
    assert kit.desk.recent_items() == (OTHER_ITEM,)


def test_what_was_undone_is_not_known_any_more(kit: DeskKit) -> None:
    """The item that nobody can see now, and the recipient; what has a name stays."""
    put_names(kit.records.directory, recipients=[("SHOP", "Sonnenhof")])
    kit.save(a_request(OTHER_ITEM, key="k1", add={"WRONG", "SHOP"}))
    undo = a_request(OTHER_ITEM, key="k2", base={"WRONG", "SHOP"}, remove={"WRONG"})
    kit.save(replace(undo, origin=Origin(kind=ChangeKind.UNDO, undo_of="k1")))
    assert kit.desk.names.known_recipients(["WRONG", "SHOP"]) == {"SHOP"}
    assert kit.desk.names.is_known_item(OTHER_ITEM)
    undo = a_request(OTHER_ITEM, key="k3", base={"SHOP"}, remove={"SHOP"})
    kit.save(replace(undo, origin=Origin(kind=ChangeKind.UNDO, undo_of="k1"), confirmed_count=1))
    assert not kit.desk.names.is_known_item(OTHER_ITEM)
    assert kit.desk.names.known_recipients(["SHOP"]) == {"SHOP"}


def test_a_save_that_read_nothing_makes_nothing_known(kit: DeskKit) -> None:
    """The service could not be reached."""
    kit.fake.faults.append(Fault("getVisibilities", not_sent("getVisibilities")))
    kit.save(a_request(OTHER_ITEM, add={"SHOP"}))
    assert not kit.desk.names.is_known_item(OTHER_ITEM)


def test_a_read_only_environment_refuses_to_save(tmp_path: Path) -> None:
    """Nothing is sent."""
    environment = replace(TEST_ENVIRONMENT, is_read_only=True)
    with open_kit(tmp_path, {ITEM: {"A"}}, environment=environment) as kit:
        with pytest.raises(ReadOnlyError, match="test is read-only here: nothing was changed"):
            kit.desk.save(a_request(ITEM, add={"C"}))
        assert kit.fake.calls == []
        assert kit.desk.latest_save(ITEM) is None


@pytest.mark.parametrize("item", [ItemKey("..", "x"), ItemKey("x", "")])
def test_an_item_that_cannot_be_addressed_is_refused_before_anything_is_sent(
    kit: DeskKit, item: ItemKey
) -> None:
    """The core checks again what the screen constrains."""
    with pytest.raises(IdentifierError):
        kit.desk.save(a_request(item, add={"C"}))
    assert kit.fake.calls == []


def test_an_item_that_was_never_saved_has_no_latest_save(kit: DeskKit) -> None:
    """Neither in the worker nor on record."""
    assert kit.desk.latest_save(ITEM) is None


def test_the_latest_save_is_the_workers(kit: DeskKit) -> None:
    """While it is remembered in this process."""
    status = kit.save(a_request(ITEM, base={"A", "B"}, add={"C"}))
    assert kit.desk.latest_save(ITEM) == status


def test_the_latest_save_outlives_the_program(tmp_path: Path) -> None:
    """After a restart it comes from the records, with its result."""
    fake = FakeService({ITEM: {"A"}})
    with open_kit(tmp_path, fake=fake) as kit:
        before = kit.save(a_request(ITEM, base={"A"}, add={"C"}))
    with open_kit(tmp_path, fake=fake) as kit:
        after = kit.desk.latest_save(ITEM)

    assert after is not None
    assert (after.state, after.done_steps, after.total_steps) == (SaveState.ENDED, 1, 1)
    assert after.result == before.result


def test_a_save_is_found_by_its_key_also_when_another_one_followed(kit: DeskKit) -> None:
    """While it is remembered in this process."""
    first = kit.save(a_request(ITEM, key="key-1", base={"A", "B"}, add={"C"}))
    kit.save(a_request(ITEM, key="key-2", base={"A", "B", "C"}, add={"D"}))
    assert kit.desk.save_status("key-1") == first
    assert kit.desk.save_status("key-3") is None


def test_a_save_is_found_by_its_key_after_a_restart(tmp_path: Path) -> None:
    """It then comes from the records."""
    fake = FakeService({ITEM: {"A"}})
    with open_kit(tmp_path, fake=fake) as kit:
        before = kit.save(a_request(ITEM, key="key-1", base={"A"}, add={"C"}))
    with open_kit(tmp_path, fake=fake) as kit:
        after = kit.desk.save_status("key-1")
    assert after is not None
    assert after.result == before.result


def test_a_save_whose_end_is_not_on_record_is_not_confirmed(kit: DeskKit) -> None:
    """The program was stopped while it ran: nothing is claimed of it."""
    request = a_request(ITEM, base={"A", "B"}, add={"C"})
    plan = plan_changes(ITEM, current=frozenset({"A", "B"}), add=request.add, remove=request.remove)
    kit.records.history.begin(request, plan, started_at=START)

    status = kit.desk.latest_save(ITEM)

    assert status is not None
    assert status.result is not None
    assert status.result.verdict is Verdict.NOT_CONFIRMED
    assert [step.outcome for step in status.result.steps] == [Outcome.UNKNOWN]
    assert status.result.message.startswith("The end of this save is not recorded")


def test_the_undo_of_a_save_is_a_request_of_its_own(kit: DeskKit) -> None:
    """The opposite of what it did, under a key of its own; nothing is sent until it is saved."""
    kit.save(a_request(ITEM, base={"A", "B"}, add={"C"}, remove={"A"}))
    reading = kit.desk.read(ITEM)
    sent = len(kit.fake.calls)
    undo = kit.desk.undo("key-1", reading)
    assert len(kit.fake.calls) == sent
    assert (undo.request.key, undo.request.base) == ("undo-key-1", frozenset({"B", "C"}))
    assert (undo.request.add, undo.request.remove) == (frozenset({"A"}), frozenset({"C"}))
    assert undo.request.origin == Origin(kind=ChangeKind.UNDO, undo_of="key-1")
    assert (undo.request.operation, undo.left_alone, undo.not_restorable) == (Operation.EDIT, (), ())
    kit.save(undo.request)
    assert kit.fake.recipients_of(ITEM) == {"A", "B"}


def test_an_undo_leaves_alone_what_others_changed_since(kit: DeskKit) -> None:
    """D was removed elsewhere; C was removed and added again by another save: neither is touched."""
    kit.save(a_request(ITEM, base={"A", "B"}, add={"C", "D", "E"}))
    kit.save(a_request(ITEM, key="key-2", base={"A", "B", "C", "D", "E"}, remove={"C"}))
    kit.save(a_request(ITEM, key="key-3", base={"A", "B", "D", "E"}, add={"C"}))
    kit.fake.put(ITEM, {"A", "B", "C", "E"})
    undo = kit.desk.undo("key-1", kit.desk.read(ITEM))
    assert (undo.request.add, undo.request.remove) == (frozenset(), frozenset({"E"}))
    assert undo.left_alone == ("C", "D")


def test_a_change_that_is_not_in_the_history_cannot_be_undone(kit: DeskKit) -> None:
    """It may have been removed since the page was drawn."""
    with pytest.raises(HistoryError, match="not in the history"):
        kit.desk.undo("no such key", kit.desk.read(ITEM))


def test_opening_an_item_settles_what_an_interrupted_save_left_open(kit: DeskKit) -> None:
    """At once, by reading; its entry then offers the undo of exactly what was made."""
    request = a_request(ITEM, base={"A", "B"}, add={"C", "D"})
    plan = plan_changes(ITEM, current=frozenset({"A", "B"}), add=request.add, remove=request.remove)
    kit.records.history.begin(request, plan, started_at=START)
    kit.fake.put(ITEM, {"A", "B", "C"})
    assert kit.desk.settle(ITEM) is False
    status = kit.desk.latest_save(ITEM)
    assert status is not None
    assert status.result is not None
    assert status.result.added == ("C",)
    assert kit.desk.undo("key-1", kit.desk.read(ITEM)).request.remove == frozenset({"C"})
    assert kit.fake.writes == []


def test_an_item_with_nothing_open_is_not_read_to_settle_it(kit: DeskKit) -> None:
    """Opening an item costs one read."""
    assert kit.desk.settle(ITEM) is False
    assert kit.fake.calls == []


def test_names_are_looked_up(kit: DeskKit) -> None:
    """Suppliers, items and recipients that were imported with names."""
    put_names(
        kit.records.directory,
        suppliers=[(ITEM.supplier, "Müller")],
        items=[(ITEM, "276", "Oat biscuits")],
        recipients=[("A", "Shop A")],
    )
    assert kit.desk.names.supplier_name(ITEM.supplier) == "Müller"
    assert kit.desk.names.item_name(ITEM) == "Oat biscuits · Germany"
    assert kit.desk.names.recipient_names(["A", "B"]) == {"A": "Shop A"}
    assert kit.desk.finder.find(Kind.SUPPLIER, "muller").choices == (Choice((ITEM.supplier,), "Müller"),)
    assert kit.desk.names.find_items(ITEM.supplier, "oat") == (
        KnownId(ITEM.supplier_item_id, "Oat biscuits", "Germany"),
    )


def test_what_is_not_known_has_no_name(kit: DeskKit) -> None:
    """An unknown id is as good as any other."""
    assert kit.desk.names.supplier_name("?") == ""
    assert kit.desk.names.item_name(OTHER_ITEM) == "(no name) · Austria"
    assert kit.desk.names.item_name(ItemKey("?", "?")) == ""
    assert not kit.desk.names.is_known_supplier("?")


def test_recent_items_are_each_persons_own(kit: DeskKit) -> None:
    """Newest first."""
    kit.records.directory.remember([ITEM, OTHER_ITEM])
    kit.desk.remember_use(ITEM)
    kit.fake.time.sleep(1)
    kit.desk.remember_use(OTHER_ITEM)
    kit.records.recents.remember_use(person="bob", item=ITEM, used_at=kit.fake.time.now())
    assert kit.desk.recent_items() == (OTHER_ITEM, ITEM)
    assert kit.desk.recent_items(limit=1) == (OTHER_ITEM,)


def test_the_work_goes_on_without_our_own_database(kit: DeskKit, tmp_path: Path) -> None:
    """Nothing is known for the moment, and a list can still be read."""
    break_records(tmp_path)
    assert kit.desk.read(ITEM).recipients == {"A", "B"}
    assert kit.desk.finder.first(Kind.SUPPLIER).choices == ()
    assert kit.desk.names.recipient_names(["A"]) == {}
    assert kit.desk.recent_items() == ()
    assert kit.desk.latest_save(ITEM) is None


def test_closing_twice_is_closing_once(kit: DeskKit) -> None:
    """A second close finds nothing to do, and no save is taken any more."""
    kit.desk.close()
    kit.desk.close()
    with pytest.raises(RecordsError, match="was closed"):
        kit.desk.save(a_request(ITEM, add={"C"}))


def test_recipients_are_read_with_what_is_known_here(kit: DeskKit) -> None:
    """Known ids as they are, and the recipient with exactly this name."""
    kit.records.directory.remember([ITEM], ["KNOWN"])
    put_names(kit.records.directory, recipients=[("9520000000011", "Laden Süd")])
    entered = read_entered("KNOWN\nLaden Süd\nLaden", kit.desk.names)
    assert entered.ids == ("KNOWN", "9520000000011")
    assert kit.desk.names.recipients_called(["laden süd"]) == {"laden süd": (("9520000000011", "Laden Süd"),)}


def test_records_that_answer_are_no_trouble(kit: DeskKit, tmp_path: Path) -> None:
    """Those that do not are told of."""
    assert kit.desk.records.check_reading() is None
    break_records(tmp_path)
    with pytest.raises(RecordsError):
        kit.desk.records.check_reading()


def test_a_name_is_found_however_many_names_hold_it(kit: DeskKit) -> None:
    """Exactly, without regard to case and accents; when two have it, neither is meant."""
    many = [(str(number), f"Süd {number}") for number in range(200)]
    put_names(kit.records.directory, suppliers=[*many, ("S", "Süd")], recipients=[*many, ("R", "SÜD")])
    finder = kit.desk.finder
    assert read_one(finder, Kind.SUPPLIER, " sud ").number == "S"
    assert read_one(finder, Kind.RECIPIENT, "Süd").number == "R"
    put_names(kit.records.directory, recipients=[("R2", "sud")])
    assert [read_one(finder, Kind.RECIPIENT, text).number for text in ("Süd", "Nord", "")] == ["", "", ""]


def test_an_item_whose_save_is_under_way_is_not_settled(kit: DeskKit) -> None:
    """The page says so, and the save ends by itself."""
    released = Event()

    def hold(_call: FakeCall) -> None:
        assert released.wait(60)

    kit.fake.before_call = hold
    kit.desk.save(a_request(ITEM, base="AB", remove={"B"}))
    assert kit.desk.settle(ITEM) is True
    released.set()
    ended_save(kit.worker, "key-1")
