"""A running Keycloak with the realm `platform-api`, whose secrets are made up anew for each run."""

import json
import secrets
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path

import httpx
import pytest

from tests.peers.keycloak_program import NoKeycloakError, ensure_built, find_java
from tests.support.ports import free_port
from tests.support.program import Program

REALM = "platform-api"
REALM_FILE = Path(__file__).with_name("platform_api_realm.json")
OPENID = f"/auth/realms/{REALM}/protocol/openid-connect"
_ADMIN = "admin"
_JAVA = "-Xms96m -Xmx512m -XX:TieredStopAtLevel=1 -XX:+UseSerialGC -XX:-UsePerfData -Dfile.encoding=UTF-8"


@dataclass(frozen=True, slots=True)
class Keycloak:
    """A Keycloak with our realm: its {auth_url}, and the secrets of its clients and people."""

    auth_url: str
    admin_secret: str = field(repr=False)
    secret: str = field(default_factory=lambda: secrets.token_urlsafe(24), repr=False)
    """The secret of all clients, and the password of all people."""

    @property
    def issuer(self) -> str:
        return f"{self.auth_url}/auth/realms/{REALM}"

    def create_realm(self) -> None:
        realm = json.loads(REALM_FILE.read_text("utf-8"))
        for client in realm["clients"]:
            client["secret"] = self.secret
        for user in realm["users"]:
            user |= {
                "enabled": True,
                "email": f"{user['username']}@example.com",
                "emailVerified": True,
                "credentials": [{"type": "password", "value": self.secret, "temporary": False}],
            }
        self.administer("POST", "", realm).raise_for_status()

    def accepts(self, token: str) -> bool:
        """True when Keycloak itself calls a token active. RFC 7662."""
        form = {"client_id": "service", "client_secret": self.secret, "token": token}
        answer = httpx.post(
            f"{self.auth_url}{OPENID}/token/introspect", data=form, trust_env=False, timeout=60
        )
        return bool(answer.raise_for_status().json()["active"])

    def administer(self, method: str, path: str, value: object = None) -> httpx.Response:
        form = {"client_id": "admin-cli", "grant_type": "password", "username": _ADMIN}
        token = httpx.post(
            f"{self.auth_url}/auth/realms/master/protocol/openid-connect/token",
            data=form | {"password": self.admin_secret},
            trust_env=False,
            timeout=60,
        ).raise_for_status()
        return httpx.request(
            method,
            f"{self.auth_url}/auth/admin/realms{path}",
            json=value,
            headers={"Authorization": f"Bearer {token.json()['access_token']}"},
            trust_env=False,
            timeout=60,
        )


@contextmanager
def run_keycloak() -> Iterator[Keycloak]:
    """Run a Keycloak of our own with the realm; skip where there is no Java, or no Keycloak."""
    try:
        program, java, port = ensure_built(), find_java(), free_port()
    except NoKeycloakError as error:
        pytest.skip(f"no Keycloak: {error}")
    keycloak = Keycloak(f"http://127.0.0.1:{port}", secrets.token_urlsafe(24))
    options = ["start", "--optimized", "--http-enabled=true", "--hostname-strict=false"]
    options += ["--http-host=127.0.0.1", f"--http-port={port}", "--log-level=warn"]
    with tempfile.TemporaryDirectory(prefix="keycloak-", ignore_cleanup_errors=True) as folder:
        process = Program(
            [program / "bin/kc.sh", *options, f"--db-url=jdbc:h2:file:{folder}/data;NON_KEYWORDS=VALUE"],
            log=Path(folder, "keycloak.log"),
            ready_url=f"{keycloak.auth_url}/auth/realms/master",
            variables={
                "JAVA_HOME": str(java),
                "JAVA_OPTS": _JAVA,
                "KC_BOOTSTRAP_ADMIN_USERNAME": _ADMIN,
                "KC_BOOTSTRAP_ADMIN_PASSWORD": keycloak.admin_secret,
            },
        )
        try:
            process.start()
            keycloak.create_realm()
            yield keycloak
        finally:
            process.kill()
