"""The service as an ASGI application with all its endpoints. Spec: "Endpoints"."""

import hmac
import itertools
import logging
import random
import time
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass
from functools import partial
from http import HTTPStatus
from importlib import resources
from typing import TypeVar

from starlette.applications import Starlette
from starlette.concurrency import run_in_threadpool
from starlette.exceptions import HTTPException
from starlette.middleware import Middleware
from starlette.requests import ClientDisconnect, Request
from starlette.responses import JSONResponse, Response
from starlette.routing import Route
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from item_visibility_service.issuer_keys import (
    IssuerKeys,
    KeysUnavailableError,
    download_keys,
)
from item_visibility_service.limits import MAX_RECIPIENTS
from item_visibility_service.requests import (
    bad_request,
    read_form,
    read_path,
    read_recipients,
    read_segment,
)
from item_visibility_service.sample_data import invented_names, sample_visibilities
from item_visibility_service.settings import ServiceSettings, ServiceSettingsError
from item_visibility_service.store import (
    Change,
    Item,
    ListFullError,
    Store,
    StoreUnavailableError,
    open_database,
)
from item_visibility_service.switches import Failures, LaggingReads, Switches
from item_visibility_service.tokens import (
    SCOPE,
    CheckedTokens,
    ForeignTokens,
    InvalidTokenError,
    OwnTokens,
)

ITEM_PATH = "/v1/itemvisibilities/{supplier}/{supplierItemId}"
TOKEN_PATH = "/auth/realms/platform-api/protocol/openid-connect/token"  # noqa: S105  (an address, no secret)

_OPERATIONS = {
    ("GET", False): "getVisibilities",
    ("HEAD", False): "getVisibilities",
    ("PUT", False): "setVisibilities",
    ("DELETE", False): "removeVisibilities",
    ("PUT", True): "addVisibility",
    ("DELETE", True): "removeVisibility",
}
"""The operation by method and by whether the path contains a recipient."""

_REALM = 'Bearer realm="item-visibilities"'
_NO_CACHE = {"Cache-Control": "no-store", "Pragma": "no-cache"}
_MAX_REQUEST_ID_CHARACTERS = 64

_Result = TypeVar("_Result")
logger = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class ReceivedCall:
    """A call of an operation, with its identifiers and its path before decoding."""

    operation_id: str
    item: Item
    recipient_id: str | None
    raw_path: bytes


OnOperation = Callable[[ReceivedCall], None]
"""A function that is called with each call of an operation before it is applied."""


