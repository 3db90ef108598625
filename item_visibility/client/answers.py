"""Reads the answers of the service, and says what each status means.

Spec: "Endpoints", "Authentication", "Errors"; Notes N5, N7, N8, N17.
"""

import json
import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import Enum
from http import HTTPStatus

from item_visibility import errors
from item_visibility.client.operations import REQUEST_TOKEN, Operation
from item_visibility.errors import ProblemDetail

LONGEST_TOKEN_LIFETIME_S = 10 * 365 * 86_400.0
"""A longer `expires_in` is ignored: calculations with it would fail. Note N8."""

MAX_TITLE = 200
MAX_DETAIL = 2_000
MAX_INSTANCE = 500
"""The texts of an error are cut to this number of characters."""

CLIENT_REFUSALS = frozenset({400, 401, 403})
"""The statuses of a token endpoint that refuses the client. See also RFC 6749."""

ASK_OPERATOR = "Ask whoever runs the service to give this client permission."


@dataclass(frozen=True, slots=True)
class Meaning:
    """The way in which the client treats a failed request.

    Attributes:
        error: the class of the error to raise.
        advice: the next step for the user, if nothing was applied.
        is_temporary: True when a retry within seconds may succeed.
        is_passing: True when the refusal is not about the item, so a job tries the item
            again later.
    """

    error: type[errors.CallError]
    advice: str = "Try again in a minute."
    is_temporary: bool = False
    is_passing: bool = False

    @property
    def is_outcome_unknown(self) -> bool:
        """True when a write may have been applied although it failed."""
        return not issubclass(self.error, errors.RefusedError | errors.NotSentError)

    @property
    def refuses_this_request(self) -> bool:
        """True when only this request is refused, so others would be accepted."""
        if self.is_passing or self.error is errors.NotAllowedError:
            return False
        return issubclass(self.error, errors.RefusedError)


UNEXPECTED = Meaning(errors.UnexpectedAnswerError)
_TEMPORARY_UNEXPECTED = Meaning(errors.UnexpectedAnswerError, is_temporary=True)
NOT_THE_SERVICE = Meaning(
    errors.NotTheServiceError,
    "Check the address of the service: another program answers there.",
)
UNKNOWN_OUTCOME = Meaning(errors.UnknownOutcomeError)
_TEMPORARY_UNKNOWN_OUTCOME = Meaning(errors.UnknownOutcomeError, is_temporary=True)
_NOT_REACHED = Meaning(
    errors.NotSentError,
    "Check the network, and try again in a minute.",
    is_temporary=True,
)
_NOT_REACHED_BY_PROXY = Meaning(
    errors.NotSentError,
    "Ask whoever runs this dashboard whether its proxy lets it reach the service.",
    is_temporary=True,
)
_UNKNOWN_AUTHORITY = Meaning(
    errors.NotSentError,
    "Ask whoever runs this dashboard to set ITEM_VISIBILITY_CA_FILE to the file with"
    " your company's certificates.",
)
_WRONG_CERTIFICATE = Meaning(
    errors.NotSentError,
    "Check the address, and ask whoever runs the service to check its certificate.",
)
_OTHER_CLIENT_ERROR = Meaning(
    errors.RefusedError, "Read the answer of the service, and check the ids."
)

_MEANINGS: Mapping[int, Meaning] = {
    401: Meaning(errors.NotAllowedError, ASK_OPERATOR, is_passing=True),
    403: Meaning(errors.NotAllowedError, ASK_OPERATOR),
    404: Meaning(
        errors.NotFoundError,
        "Check the ids, and whether the address leads to the service.",
    ),
    408: _TEMPORARY_UNKNOWN_OUTCOME,
    425: Meaning(errors.RefusedError, is_temporary=True, is_passing=True),
    429: Meaning(errors.RefusedError, is_temporary=True, is_passing=True),
    501: UNKNOWN_OUTCOME,
    505: UNKNOWN_OUTCOME,
}


