"""A connection for your own Streamlit apps.

An example is docs/examples/visibility_connection.py.
"""

from collections.abc import Callable, Iterable
from datetime import timedelta
from typing import Any
from uuid import UUID, uuid4

import streamlit as st
from streamlit.connections import BaseConnection

from item_visibility import ItemKey, VisibilityClient

_SECRETS = ("base_url", "auth_url", "client_id", "client_secret")


class VisibilityConnection(BaseConnection[VisibilityClient]):
    """Caches reads, and clears the cache after each write.

    Its secrets are in `[connections.<name>]`.
    """

    # ANN401: Streamlit declares it so.
    def _connect(self, **kwargs: Any) -> VisibilityClient:  # noqa: ANN401
        secrets = {name: self._secrets[name] for name in _SECRETS if name not in kwargs}
        self._version = uuid4()
        return VisibilityClient(**secrets, **kwargs)

    @property
    def client(self) -> VisibilityClient:
        """The client, whose reads are not cached and whose writes keep the cache."""
        return self._instance

    def close(self) -> None:
        """Close the client. Streamlit calls this when it drops the connection."""
        self.client.close()

    def get_visibilities(
        self, item: ItemKey, *, ttl: float | timedelta | None = 60
    ) -> frozenset[str] | None:
        """Return the recipients that can see the item, or None for a 404.

        Cached for `ttl` seconds.
        """
        client = self.client  # not `self`: Streamlit keeps the last cached function

        # ARG001: the version is only a key of the cache.
        def read(version: UUID, item: ItemKey) -> frozenset[str] | None:  # noqa: ARG001
            return client.get_visibilities(item)

        # Each ttl has a cache of its own, as in Streamlit's SQLConnection.
        read.__qualname__ += f"_{ttl}".replace(".", "_")
        cache = st.cache_data(ttl=ttl, max_entries=1_000, show_spinner=False)
        return cache(read)(self._version, item)

    def set_visibilities(self, item: ItemKey, recipients: Iterable[str]) -> None:
        """Set the recipients of the item, as the client does."""
        self._write(self.client.set_visibilities, item, recipients)

    def remove_visibilities(self, item: ItemKey) -> None:
        """Remove all recipients of the item, as the client does."""
        self._write(self.client.remove_visibilities, item)

    def add_visibility(self, item: ItemKey, recipient_id: str) -> None:
        """Make the item visible to one recipient, as the client does."""
        self._write(self.client.add_visibility, item, recipient_id)

    def remove_visibility(self, item: ItemKey, recipient_id: str) -> None:
        """Remove the visibility of the item for one recipient, as the client does."""
        self._write(self.client.remove_visibility, item, recipient_id)

    def _write(self, write: Callable[..., None], *arguments: object) -> None:
        try:
            write(*arguments)
        finally:  # it may have been applied although it failed
            self._version = uuid4()
