"""One request to the token endpoint. Spec: "Authentication"."""

from collections.abc import Callable
from datetime import datetime
from http import HTTPStatus

from item_visibility.api.answers import Answer, Failure
from item_visibility.api.http.masking import KnownTokens
from item_visibility.api.http.transport import Http
from item_visibility.api.observing import Exchange, Observer, tell
from item_visibility.api.requests import Request
from item_visibility.api.retry import retry_after_s
from item_visibility.api.statuses import UNEXPECTED
from item_visibility.api.token.oauth import TRY_LATER, read_token_answer
from item_visibility.api.token.renewal import Grant, NoToken
from item_visibility.errors import TokenUnavailableError
from item_visibility.timings_and_retries import LONGEST_RETRY_AFTER_S

_UNUSABLE = "its answer holds no token that can be used"


def fetch_token(
    http: Http, request: Request, *, now: Callable[[], datetime], on_call: Observer, tokens: KnownTokens
) -> Grant | NoToken:
    """Return a token, which `tokens` then know, or why there is none.

    The endpoint's `Retry-After` counts up to 60 s. Note N12.
    """
    answer = http.send(request)
    if isinstance(answer, Failure):
        tell(on_call, Exchange(request=request, answer=answer, ended_at=now()))
        message = f"The token endpoint gave no token: {answer.fact}."
        was_sent = answer.meaning.may_be_applied
        return NoToken(TokenUnavailableError, message, TRY_LATER if was_sent else answer.meaning.advice)
    pause_s = min(retry_after_s(answer, now=now()), LONGEST_RETRY_AFTER_S)
    outcome = read_token_answer(answer, pause_s=pause_s)
    if isinstance(outcome, Grant):
        tokens.note(outcome.access_token)
    tell(on_call, Exchange(request=request, answer=answer, meaning=_meaning(answer, outcome), ended_at=now()))
    return outcome


def _meaning(answer: Answer, outcome: Grant | NoToken) -> Grant | Failure | None:
    """Return what is recorded of the answer; of a refusal only its status."""
    if isinstance(outcome, Grant):
        return outcome
    return Failure(UNEXPECTED, _UNUSABLE) if answer.status == HTTPStatus.OK else None
