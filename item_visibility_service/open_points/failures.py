"""Calls that fail on purpose, to show what the dashboard does then."""

from collections.abc import Callable
from http import HTTPStatus

from starlette.responses import Response
from starlette.types import Receive, Scope, Send

from item_visibility_service.http.problem_answers import ProblemError
from item_visibility_service.open_points.switches import Failure, Switches


def choose_failure(switches: Switches, chance: Callable[[], float]) -> Failure | None:
    """Return the failure of this call, or None. `chance` returns a number from 0 up to, not including, 1."""
    if chance() >= switches.failing_share:
        return None
    return switches.failures[int(chance() * len(switches.failures))]


def fail_before(failure: Failure | None) -> None:
    """Raise the ProblemError of a call that fails before anything is applied."""
    if failure is Failure.ERROR_BEFORE:
        raise ProblemError(
            HTTPStatus.INTERNAL_SERVER_ERROR, "This call was chosen to fail. Nothing was applied."
        )
    if failure is Failure.UNAVAILABLE:
        raise ProblemError(
            HTTPStatus.SERVICE_UNAVAILABLE,
            "This call was chosen to fail. Nothing was applied.",
            headers={"Retry-After": "1"},
        )


def fail_after(failure: Failure | None, response: Response) -> Response:
    """Return the answer of an applied call, or a spoiled one if the call is to fail."""
    if failure is Failure.ERROR_AFTER:
        raise ProblemError(
            HTTPStatus.INTERNAL_SERVER_ERROR, "This call was chosen to fail, after it was applied."
        )
    if failure is Failure.BROKEN_OFF:
        return _BrokenOffResponse()
    return response


class _BrokenOffResponse(Response):
    """A response that promises a byte and sends none, so that the server closes the connection."""

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        del scope, receive
        headers = [(b"content-type", b"application/json"), (b"content-length", b"1")]
        await send({"type": "http.response.start", "status": HTTPStatus.OK, "headers": headers})