def meaning_of(status: int) -> Meaning:
    """Return the meaning of this status, which may be any number. Spec: "Errors"."""
    if status in _MEANINGS:
        return _MEANINGS[status]
    if status >= HTTPStatus.INTERNAL_SERVER_ERROR:
        return _TEMPORARY_UNKNOWN_OUTCOME
    if status >= HTTPStatus.BAD_REQUEST:
        return _OTHER_CLIENT_ERROR
    return UNEXPECTED


@dataclass(frozen=True, slots=True)
class HttpAnswer:
    """The answer to one request. A missing header is an empty text.

    `is_cut` is True when the body was cut at the limit, or was not read because it is
    compressed.
    """

    status: int
    content_type: str = ""
    retry_after: str = ""
    date: str = ""
    body: bytes = field(default=b"", repr=False)
    is_cut: bool = False
    request_id: str = ""

    @property
    def has_content(self) -> bool:
        """True when the answer has a body, even if we did not read it."""
        return bool(self.body) or self.is_cut


@dataclass(frozen=True, slots=True)
class Success:
    """The request succeeded.

    `recipients` is None after a write, and after a read with the status 404.
    `access_token` and `expires_in` come from the token endpoint. `expires_in` is in
    seconds, or None when it was not sent.
    """

    answer: HttpAnswer
    recipients: frozenset[str] | None = None
    access_token: str = field(default="", repr=False)
    expires_in: float | None = None


@dataclass(frozen=True, slots=True)
class Failure:
    """One request failed. `fact` says what happened, in words for a message.

    `answer` is None when no answer came, and `problem` is None when the answer did not
    describe an error.
    """

    meaning: Meaning
    fact: str
    answer: HttpAnswer | None = None
    problem: ProblemDetail | None = None

    @property
    def unusable_because(self) -> str:
        """The reason why there was no usable answer; empty for an error status."""
        is_unexpected = issubclass(self.meaning.error, errors.UnexpectedAnswerError)
        return self.fact if self.answer is None or is_unexpected else ""


Result = Success | Failure


class NoAnswer(Enum):
    """Failures without an answer.

    If a connection was made, the request may have been applied. Note N7.
    """

    NAME = Failure(_NOT_REACHED, "the name of its host was not found")
    CONNECTION = Failure(_NOT_REACHED, "no connection could be made")
    CERTIFICATE = Failure(
        _UNKNOWN_AUTHORITY, "the service's certificate is not trusted"
    )
    EXPIRED = Failure(_WRONG_CERTIFICATE, "the service's certificate has expired")
    OTHER_HOST = Failure(
        _WRONG_CERTIFICATE, "the service's certificate is for another host"
    )
    PROXY = Failure(_NOT_REACHED_BY_PROXY, "the proxy did not connect to it")
    LATE = Failure(_TEMPORARY_UNKNOWN_OUTCOME, "no answer came in time")
    BROKEN = Failure(_TEMPORARY_UNKNOWN_OUTCOME, "the connection broke")


def read_answer(operation: Operation, answer: HttpAnswer) -> Result:
    """Read the answer to a request of this operation.

    Spec: "Endpoints", "Errors"; Note N4.
    """
    if operation is REQUEST_TOKEN:
        return _read_token_answer(answer)
    if answer.status == HTTPStatus.OK and operation.is_read:
        return _read_recipients(answer)
    if answer.status == HTTPStatus.NOT_FOUND and operation.is_read:
        return _read_no_recipients(answer)
    if answer.status == HTTPStatus.NO_CONTENT and not operation.is_read:
        return Success(answer)

    fact = f"the service answered {answer.status}"
    if HTTPStatus.OK <= answer.status < HTTPStatus.MULTIPLE_CHOICES:
        fact = f"{fact}, which the specification does not define"
        return Failure(_TEMPORARY_UNEXPECTED, fact, answer)
    return Failure(meaning_of(answer.status), fact, answer, read_problem(answer))


