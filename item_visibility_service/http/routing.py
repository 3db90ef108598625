"""Routing on the raw path, so that no character in an identifier changes what a call means.

Starlette's router compares the decoded path: setVisibilities on the item `x/recipient/y` would
run addVisibility on the item `x`. Here a path is split into segments first and decoded afterwards.
"""

import re
from collections.abc import Awaitable, Callable, Iterable, Mapping
from http import HTTPStatus

from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import BaseRoute, Match
from starlette.types import Receive, Scope, Send

from item_visibility_service.http.problem_answers import ProblemError, bad_request

Segments = tuple[bytes, ...]
Endpoint = Callable[[Request, Segments], Awaitable[Response]]

_ORIGIN = re.compile(rb"^https?://[^/]*", re.IGNORECASE)  # h11 passes on an absolute address as it came
_DOTS = re.compile(rb"(?:^|/)(?:\.|%2e){1,2}(?:/|\Z)", re.IGNORECASE)


class Resource:
    """A path of the service and its methods. `{name}` stands for one segment, not yet decoded."""

    def __init__(self, path: str, methods: Mapping[str, Endpoint]) -> None:
        parts = path.split("/")
        self._length = len(parts)
        self._words = tuple(
            (position, part.encode()) for position, part in enumerate(parts) if not part.startswith("{")
        )
        self._names = tuple(position for position, part in enumerate(parts) if part.startswith("{"))
        self._methods = {**({"HEAD": methods["GET"]} if "GET" in methods else {}), **methods}
        self._allow = {"Allow": ", ".join(sorted([*self._methods, "OPTIONS"]))}

    def match(self, segments: Segments) -> Segments | None:
        """Return the segments in the places of the names, or None if this is not the path."""
        if len(segments) != self._length:
            return None
        for position, word in self._words:
            if segments[position] != word:
                return None
        return tuple([segments[position] for position in self._names])

    async def answer(self, request: Request, found: Segments) -> Response:
        """Run the handler of the method; raises ProblemError (405)."""
        if request.method == "OPTIONS":
            return Response(status_code=HTTPStatus.NO_CONTENT, headers=self._allow)
        endpoint = self._methods.get(request.method)
        if endpoint is None:
            detail = f"{request.method} is not known here."
            raise ProblemError(HTTPStatus.METHOD_NOT_ALLOWED, detail, headers=self._allow)
        return await endpoint(request, found)


class RawPathRoute(BaseRoute):
    """The route for all resources of the service, matched by the raw path."""

    def __init__(self, resources: Iterable[Resource]) -> None:
        self._resources = tuple(resources)

    def matches(self, scope: Scope) -> tuple[Match, Scope]:
        """Take every HTTP request."""
        return (Match.FULL if scope["type"] == "http" else Match.NONE), {}

    async def handle(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer one request; raises ProblemError (400, 404, 405)."""
        if scope.get("http_version") == "1.1" and len(header_values(scope, b"host")) != 1:
            raise bad_request(
                "A request of HTTP/1.1 names one Host."
            )  # RFC 9112, 3.2; httptools lets it pass
        segments = split_raw_path(scope["raw_path"])
        for resource in self._resources:
            found = resource.match(segments)
            if found is not None:
                response = await resource.answer(Request(scope, receive), found)
                return await response(scope, receive, send)
        raise ProblemError(HTTPStatus.NOT_FOUND, "There is nothing at this address.")


def header_values(scope: Scope, name: bytes) -> list[bytes]:
    """Return every value that was sent under this name, which is in lower case."""
    return [value for sent, value in scope["headers"] if sent == name]


def split_raw_path(raw_path: bytes) -> Segments:
    """Return the segments of a path as it was sent; raises ProblemError (400) if it is ambiguous."""
    path = _ORIGIN.sub(b"", raw_path)
    if b"#" in path:
        raise bad_request("The path holds a number sign: write it as %23.")
    if _DOTS.search(path):
        raise bad_request("A segment of the path is . or .., which many programs leave out.")
    return tuple(path.split(b"/"))
