"""The meaning of an answer: a value, or a failure that says whether the request may have been applied.

Pure functions of the operation and the answer. Spec: "Endpoints", "Errors"; Note N7.
"""

import json
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from enum import StrEnum
from http import HTTPStatus

from item_visibility import errors
from item_visibility.client.operations import Operation
from item_visibility.errors import ProblemDetail

_CLIENT_ERRORS = range(400, 500)
FROM_SERVER_ERRORS = 500
CLIENT_REFUSALS = frozenset({400, 401, 403})
"""The token endpoint's statuses for a client that it refuses: those of RFC 6749, section 5.2, and 403."""

_LATER = "Try again in a minute."
_CHECK_IDS = "Read what the service says about it, and check the ids."
ASK_OPERATOR = "Ask whoever runs the service to let this client do it."
_CHECK_NETWORK = "Check the network, and try again in a minute."
_NAME_AUTHORITY = (
    "Ask whoever runs this dashboard to name the file of your company's certificates"
    " (ITEM_VISIBILITY_CA_FILE)."
)
_RENEW_CERTIFICATE = "Ask whoever runs the service about its certificate, and check the address."
_CHECK_PROXY = "Ask whoever runs this dashboard whether its proxy lets it reach the service."


class NoAnswer(StrEnum):
    """The reason why no answer came, in words."""

    NAME = "the name of its host was not found"
    CONNECTION = "no connection could be made"
    CERTIFICATE = "the service's certificate is not trusted"
    EXPIRED = "the service's certificate has expired"
    OTHER_HOST = "the service's certificate is that of another host"
    PROXY = "the proxy did not connect to it"
    NONE_FREE = "all connections to the service are in use"
    LATE = "no answer came in time"
    BROKEN = "the connection broke"


@dataclass(frozen=True, slots=True)
class Meaning:
    """The meaning of a failed attempt for its request.

    Attributes:
        error: the class of error to raise for it.
        advice: the next step when it is known that nothing was applied.
        is_temporary: True when the same request may succeed a little later, so the call is retried.
        is_passing: True for a refusal that says nothing about the item, so a job tries it again.
        is_busy: True when the service asked for time.
        is_timeout: True when somebody gave up waiting.
        stops_others: True when no other request would do better now.
    """

    error: type[errors.CallError]
    advice: str = _LATER
    is_temporary: bool = False
    is_passing: bool = False
    is_busy: bool = False
    is_timeout: bool = False
    stops_others: bool = False

    @property
    def may_be_applied(self) -> bool:
        """True when only a read can tell whether the request took effect."""
        return not issubclass(self.error, errors.RefusedError | errors.NotSentError)


_MEANINGS: Mapping[int, Meaning] = {
    401: Meaning(errors.NotAllowedError, ASK_OPERATOR, is_passing=True, stops_others=True),
    403: Meaning(errors.NotAllowedError, ASK_OPERATOR),
    404: Meaning(errors.NotFoundError, "The service knows nothing under these ids. Check them."),
    408: Meaning(errors.UnknownOutcomeError, is_temporary=True, is_timeout=True),
    425: Meaning(errors.RefusedError, is_temporary=True, is_passing=True),
    429: Meaning(errors.RefusedError, is_temporary=True, is_passing=True, is_busy=True),
    501: Meaning(errors.UnknownOutcomeError),
    503: Meaning(errors.UnknownOutcomeError, is_temporary=True, is_busy=True),
    505: Meaning(errors.UnknownOutcomeError),
}
_OTHER_CLIENT_ERROR = Meaning(errors.RefusedError, _CHECK_IDS)
_OTHER_SERVER_ERROR = Meaning(errors.UnknownOutcomeError, is_temporary=True)

UNEXPECTED = Meaning(errors.UnexpectedAnswerError)
UNEXPECTED_FOR_ONCE = Meaning(errors.UnexpectedAnswerError, is_temporary=True)
NOT_THE_SERVICE = Meaning(
    errors.NotTheServiceError, "Check the address of the service: something else answers there."
)
NO_CONNECTION = Meaning(errors.NotSentError, _CHECK_NETWORK, is_temporary=True)
NONE_FREE = Meaning(errors.NotSentError, is_temporary=True)
NOT_TRUSTED = Meaning(errors.NotSentError, _NAME_AUTHORITY)
BAD_CERTIFICATE = Meaning(errors.NotSentError, _RENEW_CERTIFICATE)
NO_WAY_THROUGH = Meaning(errors.NotSentError, _CHECK_PROXY, is_temporary=True)
TOO_LATE = Meaning(errors.UnknownOutcomeError, is_temporary=True, is_timeout=True)
BROKEN = Meaning(errors.UnknownOutcomeError, is_temporary=True)
NOT_KNOWN = Meaning(errors.UnknownOutcomeError)


