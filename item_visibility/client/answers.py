"""The meaning of an answer: a value, or a failure that says whether the request may have been applied.

Pure functions of the operation and the answer. Spec: "Endpoints", "Errors"; Note N7.
"""

from dataclasses import dataclass, field, replace
from http import HTTPStatus

from item_visibility.client.operations import Operation
from item_visibility.client.problems import is_json, parse_json, read_problem
from item_visibility.client.statuses import (
    NOT_THE_SERVICE,
    UNEXPECTED,
    UNEXPECTED_FOR_ONCE,
    Meaning,
    meaning_of,
)
from item_visibility.errors import ProblemDetail

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
