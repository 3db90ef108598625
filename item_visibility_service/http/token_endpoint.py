"""The token endpoint. Spec: "Authentication"; RFC 6749, sections 4.4 and 5."""

import hmac
from collections.abc import Callable
from dataclasses import dataclass
from http import HTTPStatus
from urllib.parse import parse_qsl

from starlette.requests import Request
from starlette.responses import JSONResponse, Response

from item_visibility_service.http.bodies import read_body
from item_visibility_service.http.routing import Resource, Segments
from item_visibility_service.limits import MAX_TOKEN_REQUEST_BYTES, MAX_TOKEN_REQUEST_FIELDS
from item_visibility_service.open_points.switches import Switches
from item_visibility_service.service_settings import ServiceSettings
from item_visibility_service.tokens.own_tokens import SCOPE, OwnTokens

TOKEN_PATH = "/auth/realms/platform-api/protocol/openid-connect/token"  # noqa: S105  (an address, no secret)

_UNCACHED = {"Cache-Control": "no-store", "Pragma": "no-cache"}


@dataclass(frozen=True, slots=True, kw_only=True)
class TokenEndpoint:
    """The endpoint that gives access tokens to the service's one client. The secret is a form field."""

    settings: ServiceSettings
    tokens: OwnTokens
    read_switches: Callable[[], Switches]

    def resource(self) -> Resource:
        """The address of the token endpoint."""
        return Resource(TOKEN_PATH, {"POST": self._give_token})

    async def _give_token(self, request: Request, _segments: Segments) -> Response:
        media_type = "application/x-www-form-urlencoded"
        body = await read_body(request, media_type=media_type, max_bytes=MAX_TOKEN_REQUEST_BYTES)
        form = _read_form(body)
        if form is None:
            return _refusal(HTTPStatus.BAD_REQUEST, "invalid_request", "The form cannot be read.")
        if "grant_type" not in form:
            return _refusal(HTTPStatus.BAD_REQUEST, "invalid_request", "The field grant_type is missing.")
        if form["grant_type"] != "client_credentials":
            detail = "The only grant is client_credentials."
            return _refusal(HTTPStatus.BAD_REQUEST, "unsupported_grant_type", detail)
        if not self._is_client(form):
            return _refusal(
                HTTPStatus.UNAUTHORIZED, "invalid_client", "The client or its secret is not known."
            )
        return self._token_response()

    def _is_client(self, form: dict[str, str]) -> bool:
        is_id = hmac.compare_digest(form.get("client_id", "").encode(), self.settings.client_id.encode())
        secret = form.get("client_secret", "").encode()
        return hmac.compare_digest(secret, self.settings.client_secret.encode()) and is_id

    def _token_response(self) -> Response:
        switches = self.read_switches()
        token = self.tokens.issue(self.settings.client_id, lifetime_s=switches.token_lifetime_s)
        answer: dict[str, str | int] = {"access_token": token, "token_type": "Bearer", "scope": SCOPE}
        if switches.sends_expires_in:
            answer["expires_in"] = switches.token_lifetime_s
        return JSONResponse(answer, headers=_UNCACHED)


def _read_form(body: bytes) -> dict[str, str] | None:
    """Return the fields, or None if the form is broken or repeats a field. RFC 6749, section 3.2."""
    try:
        pairs = parse_qsl(
            body.decode("ascii"),
            keep_blank_values=True,
            strict_parsing=True,
            errors="strict",
            max_num_fields=MAX_TOKEN_REQUEST_FIELDS,
        )
    except ValueError:
        return None
    form = dict(pairs)
    return form if len(form) == len(pairs) else None


def _refusal(status: HTTPStatus, code: str, detail: str) -> Response:
    """Return an OAuth error as its standard's JSON, with the fields of a problem detail added."""
    return JSONResponse(
        {
            "error": code,
            "error_description": detail,
            "status": status.value,
            "title": status.phrase,
            "detail": detail,
        },
        status_code=status,
        headers=_UNCACHED,
    )
