"""A real Keycloak: people sign in with it, client and service use its tokens, and our
realm is protected.
"""

import json
import re
import shutil
import ssl
import time
from collections import Counter
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing, contextmanager
from http.client import HTTPSConnection
from pathlib import Path
from urllib.parse import urlencode

import httpx
import pytest
from playwright.sync_api import Browser, expect

from item_visibility import ItemKey, TokenRefusedError, VisibilityClient
from item_visibility.client.call_records import CallRecord
from item_visibility.client.token import ASK_ADMINISTRATOR
from item_visibility_service.server import EmbeddedService
from item_visibility_service.settings import OtherIssuer, ServiceSettings
from tests.browser.windows import Windows
from tests.peers.conftest import NewPerson
from tests.peers.keycloak import OPENID, Keycloak
from tests.peers.nginx import BASE_PATH, SHIPPED, Nginx, find_nginx, run_nginx
from tests.support.bundled_service import OperationLog, run_bundled, sqlite_url
from tests.support.dashboard import Dashboard, Place, running, variables_for
from tests.support.desk import wait_until
from tests.support.fault_service import FaultService, TokenEndpoint
from tests.support.pages import Person
from tests.support.program import ROOT
from tests.support.screen_states import ANNA, BERTA, DORA


@pytest.fixture(scope="module")
def log() -> OperationLog:
    return OperationLog()


@pytest.fixture(scope="module")
def service(
    tmp_path_factory: pytest.TempPathFactory, log: OperationLog
) -> Iterator[EmbeddedService]:
    with run_bundled(sqlite_url(tmp_path_factory.mktemp("service")), log) as service:
        yield service


@pytest.fixture(scope="module")
def place(
    tmp_path_factory: pytest.TempPathFactory,
    service: EmbeddedService,
    keycloak: Keycloak,
    chromium: Browser,
) -> Iterator[Place]:
    """A dashboard with a sign-in. It is not started if there is no browser."""
    assert chromium.is_connected()
    with run_signed_in(
        tmp_path_factory.mktemp("signed in") / "home", service, keycloak
    ) as place:
        yield place


def writes(log: OperationLog) -> list[str]:
    names = [operation.operation_id for operation in log.operations]
    return [name for name in names if name != "getVisibilities"]


def test_a_sign_in_returns_to_the_link_and_an_editor_can_save(
    new_person: NewPerson, place: Place, keycloak: Keycloak
) -> None:
    edgar = new_person()
    item = place.new_item(ANNA)
    edgar.open(place.address(item))
    sign_in(edgar, "edgar", keycloak)
    edgar.add(DORA)
    edgar.reads_chips(1)
    edgar.press("Save")
    edgar.reads_saved(f"Added {DORA}")
    assert place.recipients(item) == {ANNA, DORA}
    edgar.press("More")
    # Streamlit creates the file in another thread.
    with edgar.page.expect_download() as download:
        edgar.press(re.compile("^Download CSV"))
    assert DORA in download.value.path().read_text("utf-8")
    edgar.page.keyboard.press("Escape")
    open_menu(edgar)
    edgar.reads("Role: editor")
    edgar.go("History")
    expect(
        edgar.page.locator("canvas td", has_text="Edgar Ebner").first
    ).to_be_attached()


def test_a_sign_out_ends_the_session_at_keycloak_too(
    new_person: NewPerson, place: Place, keycloak: Keycloak
) -> None:
    ada = new_person()
    ada.open(place.dashboard.url)
    sign_in(ada, "ada", keycloak)
    open_menu(ada)
    ada.reads("Role: admin")
    ada.page.keyboard.press("Escape")
    sign_out(ada)
    ada.press("Sign in")
    expect(ada.page.get_by_label("Password", exact=True)).to_be_visible()


def test_changes_survive_a_sign_out_in_another_tab(
    new_person: NewPerson, place: Place, keycloak: Keycloak, log: OperationLog
) -> None:
    edgar = new_person()
    item = place.new_item(ANNA, BERTA)
    edgar.open(place.address(item))
    sign_in(edgar, "edgar", keycloak)
    edgar.add(DORA)
    edgar.reads_chips(1)
    edgar.tick(0)
    other_tab = Person(edgar.page.context.new_page(), edgar.watch)
    other_tab.open(place.dashboard.url)
    sign_out(other_tab)
    written = len(writes(log))
    edgar.press("Save")
    edgar.reads("You were signed out. Nothing was changed.")
    edgar.reads(
        "Your changes are not saved. They will be filled in again after you sign in."
    )
    assert len(writes(log)) == written
    assert place.recipients(item) == {ANNA, BERTA}
    sign_in(edgar, "edgar", keycloak)
    edgar.reads_chips(1)
    edgar.press("Save")
    edgar.reads("Remove 1 recipient")
    assert len(writes(log)) == written
    edgar.confirm()
    edgar.reads_saved(f"Added {DORA}, removed {ANNA}")
    assert place.recipients(item) == {BERTA, DORA}


