"""An authenticating proxy signs people in, through our nginx, before dashboards that believe it or do not."""

from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path
from urllib.parse import urlencode

import pytest
from playwright.sync_api import Browser, expect

from item_visibility_service.embedded import EmbeddedService
from item_visibility_service.http.accepted_ids import Item
from tests.browser.recipients import ANNA, BERTA
from tests.browser.windows import Windows
from tests.support.bundled_service import OperationLog, run_bundled, sqlite_url
from tests.support.dashboard import SUPPLIER, variables_for
from tests.support.nginx import find_nginx, run_nginx
from tests.support.oauth2_proxy import run_oauth2_proxy
from tests.support.pages import Person
from tests.support.ports import free_port
from tests.support.replicas import BASE_PATH, Replica
from tests.support.signed_in_dashboard import open_menu

pytestmark = [
    pytest.mark.peer,
    pytest.mark.skipif(find_nginx() is None, reason="no nginx here: apt-get install nginx"),
]

ITEM = Item(SUPPLIER, "09521000000018:276")
LINK = f"{BASE_PATH}/?{urlencode({'supplier': ITEM.supplier, 'item': ITEM.supplier_item_id})}"
FORGED = {"X-Forwarded-User": "0815", "X-Forwarded-Groups": "item-visibility-admin"}


@pytest.fixture(scope="module")
def service(tmp_path_factory: pytest.TempPathFactory) -> Iterator[EmbeddedService]:
    """The service behind the dashboard."""
    with run_bundled(sqlite_url(tmp_path_factory.mktemp("service")), OperationLog()) as service:
        yield service


@contextmanager
def behind_the_proxy(folder: Path, service: EmbeddedService, *, trusted: str) -> Iterator[str]:
    """A dashboard that believes a proxy at this address; its own address below nginx."""
    replica = Replica(folder)
    replica.variables |= variables_for(service) | {
        "ITEM_VISIBILITY_SIGN_IN_TRUSTED_PROXIES": trusted,
        "ITEM_VISIBILITY_SIGN_IN_SIGN_OUT_URL": "/oauth2/sign_out",
    }
    with ExitStack() as stack:
        ports = {"8501": replica.port, "8502": free_port(), "4180": stack.enter_context(run_oauth2_proxy())}
        stack.callback(replica.stop)
        replica.begin()
        replica.wait()
        yield stack.enter_context(run_nginx(folder / "nginx", ports, asked_first="oauth2-proxy.conf")).url


def somebody(chromium: Browser) -> Person:
    """A person whose browser says by headers that it is somebody else, and an admin."""
    return Windows(chromium, ignore_https_errors=True, extra_http_headers=FORGED).usual()


def test_whom_the_proxy_names_works_and_signs_out_there(
    chromium: Browser, service: EmbeddedService, tmp_path: Path
) -> None:
    """An editor comes back to the link and saves; the way out ends the window, too."""
    service.service.store.replace(ITEM, frozenset({ANNA}))
    with behind_the_proxy(tmp_path, service, trusted="127.0.0.1") as url:
        anna = somebody(chromium)
        anna.open(url + LINK).reads("1 recipient can see this item")
        anna.add(BERTA)
        anna.reads_staged()
        anna.press("Save")
        anna.reads_saved(f"Added {BERTA}")
        open_menu(anna)
        anna.reads("Role: editor")
        with anna.page.context.expect_page() as left:
            anna.page.get_by_text("Sign out").click()
        left.value.wait_for_url("**/oauth2/sign_out")
        anna.reads("You signed out. Nothing was changed.")
        anna.page.context.close()
    assert set(service.service.store.recipients(ITEM)) == {ANNA, BERTA}


def test_a_proxy_that_was_not_named_signs_nobody_in(
    chromium: Browser, service: EmbeddedService, tmp_path: Path
) -> None:
    """The same headers, from an address that the settings do not name."""
    with behind_the_proxy(tmp_path, service, trusted="203.0.113.5") as url:
        anna = somebody(chromium)
        anna.open(url + LINK).reads("Nobody is signed in here. Nothing was changed.")
        expect(anna.table).to_have_count(0)
        anna.page.context.close()
