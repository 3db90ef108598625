"""Saves that send the whole list: Set exactly to…, and Remove all."""

from typing import Any

import pytest

from item_visibility.client.identifiers import MAX_SEGMENT_BYTES
from item_visibility.errors import IdentifierError, ItemVisibilityError
from item_visibility.model.change import ChangeOperation, ChangeRequest
from item_visibility.model.outcome import OthersChanges, Outcome, SaveResult, Verdict
from item_visibility.saving import send_and_verify
from tests.saving.saving import (
    ITEM,
    Bench,
    ask,
    asked,
    bench,
    broken_promises,
    fail_read_backs,
    outcomes,
)
from tests.support.fake_visibilities import (
    EVERY_SEMANTICS,
    FakeCall,
    FakeVisibilities,
    Fault,
    Semantics,
    refused,
    unknown_outcome,
)

SET = "setVisibilities"
CLEAR = "removeVisibilities"
REMOVE = "removeVisibility"
MERGES = Semantics(put_merges=True)
TOO_LONG = "9" * (MAX_SEGMENT_BYTES + 1)
BEFORE = "ABCDE"


def set_to(wanted: str | list[str], base: str | list[str] = BEFORE) -> ChangeRequest:
    add = frozenset(wanted) - frozenset(base)
    remove = frozenset(base) - frozenset(wanted)
    return ask(
        base=base,
        add=add,
        remove=remove,
        confirmed_count=len(remove),
        operation=ChangeOperation.SET,
    )


def remove_all(base: str | list[str] = BEFORE) -> ChangeRequest:
    return ask(
        base=base,
        remove=base,
        confirmed_count=len(base),
        operation=ChangeOperation.REMOVE_ALL,
    )


def merging(*recipients: str) -> Bench:
    return Bench(FakeVisibilities({ITEM: recipients}, semantics=MERGES))


@pytest.mark.parametrize("semantics", EVERY_SEMANTICS, ids=str)
@pytest.mark.parametrize("lag_s", [0, 1])
@pytest.mark.parametrize("wanted", ["CDEXY", "ABCDEX", "AB", "A", ""])
def test_a_list_is_set_exactly_on_every_service(
    semantics: Semantics, lag_s: float, wanted: str
) -> None:
    fake = FakeVisibilities({ITEM: BEFORE}, semantics=semantics, lag_s=lag_s)
    result = Bench(fake).save(set_to(wanted))
    assert result.verdict is Verdict.VERIFIED
    assert fake.recipients_of(ITEM) == frozenset(wanted)
    first, *rest = asked(fake)
    assert first == ((SET, tuple(wanted)) if wanted else (CLEAR, None))
    assert {operation for operation, _ in rest} <= {REMOVE}
    assert {recipient_id for _, recipient_id in rest} <= frozenset(BEFORE) - frozenset(
        wanted
    )
    assert bool(rest) <= semantics.put_merges


@pytest.mark.parametrize("semantics", EVERY_SEMANTICS, ids=str)
def test_remove_all_is_one_call(semantics: Semantics) -> None:
    fake = FakeVisibilities({ITEM: BEFORE}, semantics=semantics)
    result = Bench(fake).save(remove_all())
    assert asked(fake) == [(CLEAR, None)]
    assert result.verdict is Verdict.VERIFIED
    assert result.removed == tuple(BEFORE)


def test_a_merge_is_recognised_at_once_when_a_read_shows_the_additions() -> None:
    desk = merging(*BEFORE)
    result = desk.save(set_to("CDEX"))
    assert asked(desk.fake) == [(SET, tuple("CDEX")), (REMOVE, "A"), (REMOVE, "B")]
    assert result.verdict is Verdict.VERIFIED
    assert desk.fake.time.slept == []


