"""The meaning of each failure, in one table: by status, and of the network. Notes N5, N7, N17."""

from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum

from item_visibility import errors

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
