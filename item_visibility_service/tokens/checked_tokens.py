"""Access tokens that were found valid. Spec: "Authentication"; RFC 6750, section 3.1."""

from collections.abc import Awaitable, Callable

_MOST_REMEMBERED = 1000


class InvalidTokenError(Exception):
    """The token is not accepted. The message says why, and holds nothing of the token."""


class CheckedTokens:
    """The check of access tokens. It remembers valid ones, so each signature is checked once.

    `verify` returns the time in seconds until which the token may be accepted without asking again, or
    raises InvalidTokenError. Lives on one event loop.
    """

    def __init__(self, verify: Callable[[str], Awaitable[float]], clock: Callable[[], float]) -> None:
        self._verify = verify
        self._clock = clock
        self._valid_until: dict[str, float] = {}

    async def check(self, text: str) -> None:
        """Raise InvalidTokenError unless the token is valid and has not expired."""
        remembered = self._valid_until
        if self._clock() < remembered.get(text, 0.0):
            return
        remembered.pop(text, None)
        valid_until = await self._verify(text)
        if len(remembered) >= _MOST_REMEMBERED:
            remembered.clear()
        remembered[text] = valid_until
