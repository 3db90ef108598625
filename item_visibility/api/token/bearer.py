"""Requests with an access token; a 401 is answered with a new one. Spec: "Authentication"; Note N7."""

from collections.abc import Callable
from http import HTTPStatus

from item_visibility.api.answers import Answer, Failure
from item_visibility.api.requests import Request
from item_visibility.api.token.single_flight import TokenSource


class BearerAuth:
    """Adds a token to each request. `send_once` sends one and reads its answer."""

    def __init__(self, tokens: TokenSource, send_once: Callable[[Request, str], Answer | Failure]) -> None:
        self._tokens = tokens
        self._send_once = send_once

    def send(self, request: Request) -> Answer | Failure:
        """Send the request with a token; raise TokenError when there is none."""
        token = self._tokens.current()
        answer = self._send_once(request, token.value)
        if _is_unauthorized(answer):
            replacement = self._tokens.replacing(token)
            if replacement is None:
                return answer
            token = replacement
            answer = self._send_once(request, token.value)
        if _is_unauthorized(answer):
            self._tokens.refused(token)
        elif isinstance(answer, Answer):
            self._tokens.accepted(token)
        return answer


def _is_unauthorized(answer: Answer | Failure) -> bool:
    return isinstance(answer, Answer) and answer.status == HTTPStatus.UNAUTHORIZED
