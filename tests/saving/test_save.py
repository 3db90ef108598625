"""What a save sends, reports and leaves behind, also after an interruption."""

from dataclasses import replace
from unittest.mock import patch

import pytest

from item_visibility.access.people import Role
from item_visibility.errors import RecordsError
from item_visibility.model.change import ChangeOperation, ChangeRequest
from item_visibility.model.change_words import result_in_words
from item_visibility.model.outcome import OthersChanges, Outcome, SaveResult, Verdict
from item_visibility.saving.save import NOT_RECORDED, Saver
from tests.saving.saving import (
    ITEM,
    OTHER_ITEM,
    Bench,
    MemoryHistory,
    ask,
    asked,
    bench,
    broken_promises,
    fail_read_backs,
    outcomes,
)
from tests.support.fake_visibilities import (
    FakeCall,
    FakeVisibilities,
    Fault,
    refused,
    unknown_outcome,
)
from tests.support.scripted_transport import (
    NO_CONTENT,
    ScriptedTransport,
    Step,
    problem,
    recipients,
    scripted_client,
)
from tests.support.waiting import HandClock

TYPE_2 = "To remove them, save again and type 2."
BROKEN = RecordsError("The disk is full.", advice="Ask support.")


def test_only_the_changes_are_sent_one_recipient_a_call_and_read_back_once() -> None:
    desk = bench("A", "B", "C")
    result = desk.save(ask(base="ABCX", add="BD", remove="AX"))
    assert [(call.operation, call.recipient_id) for call in desk.fake.calls] == [
        ("getVisibilities", None),
        ("addVisibility", "D"),
        ("removeVisibility", "A"),
        ("getVisibilities", None),
    ]
    assert desk.fake.recipients_of(ITEM) == frozenset("BCD")
    assert outcomes(result) == {
        "D": Outcome.DONE,
        "A": Outcome.DONE,
        "B": Outcome.IN_PLACE,
        "X": Outcome.IN_PLACE,
    }
    assert desk.fake.time.slept == []


@pytest.mark.parametrize(("add", "is_recorded"), [("A", True), ("", False)])
def test_a_save_without_missing_changes_is_verified_without_a_write(
    add: str, *, is_recorded: bool
) -> None:
    desk = bench("A")
    result = desk.save(ask(base=(), add=add))
    assert len(desk.fake.calls) == 1
    assert asked(desk.fake) == []
    assert result.verdict is Verdict.VERIFIED
    assert bool(desk.history.entries) is is_recorded


@pytest.mark.parametrize("role", [None, Role.VIEWER])
def test_changes_are_sent_only_for_an_editor(role: Role | None) -> None:
    desk = bench("A")
    result = desk.save(replace(ask(base="A", add="B"), role=role))
    assert desk.fake.calls == []
    assert result.verdict is Verdict.NOTHING_SENT
    assert desk.history.entries == {}
    assert (
        result.message
        == "This change was not requested by an editor. Nothing was sent."
    )


def test_changes_by_others_are_kept_and_reported() -> None:
    desk = bench("A", "X")
    desk.fake.before_call = lambda call: (
        desk.fake.put(ITEM, "AXY") if call.operation == "addVisibility" else None
    )
    result = desk.save(ask(base="AB", add="C"))
    assert desk.fake.recipients_of(ITEM) == frozenset("ACXY")
    assert result.others == OthersChanges(added=frozenset("XY"), removed=frozenset("B"))
    assert result.verdict is Verdict.VERIFIED


def test_the_intent_is_on_record_before_the_first_write() -> None:
    desk = bench("A", "B", "C")
    recorded = []
    desk.fake.before_call = lambda call: (
        recorded.append(desk.history.entries["key-1"])
        if call.operation == "addVisibility"
        else None
    )
    desk.save(ask(base="ABC", add="D", remove="A"))
    (entry,) = recorded
    assert entry.request.base == frozenset("ABC")
    assert entry.verdict is None
    assert entry.result is None
    assert entry.request.add == frozenset("D")
    assert entry.request.remove == frozenset("A")


class LateHistory(MemoryHistory):
    """A history in which another process begins the save just after our look."""

    def entry(self, key: str) -> None:
        """Return None, as before the other process begins."""