def meaning_of(status: int) -> Meaning:
    """Return the meaning of this status, for any number; never raise. Spec: "Errors"."""
    if status in _MEANINGS:
        return _MEANINGS[status]
    if status >= FROM_SERVER_ERRORS:
        return _OTHER_SERVER_ERROR
    return _OTHER_CLIENT_ERROR if status in _CLIENT_ERRORS else UNEXPECTED


MAX_TITLE, MAX_DETAIL, MAX_INSTANCE = 200, 2_000, 500


def read_problem(status: int, content_type: str, body: bytes, *, is_cut: bool) -> ProblemDetail:
    """Return the problem in an error response; never raise. Spec: "ProblemDetail".

    Only a complete JSON object is read. HTML, a body that was cut short and anything else give a
    problem with only its status. The HTTP status wins over the one in the body.
    """
    if is_cut or not is_json(content_type):
        return ProblemDetail(status)
    members = parse_json(body)
    if not isinstance(members, dict):
        return ProblemDetail(status)
    return ProblemDetail(
        status,
        title=_text(members.get("title"), MAX_TITLE),
        detail=_text(members.get("detail"), MAX_DETAIL),
        instance=_text(members.get("instance"), MAX_INSTANCE),
    )


def parse_json(body: bytes) -> object:
    """Return the value in a JSON text in UTF-8, or None when it is none; never raise."""
    try:
        return json.loads(body.decode("utf-8-sig"))
    except (ValueError, RecursionError):
        return None


def is_json(content_type: str) -> bool:
    """True for `application/json`, `application/problem+json` and other media types of JSON."""
    media_type = content_type.partition(";")[0].strip().lower()
    return media_type == "application/json" or media_type.endswith("+json")


def _text(value: object, limit: int) -> str:
    """Return the value if it is text, cut, with broken surrogates replaced so that it can be shown."""
    if not isinstance(value, str):
        return ""
    return value[:limit].encode("utf-16", "surrogatepass").decode("utf-16", "replace")


SUCCESSES = range(200, 300)


@dataclass(frozen=True, slots=True)
class Answer:
    """One answer, complete or cut short. A header value is empty when the header is missing.

    `is_cut` is True when the body is longer than the limit, or was not read because it is compressed.
    `request_id` is the one that the request carried; `took_s` is how long it took.
    """

    status: int
    content_type: str = ""
    retry_after: str = ""
    date: str = ""
    body: bytes = field(default=b"", repr=False)
    is_cut: bool = False
    request_id: str = ""
    took_s: float = 0.0

    @property
    def has_content(self) -> bool:
        """True when the body has any content, even if we did not read it."""
        return bool(self.body) or self.is_cut


@dataclass(frozen=True, slots=True)
class Success:
    """The operation succeeded. `recipients` is what a read gave; None for an empty 404 and for a write."""

    recipients: frozenset[str] | None = None


@dataclass(frozen=True, slots=True)
class Failure:
    """One attempt failed: its meaning, and what happened in a few words.

    `answer` and `problem`, the service's own words, are None when there was none; then `request_id` and
    `took_s` are those of the request.
    """

    meaning: Meaning
    fact: str
    answer: Answer | None = None
    problem: ProblemDetail | None = None
    request_id: str = ""
    took_s: float = 0.0


def read_answer(operation: Operation, answer: Answer) -> Success | Failure:
    """Return the meaning of the answer to an operation. Spec: "Endpoints", "Errors"; Note N4."""
    if answer.status == HTTPStatus.OK and operation.is_read:
        return _read_recipients(answer)
    if answer.status == HTTPStatus.NOT_FOUND and operation.is_read:
        if not answer.has_content:
            return Success()
        fact = "the address answers, but not as the service would (404 with content)"
        return _failure(NOT_THE_SERVICE, fact, answer)
    if answer.status == HTTPStatus.NO_CONTENT and not operation.is_read:
        return Success()
    if answer.status in SUCCESSES:
        fact = f"the service answered {answer.status}, which it does not promise"
        return Failure(UNEXPECTED_FOR_ONCE, fact, answer)
    return _failure(meaning_of(answer.status), f"the service answered {answer.status}", answer)


def _read_recipients(answer: Answer) -> Success | Failure:
    """Return the list of a 200. Anything else is a failure, never an empty list. Spec: "RecipientsArray"."""
    if answer.is_cut:
        return Failure(UNEXPECTED, "the list is too long, or compressed, and was not read", answer)
    is_list = not answer.content_type or is_json(answer.content_type)
    elements = parse_json(answer.body) if is_list else None
    if not isinstance(elements, list) or not all(isinstance(element, str) for element in elements):
        fact = "the service answered with something that is no list of recipients"
        return Failure(UNEXPECTED_FOR_ONCE, fact, answer)
    return Success(frozenset(elements))


def _failure(meaning: Meaning, fact: str, answer: Answer) -> Failure:
    problem = read_problem(answer.status, answer.content_type, answer.body, is_cut=answer.is_cut)
    return Failure(meaning, fact, answer, replace(problem, request_id=answer.request_id))