@pytest.mark.parametrize("request_of", [lambda: set_to("ABX"), remove_all])
def test_a_list_that_changed_since_it_was_confirmed_is_not_overwritten(
    request_of: object,
) -> None:
    desk = bench(*"ABCDZ")
    result = desk.save(request_of())  # type: ignore[operator]  (a function of the list above)
    assert result.verdict is Verdict.NOTHING_SENT
    assert asked(desk.fake) == []
    assert desk.history.entries == {}
    assert result.others == OthersChanges(added=frozenset("Z"), removed=frozenset("E"))
    assert (
        result.message
        == "The list has changed since you confirmed it. Nothing was sent."
    )
    assert result.advice == "Check the current list, and confirm again."


@pytest.mark.parametrize("request_", [set_to("A"), remove_all()])
def test_sending_a_whole_list_needs_the_number_of_a_large_removal(
    request_: ChangeRequest,
) -> None:
    desk = bench(*BEFORE)
    result = desk.save(
        ask(
            base=BEFORE,
            add=request_.add,
            remove=request_.remove,
            operation=request_.operation,
        )
    )
    assert result.verdict is Verdict.NOTHING_SENT
    assert asked(desk.fake) == []


@pytest.mark.parametrize("semantics", [Semantics(), MERGES], ids=str)
@pytest.mark.parametrize("is_applied", [False, True])
@pytest.mark.parametrize("request_", [set_to("CDEXY"), remove_all()])
def test_a_list_with_an_unknown_outcome_is_read_and_not_sent_again(
    semantics: Semantics, request_: ChangeRequest, *, is_applied: bool
) -> None:
    fake = FakeVisibilities({ITEM: BEFORE}, semantics=semantics)
    operation = SET if request_.operation is ChangeOperation.SET else CLEAR
    fake.faults = [Fault(operation, unknown_outcome(), is_applied=is_applied)]
    result = Bench(fake).save(request_)
    assert [operation for operation, _ in asked(fake)] == [operation]
    is_all_made = fake.recipients_of(ITEM) == request_.wanted
    assert result.verdict is (
        Verdict.VERIFIED if is_all_made else Verdict.NOT_CONFIRMED
    )
    assert broken_promises(result, fake.recipients_of(ITEM)) == []


@pytest.mark.parametrize(
    "error",
    [refused(413), refused(404), IdentifierError("An id is odd.", advice="Look.")],
)
def test_a_list_that_is_refused_changes_nothing(error: ItemVisibilityError) -> None:
    desk = bench(*BEFORE)
    desk.fake.faults = [Fault(SET, error)]
    result = desk.save(set_to("CDEX"))
    assert result.verdict is Verdict.DIFFERS
    assert len(desk.fake.writes) == 1
    assert set(outcomes(result).values()) == {Outcome.REFUSED}
    assert str(error) in result.message


@pytest.mark.parametrize("request_", [set_to("CDEX"), remove_all()])
def test_no_list_is_sent_after_the_lock_is_lost(request_: ChangeRequest) -> None:
    desk = bench(*BEFORE)
    result = desk.saver.save(request_, is_held=lambda: False)
    assert result.verdict is Verdict.NOTHING_SENT
    assert asked(desk.fake) == []
    assert result.message == send_and_verify.NOT_ALONE
    assert result.advice == send_and_verify.SAVE_AGAIN


@pytest.mark.parametrize("semantics", [Semantics(), MERGES], ids=str)
def test_somebody_who_is_added_meanwhile_is_kept_and_reported(
    semantics: Semantics,
) -> None:
    fake = FakeVisibilities({ITEM: BEFORE}, semantics=semantics)

    def add_after_the_list(call: FakeCall) -> None:
        if call.operation == "getVisibilities" and len(fake.writes) == 1:
            fake.put(ITEM, fake.recipients_of(ITEM) | {"new"})

    fake.before_call = add_after_the_list
    result = Bench(fake).save(set_to("CDEX"))
    assert fake.recipients_of(ITEM) == frozenset("CDEX") | {"new"}
    assert result.verdict is Verdict.VERIFIED
    assert result.others == OthersChanges(added=frozenset({"new"}))


