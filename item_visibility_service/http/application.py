"""The assembled service: settings go in, an ASGI application comes out."""

import itertools
import random
import time
from collections.abc import Callable
from functools import partial
from http import HTTPStatus
from importlib import resources

from starlette.applications import Starlette
from starlette.requests import ClientDisconnect, Request
from starlette.responses import JSONResponse, Response
from starlette.types import ASGIApp

from item_visibility_service.http.accepted_ids import Item
from item_visibility_service.http.exchange_counts import MEDIA_TYPE, ExchangeCounts
from item_visibility_service.http.exchange_log import ExchangeLog
from item_visibility_service.http.handlers import OnOperation, Operation, Operations
from item_visibility_service.http.problem_answers import ProblemError, bad_request, problem_response
from item_visibility_service.http.routing import RawPathRoute, Resource, Segments
from item_visibility_service.http.token_endpoint import TokenEndpoint
from item_visibility_service.limits import MAX_RECIPIENTS
from item_visibility_service.open_points.read_lag import LaggingReads
from item_visibility_service.open_points.refused_once import RefusedOnce
from item_visibility_service.open_points.switches import Switches
from item_visibility_service.running import run_on
from item_visibility_service.sample.load import invented_names
from item_visibility_service.service_settings import ServiceSettings, ServiceSettingsError, is_loopback
from item_visibility_service.storage.service_database import open_database
from item_visibility_service.storage.visibility_store import (
    Change,
    ListFullError,
    Store,
    StoreUnavailableError,
    usable_at_start,
)
from item_visibility_service.tokens.checked_tokens import CheckedTokens
from item_visibility_service.tokens.foreign_tokens import ForeignTokens
from item_visibility_service.tokens.issuer_keys import IssuerKeys, KeysUnavailableError
from item_visibility_service.tokens.key_download import download_keys
from item_visibility_service.tokens.own_tokens import OwnTokens


def create_service(
    settings: ServiceSettings,
    *,
    clock: Callable[[], float] = time.time,
    chance: Callable[[], float] = random.random,
    on_operation: OnOperation | None = None,
) -> "Service":
    """Return a service on an open, migrated database; close it after use. Raises ServiceSettingsError.

    `clock` returns seconds. `chance` returns a number from 0 up to, but not including, 1.
    `on_operation` is called for each operation before it is applied.
    """
    store = Store(open_database(settings.database_url))
    try:
        with usable_at_start():
            return Service(settings, store, clock=clock, chance=chance, on_operation=on_operation or ignore)
    except ServiceSettingsError:
        store.close()
        raise


