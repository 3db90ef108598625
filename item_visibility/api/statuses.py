"""The meaning of each status of an error answer, in one table. Spec: "Errors"; Notes N5, N7, N17."""

from collections.abc import Mapping
from dataclasses import dataclass

from item_visibility import errors

_CLIENT_ERRORS = range(400, 500)
_FROM_SERVER_ERRORS = 500


@dataclass(frozen=True, slots=True)
class StatusMeaning:
    """The meaning of one status for the request.

    Attributes:
        error: the class of error to raise for it.
        is_temporary: True when the same request may succeed a little later, so the call is retried.
        is_passing: True for a refusal that says nothing about the item, so a job tries it again.
        is_busy: True when the service asked for time.
        is_timeout: True when the service gave up waiting.
        stops_others: True when no other request would do better now.
    """

    error: type[errors.CallError]
    is_temporary: bool = False
    is_passing: bool = False
    is_busy: bool = False
    is_timeout: bool = False
    stops_others: bool = False

    @property
    def may_be_applied(self) -> bool:
        """True when only a read can tell whether the request took effect."""
        return not issubclass(self.error, errors.RefusedError)


_MEANINGS: Mapping[int, StatusMeaning] = {
    401: StatusMeaning(errors.NotAllowedError, is_passing=True, stops_others=True),
    403: StatusMeaning(errors.NotAllowedError),
    404: StatusMeaning(errors.NotFoundError),
    408: StatusMeaning(errors.UnknownOutcomeError, is_temporary=True, is_timeout=True),
    425: StatusMeaning(errors.RefusedError, is_temporary=True, is_passing=True),
    429: StatusMeaning(errors.RefusedError, is_temporary=True, is_passing=True, is_busy=True),
    501: StatusMeaning(errors.UnknownOutcomeError),
    503: StatusMeaning(errors.UnknownOutcomeError, is_temporary=True, is_busy=True),
    505: StatusMeaning(errors.UnknownOutcomeError),
}
_OTHER_CLIENT_ERROR = StatusMeaning(errors.RefusedError)
_OTHER_SERVER_ERROR = StatusMeaning(errors.UnknownOutcomeError, is_temporary=True)
_NOT_IN_THE_SPECIFICATION = StatusMeaning(errors.UnexpectedAnswerError)

ADVICE: Mapping[type[errors.CallError], str] = {
    errors.RefusedError: "Read what the service says about it, and check the ids.",
    errors.NotFoundError: "The service knows nothing under these ids. Check them.",
    errors.NotAllowedError: "Ask whoever runs the service to let this client do it.",
    errors.NotTheServiceError: (
        "Nothing was changed. Check the address of the service: something else answers there."
    ),
}
"""The next step when it is known that nothing was applied."""


def meaning_of(status: int) -> StatusMeaning:
    """Return the meaning of this status, for any number; never raise."""
    if status in _MEANINGS:
        return _MEANINGS[status]
    if status >= _FROM_SERVER_ERRORS:
        return _OTHER_SERVER_ERROR
    return _OTHER_CLIENT_ERROR if status in _CLIENT_ERRORS else _NOT_IN_THE_SPECIFICATION
