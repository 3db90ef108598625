"""The five operations over HTTP. Spec: "Endpoints"."""

from collections.abc import Callable
from dataclasses import dataclass
from http import HTTPStatus

from starlette.requests import Request
from starlette.responses import JSONResponse, Response

from item_visibility_service.http.accepted_ids import Item, check_recipients, read_segment
from item_visibility_service.http.bodies import read_body, read_recipients_array
from item_visibility_service.http.problem_answers import ProblemError, bad_request
from item_visibility_service.http.routing import Endpoint, Resource, Segments, header_values
from item_visibility_service.limits import MAX_LIST_BYTES, MAX_RECIPIENTS
from item_visibility_service.open_points.failures import choose_failure, fail_after, fail_before
from item_visibility_service.open_points.read_lag import LaggingReads
from item_visibility_service.open_points.refused_once import RefusedOnce, refusal_once
from item_visibility_service.open_points.switches import Switches
from item_visibility_service.running import run_on
from item_visibility_service.storage.visibility_store import Change, Store
from item_visibility_service.tokens.checked_tokens import CheckedTokens, InvalidTokenError

ITEM_PATH = "/v1/itemvisibilities/{supplier}/{supplierItemId}"
VISIBILITY_PATH = f"{ITEM_PATH}/recipient/{{recipientId}}"

_NAMES = ("supplier", "supplierItemId", "recipientId")
_REALM = 'Bearer realm="item-visibilities"'


@dataclass(frozen=True, slots=True)
class Operation:
    """One operation as the service understood it, with the path as it was sent."""

    operation_id: str
    supplier: str
    supplier_item_id: str
    recipient_id: str | None
    raw_path: bytes


OnOperation = Callable[[Operation], None]
"""An observer, told of each operation before it is applied. The call waits for it."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Operations:
    """Handlers that answer the five operations from the store, as the switches say."""

    store: Store
    reads: LaggingReads
    tokens: CheckedTokens
    read_switches: Callable[[], Switches]
    chance: Callable[[], float]
    refused_once: RefusedOnce
    on_operation: OnOperation

    def resources(self) -> tuple[Resource, ...]:
        """The two paths of the API."""
        item: dict[str, Endpoint] = {
            "GET": self._get_visibilities,
            "PUT": self._set_visibilities,
            "DELETE": self._remove_visibilities,
        }
        visibility: dict[str, Endpoint] = {"PUT": self._add_visibility, "DELETE": self._remove_visibility}
        return Resource(ITEM_PATH, item), Resource(VISIBILITY_PATH, visibility)

    async def _get_visibilities(self, request: Request, segments: Segments) -> Response:
        call = await self._admit("getVisibilities", request, segments)

        def work() -> Response:
            recipients = self.reads.recipients(call.item)
            if not recipients and call.switches.empty_is_not_found:
                return Response(status_code=HTTPStatus.NOT_FOUND)  # without content. Spec: "Errors"; Note N4
            return JSONResponse(recipients, headers={"Cache-Control": "no-store"})

        return await self._run(call, work)

    async def _set_visibilities(self, request: Request, segments: Segments) -> Response:
        call = await self._admit("setVisibilities", request, segments)
        body = await read_body(request, media_type="application/json", max_bytes=MAX_LIST_BYTES)
        recipients = check_recipients(read_recipients_array(body, max_items=MAX_RECIPIENTS))
        write = self.store.merge if call.switches.put_merges else self.store.replace  # Note N3
        return await self._change(call, lambda: write(call.item, recipients))

    async def _remove_visibilities(self, request: Request, segments: Segments) -> Response:
        call = await self._admit("removeVisibilities", request, segments)
        return await self._remove(call, lambda: self.store.remove_all(call.item))

    async def _add_visibility(self, request: Request, segments: Segments) -> Response:
        call = await self._admit("addVisibility", request, segments)
        return await self._change(call, lambda: self.store.add(call.item, call.recipient_id))

    async def _remove_visibility(self, request: Request, segments: Segments) -> Response:
        call = await self._admit("removeVisibility", request, segments)
        return await self._remove(call, lambda: self.store.remove(call.item, call.recipient_id))

    async def _admit(self, operation_id: str, request: Request, segments: Segments) -> "_Call":
        """Return the call if it is authorized and its ids are valid; raises ProblemError (400, 401)."""
        switches = self.read_switches()
        token = _bearer_token(request)
        if switches.refuses_tokens:
            raise _invalid_token("Every access token is refused at the moment.")
        try:
            await self.tokens.check(token)
        except InvalidTokenError as error:
            raise _invalid_token(str(error)) from None
        if request.scope["query_string"]:
            raise bad_request("No operation takes a query: write a question mark in an identifier as %3F.")
        named = zip(_NAMES, segments, strict=False)  # two of an item, three with a recipient
        supplier, supplier_item_id, *recipient = [read_segment(name, raw) for name, raw in named]
        raw_path = request.scope["raw_path"]
        return _Call(switches, operation_id, Item(supplier, supplier_item_id), "".join(recipient), raw_path)

    async def _change(self, call: "_Call", apply: Callable[[], Change]) -> Response:
        def work() -> Response:
            self.reads.change(call.item, apply)
            return Response(status_code=HTTPStatus.NO_CONTENT)

        return await self._run(call, work)

    async def _remove(self, call: "_Call", apply: Callable[[], Change]) -> Response:
        def remove() -> Change:
            change = apply()
            if call.switches.removing_missing_is_not_found and not change.removed:  # Note N5
                raise ProblemError(HTTPStatus.NOT_FOUND, "There was nothing to remove.")
            return change

        return await self._change(call, remove)

    async def _run(self, call: "_Call", work: Callable[[], Response]) -> Response:
        change = (call.operation_id, call.item, call.recipient_id)
        if call.recipient_id and self.refused_once.refuses(change, call.switches):
            raise refusal_once()
        failure = choose_failure(call.switches, self.chance)
        fail_before(failure)
        item, recipient_id = call.item, call.recipient_id or None
        self.on_operation(
            Operation(call.operation_id, item.supplier, item.supplier_item_id, recipient_id, call.raw_path)
        )
        return fail_after(failure, await run_on(self.store, work))


@dataclass(frozen=True, slots=True)
class _Call:
    """One call: its switches, fixed for the whole call, and its ids; `recipient_id` is empty without one."""

    switches: Switches
    operation_id: str
    item: Item
    recipient_id: str
    raw_path: bytes


def _bearer_token(request: Request) -> str:
    given = header_values(request.scope, b"authorization")
    scheme, _, token = given[0].decode("latin-1").partition(" ") if len(given) == 1 else ("", "", "")
    if scheme.lower() != "bearer" or not token.strip():
        detail = "Send one access token in the header Authorization, as Bearer and the token."
        raise ProblemError(HTTPStatus.UNAUTHORIZED, detail, headers={"WWW-Authenticate": _REALM})
    return token.strip()


def _invalid_token(detail: str) -> ProblemError:
    headers = {"WWW-Authenticate": f'{_REALM}, error="invalid_token"'}
    return ProblemError(HTTPStatus.UNAUTHORIZED, detail, headers=headers)
