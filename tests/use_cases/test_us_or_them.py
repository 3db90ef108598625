"""Us or them, in one sentence: every case of the decision table."""

from dataclasses import replace
from datetime import datetime, timedelta

import pytest

from item_visibility.client.answers import NoAnswer
from item_visibility.client.call_records import CallRecord
from item_visibility.errors import ItemVisibilityError
from item_visibility.use_cases.connection.us_or_them import Level, Situation, judge
from tests.support.fake_visibilities import no_token, not_sent, refused, unknown_outcome
from tests.support.waiting import START

OK = CallRecord("addVisibility", 204, sent_at=START)
READ = replace(OK, operation="getVisibilities", status=200)
TOKEN = replace(OK, operation="requestToken", status=200)
BROKEN = replace(OK, status=503)
WELL_90 = (*[OK] * 63, *[BROKEN] * 27)


def told(at: datetime) -> str:
    """A time as a screen writes it."""
    return f"{at:%H:%M}"


def said(situation: Situation) -> str:
    """The sentence."""
    return judge(situation).sentence(told)


def no_answer(reason: NoAnswer, call: CallRecord = READ) -> CallRecord:
    """A call without an answer."""
    return replace(call, status=None, failure=reason)


def test_nothing_was_asked_yet() -> None:
    """Nobody knows, and nobody says that all is well."""
    judgement = judge(Situation())
    assert judgement.sentence(told) == "Nothing was asked of their service yet. Our side is fine."
    assert judgement.level is Level.NOT_KNOWN


@pytest.mark.parametrize(
    ("situation", "sentence"),
    [
        (Situation(calls=(OK,) * 90), "Their service answers: none of the last 90 calls failed."),
        (
            Situation(calls=(OK,) * 90, has_answered=True),
            "Their service answers: none of the last 90 calls failed.",
        ),
        (Situation(calls=(READ,), has_answered=True), "Their service answers."),
        (Situation(has_answered=True), "Their service answers."),
        (Situation(calls=(replace(OK, status=409),), has_answered=True), "Their service answers."),
    ],
)
def test_all_is_well(situation: Situation, sentence: str) -> None:
    """It need not be tested just now, and a refused request is no fault."""
    judgement = judge(situation)
    assert judgement.sentence(told) == f"{sentence} Our side is fine."
    assert (judgement.level, judgement.advice) == (Level.WELL, "")


@pytest.mark.parametrize(
    ("situation", "sentence"),
    [
        (
            Situation(calls=WELL_90),
            "Their service: 27 of the last 90 calls failed, last a 503 at 12:00. Our side is fine.",
        ),
        (
            Situation(calls=(*WELL_90, READ), has_answered=True),
            (
                "Their service: 27 of the last 91 calls failed, last a 503 at 12:00; it answers now. "
                "Our side is fine."
            ),
        ),
        (
            Situation(calls=(OK, no_answer(NoAnswer.LATE), OK), has_answered=True),
            (
                "Their service: 1 of the last 3 calls failed, last one without an answer in time at 12:00; "
                "it answers now. Our side is fine."
            ),
        ),
        (
            Situation(calls=(OK, no_answer(NoAnswer.BROKEN))),
            (
                "Their service: 1 of the last 2 calls failed, last a broken connection at 12:00. "
                "Our side is fine."
            ),
        ),
        (
            Situation(calls=(OK, replace(TOKEN, status=500), TOKEN, OK), has_answered=True),
            (
                "Their token endpoint: 1 of the last 4 calls failed, last a 500 at 12:00; it answers now. "
                "Our side is fine."
            ),
        ),
    ],
)
def test_it_fails_now_and_then(situation: Situation, sentence: str) -> None:
    """The share and the last time are told: while 30 % fail nobody says that all is well."""
    judgement = judge(situation)
    assert judgement.sentence(told) == sentence
    assert judgement.level is Level.IN_PART
    assert judgement.advice.startswith("Use Copy for ticket below")


