"""The dashboard as people start it: `streamlit run app.py`, in its own process and with its own folder."""

import itertools
import os
import shutil
import subprocess
import sys
import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from urllib.parse import urlencode

import httpx

from item_visibility.settings.settings import DEMO_NAME
from item_visibility_service.sample import with_check_digit
from item_visibility_service.server import EmbeddedService
from item_visibility_service.store import Item, Store, open_database
from tests.support.bundled_service import CLIENT_ID, CLIENT_SECRET
from tests.support.plain_http import NO_TLS
from tests.support.ports import free_port

ROOT = Path(__file__).resolve().parents[2]
SUPPLIER = with_check_digit("952100099000")
DATABASE = "ITEM_VISIBILITY_DATABASE_URL"
_STARTS_WITHIN_S = 120
_STOPS_WITHIN_S = 60


class Dashboard:
    """One dashboard that can be started, stopped and started again on the same port.

    Attributes:
        url: its address, without a slash at the end.
        folder: its data; a new folder is a new installation.

    It finds its configuration below `started_in`.
    """

    def __init__(
        self,
        folder: Path,
        variables: Mapping[str, str],
        *,
        started_in: Path = ROOT,
        script: Path = ROOT / "app.py",
    ) -> None:
        self.folder = folder
        self._script = script
        self._started_in = started_in
        self._port = free_port()
        self.url = f"http://127.0.0.1:{self._port}"
        self._variables = dict(variables)
        self._process: subprocess.Popen[bytes] | None = None

    @property
    def _ready_url(self) -> str:
        return f"{self.url}{'/readyz' if self._script.name == 'app.py' else '/_stcore/health'}"

    @property
    def pid(self) -> int:
        """The number of its process, while it runs."""
        assert self._process is not None
        return self._process.pid

    @property
    def service(self) -> str:
        """The service that its records belong to: the one that variables name, or its demo."""
        assert self._started_in == ROOT, "secrets.toml may name several"
        return self._variables.get("ITEM_VISIBILITY_BASE_URL", DEMO_NAME)

    @property
    def records_url(self) -> str:
        """The address of its records, which are there once it has started."""
        named = self._variables.get(DATABASE)
        return named or f"sqlite:///{next(self.folder.rglob('records.sqlite'))}"

    def start(self) -> None:
        """Start it, and return when it is ready."""
        command = [sys.executable, "-m", "streamlit", "run", str(self._script), "--server.headless=true"]
        homes = dict.fromkeys(("HOME", "USERPROFILE", "LOCALAPPDATA", "XDG_DATA_HOME"), str(self.folder))
        self.folder.mkdir(parents=True, exist_ok=True)
        with self.log.open("ab") as log:
            self._process = subprocess.Popen(
                [*command, f"--server.port={self._port}"],
                cwd=self._started_in,
                env={**_environ(), **homes, **self._variables},
                stdout=log,
                stderr=log,
            )
        self._wait_until_ready()

    def stop(self) -> None:
        """Stop it as Ctrl-C does; a second call does nothing."""
        process, self._process = self._process, None
        if process is None:
            return
        process.terminate()
        try:
            process.wait(_STOPS_WITHIN_S)
        except subprocess.TimeoutExpired:
            process.kill()
            process.wait()

    def kill(self) -> None:
        """Kill it at once, like a power failure."""
        process, self._process = self._process, None
        assert process is not None
        process.kill()
        process.wait()

    @property
    def log(self) -> Path:
        """The file with its output."""
        return self.folder / "dashboard.log"

    def _wait_until_ready(self) -> None:
        ends_at = time.monotonic() + _STARTS_WITHIN_S
        while time.monotonic() < ends_at:
            try:
                answer = httpx.get(self._ready_url, trust_env=False, verify=NO_TLS, timeout=30)
                if answer.status_code == httpx.codes.OK:
                    return
            except httpx.TransportError:
                time.sleep(0.05)
        raise RuntimeError(f"The dashboard did not start: {self.log.read_text('utf-8', 'replace')}")