class Service:
    """The service without a web server.

    Opens and migrates its database. Close it after use.

    `clock` returns seconds. `chance` is like `random.random`. Raises
    ServiceSettingsError.

    Attributes:
        asgi: the application, for any ASGI server.
        store: the stored visibilities and the signing key.
    """

    def __init__(
        self,
        settings: ServiceSettings,
        *,
        clock: Callable[[], float] = time.time,
        chance: Callable[[], float] = random.random,
        on_operation: OnOperation | None = None,
    ) -> None:
        # Open the database, and fill it if it is empty.
        self.store = Store(open_database(settings.database_url))
        try:
            if settings.sample:
                self.store.load(sample_visibilities())
            self._own_tokens = OwnTokens(self.store.signing_key(), clock)
        except StoreUnavailableError as error:
            self.close()
            raise ServiceSettingsError(
                f"The database was opened, but cannot be used ({error}). The service "
                "did not start."
            ) from error

        self._settings = settings
        self._reads = LaggingReads(self.store, clock)
        self._failures = Failures(chance)
        self._on_operation = on_operation or (lambda _call: None)
        self.switches = Switches()

        # Accept the tokens of the other issuer if one is set, else our own.
        self._issuer_keys: IssuerKeys | None = None
        verify = self._own_tokens.verify
        if settings.issuer is not None:
            download = partial(download_keys, settings.issuer)
            self._issuer_keys = IssuerKeys(download, time.monotonic)
            foreign_tokens = ForeignTokens(
                settings.issuer, self._issuer_keys.find, clock
            )
            verify = foreign_tokens.verify
        self._tokens = CheckedTokens(verify, clock)

        starlette = Starlette(
            routes=self._routes(),
            middleware=[Middleware(_ExchangeLog), Middleware(_RawPaths)],
            exception_handlers=dict.fromkeys(
                [HTTPException, *_PROBLEMS], _answer_error
            ),
        )
        starlette.router.redirect_slashes = False
        self.asgi: ASGIApp = starlette

    def _routes(self) -> list[Route]:
        recipient_path = f"{ITEM_PATH}/recipient/{{recipientId}}"
        routes = [
            Route(ITEM_PATH, self._answer_operation, methods=["GET", "PUT", "DELETE"]),
            Route(recipient_path, self._answer_operation, methods=["PUT", "DELETE"]),
            Route("/v1/openapi.json", _get_openapi),
            Route("/healthz", self._get_health),
            Route("/readyz", self._get_readiness),
        ]
        if self._settings.issuer is None:
            routes.append(Route(TOKEN_PATH, self._give_token, methods=["POST"]))
        return routes

    @property
    def switches(self) -> Switches:
        """The behavior where the specification is silent.

        It can be changed at any time.
        """
        return self._switches

    @switches.setter
    def switches(self, switches: Switches) -> None:
        self._reads.set_lag(switches.read_lag_s)
        if not switches.failing_share:
            self._failures.reset()
        self._switches = switches

    def someone_else_edits(self, item: Item) -> Change:
        """Add a recipient to the item and remove another, as a second user would."""
        # Choose a newcomer, if possible from the sample.
        present = self.store.recipients(item)
        sample_ids = (recipient_id for recipient_id, _ in invented_names().recipients)
        strangers = (f"someone-else-{number}" for number in itertools.count(1))
        newcomer = next(
            recipient_id
            for recipient_id in itertools.chain(sample_ids, strangers)
            if recipient_id not in present
        )

        added = self._reads.change(item, lambda: self.store.add(item, newcomer))
        if not present:
            return added

        removed = self._reads.change(item, lambda: self.store.remove(item, present[0]))
        return Change(added=added.added, removed=removed.removed)

    def close(self) -> None:
        """Close all database connections. Call it after the server has stopped."""
        self.store.close()

    async def _answer_operation(self, request: Request) -> Response:
        # Later changes of the switches do not affect this operation.
        switches = self._switches

        # Check the whole request before anything is applied.
        await self._authorize(request)
        call = _read_call(request)
        recipients: frozenset[str] = frozenset()
        if call.operation_id == "setVisibilities":
            recipients = await read_recipients(request)

        is_single_change = call.recipient_id is not None
        failure = self._failures.begin(
            call, switches, is_single_change=is_single_change
        )
        self._on_operation(call)
        response = await self._run(partial(self._apply, call, recipients, switches))
        return self._failures.end(failure, response)

    async def _authorize(self, request: Request) -> None:
        """Raise HTTPException (401) unless the request has exactly one, valid token."""
        sent = request.headers.getlist("authorization")
        scheme, _, token = (sent[0] if len(sent) == 1 else "").partition(" ")
        if scheme.lower() != "bearer" or not token.strip():
            detail = (
                "Send one access token in the Authorization header, "
                "after the word Bearer."
            )
            raise HTTPException(
                HTTPStatus.UNAUTHORIZED, detail, headers={"WWW-Authenticate": _REALM}
            )

        try:
            await self._tokens.check(token.strip())
        except InvalidTokenError as error:
            headers = {"WWW-Authenticate": f'{_REALM}, error="invalid_token"'}
            raise HTTPException(
                HTTPStatus.UNAUTHORIZED, str(error), headers=headers
            ) from None

    def _apply(
        self, call: ReceivedCall, recipients: frozenset[str], switches: Switches
    ) -> Response:
        item = call.item
        recipient_id = call.recipient_id or ""
        match call.operation_id:
            case "getVisibilities":
                recipients_now = self._reads.recipients(item)
                if not recipients_now and switches.empty_is_not_found:
                    # This answer has no body. Spec: "Errors"; Note N4.
                    return Response(status_code=HTTPStatus.NOT_FOUND)
                return JSONResponse(
                    recipients_now, headers={"Cache-Control": "no-store"}
                )
            case "setVisibilities":
                merges = switches.put_merges
                self._reads.change(
                    item, lambda: self.store.replace(item, recipients, merges=merges)
                )
            case "addVisibility":
                self._reads.change(item, lambda: self.store.add(item, recipient_id))
            case removal:
                if removal == "removeVisibilities":
                    remove = partial(self.store.remove_all, item)
                else:
                    remove = partial(self.store.remove, item, recipient_id)
                change = self._reads.change(item, remove)
                # The specification does not say what removing nothing means. Note N5.
                if switches.removing_missing_is_not_found and not change.removed:
                    raise HTTPException(
                        HTTPStatus.NOT_FOUND, "There was nothing to remove."
                    )
        return Response(status_code=HTTPStatus.NO_CONTENT)

    async def _run(self, work: Callable[[], _Result]) -> _Result:
        return work() if self.store.is_local else await run_in_threadpool(work)

    async def _give_token(self, request: Request) -> Response:
        """Answer a request for an access token. RFC 6749, sections 4.4 and 5."""
        # Check the form.
        form = await read_form(request)
        if form is None:
            return _token_error(
                HTTPStatus.BAD_REQUEST, "invalid_request", "The form cannot be read."
            )
        if "grant_type" not in form:
            return _token_error(
                HTTPStatus.BAD_REQUEST, "invalid_request", "grant_type is missing."
            )
        if form["grant_type"] != "client_credentials":
            detail = "The only grant is client_credentials."
            return _token_error(
                HTTPStatus.BAD_REQUEST, "unsupported_grant_type", detail
            )

        # Compare both, so that the time of the answer does not show which is wrong.
        settings = self._settings
        is_id = _is_same(form.get("client_id", ""), settings.client_id)
        is_secret = _is_same(form.get("client_secret", ""), settings.client_secret)
        if not (is_id and is_secret):
            return _token_error(
                HTTPStatus.UNAUTHORIZED,
                "invalid_client",
                "The client or its secret is wrong.",
            )

        lifetime_s = self._switches.token_lifetime_s
        token = self._own_tokens.issue(settings.client_id, lifetime_s=lifetime_s)
        answer = {
            "access_token": token,
            "token_type": "Bearer",
            "scope": SCOPE,
            "expires_in": lifetime_s,
        }
        return JSONResponse(answer, headers=_NO_CACHE)

    async def _get_health(self, _request: Request) -> Response:
        await self._run(self.store.check)
        return JSONResponse({"status": "ok"})

    async def _get_readiness(self, _request: Request) -> Response:
        """Answer 200 if the service can do its work.

        The database must answer. With another issuer, its keys must be known.
        """
        if self._issuer_keys is not None:
            await self._issuer_keys.check()
        await self._run(self.store.check)
        return JSONResponse({"status": "ok", "version": self._settings.version})