@pytest.mark.parametrize("history", [MemoryHistory, LateHistory])
def test_the_same_key_is_saved_once(history: type[MemoryHistory]) -> None:
    desk = Bench(FakeVisibilities({ITEM: "A"}), history())
    first = desk.save(ask(base="A", add="B"))
    desk.fake.put(ITEM, "A")
    second = desk.save(ask(base="A", add="B"))
    assert second == first
    assert asked(desk.fake) == [("addVisibility", "B")]


@pytest.mark.parametrize(
    ("history", "other"),
    [
        (MemoryHistory, ask(base="A", remove="A", confirmed_count=1)),
        (MemoryHistory, ask(base="A", add="B", item=OTHER_ITEM)),
        (MemoryHistory, replace(ask(base="A", add="B"), person="ben")),
        (MemoryHistory, ask(base="A", add="B", operation=ChangeOperation.SET)),
        (MemoryHistory, ask(base="A", add="C")),
        (LateHistory, ask(base="A", add="C")),
    ],
)
def test_a_key_that_was_saved_is_refused_with_other_content(
    history: type[MemoryHistory], other: ChangeRequest
) -> None:
    desk = Bench(FakeVisibilities({ITEM: "A"}), history())
    first = desk.save(ask(base="A", add="B"))
    second = desk.save(other)
    assert second.verdict is Verdict.NOTHING_SENT
    assert second.steps == ()
    assert len(desk.fake.writes) == 1
    assert (
        second.message
        == "This form was already saved with different content. Nothing was sent."
    )
    assert desk.save(ask(base="A", add="B")) == first


def test_an_unfinished_save_with_the_same_key_is_settled_and_not_repeated() -> None:
    desk = interrupted(bench("A"), at="C", add="BC")
    writes = len(desk.fake.writes)
    result = desk.save(ask(base="A", add="BC"))
    assert len(desk.fake.writes) == writes
    assert outcomes(result) == {"B": Outcome.DONE, "C": Outcome.UNKNOWN}
    assert result.verdict is Verdict.NOT_CONFIRMED


def test_nothing_is_sent_when_the_list_cannot_be_read_first() -> None:
    desk = bench("A")
    desk.fake.faults = [Fault("getVisibilities", unknown_outcome())]
    result = desk.save(ask(base="A", add="B"))
    assert result.verdict is Verdict.NOTHING_SENT
    assert asked(desk.fake) == []
    assert result.message == "The service did not answer. It said: A title."
    assert result.advice == "Ask support."
    assert desk.save(ask(base="A", add="B")).verdict is Verdict.VERIFIED


def test_nothing_is_sent_when_the_history_cannot_be_written() -> None:
    desk = bench("A")
    desk.history.error = BROKEN
    result = desk.save(ask(base="A", add="B"))
    assert result.verdict is Verdict.NOTHING_SENT
    assert asked(desk.fake) == []
    assert result.message == "The disk is full."


def test_a_save_whose_outcome_cannot_be_recorded_is_settled_later(
    caplog: pytest.LogCaptureFixture,
) -> None:
    desk = bench("A")
    with patch.object(desk.history, "record_result", side_effect=BROKEN):
        result = desk.save(ask(base="A", add="B"))
    (settled,) = map(desk.saver.settle, desk.history.open_saves())
    assert result.verdict is Verdict.VERIFIED
    assert result.message == NOT_RECORDED
    assert caplog.messages == [
        "The outcome of save key-1 is not recorded yet: The disk is full."
    ]
    assert settled.verdict is Verdict.VERIFIED
    assert settled.added == ("B",)
    assert desk.history.entries["key-1"].result == settled


@pytest.mark.parametrize("confirmed_count", [None, 1, 3])
def test_a_large_removal_waits_for_its_count(confirmed_count: int | None) -> None:
    desk = bench("A", "B", "C")
    result = desk.save(ask(base="ABC", remove="AB", confirmed_count=confirmed_count))
    assert result.verdict is Verdict.NOTHING_SENT
    assert result.advice == TYPE_2
    assert asked(desk.fake) == []
    assert "2 of the 3 recipients" in result.message
    assert (
        desk.save(ask(base="ABC", remove="AB", confirmed_count=2)).verdict
        is Verdict.VERIFIED
    )


