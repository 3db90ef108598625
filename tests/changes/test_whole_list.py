"""Whole lists: for very many changes, and for ids that no path can address."""

from collections.abc import Iterable

import pytest

from item_visibility.api.identifiers import MAX_SEGMENT_BYTES
from item_visibility.changes.outcome import StepOutcome, Verdict
from item_visibility.changes.saving import whole_list
from item_visibility.errors import IdentifierError, ItemVisibilityError
from item_visibility.timings_and_retries import LIST_TRIES
from tests.changes.saving import ITEM, Bench, ask, asked, bench, fail_read_backs, outcomes
from tests.support.fake_visibilities import (
    FakeVisibilities,
    Fault,
    not_sent,
    refused,
    unknown_outcome,
)
from tests.support.fault_service import Semantics

SET, CLEAR = "setVisibilities", "removeVisibilities"
MERGES = Semantics(put_merges=True)
HARD = "a\tb"
LAST_READ = "the list could not be read afterwards"


@pytest.fixture(autouse=True)
def few_are_many(monkeypatch: pytest.MonkeyPatch) -> None:
    """Four changes are very many here."""
    monkeypatch.setattr(whole_list, "LIST_FROM_CHANGES", 4)


def merging(recipients: Iterable[str]) -> Bench:
    """A saver on a service whose sets keep recipients that their list omits."""
    return Bench(FakeVisibilities({ITEM: recipients}, semantics=MERGES))


def test_very_many_changes_go_as_one_list() -> None:
    """Nobody changed the item since it was read: one call does it."""
    desk = bench(*"ABCDEFGH")
    result = desk.save(ask(base="ABCDEFGH", add="XY", remove="AB"))
    assert asked(desk.fake) == [(SET, tuple("CDEFGHXY"))]
    assert result.verdict is Verdict.VERIFIED
    assert set(outcomes(result).values()) == {StepOutcome.DONE}


def test_fewer_changes_go_singly() -> None:
    """Three are not very many: a list could overwrite what others do."""
    desk = bench(*"ABCDEFGH")
    desk.save(ask(base="ABCDEFGH", add="XYZ"))
    assert [operation for operation, _ in asked(desk.fake)] == ["addVisibility"] * 3


def test_an_item_that_somebody_changed_is_not_set() -> None:
    """A list could overwrite them: single calls it is."""
    desk = bench(*"ABCDEFGHZ")
    result = desk.save(ask(base="ABCDEFGH", add="WXY", remove="A"))
    assert SET not in dict(asked(desk.fake))
    assert (result.verdict, desk.fake.recipients_of(ITEM)) == (Verdict.VERIFIED, frozenset("BCDEFGHZWXY"))


def test_what_a_merge_kept_is_removed_singly() -> None:
    """Right on a service that merges too, without waiting."""
    desk = merging("ABCDEFGH")
    result = desk.save(ask(base="ABCDEFGH", add="XY", remove="AB"))
    assert asked(desk.fake)[1:] == [("removeVisibility", "A"), ("removeVisibility", "B")]
    assert (desk.fake.recipients_of(ITEM), result.verdict) == (frozenset("CDEFGHXY"), Verdict.VERIFIED)
    assert desk.fake.time.sleeps == []


def test_removals_alone_are_made_singly_where_a_merge_kept_them() -> None:
    """A merge and a lag look the same here: the lag is waited out first, and nothing is claimed."""
    desk = merging("ABCDEFGH")
    result = desk.save(ask(base="ABCDEFGH", remove="ABCD"))
    assert (desk.fake.recipients_of(ITEM), result.verdict) == (frozenset("EFGH"), Verdict.VERIFIED)
    assert desk.fake.time.sleeps == [0.2, 0.5, 1.0]


def test_a_list_whose_reads_lag_is_waited_for() -> None:
    """No single call is sent for what only the reads do not show yet."""
    desk = Bench(FakeVisibilities({ITEM: "ABCDEFGH"}, lag_s=1))
    result = desk.save(ask(base="ABCDEFGH", add="XY", remove="AB"))
    assert asked(desk.fake) == [(SET, tuple("CDEFGHXY"))]
    assert result.verdict is Verdict.VERIFIED


@pytest.mark.parametrize("semantics", [Semantics(), MERGES, Semantics(missing_is_404=True)], ids=str)
def test_taking_very_many_away_until_nobody_is_left_removes_all(semantics: Semantics) -> None:
    """One call, right in every reading."""
    desk = Bench(FakeVisibilities({ITEM: "ABCD"}, semantics=semantics))
    result = desk.save(ask(base="ABCD", remove="ABCD", confirmed_count=4))
    assert asked(desk.fake) == [(CLEAR, None)]
    assert result.verdict is Verdict.VERIFIED


