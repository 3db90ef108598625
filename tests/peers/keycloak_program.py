"""A Keycloak for the tests: its distribution from Maven Central, unpacked and built once.

`python -m tests.peers.keycloak_program --ensure` fetches it where Java and Maven are. It lives in the
cache folder of the user, so that the next checkout finds it: the download is 170 MB.
"""

import os
import pwd
import re
import shutil
import subprocess
import sys
import tempfile
import zipfile
from collections.abc import Iterator
from pathlib import Path

VERSION = "26.7.3"
ARTIFACT = f"org.keycloak:keycloak-quarkus-dist:{VERSION}:zip"
COPY = "org.apache.maven.plugins:maven-dependency-plugin:3.8.1:copy"
CACHE = Path(pwd.getpwuid(os.getuid()).pw_dir, ".cache", "item-visibility-tests")
UNPACKED = CACHE / f"keycloak-{VERSION}"
OLDEST_JAVA = 17
WAYS_OF_BUILDING = ("--db=dev-file", "--http-relative-path=/auth", "--health-enabled=false", "--cache=local")
_WITHIN_S = 600


class NoKeycloakError(Exception):
    """There is no Keycloak here; the text says why."""


def find_java() -> Path:
    """Return the folder of the first Java that is new enough. Raises NoKeycloakError."""
    for program in _javas():
        answer = subprocess.run(
            [program, "-version"], capture_output=True, text=True, check=False, timeout=60
        )
        version = re.search(r'version "(\d+)', answer.stderr)
        if version and int(version[1]) >= OLDEST_JAVA:
            return program.resolve().parent.parent
    raise NoKeycloakError(f"there is no Java {OLDEST_JAVA} or newer here")


def find_built() -> Path | None:
    """Return the folder of Keycloak, if it was fetched before."""
    return UNPACKED if UNPACKED.is_dir() else None


def ensure_built() -> Path:
    """Return the folder of Keycloak; fetch, unpack and build it if needed. Raises NoKeycloakError."""
    java = find_java()
    if built := find_built():
        return built
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


def _javas() -> Iterator[Path]:
    if home := os.environ.get("JAVA_HOME"):
        yield Path(home, "bin/java")
    if found := shutil.which("java"):
        yield Path(found)
    yield from sorted(Path("/usr/lib/jvm").glob("*/bin/java"), reverse=True)


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
        found = ensure_built() if "--ensure" in sys.argv[1:] else find_built() or "not fetched yet"
    except NoKeycloakError as error:
        found = f"none: its tests are skipped, because {error}"
    sys.stdout.write(f"[keycloak] {found}\n")
    return 0


if __name__ == "__main__":
    sys.exit(main())
