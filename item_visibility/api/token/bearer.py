"""Requests with an access token; a 401 is answered with a new one. Spec: "Authentication"; Note N7."""

from dataclasses import dataclass
from http import HTTPStatus

from item_visibility.api.answers import Answer, Failure
from item_visibility.api.http.transport import Http
from item_visibility.api.requests import Request
from item_visibility.api.token.renewal import TokenSource


@dataclass(frozen=True, slots=True)
class BearerAuth:
    """Sends requests with an access token."""

    tokens: TokenSource
    http: Http

    def send(self, request: Request) -> Answer | Failure:
        """Send the request with a token; raise TokenError when there is none."""
        self.http.check_open()  # a closed client must not blame the token
        token = self.tokens.current()
        answer = self.http.send(request, token.value)
        if _is_unauthorized(answer):
            replacement = self.tokens.replacing(token)
            if replacement is None:
                return answer
            token = replacement
            answer = self.http.send(request, token.value)
        if _is_unauthorized(answer):
            self.tokens.refused(token)
        elif isinstance(answer, Answer):
            self.tokens.accepted(token)
        return answer


def _is_unauthorized(answer: Answer | Failure) -> bool:
    return isinstance(answer, Answer) and answer.status == HTTPStatus.UNAUTHORIZED