def test_an_item_that_somebody_emptied_first_was_emptied_by_them() -> None:
    """404 on removing all: nothing of it was this save's doing."""
    desk = Bench(FakeVisibilities({ITEM: "ABCD"}, semantics=Semantics(missing_is_404=True)))
    desk.fake.before_call = lambda call: desk.fake.put(ITEM, "") if call.operation == CLEAR else None
    result = desk.save(ask(base="ABCD", remove="ABCD", confirmed_count=4))
    assert (result.verdict, set(outcomes(result).values())) == (Verdict.VERIFIED, {StepOutcome.IN_PLACE})


@pytest.mark.parametrize("is_applied", [False, True])
def test_a_list_with_an_unknown_outcome_is_read_before_anything_else(*, is_applied: bool) -> None:
    """Applied: nothing more is sent. Not applied: a read has shown it, and the list is sent once more."""
    desk = bench(*"ABCDEFGH")
    desk.fake.faults = [Fault(SET, unknown_outcome(SET), is_applied=is_applied)]
    result = desk.save(ask(base="ABCDEFGH", add="XY", remove="AB"))
    after_the_set = desk.fake.calls[2]
    assert after_the_set.operation == "getVisibilities"
    assert [operation for operation, _ in asked(desk.fake)] == ([SET] if is_applied else [SET, SET])
    assert (result.verdict, desk.fake.recipients_of(ITEM)) == (Verdict.VERIFIED, frozenset("CDEFGHXY"))


def test_a_list_that_stays_unknown_is_finished_singly() -> None:
    """Two tries, then what a read shows as missing goes one by one."""
    desk = bench(*"ABCDEFGH")
    desk.fake.faults = [Fault(SET, unknown_outcome(SET)) for _ in range(9)]
    result = desk.save(ask(base="ABCDEFGH", add="XY", remove="AB"))
    assert [operation for operation, _ in asked(desk.fake)].count(SET) == LIST_TRIES
    assert (result.verdict, desk.fake.recipients_of(ITEM)) == (Verdict.VERIFIED, frozenset("CDEFGHXY"))


def test_a_list_that_cannot_be_read_back_is_left_alone() -> None:
    """Single calls would be sent blindly: additions are done, and of removals nothing is said."""
    desk = bench(*"ABCDEFGH")
    fail_read_backs(desk.fake)
    result = desk.save(ask(base="ABCDEFGH", add="XY", remove="AB"))
    assert asked(desk.fake) == [(SET, tuple("CDEFGHXY"))]
    assert outcomes(result) == {
        "X": StepOutcome.DONE,
        "Y": StepOutcome.DONE,
        "A": StepOutcome.UNKNOWN,
        "B": StepOutcome.UNKNOWN,
    }
    assert result.verdict is Verdict.NOT_CONFIRMED


def test_an_unknown_list_that_cannot_be_read_back_is_not_sent_again() -> None:
    """Without a read nothing is repeated."""
    desk = bench(*"ABCDEFGH")
    desk.fake.faults = [Fault(SET, unknown_outcome(SET))]
    fail_read_backs(desk.fake)
    result = desk.save(ask(base="ABCDEFGH", add="XY", remove="AB"))
    assert asked(desk.fake) == [(SET, tuple("CDEFGHXY"))]
    assert set(outcomes(result).values()) == {StepOutcome.UNKNOWN}
    assert LAST_READ in result.message


@pytest.mark.parametrize(
    "error",
    [refused(SET, 413), refused(SET, 404), not_sent(SET), IdentifierError("An id is odd.", advice="Look.")],
)
def test_a_list_that_is_refused_goes_singly(error: ItemVisibilityError) -> None:
    """A list may be too long for a service; single calls never are."""
    desk = bench(*"ABCDEFGH")
    desk.fake.faults = [Fault(SET, error)]
    result = desk.save(ask(base="ABCDEFGH", add="XY", remove="AB"))
    assert (result.verdict, desk.fake.recipients_of(ITEM)) == (Verdict.VERIFIED, frozenset("CDEFGHXY"))


def test_an_id_that_no_path_can_address_is_added_and_removed_by_a_list() -> None:
    """The list is the one just read, with that one change; the others go singly."""
    desk = bench("A", "B", "..")
    result = desk.save(ask(base=["A", "B", ".."], add=[HARD, "C"], remove=[".."]))
    assert asked(desk.fake) == [(SET, ("A", "B", HARD)), ("addVisibility", "C")]
    assert (result.verdict, desk.fake.recipients_of(ITEM)) == (
        Verdict.VERIFIED,
        frozenset({"A", "B", "C", HARD}),
    )