def test_a_removal_that_became_large_waits_for_its_count() -> None:
    desk = bench("A", "B")
    result = desk.save(ask(base="ABCD", remove="AB"))
    assert result.advice == TYPE_2
    assert asked(desk.fake) == []
    assert result.others == OthersChanges(removed=frozenset("CD"))
    assert result.before == frozenset("AB")


def test_an_item_emptied_by_others_is_not_made_visible_without_a_confirmation() -> None:
    desk = bench()
    result = desk.save(ask(base="AB", add="C"))
    assert result.verdict is Verdict.NOTHING_SENT
    assert asked(desk.fake) == []
    assert "All recipients (2) were removed" in result.message
    assert result.advice == "To make the item visible again, save again."
    assert desk.save(ask(base=(), add="C")).verdict is Verdict.VERIFIED


@pytest.mark.parametrize("lag_s", [0.1, 1.0, 1.6])
def test_a_save_waits_for_reads_that_lag(lag_s: float) -> None:
    desk = Bench(FakeVisibilities({ITEM: "ABC"}, lag_s=lag_s))
    result = desk.save(ask(base="ABC", add="D", remove="A"))
    assert result.verdict is Verdict.VERIFIED
    assert asked(desk.fake) == [("addVisibility", "D"), ("removeVisibility", "A")]


def test_a_save_whose_reads_lag_too_long_is_not_confirmed() -> None:
    desk = Bench(FakeVisibilities({ITEM: "ABC"}, lag_s=5))
    result = desk.save(ask(base="ABC", add="D"))
    assert desk.fake.time.slept == [0.2, 0.5, 1.0]
    assert result.verdict is Verdict.NOT_CONFIRMED
    assert outcomes(result) == {"D": Outcome.UNKNOWN}
    assert asked(desk.fake) == [("addVisibility", "D")]


def test_an_accepted_change_that_is_not_read_back_is_not_confirmed() -> None:
    desk = bench("A", "B")
    fail_read_backs(desk.fake)
    result = desk.save(ask(base="AB", add="N", remove="A"))
    assert outcomes(result) == {"N": Outcome.DONE, "A": Outcome.DONE}
    assert result.after is None
    assert result.verdict is Verdict.NOT_CONFIRMED


def test_a_change_that_somebody_undoes_is_not_sent_again() -> None:
    desk = bench("A")
    desk.fake.before_call = lambda call: (
        desk.fake.put(ITEM, "A")
        if call.operation == "getVisibilities" and desk.fake.writes
        else None
    )
    result = desk.save(ask(base="A", add="B"))
    assert asked(desk.fake) == [("addVisibility", "B")]
    assert result.verdict is Verdict.NOT_CONFIRMED
    assert outcomes(result) == {"B": Outcome.UNKNOWN}


def test_a_change_that_was_in_place_and_is_undone_meanwhile_is_not_verified() -> None:
    desk = bench("A", "B")
    desk.fake.before_call = lambda call: (
        desk.fake.put(ITEM, "A") if call.operation == "addVisibility" else None
    )
    result = desk.save(ask(base="A", add="BC"))
    assert result.verdict is Verdict.NOT_CONFIRMED
    assert outcomes(result) == {"B": Outcome.UNKNOWN, "C": Outcome.DONE}


def test_a_refused_recipient_does_not_stop_the_others() -> None:
    desk = bench("X")
    desk.fake.faults = [Fault("addVisibility", refused(), recipient_id="B")]
    result = desk.save(ask(base="X", add="ABC"))
    assert desk.fake.recipients_of(ITEM) == frozenset("XAC")
    assert result.verdict is Verdict.DIFFERS
    assert desk.fake.time.slept == []
    assert outcomes(result) == {
        "A": Outcome.DONE,
        "B": Outcome.REFUSED,
        "C": Outcome.DONE,
    }
    assert result.steps[1].problem == refused().problem
    assert result.message == "The service refused it (400). It said: A title."
    assert result.advice == "Ask support."


def interrupted(desk: Bench, *, at: str, add: str, remove: str = "") -> Bench:
    """Return the saver after a restart: the program stopped before this call."""

    def stop(call: FakeCall) -> None:
        if call.recipient_id == at:
            raise KeyboardInterrupt

    desk.fake.before_call = stop
    base = desk.fake.recipients_of(ITEM)
    with pytest.raises(KeyboardInterrupt):
        desk.save(ask(base=base, add=add, remove=remove))
    desk.fake.before_call = lambda _call: None
    return desk


