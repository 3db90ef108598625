"""The realm that we ship, in a real Keycloak, and what our nginx lets through to it."""

import json
import ssl
from contextlib import closing
from http.client import HTTPSConnection
from pathlib import Path

import httpx
import pytest

from tests.peers.keycloak import Keycloak
from tests.peers.nginx import SHIPPED, find_nginx, run_nginx
from tests.support.desk import wait_until

REALM = "shipped"


def test_a_guessed_password_is_recorded_and_locks_the_person_out(keycloak: Keycloak) -> None:
    realm = json.loads((SHIPPED.parent / "keycloak/platform-api.json").read_text("utf-8"))
    credentials = [{"type": "password", "value": keycloak.secret}]
    anna = {"username": "anna", "enabled": True, "credentials": credentials}
    keycloak.administer("POST", "", realm | {"realm": REALM, "users": [anna]}).raise_for_status()
    address = f"{keycloak.auth_url}/auth/realms/{REALM}/protocol/openid-connect/token"
    form = {"client_id": "admin-cli", "grant_type": "password", "username": "anna", "password": "a guess"}
    guesses = [httpx.post(address, data=form, trust_env=False, timeout=60) for _ in range(12)]
    assert {guess.status_code for guess in guesses} <= {400, 401}
    (person,) = keycloak.administer("GET", f"/{REALM}/users?username=anna").json()
    path = f"/{REALM}/attack-detection/brute-force/users/{person['id']}"
    assert wait_until(lambda: keycloak.administer("GET", path).json()["disabled"])
    assert keycloak.administer("GET", f"/{REALM}/events?type=LOGIN_ERROR").json() != []


@pytest.mark.skipif(find_nginx() is None, reason="no nginx here: apt-get install nginx")
def test_no_path_leads_to_the_realm_of_the_administration(keycloak: Keycloak, tmp_path: Path) -> None:
    ways = ["platform-api", "master", "platform-api/..;/master", "platform-api/%2e%2e;/master", ";x/master"]
    with run_nginx(tmp_path, {"8080": int(keycloak.auth_url.rpartition(":")[2])}) as nginx:
        context = ssl.create_default_context(cafile=str(nginx.ca_file))
        statuses = []
        for way in ways:
            with closing(HTTPSConnection(nginx.url.removeprefix("https://"), context=context)) as connection:
                connection.request("GET", f"/auth/realms/{way}/.well-known/openid-configuration")
                statuses.append(connection.getresponse().status)
    assert (statuses[0], 200 in statuses[1:]) == (200, False)
