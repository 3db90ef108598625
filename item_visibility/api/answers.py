"""The meaning of an answer: a value, or a failure that says whether the request may have been applied.

Pure functions of the operation and the answer. Spec: "Endpoints", "Errors"; Note N7.
"""

import json
from dataclasses import dataclass, field
from http import HTTPStatus

from item_visibility import errors
from item_visibility.api.operations import Operation
from item_visibility.api.problems import is_json, read_problem
from item_visibility.api.statuses import meaning_of

SUCCESSES = range(200, 300)


@dataclass(frozen=True, slots=True)
class Answer:
    """One answer, complete or cut short. A header value is empty when the header is missing.

    `is_cut` is True when the body is longer than the limit, or was not read because it is compressed.
    """

    status: int
    content_type: str = ""
    retry_after: str = ""
    date: str = ""
    body: bytes = field(default=b"", repr=False)
    is_cut: bool = False

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
    """One attempt failed.

    Attributes:
        error: the class of error to raise for it.
        fact: what happened, in a few words.
        may_be_applied: True when only a read can tell whether the request took effect.
        is_temporary: True when the same request may succeed a little later.
        is_timeout: True when nobody answered in time.
        is_busy: True when the service asked for time.
        answer: the answer, if there was one.
        problem: the service's own words, if it answered with an error.
    """

    error: type[errors.CallError]
    fact: str
    may_be_applied: bool
    is_temporary: bool
    is_timeout: bool = False
    is_busy: bool = False
    answer: Answer | None = None
    problem: errors.ProblemDetail | None = None


def read_answer(operation: Operation, answer: Answer) -> Success | Failure:
    """Return the meaning of the answer to an operation. Spec: "Endpoints", "Errors"."""
    if answer.status == HTTPStatus.OK and operation.is_read:
        return _read_recipients(answer)
    if answer.status == HTTPStatus.NOT_FOUND and operation.is_read:
        return _not_the_service(answer) if answer.has_content else Success(None)
    if answer.status == HTTPStatus.NO_CONTENT and not operation.is_read:
        return Success()
    if answer.status in SUCCESSES:
        return _unexpected(answer, f"the service answered {answer.status}, which it does not promise")
    return _read_error(answer)


def _read_recipients(answer: Answer) -> Success | Failure:
    """Return the list of a 200. Anything else is a failure, never an empty list. Spec: "RecipientsArray"."""
    if answer.is_cut:
        return _unexpected(
            answer, "the list is too long, or compressed, and was not read", is_temporary=False
        )
    if answer.content_type and not is_json(answer.content_type):
        return _unexpected(answer, "the service answered with something that is no list of recipients")
    try:
        elements = json.loads(answer.body.decode("utf-8-sig"))
    except (ValueError, RecursionError):
        elements = None
    if not isinstance(elements, list) or not all(isinstance(element, str) for element in elements):
        return _unexpected(answer, "the service answered with something that is no list of recipients")
    return Success(frozenset(elements))


def _unexpected(answer: Answer, fact: str, *, is_temporary: bool = True) -> Failure:
    return Failure(
        errors.UnexpectedAnswerError, fact, may_be_applied=True, is_temporary=is_temporary, answer=answer
    )


def _not_the_service(answer: Answer) -> Failure:
    """Return the failure for a 404 with content: the service sends none. Spec: "Endpoints"; Note N4."""
    return Failure(
        errors.NotTheServiceError,
        "the address answers, but not as the service would (404 with content)",
        may_be_applied=False,
        is_temporary=False,
        answer=answer,
        problem=read_problem(answer.status, answer.content_type, answer.body, is_cut=answer.is_cut),
    )


def _read_error(answer: Answer) -> Failure:
    """Return the failure for a status outside 2xx. Spec: "Errors"; Note N7."""
    meaning = meaning_of(answer.status)
    return Failure(
        meaning.error,
        f"the service answered {answer.status}",
        may_be_applied=meaning.may_be_applied,
        is_temporary=meaning.is_temporary,
        is_timeout=meaning.is_timeout,
        is_busy=meaning.is_busy,
        answer=answer,
        problem=read_problem(answer.status, answer.content_type, answer.body, is_cut=answer.is_cut),
    )
