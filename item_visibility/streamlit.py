"""A connection for your own Streamlit apps. docs/examples/visibility_connection.py uses it."""

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

    def _connect(self, **kwargs: Any) -> VisibilityClient:  # noqa: ANN401  (Streamlit declares it so)
        secrets = {name: self._secrets[name] for name in _SECRETS if name not in kwargs}
        self._version = uuid4()
        return VisibilityClient(**secrets, **kwargs)

    @property
    def client(self) -> VisibilityClient:
        """The client without the cache: its reads are not cached, and its writes do not clear the cache."""
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

        def read(version: UUID, item: ItemKey) -> frozenset[str] | None:  # noqa: ARG001  (a key of the cache)
            return client.get_visibilities(item)

        read.__qualname__ += f"_{ttl}".replace(
            ".", "_"
        )  # a cache for each ttl, as SQLConnection has
        return st.cache_data(ttl=ttl, max_entries=1_000, show_spinner=False)(read)(
            self._version, item
        )

    def set_visibilities(self, item: ItemKey, recipients: Iterable[str]) -> None:  # noqa: D102  (as in the client)
        self._write(self.client.set_visibilities, item, recipients)

    def remove_visibilities(self, item: ItemKey) -> None:  # noqa: D102  (as in the client)
        self._write(self.client.remove_visibilities, item)

    def add_visibility(self, item: ItemKey, recipient_id: str) -> None:  # noqa: D102  (as in the client)
        self._write(self.client.add_visibility, item, recipient_id)

    def remove_visibility(self, item: ItemKey, recipient_id: str) -> None:  # noqa: D102  (as in the client)
        self._write(self.client.remove_visibility, item, recipient_id)

    def _write(self, write: Callable[..., None], *arguments: object) -> None:
        try:
            write(*arguments)
        finally:  # it may have been applied although it failed
            self._version = uuid4()
