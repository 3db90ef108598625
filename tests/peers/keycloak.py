"""A Keycloak for the tests, from Maven Central, built once, and run with our realm.

`python -m tests.peers.keycloak` downloads it (170 MB) if Java and Maven are installed.
It stays in the user's cache folder for other checkouts. Its secrets are made for each
run, except the administrator's password. That belongs to the first database, which is
made only once because this takes 20 s.
"""

import json
import os
import pwd
import secrets
import shutil
import subprocess
import sys
import tempfile
import zipfile
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path

import httpx
import pytest

from tests.support.listening import free_port
from tests.support.program import Program

VERSION = "26.7.3"
ARTIFACT = f"org.keycloak:keycloak-quarkus-dist:{VERSION}:zip"
COPY = "org.apache.maven.plugins:maven-dependency-plugin:3.8.1:copy"
CACHE = Path(pwd.getpwuid(os.getuid()).pw_dir, ".cache", "item-visibility-tests")
UNPACKED = CACHE / f"keycloak-{VERSION}"
FIRST_DATABASE = UNPACKED / "first-database"
WAYS_OF_BUILDING = (
    "--db=dev-file",
    "--http-relative-path=/auth",
    "--health-enabled=false",
    "--cache=local",
)
_WITHIN_S = 600


class NoKeycloakError(Exception):
    """Keycloak is not available. The message says why."""


def find_java() -> Path:
    """Return the folder of Java.

    If Java is too old, Keycloak reports it. Raises NoKeycloakError.
    """
    home = os.environ.get("JAVA_HOME")
    if home:
        return Path(home)
    program = shutil.which("java")
    if program is None:
        raise NoKeycloakError("there is no Java here")
    return Path(program).resolve().parent.parent


def ensure_built() -> Path:
    """Return the folder of Keycloak.

    Download, unpack and build it if needed. Raises NoKeycloakError.
    """
    java = find_java()
    if not UNPACKED.is_dir():
        _fetch_and_build(java)
    if not FIRST_DATABASE.is_dir():
        _make_first_database(java)
    return UNPACKED


def _fetch_and_build(java: Path) -> None:
    maven = shutil.which("mvn")
    if maven is None:
        raise NoKeycloakError("there is no Maven here to fetch Keycloak with")
    CACHE.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(dir=CACHE) as folder:
        options = [f"-Dartifact={ARTIFACT}", f"-DoutputDirectory={folder}"]
        _run([maven, "-q", "-B", COPY, *options], java)
        with zipfile.ZipFile(next(Path(folder).glob("*.zip"))) as file:
            file.extractall(folder)

        unpacked = next(Path(folder).glob("keycloak-*/"))
        command = unpacked / "bin/kc.sh"
        command.chmod(0o700)
        _run([str(command), "build", *WAYS_OF_BUILDING], java)
        # Another run may have been faster.
        if not UNPACKED.is_dir():
            unpacked.rename(UNPACKED)


def _make_first_database(java: Path) -> None:
    """Store a database with all tables and an administrator, and a file with the
    administrator's password.
    """
    with tempfile.TemporaryDirectory(dir=CACHE) as folder:
        database = Path(folder, "made")
        database.mkdir(mode=0o700)
        secret = secrets.token_urlsafe(24)
        (database / "secret").write_text(secret, "utf-8")
        command = [
            str(UNPACKED / "bin/kc.sh"),
            "bootstrap-admin",
            "user",
            "--optimized",
            _database(database),
            f"--username={_ADMIN}",
            "--password:env=SECRET",
            "--no-prompt",
        ]
        _run(command, java, SECRET=secret)
        if not FIRST_DATABASE.is_dir():
            database.rename(FIRST_DATABASE)


def _database(folder: Path) -> str:
    return f"--db-url=jdbc:h2:file:{folder}/data;NON_KEYWORDS=VALUE"


def _run(command: list[str], java: Path, **variables: str) -> None:
    name = Path(command[0]).name
    environment = {**os.environ, "JAVA_HOME": str(java), **variables}
    try:
        answer = subprocess.run(
            command,
            capture_output=True,
            check=False,
            env=environment,
            stdin=subprocess.DEVNULL,
            text=True,
            timeout=_WITHIN_S,
        )
    except subprocess.TimeoutExpired:
        raise NoKeycloakError(f"{name} was not ready within {_WITHIN_S} s") from None

    if answer.returncode:
        output = answer.stderr.strip() or answer.stdout.strip() or "nothing"
        last_line = output.splitlines()[-1]
        raise NoKeycloakError(f"{name} ended with {answer.returncode}: {last_line}")


