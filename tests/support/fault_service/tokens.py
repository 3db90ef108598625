"""The token endpoint of the fault service: it issues, revokes, refuses and fails as a test says."""

import json
import threading
import time
from dataclasses import dataclass, field
from urllib.parse import parse_qs

TOKEN_PATH = "/auth/realms/platform-api/protocol/openid-connect/token"
CLIENT_ID = "dash board"
CLIENT_SECRET = "p@ss:w%rd&=+y-never-shown"


@dataclass(frozen=True, slots=True)
class Answer:
    """An answer of the endpoint. Header names are written with underscores."""

    status: int
    body: bytes
    content_type: str = "application/json"
    headers: dict[str, str] = field(default_factory=dict)


class TokenEndpoint:
    """A token endpoint for one client, which records token requests and refused tokens.

    Attributes:
        lifetime_s: the lifetime of a token.
        expires_in: the lifetime stated in the answer, or nothing when False.
        scripted: answers to give instead of a token, in order; None cuts the connection.
        always: the answer to every request; None for the usual one.
        refuses_all: True when the API refuses every token.
        delay_s: the duration of a token request.
        requests: the form of each token request, in order.
        issued: every token that was issued.
        refused: every Authorization header that the API refused.
    """

    def __init__(self) -> None:
        self.lifetime_s = 300.0
        self.sends_expires_in = True
        self.scripted: list[Answer | None] = []
        self.always: Answer | None = None
        self.refuses_all = False
        self.delay_s = 0.0
        self.requests: list[dict[str, list[str]]] = []
        self.content_types: list[str] = []
        self.issued: list[str] = []
        self.refused: list[str] = []
        self._valid_until: dict[str, float] = {}
        self._lock = threading.Lock()

    def revoke_all(self) -> None:
        """Revoke all tokens issued so far."""
        with self._lock:
            self._valid_until.clear()

    def accepts(self, authorization: str) -> bool:
        """True when the header carries a valid token."""
        with self._lock:
            until = self._valid_until.get(authorization.removeprefix("Bearer "), 0.0)
            is_accepted = time.monotonic() < until and not self.refuses_all
            if not is_accepted:
                self.refused.append(authorization)
            return is_accepted

    def answer(self, body: bytes, content_type: str) -> Answer | None:
        """Return the answer to one token request, or None to cut the connection."""
        form = parse_qs(body.decode("ascii"), keep_blank_values=True, strict_parsing=True)
        with self._lock:
            self.requests.append(form)
            self.content_types.append(content_type)
            is_scripted, scripted = bool(self.scripted), self.scripted.pop(0) if self.scripted else None
        time.sleep(self.delay_s)
        if is_scripted:
            return scripted
        if self.always is not None:
            return self.always
        if form.get("client_id") != [CLIENT_ID] or form.get("client_secret") != [CLIENT_SECRET]:
            return Answer(401, b'{"error":"invalid_client","error_description":"Unknown client"}')
        return self._issue()

    def _issue(self) -> Answer:
        with self._lock:
            token = f"token-{len(self.issued) + 1}-never-shown"
            self.issued.append(token)
            self._valid_until[token] = time.monotonic() + self.lifetime_s
        payload: dict[str, object] = {"access_token": token, "token_type": "Bearer"}
        if self.sends_expires_in:
            payload["expires_in"] = int(self.lifetime_s)
        return Answer(200, json.dumps(payload).encode())
