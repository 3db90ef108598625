"""Claims that may be made of a save or a job, whichever screen makes them."""

from collections.abc import Mapping
from datetime import datetime

import pytest

from item_visibility.saving.claim import Claim, claim_of, claim_of_job, claim_words
from item_visibility.saving.job import Job, JobState
from item_visibility.saving.outcome import Outcome
from tests.saving.saving import ITEM, Bench, ask, fail_read_backs
from tests.support.fake_visibilities import (
    START,
    FakeVisibilities,
    Fault,
    not_sent,
    refused,
    unexpected_answer,
    unknown_outcome,
)

ADD, REMOVE, GET = "addVisibility", "removeVisibility", "getVisibilities"
NAMES = {"N": "Nina"}
NOT_SHOWN = "sent, but the service still shows the old list"
LONGER_THAN_READ_BACKS_S = 60.0
VERIFIED, NOT_CONFIRMED = Outcome.DONE, Outcome.UNKNOWN


@pytest.mark.parametrize(
    ("faults", "lag_s", "claim", "words"),
    [
        ([], 0, Claim.VERIFIED, "Added Nina, removed A"),
        ([], LONGER_THAN_READ_BACKS_S, Claim.NOT_KNOWN, f"Not confirmed: {NOT_SHOWN}"),
        ([Fault(ADD, refused(ADD))], 0, Claim.PARTLY, "Removed A · 1 refused"),
        (
            [Fault(ADD, refused(ADD))],
            LONGER_THAN_READ_BACKS_S,
            Claim.NOT_KNOWN,
            f"Not confirmed: {NOT_SHOWN}",
        ),
        (
            [Fault(ADD, refused(ADD)), Fault(REMOVE, unexpected_answer(REMOVE), is_applied=True)],
            LONGER_THAN_READ_BACKS_S,
            Claim.NOT_KNOWN,
            f"Not confirmed: {NOT_SHOWN}",
        ),
        (
            [Fault(ADD, refused(ADD, 409)), Fault(REMOVE, refused(REMOVE, 403))],
            0,
            Claim.NOTHING_CHANGED,
            "Nothing was changed",
        ),
        ([Fault(GET, unknown_outcome(GET))], 0, Claim.NOTHING_CHANGED, "Nothing was changed"),
        (
            [Fault(ADD, not_sent(ADD)) for _ in range(9)],
            0,
            Claim.NOTHING_CHANGED,
            "Nothing was changed",
        ),
    ],
)
def test_a_save_is_claimed_as_far_as_it_is_known(
    faults: list[Fault], lag_s: float, claim: Claim, words: str
) -> None:
    """Nothing is called unchanged while one change may have been made, and is not seen yet."""
    bench = Bench(FakeVisibilities({ITEM: "AB"}, lag_s=lag_s))
    bench.fake.faults = list(faults)
    result = bench.save(ask(base="AB", add="N", remove="A"))
    assert (claim_of(result), claim_words(result, NAMES)) == (claim, words)


def test_what_was_accepted_and_never_read_is_not_called_added() -> None:
    """The service said yes; only a read shows it."""
    bench = Bench(FakeVisibilities({ITEM: "AB"}))
    fail_read_backs(bench.fake)
    result = bench.save(ask(base="AB", add="N", remove="A"))
    assert claim_words(result, NAMES) == "Not confirmed: sent, but the list could not be read afterwards"


def test_what_is_not_confirmed_is_named_beside_what_was_done() -> None:
    """The addition was accepted and is not shown; the removal was made."""
    bench = Bench(FakeVisibilities({ITEM: "AB"}))
    bench.fake.before_call = lambda call: (
        bench.fake.put(ITEM, "B") if call.operation == GET and len(bench.fake.writes) > 1 else None
    )
    result = bench.save(ask(base="AB", add="N", remove="A"))
    assert claim_words(result, NAMES) == f"Not confirmed: {NOT_SHOWN} for Nina · Removed A"


def test_a_save_of_what_is_so_says_so() -> None:
    """Nothing had to be done."""
    result = Bench(FakeVisibilities({ITEM: "AB"})).save(ask(base="AB", add="A"))
    said = (claim_of(result), claim_words(result, NAMES))
    assert said == (Claim.VERIFIED, "Nothing to change: this is already the list")


def test_what_needed_no_call_is_counted_beside_what_was_done() -> None:
    """One could see it before, and one could not."""
    result = Bench(FakeVisibilities({ITEM: "AB"})).save(ask(base="AC", add="BN", remove="C"))
    assert claim_words(result, NAMES) == "Added Nina · 1 already had it · 1 already without it"


@pytest.mark.parametrize(
    ("state", "outcomes", "started_at", "claim"),
    [
        (JobState.PREVIEWED, {}, None, Claim.NOTHING_CHANGED),
        (JobState.CANCELLED, {}, None, Claim.NOTHING_CHANGED),
        (JobState.CANCELLED, {}, START, Claim.NOT_KNOWN),
        (JobState.PAUSED, {VERIFIED: 1}, START, Claim.NOT_KNOWN),
        (JobState.ENDED, {VERIFIED: 1, Outcome.IN_PLACE: 1}, START, Claim.VERIFIED),
        (JobState.ENDED, {VERIFIED: 1, Outcome.REFUSED: 1}, START, Claim.PARTLY),
        (JobState.ENDED, {NOT_CONFIRMED: 1, Outcome.REFUSED: 1}, START, Claim.NOT_KNOWN),
        (JobState.ENDED, {NOT_CONFIRMED: 0, Outcome.REFUSED: 1}, START, Claim.NOTHING_CHANGED),
        (JobState.ENDED, {Outcome.NOT_SENT: 2}, START, Claim.NOTHING_CHANGED),
    ],
)
def test_a_job_is_claimed_as_far_as_it_is_known(
    state: JobState, outcomes: Mapping[Outcome, int], started_at: datetime | None, claim: Claim
) -> None:
    """Of a job that was stopped while it worked nobody knows what was under way."""
    job = Job(
        key="j",
        title="",
        person="ann",
        reason="",
        state=state,
        created_at=START,
        item_count=1,
        outcomes=outcomes,
        started_at=started_at,
    )
    assert claim_of_job(job) is claim