def main() -> int:
    """Print where Keycloak is, or why its tests are skipped. Return 0 in both cases."""
    try:
        answer = str(ensure_built())
    except NoKeycloakError as error:
        answer = f"none: its tests are skipped, because {error}"
    sys.stdout.write(f"[keycloak] {answer}\n")
    return 0


REALM = "platform-api"
REALM_FILE = Path(__file__).with_name("platform_api_realm.json")
OPENID = f"/auth/realms/{REALM}/protocol/openid-connect"
_ADMIN = "admin"
_JAVA = (
    "-Xms96m -Xmx512m -XX:TieredStopAtLevel=1 -XX:+UseSerialGC"
    " -XX:-UsePerfData -Dfile.encoding=UTF-8"
)


@dataclass(frozen=True, slots=True)
class Keycloak:
    """A Keycloak with our realm: its address and its secrets."""

    auth_url: str
    admin_secret: str = field(repr=False)
    secret: str = field(default_factory=lambda: secrets.token_urlsafe(24), repr=False)
    """The secret of all clients and the password of all people."""

    @property
    def issuer(self) -> str:
        return f"{self.auth_url}/auth/realms/{REALM}"

    def create_realm(self) -> None:
        realm = json.loads(REALM_FILE.read_text("utf-8"))
        for client in realm["clients"]:
            client["secret"] = self.secret
        password = {"type": "password", "value": self.secret, "temporary": False}
        for user in realm["users"]:
            user |= {
                "enabled": True,
                "email": f"{user['username']}@example.com",
                "emailVerified": True,
                "credentials": [password],
            }
        self.administer("POST", "", realm).raise_for_status()

    @contextmanager
    def shown_at(self, url: str) -> Iterator[str]:
        """Let the realm use this address in its links for the block.

        Yield its issuer.
        """
        address = f"{url}/auth"
        self._set_attribute("frontendUrl", address)
        try:
            yield f"{address}/realms/{REALM}"
        finally:
            self._set_attribute("frontendUrl", "")

    def _set_attribute(self, name: str, value: str) -> None:
        self.administer(
            "PUT", f"/{REALM}", {"attributes": {name: value}}
        ).raise_for_status()

    def accepts(self, token: str) -> bool:
        """Return True if Keycloak reports that the token is active. RFC 7662."""
        form = {"client_id": "service", "client_secret": self.secret, "token": token}
        answer = httpx.post(
            f"{self.auth_url}{OPENID}/token/introspect",
            data=form,
            trust_env=False,
            timeout=60,
        )
        return bool(answer.raise_for_status().json()["active"])

    def administer(
        self, method: str, path: str, value: object = None
    ) -> httpx.Response:
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
    """Run a Keycloak with our realm. Skip the tests without Java or Keycloak."""
    try:
        program = ensure_built()
        java = find_java()
    except NoKeycloakError as error:
        pytest.skip(f"no Keycloak: {error}")

    port = free_port()
    secret = (FIRST_DATABASE / "secret").read_text("utf-8")
    keycloak = Keycloak(f"http://127.0.0.1:{port}", secret)
    options = [
        "start",
        "--optimized",
        "--http-enabled=true",
        "--hostname-strict=false",
        "--cache=local",
        "--http-host=127.0.0.1",
        f"--http-port={port}",
        "--log-level=warn",
    ]
    with tempfile.TemporaryDirectory(
        prefix="keycloak-", ignore_cleanup_errors=True
    ) as folder:
        shutil.copytree(FIRST_DATABASE, folder, dirs_exist_ok=True)
        process = Program(
            [program / "bin/kc.sh", *options, _database(Path(folder))],
            log=Path(folder, "keycloak.log"),
            ready_url=f"{keycloak.auth_url}/auth/realms/master",
            variables={"JAVA_HOME": str(java), "JAVA_OPTS": _JAVA},
        )
        try:
            process.start()
            keycloak.create_realm()
            yield keycloak
        finally:
            process.kill()


if __name__ == "__main__":
    sys.exit(main())
