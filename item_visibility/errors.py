"""The exceptions of this package.

A message says what happened; `advice` is the next step for a business user. No error
contains a request, a response, a secret or a token.
"""

from dataclasses import dataclass, field


@dataclass(frozen=True, slots=True)
class ProblemDetail:
    """The service's description of an error. Spec: "ProblemDetail".

    `status` is the status of the response, not the one in its body. `title`, `detail`
    and `instance` are cut to 200, 2,000 and 500 characters, and are empty when the
    service did not send them. `request_id` is the id that we sent with the request, so
    that both sides can find it in their logs.
    """

    status: int
    title: str = ""
    detail: str = ""
    instance: str = ""
    request_id: str = field(default="", compare=False)


class ItemVisibilityError(Exception):
    """The base class of all errors of this package."""

    def __init__(self, message: str, *, advice: str) -> None:
        super().__init__(message)
        self.message = message
        self.advice = advice


class IdentifierError(ItemVisibilityError, ValueError):
    """An identifier cannot be sent safely in a request. Nothing was sent. Note N1."""


class SettingsError(ItemVisibilityError):
    """The configuration cannot be used. Nothing was sent."""


class ReadOnlyError(ItemVisibilityError):
    """This environment is read-only. Nothing was sent."""


class SignInError(ItemVisibilityError):
    """Nobody is signed in, or the sign-in has ended or is not valid.

    Nothing was sent.
    """


class RoleError(ItemVisibilityError):
    """The person's role does not allow the action. Nothing was sent."""


class OtherEnvironmentError(ItemVisibilityError):
    """The change was made on a screen of another environment. Nothing was sent."""


class RecordsError(ItemVisibilityError):
    """Our own database cannot be used."""


class NotStartedError(ItemVisibilityError):
    """A save needs another confirmation, or its key belongs to another save.

    Nothing was sent.
    """


class NotPossibleError(ItemVisibilityError):
    """A job, recipient set or history entry does not allow the action, or is deleted.

    Nothing was changed.
    """


class FileError(ItemVisibilityError):
    """A file cannot be read or written as a table. Nothing was changed."""


class SheetsError(FileError):
    """It is unclear which sheet of a workbook to read.

    A person has to choose one of `sheets`.
    """

    def __init__(self, message: str, *, advice: str, sheets: tuple[str, ...]) -> None:
        super().__init__(message, advice=advice)
        self.sheets = sheets


class TokenError(ItemVisibilityError):
    """There is no access token, so no call was made. Spec: "Authentication"."""


class TokenRefusedError(TokenError):
    """The token endpoint refused the client's credentials."""


class TokenUnavailableError(TokenError):
    """The token endpoint could not be reached, or gave no usable answer."""


class CallError(ItemVisibilityError):
    """One of the five operations did not succeed.

    `problem` is the service's description of the error, or None when no answer came.
    `is_outcome_unknown` is True when a write, or an earlier attempt to send it, may
    have been applied. It is False for a read.
    """

    def __init__(
        self,
        message: str,
        *,
        advice: str = "",
        problem: ProblemDetail | None = None,
        is_outcome_unknown: bool = False,
    ) -> None:
        super().__init__(message, advice=advice)
        self.problem = problem
        self.is_outcome_unknown = is_outcome_unknown

    def __str__(self) -> str:
        """Return the message, followed by the service's texts if it sent any."""
        said = ""
        if self.problem is not None:
            texts = (self.problem.title, self.problem.detail)
            said = ": ".join(filter(None, texts))
        end = "" if said.endswith((".", "!", "?", "…")) else "."
        return f"{self.message} It said: {said}{end}" if said else self.message


class RefusedError(CallError):
    """The service answered the last request with a 4xx status and did not apply it.

    Spec: "Errors".
    """


class NotFoundError(RefusedError):
    """The service answered 404.

    The specification does not define what this means. Notes N4, N5.
    """


class NotAllowedError(RefusedError):
    """The service answered 401 or 403, although the token came from the token endpoint.

    Note N7.
    """


class NotSentError(CallError):
    """No connection could be made, so the service saw nothing."""


class UnknownOutcomeError(CallError):
    """The service may have applied the request. Only a read shows whether it did."""


class UnexpectedAnswerError(UnknownOutcomeError):
    """An answer that is not in the specification, such as a 200 without a list."""


class NotTheServiceError(UnexpectedAnswerError):
    """The answer seems to come from another program, such as a gateway. Note N4."""