def test_no_list_is_sent_once_the_item_is_not_held_any_more() -> None:
    """Another process may be changing it: single calls overwrite nothing, and the rest is told."""
    desk = bench("A", "B")
    request = ask(base="AB", add=[*"CDEF", HARD])
    result = desk.saver.save(request, is_held=lambda: False)
    assert asked(desk.fake) == [("addVisibility", one) for one in "CDEF"]
    assert (result.verdict, outcomes(result)[HARD]) == (Verdict.DIFFERS, StepOutcome.NOT_SENT)
    assert whole_list.NOT_ALONE in result.message
    assert result.advice == whole_list.SAVE_AGAIN


def test_very_many_changes_go_singly_once_the_item_is_not_held_any_more() -> None:
    """They take longer, and are all made."""
    desk = bench(*"ABCDEFGH")
    result = desk.saver.save(ask(base="ABCDEFGH", add="XY", remove="AB"), is_held=lambda: False)
    assert SET not in dict(asked(desk.fake))
    assert (result.verdict, desk.fake.recipients_of(ITEM)) == (Verdict.VERIFIED, frozenset("CDEFGHXY"))


def test_an_id_that_is_too_long_for_a_path_is_removed_by_a_list() -> None:
    """The service may hold longer ones than we send singly."""
    long = "9" * (MAX_SEGMENT_BYTES + 1)
    desk = bench("A", long)
    result = desk.save(ask(base=["A", long], remove=[long]))
    assert (asked(desk.fake), result.verdict) == ([(SET, ("A",))], Verdict.VERIFIED)


def test_a_list_for_such_an_id_keeps_what_others_changed() -> None:
    """It is made from the list as it is now, not as the person read it."""
    desk = bench("A", "B", "X", "..")
    desk.save(ask(base=["A", "B", "C", ".."], remove=[".."]))
    assert desk.fake.recipients_of(ITEM) == frozenset("ABX")


def test_such_an_id_cannot_be_removed_from_a_service_that_merges() -> None:
    """It is told in plain words that it cannot be done, once a read shows what the same list added."""
    desk = merging(["A", "B", ".."])
    result = desk.save(ask(base=["A", "B", ".."], add=[HARD], remove=[".."]))
    assert (result.verdict, outcomes(result)) == (
        Verdict.DIFFERS,
        {HARD: StepOutcome.DONE, "..": StepOutcome.REFUSED},
    )
    assert result.steps[1].message == whole_list.CANNOT_REMOVE
    assert whole_list.CANNOT_REMOVE in result.message
    assert desk.fake.recipients_of(ITEM) == frozenset({"A", "B", "..", HARD})


def test_a_list_that_only_leaves_out_is_not_known_to_be_kept() -> None:
    """The service merges, or its reads lag: nothing that the list added could tell."""
    desk = merging(["A", "B", ".."])
    result = desk.save(ask(base=["A", "B", ".."], remove=[".."]))
    assert (result.verdict, outcomes(result)) == (Verdict.NOT_CONFIRMED, {"..": StepOutcome.UNKNOWN})
    assert result.steps[0].message == whole_list.PERHAPS_KEPT


def test_a_list_that_is_not_shown_yet_is_not_known_to_be_kept() -> None:
    """Reads lag: they show neither the addition nor the removal, and both are made."""
    desk = bench("A", "B", "..")
    desk.fake.lag_s = 60
    result = desk.save(ask(base=["A", "B", ".."], add=[HARD], remove=[".."]))
    assert result.verdict is Verdict.NOT_CONFIRMED
    assert set(outcomes(result).values()) == {StepOutcome.UNKNOWN}
    assert desk.fake.recipients_of(ITEM) == frozenset({"A", "B", HARD})


def test_such_an_id_can_be_removed_when_it_is_the_last() -> None:
    """Removing all needs no list."""
    desk = merging([".."])
    result = desk.save(ask(base=[".."], remove=[".."], confirmed_count=1))
    assert (asked(desk.fake), result.verdict) == ([(CLEAR, None)], Verdict.VERIFIED)


def test_such_an_id_whose_list_is_refused_is_refused() -> None:
    """No single call can stand in."""
    desk = bench("A", "B", "..")
    desk.fake.faults = [Fault(SET, refused(SET))]
    result = desk.save(ask(base=["A", "B", ".."], remove=[".."]))
    assert (result.verdict, outcomes(result)) == (Verdict.DIFFERS, {"..": StepOutcome.REFUSED})
    assert asked(desk.fake) == [(SET, ("A", "B"))]


def test_such_an_id_is_tried_once_more_after_a_read() -> None:
    """The first list was lost on the way, as a read shows."""
    desk = bench("A", "B", "..")
    desk.fake.faults = [Fault(SET, unknown_outcome(SET))]
    result = desk.save(ask(base=["A", "B", ".."], remove=[".."]))
    assert asked(desk.fake) == [(SET, ("A", "B"))] * 2
    assert result.verdict is Verdict.VERIFIED
