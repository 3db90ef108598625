"""Us or them, in one sentence: every case of the decision table."""

from dataclasses import replace
from datetime import datetime, timedelta

import pytest

from item_visibility.client.answers import NoAnswer
from item_visibility.client.call_records import CallRecord
from item_visibility.errors import ItemVisibilityError
from item_visibility.use_cases.connection.call_watch import CallWatch
from item_visibility.use_cases.connection.us_or_them import RECENT, Judgement, Level, cause_of, judge
from tests.support.fake_visibilities import no_token, not_sent, refused, unknown_outcome
from tests.support.waiting import START

OK = CallRecord("addVisibility", 204, sent_at=START)
READ = replace(OK, operation="getVisibilities", status=200)
TOKEN = replace(OK, operation="requestToken", status=200)
BROKEN = replace(OK, status=503)
SOME_FAIL = (*[OK] * 3, BROKEN, *[OK] * 59, *[BROKEN] * 26)
ANSWERED = {"asked_at": START}
FAILED = {"asked_at": START, "error": not_sent("getVisibilities")}
WELL = "Their service answers. Our side is fine."


def after(*calls: CallRecord, minutes: int = 5, **facts: object) -> Judgement:
    """The judgement after these calls, the first at 12:00 and the last `minutes` later."""
    now = START + timedelta(minutes=minutes)
    watch = CallWatch(lambda: now)
    for call in calls[:-1]:
        watch.observe(call)
    for call in calls[-1:]:
        watch.observe(replace(call, sent_at=now))
    return judge(watch.recent, **facts)  # type: ignore[arg-type]  # passed on


def sentence_of(judgement: Judgement) -> str:
    """The sentence, with times as a screen writes them."""
    return judgement.sentence(lambda at: f"{at:%H:%M}")


def no_answer(reason: NoAnswer, call: CallRecord = READ) -> CallRecord:
    """A call without an answer."""
    return replace(call, status=None, failure=reason)


@pytest.mark.parametrize(
    ("judgement", "sentence", "level"),
    [
        (after(), "Nothing was asked of their service yet. Our side is fine.", Level.NOT_KNOWN),
        (
            after(*[OK] * 90),
            "Their service answers: none of 90 calls in the last 15 minutes failed. Our side is fine.",
            Level.WELL,
        ),
        (after(READ, **ANSWERED), WELL, Level.WELL),
        (after(**ANSWERED), WELL, Level.WELL),
        (after(replace(OK, status=409)), WELL, Level.WELL),
        (after(BROKEN, OK, OK, minutes=16), WELL, Level.WELL),
    ],
)
def test_nothing_failed_in_the_last_minutes(judgement: Judgement, sentence: str, level: Level) -> None:
    """A refused request is not a fault, and an older one does not count."""
    assert (sentence_of(judgement), judgement.level, judgement.advice) == (sentence, level, "")


@pytest.mark.parametrize(
    ("judgement", "sentence"),
    [
        (
            after(*SOME_FAIL),
            "Their service: since 12:00, 27 of 86 calls failed, the last one with a 503 at 12:05.",
        ),
        (
            after(OK, no_answer(NoAnswer.LATE), OK, **ANSWERED),
            (
                "Their service: since 12:00, 1 of 2 calls failed, "
                "the last one without an answer in time at 12:00; it answers now."
            ),
        ),
        (
            after(BROKEN, replace(OK, attempt=2), BROKEN),
            (
                "Their service: since 12:00, 2 of 3 calls failed, the last one with a 503 at 12:05; "
                "some retries succeed."
            ),
        ),
        (
            after(OK, no_answer(NoAnswer.BROKEN)),
            "Their service: the only call failed with a broken connection at 12:05.",
        ),
        (
            after(replace(TOKEN, status=500), TOKEN, OK),
            "Their token endpoint: since 12:00, 1 of 3 calls failed, the last one with a 500 at 12:00.",
        ),
    ],
)
def test_some_calls_failed(judgement: Judgement, sentence: str) -> None:
    """Counted from the first failure: while 30 % fail, the page does not say that all is well."""
    assert sentence_of(judgement) == f"{sentence} Our side is fine."
    assert judgement.level is Level.IN_PART
    assert judgement.advice.startswith("Use Copy for ticket below")


ANOTHER = "Our side: something else than the service answers at the address that we have for it."
NOT_FOUND = replace(READ, status=404, has_content=True, failure="not as the service would")
LIMITED = "Between us and them: they limit how often we may ask."


