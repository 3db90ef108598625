"""The errors of this package, and what a person can do about each.

A message says what happened; `advice` is the next step for a business user. No error holds a
request, a response, a secret or a token.
"""

from dataclasses import dataclass, field


@dataclass(frozen=True, slots=True)
class ProblemDetail:
    """The service's own words about an error. Spec: "ProblemDetail".

    `status` is the HTTP status, whatever the body says. The texts are the service's, cut to
    200 (title), 2,000 (detail) and 500 (instance) characters; empty where it sent none. `request_id` is
    ours: the request carried it, so that it can be found in the logs of both sides.
    """

    status: int
    title: str = ""
    detail: str = ""
    instance: str = ""
    request_id: str = field(default="", compare=False)

    @property
    def has_words(self) -> bool:
        """True when the service said anything besides the status."""
        return bool(self.title or self.detail or self.instance)


class ItemVisibilityError(Exception):
    """The root of this package's errors."""

    def __init__(self, message: str, *, advice: str) -> None:
        super().__init__(message)
        self.message = message
        self.advice = advice


class IdentifierError(ItemVisibilityError, ValueError):
    """An identifier that no request can carry safely. Nothing was sent. Note N1."""


class SettingsError(ItemVisibilityError):
    """The configuration cannot be used. Nothing was sent."""


class ReadOnlyError(ItemVisibilityError):
    """This environment refuses writing. Nothing was sent."""


class SignInError(ItemVisibilityError):
    """Nobody is signed in, or the sign-in has ended or is not valid. Nothing was sent."""


class RoleError(ItemVisibilityError):
    """The person has no role, or one that is too low for this. Nothing was sent."""


class RecordsError(ItemVisibilityError):
    """Our own database cannot be used."""


class HistoryError(ItemVisibilityError):
    """The history has no such change. Nothing was sent."""


class FileError(ItemVisibilityError):
    """A file cannot be read or written as a table. Nothing was changed."""


class SheetsError(FileError):
    """Several sheets of a workbook may be the table, or no visible one: choose one of `sheets`."""

    def __init__(self, message: str, *, advice: str, sheets: tuple[str, ...]) -> None:
        super().__init__(message, advice=advice)
        self.sheets = sheets


class SetError(ItemVisibilityError):
    """A recipient set cannot be saved like this, or was deleted. Nothing was changed."""


class BulkError(ItemVisibilityError):
    """A bulk job cannot continue from its current state, or was deleted. Nothing was sent."""


class TokenError(ItemVisibilityError):
    """There is no access token, so no call was made. Spec: "Authentication"."""


class TokenRefusedError(TokenError):
    """The token endpoint refused the client's credentials."""


class TokenUnavailableError(TokenError):
    """The token endpoint could not be reached, or gave no usable answer."""


class CallError(ItemVisibilityError):
    """One of the five operations did not succeed.

    Attributes:
        operation: the specification's operationId, such as `addVisibility`.
        problem: what the service answered; None when there was no answer.
        attempts: how many requests were made.
        was_ambiguous: True when one of them may have been applied.
    """

    def __init__(  # noqa: PLR0913  (an error is built in one place, from all its facts)
        self,
        message: str,
        *,
        advice: str = "",
        operation: str = "",
        problem: ProblemDetail | None = None,
        attempts: int = 0,
        was_ambiguous: bool = False,
    ) -> None:
        super().__init__(message, advice=advice)
        self.operation = operation
        self.problem = problem
        self.attempts = attempts
        self.was_ambiguous = was_ambiguous

    def __str__(self) -> str:
        """Return the message, and the service's own words if there are any."""
        words = (self.problem.title, self.problem.detail) if self.problem else ()
        said = ": ".join(filter(None, words))
        return f"{self.message} It said: {said}" if said else self.message


class RefusedError(CallError):
    """The service answered 4xx to the last request: that one was not applied. Spec: "Errors"."""


class NotFoundError(RefusedError):
    """404. The specification does not show what it means. Spec: "Errors"; Notes N4, N5."""


class NotAllowedError(RefusedError):
    """401 or 403 with a token that the token endpoint gave. Note N7."""


class NotSentError(CallError):
    """No connection could be made, so the service saw nothing."""


class UnknownOutcomeError(CallError):
    """The service may or may not have applied the request: only a read can tell."""


class UnexpectedAnswerError(UnknownOutcomeError):
    """An answer that the specification does not describe, such as a 200 that is no RecipientsArray."""


class NotTheServiceError(UnexpectedAnswerError):
    """The address answers, but not like the service: a gateway or another program. Note N4."""
