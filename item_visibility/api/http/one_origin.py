"""A connection of httpcore to the origin that was asked last, without the search of its pool."""

import httpcore


class OneOrigin(httpcore.ConnectionPool):
    """httpcore's pool, with a connection to the origin that was asked last instead of a search for one.

    That search, before and after each exchange, would take a tenth of the time of a call.
    """

    _one: httpcore.ConnectionInterface | None = None

    def handle_request(self, request: httpcore.Request) -> httpcore.Response:
        """Return the answer, with its body unread. A connection that is no longer of use is replaced."""
        one, origin = self._one, request.url.origin
        if one is None or not _is_usable(one, origin):
            self.close()
            one = self._one = self.create_connection(origin)
        return one.handle_request(request)

    def close(self) -> None:
        """Close the connection, if there is one."""
        if self._one is not None:
            self._one.close()


def _is_usable(one: httpcore.ConnectionInterface, origin: httpcore.Origin) -> bool:
    return one.can_handle_request(origin) and one.is_available() and not one.has_expired()