def test_a_person_with_many_cookies_signs_in_through_the_proxy(
    chromium: Browser,
    place: Place,
    service: EmbeddedService,
    keycloak: Keycloak,
    tmp_path: Path,
) -> None:
    if find_nginx() is None:
        pytest.skip("no nginx here: apt-get install nginx")
    windows = Windows(chromium, ignore_https_errors=True)
    with (
        run_behind_nginx(tmp_path, service, keycloak) as nginx,
        windows.lend() as edgar,
    ):
        edgar.fill_with_cookies(nginx.url, 29_000)
        item = place.new_item(ANNA)
        parts = urlencode({"supplier": item.supplier, "item": item.supplier_item_id})
        edgar.open(f"{nginx.url}{BASE_PATH}/?{parts}")
        sign_in(edgar, "edgar", keycloak)
        edgar.add(DORA)
        edgar.reads_chips(1)
        edgar.press("Save")
        edgar.reads_saved(f"Added {DORA}")
        assert place.recipients(item) == {ANNA, DORA}
        sent = edgar.page.context.cookies(f"{nginx.url}{BASE_PATH}/")
        assert (
            sum(len(f"{cookie['name']}={cookie['value']}; ") for cookie in sent)
            > 31_500
        )
        edgar.page.reload()
        edgar.reads("2 recipients can see this item")


_SECRETS = """
[auth]
redirect_uri = "{redirect_uri}"
cookie_secret = "{secret}{secret}"
client_id = "dashboard"
client_secret = "{secret}"
server_metadata_url = "{issuer}/.well-known/openid-configuration"
"""


def _configure_sign_in(
    folder: Path, keycloak: Keycloak, issuer: str, redirect_uri: str
) -> None:
    secrets = _SECRETS.format(
        secret=keycloak.secret, issuer=issuer, redirect_uri=redirect_uri
    )
    configuration = folder / ".streamlit"
    configuration.mkdir(parents=True)
    shutil.copy(ROOT / ".streamlit/config.toml", configuration)
    (configuration / "secrets.toml").write_text(secrets, "utf-8")


@contextmanager
def run_behind_nginx(
    folder: Path, service: EmbeddedService, keycloak: Keycloak
) -> Iterator[Nginx]:
    """Run one dashboard and Keycloak behind nginx, at the same address."""
    home = folder / "home"
    dashboard = Dashboard(
        home, variables_for(service), started_in=home, base_path=BASE_PATH
    )
    port = dashboard.url.removesuffix(BASE_PATH).rpartition(":")[2]
    ports = {
        "8501": int(port),
        "8502": int(port),
        "8080": int(keycloak.auth_url.rpartition(":")[2]),
    }
    with (
        run_nginx(folder / "nginx", ports) as nginx,
        keycloak.shown_at(nginx.url) as issuer,
    ):
        _configure_sign_in(
            home, keycloak, issuer, f"{nginx.url}{BASE_PATH}/oauth2callback"
        )
        dashboard.variables["ITEM_VISIBILITY_CA_FILE"] = str(nginx.ca_file)
        with running(dashboard):
            yield nginx


@contextmanager
def run_signed_in(
    folder: Path, service: EmbeddedService, keycloak: Keycloak, **variables: str
) -> Iterator[Place]:
    _configure_sign_in(
        folder, keycloak, keycloak.issuer, "http://127.0.0.1:{port}/oauth2callback"
    )
    dashboard = Dashboard(folder, variables_for(service) | variables, started_in=folder)
    with running(dashboard):
        yield Place(dashboard, service.service.store)


def sign_in(person: Person, username: str, keycloak: Keycloak) -> None:
    person.press(re.compile("^Sign in( again)?$"))
    person.page.get_by_label("Username or email").fill(username)
    person.page.get_by_label("Password", exact=True).fill(keycloak.secret)
    person.page.get_by_role("button", name="Sign In").click()
    person.page.wait_for_url(re.compile(r"^(?!.*/realms/)"))


def sign_out(person: Person) -> None:
    open_menu(person)
    person.press("Sign out")
    expect(person.button("Sign in")).to_be_visible()


def open_menu(person: Person) -> None:
    person.page.locator(".st-key-person_menu button").first.click()


REALM = "shipped"


def test_a_guessed_password_is_recorded_and_locks_the_person_out(
    keycloak: Keycloak,
) -> None:
    realm = json.loads(
        (SHIPPED.parent / "keycloak/platform-api.json").read_text("utf-8")
    )
    credentials = [{"type": "password", "value": keycloak.secret}]
    anna = {"username": "anna", "enabled": True, "credentials": credentials}
    realm |= {"realm": REALM, "users": [anna]}
    keycloak.administer("POST", "", realm).raise_for_status()

    address = f"{keycloak.auth_url}/auth/realms/{REALM}/protocol/openid-connect/token"
    form = {
        "client_id": "admin-cli",
        "grant_type": "password",
        "username": "anna",
        "password": "a guess",
    }
    guesses = [
        httpx.post(address, data=form, trust_env=False, timeout=60) for _ in range(12)
    ]
    assert {guess.status_code for guess in guesses} <= {400, 401}

    (person,) = keycloak.administer("GET", f"/{REALM}/users?username=anna").json()
    path = f"/{REALM}/attack-detection/brute-force/users/{person['id']}"
    assert wait_until(lambda: keycloak.administer("GET", path).json()["disabled"])
    assert keycloak.administer("GET", f"/{REALM}/events?type=LOGIN_ERROR").json() != []