def _environ() -> dict[str, str]:
    """Return the variables without those of coverage: screen tests measure the same lines in less time."""
    return {name: value for name, value in os.environ.items() if not name.startswith("COVERAGE_")}


@dataclass(frozen=True, slots=True)
class Place:
    """A dashboard and the store of its service."""

    dashboard: Dashboard
    store: Store
    _numbers: Iterator[int] = field(default_factory=itertools.count, repr=False)

    def new_item(self, *recipients: str) -> Item:
        """Return a new item for one test, visible for these recipients."""
        item = Item(SUPPLIER, f"{with_check_digit(f'0952199{next(self._numbers):06}')}:276")
        self.store.merge(item, frozenset(recipients))
        return item

    def recipients(self, item: Item) -> set[str]:
        """Return the item's recipients, as stored by the service."""
        return set(self.store.recipients(item))

    def address(self, item: Item, page: str = "/", **more: str) -> str:
        """Return the link that opens the item on a page."""
        parts = {"supplier": item.supplier, "item": item.supplier_item_id, **more}
        return f"{self.dashboard.url}{page}?{urlencode(parts)}"


@contextmanager
def run_demo(folder: Path, **variables: str) -> Iterator[Place]:
    """Run a dashboard with no service configured, on its bundled one."""
    dashboard = Dashboard(folder, variables)
    with _running(dashboard):
        found = next(folder.rglob("demo-service.sqlite"))
        store = Store(open_database(f"sqlite:///{found}"))
        yield Place(dashboard, store)
        store.close()


@contextmanager
def run_page(folder: Path, script: Path) -> Iterator[Dashboard]:
    """Run a small page of its own on the sample data."""
    dashboard = Dashboard(folder, {}, script=script)
    with _running(dashboard):
        yield dashboard


@contextmanager
def run_read_only_demo(folder: Path) -> Iterator[Place]:
    """Run a demo that was used before, and in which nothing can be changed any more."""
    with _running(Dashboard(folder, {})):
        pass
    with run_demo(folder, ITEM_VISIBILITY_READ_ONLY="true") as place:
        yield place


@contextmanager
def run_configured(folder: Path, service: EmbeddedService, **variables: str) -> Iterator[Place]:
    """Run a dashboard whose variables name another service."""
    dashboard = Dashboard(folder, variables_for(service) | variables)
    with _running(dashboard):
        yield Place(dashboard, service.service.store)


@contextmanager
def run_with_secrets(
    folder: Path, connections: Mapping[str, Mapping[str, str]], **variables: str
) -> Iterator[Dashboard]:
    """Run a dashboard with these connections in its secrets.toml."""
    configuration = folder / ".streamlit"
    configuration.mkdir(parents=True)
    shutil.copy(ROOT / ".streamlit/config.toml", configuration)
    tables = (
        "\n".join([f"[connections.{name}]", *(f'{key} = "{value}"' for key, value in table.items()), ""])
        for name, table in connections.items()
    )
    (configuration / "secrets.toml").write_text("\n".join(tables), "utf-8")
    dashboard = Dashboard(folder, variables, started_in=folder)
    with _running(dashboard):
        yield dashboard


def variables_for(service: EmbeddedService) -> dict[str, str]:
    """Return the `ITEM_VISIBILITY_*` variables for a test service."""
    return {
        "ITEM_VISIBILITY_BASE_URL": service.base_url,
        "ITEM_VISIBILITY_AUTH_URL": service.auth_url,
        "ITEM_VISIBILITY_CLIENT_ID": CLIENT_ID,
        "ITEM_VISIBILITY_CLIENT_SECRET": CLIENT_SECRET,
    }


@contextmanager
def _running(dashboard: Dashboard) -> Iterator[None]:
    try:
        dashboard.start()
        yield
    finally:
        dashboard.stop()