def _read_call(request: Request) -> ReceivedCall:
    """Return the call of an operation; raises HTTPException (400)."""
    if request.scope["query_string"]:
        raise bad_request(
            "No operation has a query: write a question mark in an identifier as %3F."
        )

    ids = {name: read_segment(name, raw) for name, raw in request.path_params.items()}
    recipient_id = ids.get("recipientId")
    operation_id = _OPERATIONS[request.method, recipient_id is not None]
    item = Item(ids["supplier"], ids["supplierItemId"])
    return ReceivedCall(operation_id, item, recipient_id, request.scope["raw_path"])


async def _get_openapi(_request: Request) -> Response:
    file = resources.files("item_visibility_service").joinpath("openapi.json")
    return Response(file.read_bytes(), media_type="application/json")


def _is_same(sent: str, expected: str) -> bool:
    return hmac.compare_digest(sent.encode(), expected.encode())


def _token_error(status: HTTPStatus, code: str, detail: str) -> Response:
    """Return an OAuth error that is also a problem detail."""
    problem = {"status": status.value, "title": status.phrase, "detail": detail}
    return JSONResponse(
        {"error": code, "error_description": detail, **problem},
        status_code=status,
        headers=_NO_CACHE,
    )


class _RawPaths:
    """Middleware that routes by the path as sent, and refuses ambiguous paths."""

    def __init__(self, app: ASGIApp) -> None:
        self._app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] == "http":
            try:
                scope["path"] = read_path(scope)
            except HTTPException as error:
                response = _problem(error.status_code, error.detail)
                return await response(scope, receive, send)
        return await self._app(scope, receive, send)