@pytest.mark.parametrize(
    ("call", "sentence"),
    [
        (BROKEN, "Their service: each of the last 3 calls failed, last a 503 at 12:00. Our side is fine."),
        (
            replace(TOKEN, status=502),
            "Their token endpoint: each of the last 3 calls failed, last a 502 at 12:00. Our side is fine.",
        ),
        (
            no_answer(NoAnswer.LATE, TOKEN),
            (
                "Their token endpoint: each of the last 3 calls failed, last one without an answer in time "
                "at 12:00. Our side is fine."
            ),
        ),
        (
            no_answer(NoAnswer.EXPIRED),
            (
                "Their certificate has expired. Each of the last 3 calls failed, last at 12:00. "
                "Our side is fine."
            ),
        ),
        (
            no_answer(NoAnswer.OTHER_HOST),
            (
                "Their certificate is that of another host. Each of the last 3 calls failed, last at 12:00. "
                "Our side is fine."
            ),
        ),
        (
            replace(TOKEN, status=401),
            (
                "Our side: the token endpoint refuses our client id or secret. "
                "Each of the last 3 calls failed, "
                "last a 401 at 12:00. Their service was not asked."
            ),
        ),
        (
            replace(READ, status=403),
            (
                "Our side: their service does not let our client in. Each of the last 3 calls failed, "
                "last a 403 at 12:00."
            ),
        ),
        (
            replace(READ, status=401),
            (
                "Between us and them: their service refuses the tokens that their token endpoint gives us. "
                "Each of the last 3 calls failed, last a 401 at 12:00."
            ),
        ),
        *(
            (
                replace(call, status=429),
                (
                    "Between us and them: they limit how often we may ask. "
                    "Each of the last 3 calls failed, last a 429 at 12:00."
                ),
            )
            for call in (READ, TOKEN)
        ),
        (
            replace(READ, status=404, has_content=True, failure="not as the service would"),
            (
                "Our side: something else than the service answers at the address that we have for it. "
                "Each of the last 3 calls failed, last a 404 at 12:00."
            ),
        ),
        (
            replace(TOKEN, status=404),
            (
                "Our side: something else than the service answers at the address that we have for it. "
                "Each of the last 3 calls failed, last a 404 at 12:00."
            ),
        ),
        (
            replace(READ, status=302),
            (
                "Our side: something else than the service answers at the address that we have for it. "
                "Each of the last 3 calls failed, last a 302 at 12:00."
            ),
        ),
        (
            no_answer(NoAnswer.NAME),
            (
                "Our side: our network does not find the name of their host. "
                "Each of the last 3 calls failed, "
                "last at 12:00. Their service was not asked."
            ),
        ),
        (
            no_answer(NoAnswer.CONNECTION),
            (
                "Between us and them: no connection could be made. "
                "Each of the last 3 calls failed, last at 12:00."
            ),
        ),
        (
            no_answer(NoAnswer.CERTIFICATE),
            (
                "Our side: their certificate is not trusted here. "
                "Each of the last 3 calls failed, last at 12:00. "
                "Their service was not asked."
            ),
        ),
        (
            no_answer(NoAnswer.PROXY),
            (
                "Our side: our proxy does not connect to them. "
                "Each of the last 3 calls failed, last at 12:00. "
                "Their service was not asked."
            ),
        ),
        (
            no_answer(NoAnswer.NONE_FREE),
            (
                "Our side: all of our connections were in use. "
                "Each of the last 3 calls failed, last at 12:00. "
                "Their service was not asked."
            ),
        ),
    ],
)
def test_each_cause_has_its_sentence(call: CallRecord, sentence: str) -> None:
    """Nothing works now, and the sentence says on which side; there is a next step."""
    judgement = judge(Situation(calls=(call,) * 3, has_answered=False, error=not_sent("getVisibilities")))
    assert judgement.sentence(told) == sentence
    assert judgement.level is Level.BROKEN
    assert judgement.advice.endswith(".")


@pytest.mark.parametrize(
    ("error", "begin"),
    [
        (no_token(), "Their token endpoint: the last call failed at 12:00. Our side is fine."),
        (
            not_sent("getVisibilities"),
            "Between us and them: no connection could be made. The last call failed at",
        ),
        (
            unknown_outcome("getVisibilities"),
            "Their service: the last call failed at 12:00. Our side is fine.",
        ),
        (
            refused("getVisibilities", 403),
            "Our side: their service does not let our client in. The last call",
        ),
    ],
)
def test_an_error_without_a_request_is_told_too(error: ItemVisibilityError, begin: str) -> None:
    """A token that was refused a second ago is not asked for again."""
    judgement = judge(Situation(has_answered=False, error=error, asked_at=START))
    assert judgement.sentence(told).startswith(begin)
    assert judgement.level is Level.BROKEN


def test_failures_on_both_sides_are_both_told() -> None:
    """The later one first, each with its count."""
    late = replace(no_answer(NoAnswer.NAME), sent_at=START + timedelta(minutes=2))
    assert said(Situation(calls=(BROKEN, BROKEN, OK, late), has_answered=False)) == (
        "Our side: our network does not find the name of their host. 1 of the last 4 calls failed, "
        "last at 12:02. Their service: 2 of the last 4 calls failed, last a 503 at 12:00."
    )


def test_an_only_call_is_one() -> None:
    """No plural for it."""
    assert said(Situation(calls=(BROKEN,))).startswith("Their service: the only call failed, last a 503 at")


def test_our_database_is_our_side() -> None:
    """Their service is well, and the next step is ours."""
    judgement = judge(Situation(calls=(OK, OK), has_answered=True, is_database_well=False))
    assert judgement.sentence(told) == (
        "Our side: our own database cannot be used. Their service answers: none of the last 2 calls failed."
    )
    assert (judgement.level, "database" in judgement.advice) == (Level.BROKEN, True)


def test_our_database_and_their_service_may_both_fail() -> None:
    """Nobody is said to be fine."""
    assert said(Situation(calls=(BROKEN, BROKEN), has_answered=False, is_database_well=False)) == (
        "Their service: each of the last 2 calls failed, last a 503 at 12:00. "
        "Our side: our own database cannot be used."
    )