def test_an_interrupted_save_reports_what_was_written_and_what_was_not() -> None:
    desk = interrupted(bench("A"), at="C", add="BC")
    writes = asked(desk.fake)
    (result,) = map(desk.saver.settle, desk.history.open_saves())
    assert outcomes(result) == {"B": Outcome.DONE, "C": Outcome.UNKNOWN}
    words = "Not confirmed: perhaps sent, but the list did not show it for C · Added B"
    assert result.verdict is Verdict.NOT_CONFIRMED
    assert result_in_words(result, {}) == words
    assert result.message.startswith("The end of this save was not recorded, because ")
    assert asked(desk.fake) == writes


def test_a_call_that_takes_effect_after_the_read_causes_no_false_report() -> None:
    """The service may apply a call after the process that sent it has died."""
    desk = interrupted(bench("A"), at="B", add="BC")
    (result,) = map(desk.saver.settle, desk.history.open_saves())
    words = "Not confirmed: perhaps sent, but the list did not show it"
    assert result_in_words(result, {}) == words
    assert desk.save(ask(base="A", add="BC")) == result
    desk.fake.put(ITEM, "AB")
    assert broken_promises(result, desk.fake.recipients_of(ITEM)) == []


def test_an_interrupted_save_that_was_complete_is_verified() -> None:
    desk = interrupted(bench("A", "B", "D"), at="C", add="AC")
    desk.fake.put(ITEM, "ABCD")
    (result,) = map(desk.saver.settle, desk.history.open_saves())
    assert outcomes(result) == {"A": Outcome.IN_PLACE, "C": Outcome.DONE}
    assert result.verdict is Verdict.VERIFIED
    assert result.advice == ""


def test_changes_that_others_made_meanwhile_are_reported() -> None:
    desk = interrupted(bench("A", "Z"), at="C", add="BC")
    desk.fake.put(ITEM, "XZB")
    (result,) = map(desk.saver.settle, desk.history.open_saves())
    assert result.others == OthersChanges(added=frozenset("X"), removed=frozenset("A"))


def test_a_save_whose_list_cannot_be_read_stays_open() -> None:
    desk = interrupted(bench("A"), at="C", add="BC")
    fail_read_backs(desk.fake)
    (result,) = map(desk.saver.settle, desk.history.open_saves())
    assert result.verdict is Verdict.NOT_CONFIRMED
    assert result.after is None
    assert result.message.endswith(" The service did not answer.")
    assert len(desk.history.open_saves()) == 1


def saver_on(history: MemoryHistory, *steps: Step) -> Saver:
    time = HandClock()
    client = scripted_client(ScriptedTransport(*steps))
    return Saver(client, history, clock=time.now, sleep=time.sleep)


def calls_in(result: SaveResult) -> list[tuple[str, int | None]]:
    return [
        (call.operation, call.status)
        for call in result.exchanges
        if call.method != "POST"
    ]


def test_every_request_of_a_save_is_reported_and_recorded() -> None:
    history = MemoryHistory()
    steps = (recipients("A"), problem(503), NO_CONTENT, recipients("A", "B"))
    result = saver_on(history, *steps).save(ask(base="A", add="B"))
    assert calls_in(result) == [
        ("getVisibilities", 200),
        ("addVisibility", 503),
        ("addVisibility", 204),
        ("getVisibilities", 200),
    ]
    recorded = history.entries["key-1"].result
    assert recorded is not None
    assert recorded.exchanges == result.exchanges


def test_a_save_that_sent_nothing_says_why() -> None:
    result = saver_on(MemoryHistory(), problem(403)).save(ask(add="B"))
    assert result.verdict is Verdict.NOTHING_SENT
    assert calls_in(result) == [("getVisibilities", 403)]


def test_an_interrupted_save_says_how_it_was_settled() -> None:
    history = MemoryHistory()
    request = ask(add="B")
    saver_on(history, recipients(), NO_CONTENT, recipients("B")).save(request)
    result = saver_on(history, recipients("B")).settle(history.entries["key-1"])
    assert calls_in(result) == [("getVisibilities", 200)]
