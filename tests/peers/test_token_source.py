"""The client's tokens from a real Keycloak: short lives, revocation, refusals, a restart."""

import threading
import time
from collections import Counter
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from pathlib import Path

import httpx
import pytest

from item_visibility import ItemKey, TokenRefusedError, VisibilityClient
from item_visibility.bootstrap.open_desk import open_desk
from item_visibility.client.call_records import CallRecord
from item_visibility.client.token import (
    ASK_ADMINISTRATOR,
    ClientCredentials,
)
from item_visibility.jobs import throttle
from item_visibility.saving.job import JobState
from item_visibility.use_cases.desk import Desk
from tests.contract.bulk import (
    BEFORE,
    ITEMS,
    after,
    apply_and_wait,
    previewed,
    wait_for,
    wrong_items,
    wrong_rows,
)
from tests.contract.processes import settings_for
from tests.peers.keycloak import Keycloak, KeycloakProcess
from tests.support.desk import wait_until
from tests.support.fault_service import Call, FaultKind, FaultService, TokenEndpoint
from tests.support.quick_queue import quick_queue
from tests.support.thorough import this_is_thorough

__all__ = ["quick_queue"]

ITEM = ItemKey("S", "I")
CLIENT = "five seconds"
CALLED_FOR_S = 7.0
BREATH_S = 0.1
WRITES_BEFORE_THE_END = 5


class KeycloakTokens(TokenEndpoint):
    """Accepts the tokens that Keycloak calls active; none while there is no Keycloak."""

    def __init__(self, keycloak: Keycloak) -> None:
        super().__init__()
        self._keycloak = keycloak

    def accepts(self, authorization: str) -> bool:
        try:
            is_active = self._keycloak.accepts(authorization.removeprefix("Bearer "))
        except httpx.TransportError:
            is_active = False
        self.refused += [] if is_active else [authorization]
        return is_active


@pytest.fixture
def service(keycloak: Keycloak) -> Iterator[FaultService]:
    """A service that takes Keycloak's tokens only."""
    with FaultService() as service:
        service.tokens = KeycloakTokens(keycloak)
        service.fill("S", "I", ["r"])
        for item in ITEMS:
            service.fill(item.supplier, item.supplier_item_id, BEFORE)
        yield service


@pytest.fixture
def seen() -> list[CallRecord]:
    return []


@pytest.fixture
def client(keycloak: Keycloak, service: FaultService, seen: list[CallRecord]) -> Iterator[VisibilityClient]:
    """A client of both, whose tokens live five seconds."""
    with VisibilityClient(
        service.base_url, keycloak.auth_url, CLIENT, keycloak.secret, on_call=seen.append
    ) as client:
        yield client


@pytest.fixture
def desk(keycloak: Keycloak, service: FaultService, tmp_path: Path) -> Iterator[Desk]:
    """A desk on the same."""
    records = f"sqlite:///{tmp_path / 'records.sqlite'}"
    settings = settings_for(service.base_url, keycloak.auth_url, str(tmp_path), records)
    environment = replace(settings.environment(), credentials=ClientCredentials(CLIENT, keycloak.secret))
    opened = open_desk(replace(settings, environments=(environment,)))
    yield opened
    opened.close()


def statuses(seen: list[CallRecord], operation: str) -> Counter[int | None]:
    return Counter(record.status for record in seen if record.operation == operation)


def test_no_expired_token_reaches_the_service(
    client: VisibilityClient, service: FaultService, seen: list[CallRecord]
) -> None:
    ends_at = time.monotonic() + CALLED_FOR_S

    def call(_number: int) -> None:
        while time.monotonic() < ends_at:
            client.get_visibilities(ITEM)
            time.sleep(BREATH_S)

    with ThreadPoolExecutor(3) as threads:
        list(threads.map(call, range(3)))
    assert (service.tokens.refused, set(statuses(seen, "getVisibilities"))) == ([], {200})
    assert statuses(seen, "requestToken")[200] >= 2


def test_a_revoked_token_is_replaced_at_once(
    keycloak: Keycloak, service: FaultService, seen: list[CallRecord]
) -> None:
    with VisibilityClient(
        service.base_url, keycloak.auth_url, "five minutes", keycloak.secret, on_call=seen.append
    ) as client:
        client.get_visibilities(ITEM)
        moment = int(time.time()) + 1
        keycloak.revoke_all_before(moment)
        wait_until(lambda: time.time() >= moment)
        assert client.get_visibilities(ITEM) == {"r"}
    assert len(service.tokens.refused) == 1
    assert statuses(seen, "requestToken") == {200: 2}


@pytest.mark.parametrize(
    ("client_id", "wrong_secret", "code"),
    [
        (CLIENT, "wrong", "unauthorized_client"),
        ("people only", "", "unauthorized_client"),
        ("nobody", "", "invalid_client"),
        ("switched off", "", "invalid_client"),
        ("account disabled", "", "invalid_request"),
    ],
)
def test_a_refusal_names_the_reason_of_the_endpoint(
    keycloak: Keycloak, client_id: str, wrong_secret: str, code: str
) -> None:
    secret = wrong_secret or keycloak.secret
    with (
        VisibilityClient(f"{keycloak.auth_url}/v1", keycloak.auth_url, client_id, secret) as client,
        pytest.raises(TokenRefusedError) as caught,
    ):
        client.request_token()
    assert caught.value.message == f"The token endpoint refused this client ({code})."
    assert caught.value.advice == ASK_ADMINISTRATOR


@pytest.mark.skipif(not this_is_thorough(), reason="a restart of Keycloak takes 40 s: --thorough")
def test_a_job_goes_on_after_a_restart_of_keycloak(
    desk: Desk,
    service: FaultService,
    keycloak_process: KeycloakProcess,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    is_under_way, may_write, numbers = threading.Event(), threading.Event(), iter(range(1_000_000))

    def hold_the_job(call: Call) -> FaultKind | None:
        if call.operation != "getVisibilities" and next(numbers) == WRITES_BEFORE_THE_END:
            is_under_way.set()
            may_write.wait(60)
        return None

    monkeypatch.setattr(throttle, "PROBE_DELAYS_S", (0.5,))
    key = previewed(desk)
    service.choose_fault = hold_the_job
    apply_and_wait(desk, key, JobState.RUNNING)
    assert is_under_way.wait(60)
    keycloak_process.kill()
    may_write.set()
    wait_for(desk, key, JobState.WAITING)
    keycloak_process.start()
    wait_for(desk, key, JobState.ENDED)
    assert (wrong_rows(desk, key), service.tokens.refused == []) == ([], False)
    assert wrong_items(service, {number: after(number) for number in range(len(ITEMS))}) == []
