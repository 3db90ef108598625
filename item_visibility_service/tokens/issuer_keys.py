"""The public keys of another issuer, as they are known here."""

import asyncio
import logging
from collections.abc import Awaitable, Callable, Mapping

from joserfc.jwk import Key

from item_visibility_service.tokens.checked_tokens import InvalidTokenError

logger = logging.getLogger(__name__)

_LOOK_AGAIN_AFTER_S = 5
"""An unknown key, or a failure, is a reason to fetch the keys again, but no more often than this."""

_LOOK_AFTER_S = 600
"""So old, keys are fetched again, so that one which was taken back is not accepted for ever."""


class KeysUnavailableError(Exception):
    """The keys cannot be fetched now, so a token can neither be accepted nor refused."""


class IssuerKeys:
    """Keys that are fetched when a token needs them. The last known ones stay while the issuer is away.

    A known key needs no wait. However many need an unknown one, it is fetched once. `download` raises
    KeysUnavailableError. Lives on one event loop.
    """

    def __init__(
        self, download: Callable[[], Awaitable[Mapping[str, Key]]], clock: Callable[[], float]
    ) -> None:
        self._download = download
        self._clock = clock
        self._keys: Mapping[str, Key] = {}
        self._looked_at = float("-inf")
        self._failure = ""
        self._look: asyncio.Task[None] | None = None

    async def find(self, key_id: str) -> Key:
        """Return the key of this id; raises InvalidTokenError if there is none, KeysUnavailableError."""
        await self._look_if_due(is_enough=key_id in self._keys)
        if key_id in self._keys:
            return self._keys[key_id]
        if self._failure:
            raise KeysUnavailableError(self._failure)
        raise InvalidTokenError("The access token is signed with a key that the issuer does not have.")

    async def check(self) -> None:
        """Raise KeysUnavailableError unless any keys are there."""
        await self._look_if_due(is_enough=bool(self._keys))
        if not self._keys:
            raise KeysUnavailableError(self._failure)

    async def _look_if_due(self, *, is_enough: bool) -> None:
        """Fetch the keys if it is time to; wait for them unless those that are here are enough."""
        wait_s = _LOOK_AFTER_S if is_enough and not self._failure else _LOOK_AGAIN_AFTER_S
        is_looking = self._look is not None and not self._look.done()
        if not is_looking and self._clock() - self._looked_at >= wait_s:
            self._look = asyncio.create_task(self._fetch())
        if not is_enough and self._look is not None:
            await asyncio.shield(self._look)  # a caller that leaves takes it from nobody else

    async def _fetch(self) -> None:
        self._looked_at = self._clock()
        try:
            self._keys = await self._download()
        except KeysUnavailableError as error:
            self._failure = str(error)
            logger.warning("%s The keys known so far stay in use: %d.", error, len(self._keys))
        else:
            self._failure = ""