class Service:
    """The running parts of the service.

    Attributes:
        asgi: the application, for any ASGI server.
        store: the stored visibilities and the signing key.
    """

    def __init__(
        self,
        settings: ServiceSettings,
        store: Store,
        *,
        clock: Callable[[], float],
        chance: Callable[[], float],
        on_operation: OnOperation,
    ) -> None:
        self.store = store
        self._reads = LaggingReads(store, clock)
        self._refused_once = RefusedOnce()
        self.switches = settings.switches
        self._keys: IssuerKeys | None = None

        def read_switches() -> Switches:
            return self._switches

        if settings.issuer is None:
            own = OwnTokens(store, clock)
            verify = own.verify
            endpoint = TokenEndpoint(settings=settings, tokens=own, read_switches=read_switches)
            of_tokens = [endpoint.resource()]
        else:
            self._keys = IssuerKeys(partial(download_keys, settings.issuer), time.monotonic)
            verify = ForeignTokens(settings.issuer, self._keys.find, clock).verify
            of_tokens = []  # the issuer gives them
        operations = Operations(
            store=store,
            reads=self._reads,
            tokens=CheckedTokens(verify, clock),
            read_switches=read_switches,
            chance=chance,
            refused_once=self._refused_once,
            on_operation=on_operation,
        )
        self._counts = ExchangeCounts()
        self.asgi: ASGIApp = _application(
            self._counts,
            *operations.resources(),
            *of_tokens,
            Resource("/v1/openapi.json", {"GET": _get_openapi}),
            Resource("/healthz", {"GET": self._get_health}),
            Resource("/readyz", {"GET": self._get_readiness}),
            Resource("/metrics", {"GET": self._get_metrics}),
        )

    @property
    def switches(self) -> Switches:
        """The service's behavior where the specification is silent. May be set at any time."""
        return self._switches

    @switches.setter
    def switches(self, switches: Switches) -> None:
        self._reads.set_lag(switches.read_lag_s)
        if not switches.failing_share:
            self._refused_once.forget()
        self._switches = switches

    def someone_else_edits(self, item: Item) -> Change:
        """Add one recipient to the item and remove another, as another user would."""
        present = self.store.recipients(item)
        strangers = (f"someone-else-{number}" for number in itertools.count(1))
        candidates = itertools.chain(
            (recipient_id for recipient_id, _ in invented_names().recipients), strangers
        )
        newcomer = next(candidate for candidate in candidates if candidate not in present)
        added = self._reads.change(item, lambda: self.store.add(item, newcomer))
        if not present:
            return added
        removed = self._reads.change(item, lambda: self.store.remove(item, present[0]))
        return Change(added=added.added, removed=removed.removed)

    def close(self) -> None:
        """Close all database connections; call it once nothing is served any more."""
        self.store.close()

    async def _get_health(self, _request: Request, _segments: Segments) -> Response:
        await run_on(self.store, self.store.check)
        return JSONResponse({"status": "ok"})

    async def _get_readiness(self, request: Request, segments: Segments) -> Response:
        """Answer 200 when calls can be answered: also the keys of another issuer are there."""
        if self._keys is not None:
            await self._keys.check()
        return await self._get_health(request, segments)

    async def _get_metrics(self, request: Request, _segments: Segments) -> Response:
        """Answer this machine alone: how much is asked is nobody else's."""
        if request.client is not None and not is_loopback(request.client.host):
            raise ProblemError(HTTPStatus.FORBIDDEN, "Numbers are for this machine.")
        return Response(self._counts.text(), media_type=MEDIA_TYPE)


def _application(counts: ExchangeCounts, *resources_of_service: Resource) -> ASGIApp:
    application = Starlette(
        routes=[RawPathRoute(resources_of_service)],
        exception_handlers={
            ProblemError: _answer_problem,
            ListFullError: _answer_full,
            StoreUnavailableError: _answer_unavailable,
            KeysUnavailableError: _answer_without_keys,
            ClientDisconnect: _answer_nobody,
            Exception: _answer_defect,
        },
    )
    return ExchangeLog(application, counts)


async def _get_openapi(_request: Request, _segments: Segments) -> Response:
    document = resources.files("item_visibility_service").joinpath("openapi.json").read_bytes()
    return Response(document, media_type="application/json")


def _answer_problem(_request: Request, error: Exception) -> Response:
    assert isinstance(error, ProblemError)  # noqa: S101  (Starlette's handlers are typed for any exception)
    return problem_response(error)


def _answer_full(_request: Request, _error: Exception) -> Response:
    """Answer as for a list that is too long."""
    return problem_response(bad_request(f"An item has at most {MAX_RECIPIENTS} recipients."))


def _answer_unavailable(_request: Request, _error: Exception) -> Response:
    detail = "The database does not answer. Whether the call was applied is not known."
    problem = ProblemError(HTTPStatus.SERVICE_UNAVAILABLE, detail, headers={"Retry-After": "1"})
    return problem_response(problem)


def _answer_without_keys(_request: Request, error: Exception) -> Response:
    """Answer a call whose token can be neither accepted nor refused."""
    detail = f"{error} Nothing was applied."
    problem = ProblemError(HTTPStatus.SERVICE_UNAVAILABLE, detail, headers={"Retry-After": "5"})
    return problem_response(problem)


def _answer_nobody(_request: Request, _error: Exception) -> Response:
    """Answer a client that left before its body was read; nothing was applied."""
    return problem_response(ProblemError(HTTPStatus.BAD_REQUEST, "The body did not arrive."))


def _answer_defect(_request: Request, _error: Exception) -> Response:
    """Answer an unexpected error; the server logs it."""
    detail = "The service has a defect. Whether the call was applied is not known."
    return problem_response(ProblemError(HTTPStatus.INTERNAL_SERVER_ERROR, detail))


def ignore(_operation: Operation) -> None:
    """Observe nothing."""