@pytest.mark.parametrize(
    ("call", "subject", "end"),
    [
        (no_answer(NoAnswer.EXPIRED), "Their certificate has expired.", ". Our side is fine."),
        (
            no_answer(NoAnswer.OTHER_HOST),
            "Their certificate is that of another host.",
            ". Our side is fine.",
        ),
        (
            replace(TOKEN, status=401),
            "Our side: the token endpoint refuses our client id or secret.",
            ". Their service was not asked.",
        ),
        (replace(READ, status=403), "Our side: their service does not let our client in.", "."),
        (
            replace(READ, status=401),
            "Between us and them: their service refuses the tokens that their token endpoint gives us.",
            ".",
        ),
        (replace(READ, status=429), LIMITED, "."),
        (replace(TOKEN, status=429), LIMITED, "."),
        (NOT_FOUND, ANOTHER, "."),
        (replace(TOKEN, status=404), ANOTHER, "."),
        (replace(READ, status=302), ANOTHER, "."),
        (no_answer(NoAnswer.CONNECTION), "Between us and them: no connection could be made.", "."),
        *(
            (no_answer(reason), f"Our side: {words}.", ". Their service was not asked.")
            for reason, words in (
                (NoAnswer.NAME, "our network does not find the name of their host"),
                (NoAnswer.CERTIFICATE, "their certificate is not trusted here"),
                (NoAnswer.PROXY, "our proxy does not connect to them"),
                (NoAnswer.NONE_FREE, "all of our connections were in use"),
            )
        ),
    ],
)
def test_each_cause_has_its_sentence(call: CallRecord, subject: str, end: str) -> None:
    """Nothing works now, and the sentence says on which side; there is a next step."""
    judgement = after(*[call] * 3, **FAILED)
    status = f" with a {call.status}" if call.status else ""
    assert sentence_of(judgement) == (
        f"{subject} Since 12:00, all 3 calls failed, the last one{status} at 12:05{end}"
    )
    assert (judgement.level, judgement.advice[-1]) == (Level.BROKEN, ".")


@pytest.mark.parametrize(
    ("error", "begin"),
    [
        (no_token(), "Their token endpoint: the last call failed at 12:00. Our side is fine."),
        (not_sent("getVisibilities"), "Between us and them: no connection could be made. The last call"),
        (
            unknown_outcome("getVisibilities"),
            "Their service: the last call failed at 12:00. Our side is fine.",
        ),
        (refused("getVisibilities", 403), "Our side: their service does not let our client in. The last"),
    ],
)
def test_an_error_without_a_request_counts_too(error: ItemVisibilityError, begin: str) -> None:
    """A token that was refused a second ago is not requested again."""
    judgement = after(asked_at=START, error=error)
    assert sentence_of(judgement).startswith(begin)
    assert judgement.level is Level.BROKEN


def test_failures_on_both_sides_are_both_named() -> None:
    """The later one first, each with its count."""
    assert sentence_of(after(BROKEN, BROKEN, OK, no_answer(NoAnswer.NAME), **FAILED)) == (
        "Our side: our network does not find the name of their host. Since 12:00, 1 of 4 calls failed, "
        "the last one at 12:05. Their service: since 12:00, 2 of 4 calls failed, the last one with a 503 "
        "at 12:00."
    )


def test_our_database_is_our_side() -> None:
    """Whatever their service does, our side is not said to be fine."""
    ours, both = after(OK, OK, is_database_well=False), after(BROKEN, is_database_well=False, **FAILED)
    assert sentence_of(ours) == (
        "Our side: our own database cannot be used. "
        "Their service answers: none of 2 calls in the last 15 minutes failed."
    )
    assert "database" in ours.advice
    assert sentence_of(both).endswith("at 12:05. Our side: our own database cannot be used.")
    assert (ours.level, both.level) == (Level.BROKEN, Level.BROKEN)


@pytest.mark.parametrize(
    ("call", "is_failure"),
    [
        (replace(OK, status=401, is_renewed=True), False),
        (replace(OK, status=200, failure="it is no list"), True),
        (replace(OK, status=400), False),
        (replace(TOKEN, status=400), True),
        (replace(READ, status=404), False),
        (NOT_FOUND, True),
    ],
)
def test_a_refused_request_is_not_a_fault(call: CallRecord, is_failure: bool) -> None:  # noqa: FBT001  (a case)
    """It is about what was asked. Nor is a token that was renewed, or an empty 404."""
    assert (cause_of(call) is not None) == is_failure


def test_a_job_does_not_push_a_failure_out_of_the_window() -> None:
    """The sentence is about a time, not about a number of calls."""
    start = datetime(2026, 11, 21, 22, 30, tzinfo=START.tzinfo)
    watch = CallWatch(lambda: start + RECENT)
    watch.observe(replace(BROKEN, sent_at=start))
    for second in range(800):
        watch.observe(replace(OK, sent_at=start + timedelta(seconds=second)))
    assert sentence_of(judge(watch.recent)).startswith("Their service: since 22:30, 1 of 801 calls")
