"""Saves that the program did not live to settle."""

import pytest

from item_visibility.saving.in_words import result_in_words
from item_visibility.saving.outcome import OthersChanges, Outcome, Verdict
from tests.saving.saving import ITEM, Bench, ask, asked, bench, fail_read_backs, outcomes
from tests.support.fake_visibilities import FakeCall


def interrupted(desk: Bench, *, at: str, add: str, remove: str = "") -> Bench:
    """The saver after the program stopped when it was to write for that recipient, and was started again."""

    def stop(call: FakeCall) -> None:
        if call.recipient_id == at:
            raise KeyboardInterrupt

    desk.fake.before_call = stop
    base = desk.fake.recipients_of(ITEM)
    with pytest.raises(KeyboardInterrupt):
        desk.save(ask(base=base, add=add, remove=remove))
    desk.fake.before_call = lambda _call: None
    return desk


def test_what_was_written_is_done_and_the_rest_is_told() -> None:
    desk = interrupted(bench("A"), at="C", add="BC")
    writes = asked(desk.fake)
    (result,) = map(desk.saver.settle_open, desk.history.unsettled())
    assert outcomes(result) == {"B": Outcome.DONE, "C": Outcome.NOT_SENT}
    assert (result.verdict, result_in_words(result, {})) == (Verdict.DIFFERS, "Added B · 1 not sent")
    assert result.message.startswith(
        "The end of this save was not recorded: the program stopped, or its database could not be written."
    )
    assert asked(desk.fake) == writes


def test_a_save_that_stopped_before_its_first_call_changed_nothing() -> None:
    desk = interrupted(bench("A"), at="B", add="BC")
    (result,) = map(desk.saver.settle_open, desk.history.unsettled())
    assert result_in_words(result, {}) == "Nothing was changed"
    assert desk.save(ask(base="A", add="BC")) == result


def test_a_save_that_was_complete_is_verified() -> None:
    desk = interrupted(bench("A", "B", "D"), at="C", add="AC")
    desk.fake.put(ITEM, "ABCD")
    (result,) = map(desk.saver.settle_open, desk.history.unsettled())
    assert outcomes(result) == {"A": Outcome.IN_PLACE, "C": Outcome.DONE}
    assert (result.verdict, result.advice) == (Verdict.VERIFIED, "")


def test_what_others_changed_meanwhile_is_told() -> None:
    desk = interrupted(bench("A", "Z"), at="C", add="BC")
    desk.fake.put(ITEM, "XZB")
    (result,) = map(desk.saver.settle_open, desk.history.unsettled())
    assert result.others == OthersChanges(added=frozenset("X"), removed=frozenset("A"))


def test_a_save_that_cannot_be_read_stays_open() -> None:
    desk = interrupted(bench("A"), at="C", add="BC")
    fail_read_backs(desk.fake)
    (result,) = map(desk.saver.settle_open, desk.history.unsettled())
    assert (result.verdict, result.after) == (Verdict.NOT_CONFIRMED, None)
    assert result.message.endswith(" The service did not answer.")
    assert len(desk.history.unsettled()) == 1
