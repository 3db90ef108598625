"""A Keycloak for the tests: its distribution from Maven Central, unpacked and built once.

`python -m tests.peers.keycloak_program` fetches it where Java and Maven are. It lives in the
cache folder of the user, so that the next checkout finds it: the download is 170 MB.
"""

import os
import pwd
import shutil
import subprocess
import sys
import tempfile
import zipfile
from pathlib import Path

VERSION = "26.7.3"
ARTIFACT = f"org.keycloak:keycloak-quarkus-dist:{VERSION}:zip"
COPY = "org.apache.maven.plugins:maven-dependency-plugin:3.8.1:copy"
CACHE = Path(pwd.getpwuid(os.getuid()).pw_dir, ".cache", "item-visibility-tests")
UNPACKED = CACHE / f"keycloak-{VERSION}"
WAYS_OF_BUILDING = ("--db=dev-file", "--http-relative-path=/auth", "--health-enabled=false", "--cache=local")
_WITHIN_S = 600


class NoKeycloakError(Exception):
    """There is no Keycloak here; the text says why."""


def find_java() -> Path:
    """Return the folder of Java; Keycloak says itself when it is too old. Raises NoKeycloakError."""
    if home := os.environ.get("JAVA_HOME"):
        return Path(home)
    program = shutil.which("java")
    if program is None:
        raise NoKeycloakError("there is no Java here")
    return Path(program).resolve().parent.parent


def ensure_built() -> Path:
    """Return the folder of Keycloak; fetch, unpack and build it if needed. Raises NoKeycloakError."""
    java = find_java()
    if UNPACKED.is_dir():
        return UNPACKED
    maven = shutil.which("mvn")
    if maven is None:
        raise NoKeycloakError("there is no Maven here to fetch Keycloak with")
    CACHE.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(dir=CACHE) as folder:
        _run([maven, "-q", "-B", COPY, f"-Dartifact={ARTIFACT}", f"-DoutputDirectory={folder}"], java)
        with zipfile.ZipFile(next(Path(folder).glob("*.zip"))) as file:
            file.extractall(folder)
        unpacked = next(Path(folder).glob("keycloak-*/"))
        command = unpacked / "bin/kc.sh"
        command.chmod(0o700)
        _run([str(command), "build", *WAYS_OF_BUILDING], java)
        if not UNPACKED.is_dir():  # another run may have been faster
            unpacked.rename(UNPACKED)
    return UNPACKED


def _run(command: list[str], java: Path) -> None:
    environment = {**os.environ, "JAVA_HOME": str(java)}
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
        raise NoKeycloakError(f"{Path(command[0]).name} was not ready within {_WITHIN_S} s") from None
    if answer.returncode:
        last = (answer.stderr.strip() or answer.stdout.strip() or "nothing").splitlines()[-1]
        raise NoKeycloakError(f"{Path(command[0]).name} ended with {answer.returncode}: {last}")


def main() -> int:
    """Print where Keycloak is; return 0 also where it is not: the tests that need it are skipped."""
    try:
        found = str(ensure_built())
    except NoKeycloakError as error:
        found = f"none: its tests are skipped, because {error}"
    sys.stdout.write(f"[keycloak] {found}\n")
    return 0


if __name__ == "__main__":
    sys.exit(main())
