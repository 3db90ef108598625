"""Settings for the open points of the specification, which may change while the service runs."""

from dataclasses import dataclass
from enum import StrEnum


class Failure(StrEnum):
    """The ways in which a call chosen to fail can fail."""

    ERROR_BEFORE = "500, and nothing was applied"
    ERROR_AFTER = "500, though the call was applied"
    BROKEN_OFF = "the answer breaks off, though the call was applied"
    UNAVAILABLE = "503 with Retry-After, and nothing was applied"


@dataclass(frozen=True, slots=True, kw_only=True)
class Switches:
    """The service's behavior where the specification is silent. A new set replaces the old one at once.

    Attributes:
        put_merges: setVisibilities adds to the existing list, instead of replacing it. Note N3.
        empty_is_not_found: an item without recipients answers 404, instead of `[]`. Note N4.
        removing_missing_is_not_found: removing a missing recipient answers 404, not 204. Note N5.
        read_lag_s: the seconds by which reads lag behind changes. Note N11.
        token_lifetime_s: the lifetime of an access token in seconds. Note N8.
        sends_expires_in: the token response states the token's lifetime. Note N8.
        refuses_tokens: every access token is refused with 401. Note N7.
        failing_share: the share of calls of the five operations that fail, from 0 to 1.
        failures: the ways in which they fail, all equally likely.
        refuses_once: the same share of single changes is refused, each only once: sent again, it is applied.
    """

    put_merges: bool = False
    empty_is_not_found: bool = True
    removing_missing_is_not_found: bool = False
    read_lag_s: float = 0.0
    token_lifetime_s: int = 300
    sends_expires_in: bool = True
    refuses_tokens: bool = False
    failing_share: float = 0.0
    failures: tuple[Failure, ...] = tuple(Failure)
    refuses_once: bool = False

    def __post_init__(self) -> None:
        if not 0 <= self.read_lag_s <= 3600:  # noqa: PLR2004  (an hour: more cannot be meant)
            raise ValueError("Reads may lag between 0 and 3600 seconds.")
        if self.token_lifetime_s < 1:
            raise ValueError("A token lives at least one second.")
        if not 0 <= self.failing_share <= 1:
            raise ValueError("The share of calls that fail is a number from 0 to 1.")
        if not self.failures:
            raise ValueError("Name at least one way to fail; a share of 0 lets no call fail.")
