"""A dashboard, started with `streamlit run app.py` in its own process and with its own
folder.
"""

import itertools
import sys
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from urllib.parse import urlencode

from item_visibility.settings import DEMO_NAME
from item_visibility_service.sample_data import with_check_digit
from item_visibility_service.server import EmbeddedService
from item_visibility_service.store import Item, Store, open_database
from tests.support.bundled_service import CLIENT_ID, CLIENT_SECRET
from tests.support.listening import free_port
from tests.support.program import ROOT, Program

SUPPLIER = with_check_digit("952100099000")
DATABASE = "ITEM_VISIBILITY_DATABASE_URL"


class Dashboard(Program):
    """A dashboard that can be started, stopped and restarted on the same port.

    Attributes:
        url: its address, without a slash at the end.
        folder: the folder for its data; a new folder is a new installation.

    The dashboard looks for its configuration in the folder `started_in`.
    """

    def __init__(
        self,
        folder: Path,
        variables: Mapping[str, str],
        *,
        started_in: Path = ROOT,
        script: Path = ROOT / "app.py",
        base_path: str = "",
    ) -> None:
        port = free_port()
        self.folder = folder
        self.url = f"http://127.0.0.1:{port}{base_path}"
        homes = dict.fromkeys(
            ("HOME", "USERPROFILE", "LOCALAPPDATA", "XDG_DATA_HOME"), str(folder)
        )
        options = [
            "--server.headless=true",
            f"--server.port={port}",
            f"--server.baseUrlPath={base_path}",
        ]
        ready_path = "/readyz" if script.name == "app.py" else "/_stcore/health"
        super().__init__(
            [sys.executable, "-m", "streamlit", "run", str(script), *options],
            log=folder / "dashboard.log",
            ready_url=self.url + ready_path,
            cwd=started_in,
            variables=homes | dict(variables),
        )

    @property
    def service(self) -> str:
        """The service under which the dashboard stores its records: the configured
        address, or the demo.
        """
        return self.variables.get("ITEM_VISIBILITY_BASE_URL", DEMO_NAME)

    @property
    def records_url(self) -> str:
        """The address of the dashboard's own database, which exists once the dashboard
        has started.
        """
        configured = self.variables.get(DATABASE)
        if configured:
            return configured
        return f"sqlite:///{next(self.folder.rglob('records.sqlite'))}"


@dataclass(frozen=True, slots=True)
class Place:
    """A dashboard and the store of its service."""

    dashboard: Dashboard
    store: Store
    _numbers: Iterator[int] = field(default_factory=itertools.count, repr=False)

    def new_item(self, *recipients: str) -> Item:
        gtin = with_check_digit(f"0952199{next(self._numbers):06}")
        item = Item(SUPPLIER, f"{gtin}:276")
        self.store.replace(item, frozenset(recipients), merges=True)
        return item

    def recipients(self, item: Item) -> set[str]:
        return set(self.store.recipients(item))

    def address(self, item: Item, page: str = "/", **more: str) -> str:
        parts = {"supplier": item.supplier, "item": item.supplier_item_id, **more}
        return f"{self.dashboard.url}{page}?{urlencode(parts)}"


@contextmanager
def run_demo(folder: Path, **variables: str) -> Iterator[Place]:
    dashboard = Dashboard(folder, variables)
    with running(dashboard):
        file = next(folder.rglob("demo-service.sqlite"))
        store = Store(open_database(f"sqlite:///{file}"))
        yield Place(dashboard, store)
        store.close()


@contextmanager
def run_page(folder: Path, script: Path) -> Iterator[Dashboard]:
    dashboard = Dashboard(folder, {}, script=script)
    with running(dashboard):
        yield dashboard


@contextmanager
def run_configured(
    folder: Path, service: EmbeddedService, **variables: str
) -> Iterator[Place]:
    dashboard = Dashboard(folder, variables_for(service) | variables)
    with running(dashboard):
        yield Place(dashboard, service.service.store)


def variables_for(service: EmbeddedService) -> dict[str, str]:
    return {
        "ITEM_VISIBILITY_BASE_URL": service.base_url,
        "ITEM_VISIBILITY_AUTH_URL": service.auth_url,
        "ITEM_VISIBILITY_CLIENT_ID": CLIENT_ID,
        "ITEM_VISIBILITY_CLIENT_SECRET": CLIENT_SECRET,
    }


@contextmanager
def running(program: Program) -> Iterator[None]:
    try:
        program.start()
        yield
    finally:
        program.stop()
