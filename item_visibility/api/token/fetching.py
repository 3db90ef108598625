"""One request to the token endpoint. Spec: "Authentication"."""

from collections.abc import Callable
from datetime import datetime

from item_visibility.api.answers import Failure
from item_visibility.api.http.transport import Http
from item_visibility.api.observing import Observer, tell
from item_visibility.api.requests import Request
from item_visibility.api.retry import retry_after_s
from item_visibility.api.token.oauth import TRY_LATER, read_token_answer
from item_visibility.api.token.renewal import Grant, NoToken
from item_visibility.errors import TokenUnavailableError
from item_visibility.timings_and_retries import LONGEST_RETRY_AFTER_S


def fetch_token(
    http: Http, request: Request, *, now: Callable[[], datetime], on_call: Observer
) -> Grant | NoToken:
    """Return a token, or why there is none. The endpoint's `Retry-After` counts up to 60 s. Note N12."""
    exchanged = http.send(request)
    tell(on_call, request.operation, exchanged)
    if isinstance(exchanged, Failure):
        message = f"The token endpoint gave no token: {exchanged.fact}."
        was_sent = exchanged.meaning.may_be_applied
        return NoToken(TokenUnavailableError, message, TRY_LATER if was_sent else exchanged.meaning.advice)
    pause_s = min(retry_after_s(exchanged, now=now()), LONGEST_RETRY_AFTER_S)
    return read_token_answer(exchanged, pause_s=pause_s)