def _read_no_recipients(answer: HttpAnswer) -> Result:
    """Read a 404. The service's own 404 is empty: nothing is recorded. Note N4."""
    if not answer.has_content:
        return Success(answer)
    fact = "another program seems to answer at this address (404 with content)"
    return Failure(NOT_THE_SERVICE, fact, answer, read_problem(answer))


def _read_recipients(answer: HttpAnswer) -> Result:
    """Read the recipients.

    An invalid list is a failure, never an empty list. Spec: "RecipientsArray".
    """
    if answer.is_cut:
        fact = "the list was not read because it is too long or compressed"
        return Failure(UNEXPECTED, fact, answer)

    elements = None
    if not answer.content_type or _is_json(answer.content_type):
        elements = parse_json(answer.body)
    if not isinstance(elements, list) or not all(map(_is_text, elements)):
        fact = "the service answered with something that is not a list of recipients"
        return Failure(_TEMPORARY_UNEXPECTED, fact, answer)
    return Success(answer, frozenset(elements))


def _read_token_answer(answer: HttpAnswer) -> Result:
    """Read the token.

    A failure contains no text of the answer, because the text may repeat the secret.
    """
    if answer.status != HTTPStatus.OK:
        fact = f"it answered {answer.status}"
        return Failure(meaning_of(answer.status), fact, answer)

    members = json_object(answer)
    token = members.get("access_token")
    kind = members.get("token_type", "Bearer")
    if (
        "error" in members
        or not isinstance(kind, str)
        or kind.lower() != "bearer"
        or not isinstance(token, str)
        or not re.fullmatch(r"[\x21-\x7e]+", token)
    ):
        return Failure(UNEXPECTED, "its answer contains no usable token", answer)

    expires_in = _lifetime_s(members.get("expires_in"))
    return Success(answer, access_token=token, expires_in=expires_in)


def _lifetime_s(value: object) -> float | None:
    """Read `expires_in`, a number or a text; None when it is not valid. Note N8."""
    if isinstance(value, bool) or not isinstance(value, int | float | str):
        return None
    try:
        lifetime_s = float(value)
    except (ValueError, OverflowError):
        return None
    return lifetime_s if 0 < lifetime_s <= LONGEST_TOKEN_LIFETIME_S else None


def read_problem(answer: HttpAnswer) -> ProblemDetail:
    """Read the description of an error.

    If it is not valid, set only the status. Spec: "ProblemDetail".
    """
    members = json_object(answer) if _is_json(answer.content_type) else {}
    return ProblemDetail(
        answer.status,
        title=_text(members.get("title"), MAX_TITLE),
        detail=_text(members.get("detail"), MAX_DETAIL),
        instance=_text(members.get("instance"), MAX_INSTANCE),
        request_id=answer.request_id,
    )


def json_object(answer: HttpAnswer) -> dict[str, object]:
    """Return the members of the JSON object in the body; empty when it is not valid."""
    members = None if answer.is_cut else parse_json(answer.body)
    return members if isinstance(members, dict) else {}


def parse_json(body: bytes) -> object:
    """Parse JSON in UTF-8; None when it is not valid."""
    try:
        return json.loads(body.decode("utf-8-sig"))
    except (ValueError, RecursionError):
        return None


def _is_json(content_type: str) -> bool:
    """True for `application/json`, and for types such as `application/problem+json`."""
    media_type = content_type.partition(";")[0].strip().lower()
    return media_type == "application/json" or media_type.endswith("+json")


def _is_text(value: object) -> bool:
    return isinstance(value, str)


def _text(value: object, limit: int) -> str:
    """Cut a text to the limit, and replace lone surrogates.

    Return an empty text for any other value.
    """
    if not isinstance(value, str):
        return ""
    return value[:limit].encode("utf-16", "surrogatepass").decode("utf-16", "replace")