class _ExchangeLog:
    """Middleware that logs changes and errors.

    The path is left out because it contains ids.
    """

    def __init__(self, app: ASGIApp) -> None:
        self._app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        started_s = time.perf_counter()

        # This function is not async, because it awaits nothing itself.
        def send_and_log(message: Message) -> Awaitable[None]:
            if message["type"] == "http.response.start":
                _log_exchange(scope, message["status"], started_s)
            return send(message)

        await self._app(scope, receive, send_and_log)


def _log_exchange(scope: Scope, status: int, started_s: float) -> None:
    method = scope["method"]
    if status >= HTTPStatus.INTERNAL_SERVER_ERROR:
        level = logging.WARNING
    elif method == "GET":
        level = logging.DEBUG
    else:
        level = logging.INFO
    if not logger.isEnabledFor(level):
        return

    took_ms = round((time.perf_counter() - started_s) * 1000)
    request_id = Request(scope).headers.get("x-request-id", "")
    facts = {
        "request_id": request_id[:_MAX_REQUEST_ID_CHARACTERS],
        "took_ms": took_ms,
    }
    logger.log(level, "%s: %d", method, status, extra=facts)


def _problem(
    status: int, detail: str, headers: Mapping[str, str] | None = None
) -> Response:
    """Return a problem detail. Spec: "ProblemDetail"; RFC 9457."""
    content = {"status": status, "title": HTTPStatus(status).phrase, "detail": detail}
    return JSONResponse(content, status, headers, media_type="application/problem+json")


_PROBLEMS = {
    ListFullError: (
        HTTPStatus.BAD_REQUEST,
        f"An item has at most {MAX_RECIPIENTS} recipients.",
        None,
    ),
    StoreUnavailableError: (
        HTTPStatus.SERVICE_UNAVAILABLE,
        "The database does not answer. It is unknown whether the call was applied.",
        {"Retry-After": "1"},
    ),
    KeysUnavailableError: (
        HTTPStatus.SERVICE_UNAVAILABLE,
        "{error} Nothing was applied.",
        {"Retry-After": "5"},
    ),
    ClientDisconnect: (HTTPStatus.BAD_REQUEST, "The body did not arrive.", None),
    Exception: (
        HTTPStatus.INTERNAL_SERVER_ERROR,
        "The service has a defect. It is unknown whether the call was applied.",
        None,
    ),
}
"""Maps each class of error to the status, the text and the headers of the answer."""


def _answer_error(_request: Request, error: Exception) -> Response:
    if isinstance(error, HTTPException):
        return _problem(error.status_code, error.detail, error.headers)

    # The class nearest to that of the error decides. `Exception` is the last one.
    status, detail, headers = next(
        _PROBLEMS[kind] for kind in type(error).__mro__ if kind in _PROBLEMS
    )
    return _problem(status, detail.format(error=error), headers)
