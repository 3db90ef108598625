"""Errors as problem details. Spec: "ProblemDetail"; RFC 9457."""

from collections.abc import Mapping
from http import HTTPStatus

from starlette.responses import JSONResponse, Response

MEDIA_TYPE = "application/problem+json"


class ProblemError(Exception):
    """A request that is answered with a problem detail. `detail` is a sentence for a person."""

    def __init__(self, status: HTTPStatus, detail: str, *, headers: Mapping[str, str] | None = None) -> None:
        super().__init__(detail)
        self.status = status
        self.detail = detail
        self.headers = headers


def bad_request(detail: str) -> ProblemError:
    """Return a 400. We chose its causes: the specification does not show them. Note N6."""
    return ProblemError(HTTPStatus.BAD_REQUEST, detail)


def problem_response(problem: ProblemError) -> Response:
    """Return the answer with `status`, `title` and `detail`."""
    return JSONResponse(
        {"status": problem.status.value, "title": problem.status.phrase, "detail": problem.detail},
        status_code=problem.status,
        headers=problem.headers,
        media_type=MEDIA_TYPE,
    )