def test_a_list_that_cannot_be_read_back_is_not_confirmed() -> None:
    desk = bench(*BEFORE)
    fail_read_backs(desk.fake)
    result = desk.save(set_to("CDEX"))
    assert result.verdict is Verdict.NOT_CONFIRMED
    assert result.after is None
    assert len(desk.fake.writes) == 1
    assert outcomes(result) == {
        "X": Outcome.DONE,
        "A": Outcome.UNKNOWN,
        "B": Outcome.UNKNOWN,
    }


def test_a_removal_of_all_that_somebody_else_made_first_is_in_place() -> None:
    desk = Bench(
        FakeVisibilities({ITEM: BEFORE}, semantics=Semantics(missing_is_404=True))
    )
    desk.fake.before_call = lambda call: (
        desk.fake.put(ITEM, "") if call.operation == CLEAR else None
    )
    result = desk.save(remove_all())
    assert result.verdict is Verdict.VERIFIED
    assert set(outcomes(result).values()) == {Outcome.IN_PLACE}


@pytest.mark.parametrize("hard_id", ["..", "a\tb", TOO_LONG])
def test_an_id_that_no_address_can_carry_is_set_and_removed_by_a_list(
    hard_id: str,
) -> None:
    desk = bench("A")
    assert desk.save(set_to(["A", hard_id], base=["A"])).verdict is Verdict.VERIFIED
    desk.history.entries.clear()
    assert desk.save(set_to(["A"], base=["A", hard_id])).verdict is Verdict.VERIFIED
    kept = merging("..")
    assert kept.save(remove_all([".."])).verdict is Verdict.VERIFIED


@pytest.mark.parametrize("hard_id", ["..", "a\tb", TOO_LONG])
def test_an_edit_refuses_an_id_that_no_address_can_carry(hard_id: str) -> None:
    desk = bench("A", "B", "C", hard_id)
    result = desk.save(
        ask(base=["A", "B", "C", hard_id], add=["D", "."], remove=[hard_id])
    )
    assert asked(desk.fake) == [("addVisibility", "D")]
    assert result.verdict is Verdict.DIFFERS
    assert outcomes(result) == {
        "D": Outcome.DONE,
        ".": Outcome.REFUSED,
        hard_id: Outcome.REFUSED,
    }
    words = {step.step.recipient_id: step.message for step in result.steps}
    assert words[hard_id] == words["."] == send_and_verify.CANNOT_BE_SENT


def test_an_id_that_no_address_can_carry_cannot_be_removed_if_the_service_merges() -> (
    None
):
    desk = merging("A", "..")
    result = desk.save(set_to(["A", "B"], base=["A", ".."]))
    assert outcomes(result) == {"B": Outcome.DONE, "..": Outcome.REFUSED}
    assert result.steps[1].message == send_and_verify.KEPT_BY_THE_SERVICE


def test_an_id_that_a_merging_service_may_have_kept_is_unknown() -> None:
    desk = merging("A", "B", "..")
    result: SaveResult = desk.save(set_to(["A", "B"], base=["A", "B", ".."]))
    assert result.verdict is Verdict.NOT_CONFIRMED
    assert outcomes(result) == {"..": Outcome.UNKNOWN}
    assert result.steps[0].message == send_and_verify.PERHAPS_KEPT


@pytest.mark.parametrize(
    ("changes", "words"),
    [
        (
            {"base": "AB", "remove": "A", "operation": ChangeOperation.REMOVE_ALL},
            "cannot keep a recipient",
        ),
        ({"add": "A", "remove": "A"}, "cannot be both added and removed"),
    ],
)
def test_a_contradictory_request_is_refused(
    changes: dict[str, Any], words: str
) -> None:
    with pytest.raises(ValueError, match=words):
        ask(**changes)