@pytest.mark.skipif(find_nginx() is None, reason="no nginx here: apt-get install nginx")
def test_the_realm_of_the_administration_cannot_be_reached(
    keycloak: Keycloak, tmp_path: Path
) -> None:
    ways = [
        "platform-api",
        "master",
        "platform-api/..;/master",
        "platform-api/%2e%2e;/master",
        ";x/master",
    ]
    port = int(keycloak.auth_url.rpartition(":")[2])
    with run_nginx(tmp_path, {"8080": port}) as nginx:
        context = ssl.create_default_context(cafile=str(nginx.ca_file))
        statuses = []
        for way in ways:
            path = f"/auth/realms/{way}/.well-known/openid-configuration"
            host = nginx.url.removeprefix("https://")
            with closing(HTTPSConnection(host, context=context)) as connection:
                connection.request("GET", path)
                statuses.append(connection.getresponse().status)
    assert statuses[0] == 200
    assert 200 not in statuses[1:]


ITEM = ItemKey("S", "I")
CLIENT = "five seconds"
CALLED_FOR_S = 7.0
BREATH_S = 0.1


class KeycloakTokens(TokenEndpoint):
    """Accepts tokens that Keycloak calls active.

    While Keycloak does not run, it accepts none.
    """

    def __init__(self, keycloak: Keycloak) -> None:
        super().__init__()
        self._keycloak = keycloak

    def accepts(self, authorization: str) -> bool:
        try:
            is_active = self._keycloak.accepts(authorization.removeprefix("Bearer "))
        except httpx.TransportError:
            is_active = False
        if not is_active:
            self.refused.append(authorization)
        return is_active


@pytest.fixture
def guarded(keycloak: Keycloak) -> Iterator[FaultService]:
    with FaultService() as guarded:
        guarded.tokens = KeycloakTokens(keycloak)
        guarded.fake.put(ItemKey("S", "I"), ["r"])
        yield guarded


@pytest.fixture
def seen() -> list[CallRecord]:
    return []


@pytest.fixture
def client(
    keycloak: Keycloak, guarded: FaultService, seen: list[CallRecord]
) -> Iterator[VisibilityClient]:
    with VisibilityClient(
        guarded.base_url,
        keycloak.auth_url,
        CLIENT,
        keycloak.secret,
        on_call=seen.append,
    ) as client:
        yield client


def statuses(seen: list[CallRecord], operation: str) -> Counter[int | None]:
    return Counter(record.status for record in seen if record.operation == operation)


def test_no_expired_token_reaches_the_service(
    client: VisibilityClient, guarded: FaultService, seen: list[CallRecord]
) -> None:
    ends_at = time.monotonic() + CALLED_FOR_S

    def call(_number: int) -> None:
        while time.monotonic() < ends_at:
            client.get_visibilities(ITEM)
            time.sleep(BREATH_S)

    with ThreadPoolExecutor(3) as threads:
        list(threads.map(call, range(3)))
    assert guarded.tokens.refused == []
    assert set(statuses(seen, "getVisibilities")) == {200}
    assert statuses(seen, "requestToken")[200] >= 2


@pytest.mark.parametrize(
    ("client_id", "wrong_secret", "code"),
    [
        (CLIENT, "wrong", "unauthorized_client"),
        ("people only", "", "unauthorized_client"),
        ("nobody", "", "invalid_client"),
        ("switched off", "", "invalid_client"),
    ],
)
def test_a_refused_token_request_names_the_error_code_of_keycloak(
    keycloak: Keycloak, client_id: str, wrong_secret: str, code: str
) -> None:
    secret = wrong_secret or keycloak.secret
    with (
        VisibilityClient(
            f"{keycloak.auth_url}/v1", keycloak.auth_url, client_id, secret
        ) as client,
        pytest.raises(TokenRefusedError) as caught,
    ):
        client.request_token()
    assert caught.value.message == f"The token endpoint refused this client ({code})."
    assert caught.value.advice == ASK_ADMINISTRATOR


def test_a_client_of_keycloak_works_with_the_bundled_service(
    keycloak: Keycloak, tmp_path: Path
) -> None:
    issuer = OtherIssuer(
        url=keycloak.issuer, audience="service", client_id="five minutes"
    )
    settings = ServiceSettings(sqlite_url(tmp_path), issuer=issuer)
    with (
        EmbeddedService(settings) as service,
        VisibilityClient(
            service.base_url, keycloak.auth_url, "five minutes", keycloak.secret
        ) as client,
    ):
        client.add_visibility(ITEM, "r")
        recipients = client.get_visibilities(ITEM)
        ready = httpx.get(f"{service.auth_url}/readyz", trust_env=False)
        token = httpx.post(f"{service.auth_url}{OPENID}/token", trust_env=False)
    assert recipients == {"r"}
    assert ready.status_code == 200
    assert token.status_code == 404
