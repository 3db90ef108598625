"""Requests with an access token; a 401 is answered with a new one. Spec: "Authentication"; Note N7."""

from collections.abc import Callable
from dataclasses import dataclass
from http import HTTPStatus
from typing import TypeGuard

from item_visibility.api.answers import Answer, Failure
from item_visibility.api.http.transport import Http
from item_visibility.api.requests import Request
from item_visibility.api.token.renewal import TokenSource


@dataclass(frozen=True, slots=True)
class BearerAuth:
    """Sends requests with an access token."""

    tokens: TokenSource
    http: Http

    def send(self, request: Request, *, on_renewal: Callable[[Answer], None]) -> Answer | Failure:
        """Send the request with a token; raise TokenError when there is none.

        `on_renewal` is told of a 401 before a new token is asked for, to send the request again.
        """
        self.http.check_open()  # a closed client must not blame the token
        token = self.tokens.current()
        answer = self.http.send(request, token.value)
        if _is_unauthorized(answer):
            if not self.tokens.may_replace(token):
                return answer
            on_renewal(answer)
            token = self.tokens.newer_than(token)
            answer = self.http.send(request, token.value)
        if _is_unauthorized(answer):
            self.tokens.refused(token)
        elif isinstance(answer, Answer):
            self.tokens.accepted(token)
        return answer


def _is_unauthorized(answer: Answer | Failure) -> TypeGuard[Answer]:
    return isinstance(answer, Answer) and answer.status == HTTPStatus.UNAUTHORIZED
