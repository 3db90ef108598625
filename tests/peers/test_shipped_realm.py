"""The realm that we ship, in a real Keycloak: it locks out whoever guesses a password, and records it."""

import json

import httpx

from tests.peers.keycloak import Keycloak
from tests.peers.nginx import SHIPPED
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
