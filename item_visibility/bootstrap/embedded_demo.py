"""The demo: the bundled service in this process, its sample data, and its switches."""

from contextlib import ExitStack
from dataclasses import asdict, fields, replace
from pathlib import Path

from item_visibility.access.access import Access, Role
from item_visibility.client.identifiers import ItemKey
from item_visibility.client.token import ClientCredentials
from item_visibility.errors import SettingsError
from item_visibility.settings.settings import sqlite_url
from item_visibility.storage.directory import Directory, Kind, NameRow
from item_visibility.use_cases.demo import DemoControls, DemoSwitches
from item_visibility_service.application import Service
from item_visibility_service.sample import SHOWCASE, invented_names, load_sample
from item_visibility_service.server import EmbeddedService, start_embedded
from item_visibility_service.settings import ServiceSettings, ServiceSettingsError
from item_visibility_service.store import Item
from item_visibility_service.switches import Switches

SHOWN_FIRST = ItemKey(*SHOWCASE)


class EmbeddedDemo(DemoControls):
    """The bundled service in this process."""

    def __init__(self, service: Service, access: Access) -> None:
        self._service = service
        self._access = access

    def read_switches(self) -> DemoSwitches:
        """Return the current switches."""
        switches = self._service.switches
        return DemoSwitches(**{one.name: getattr(switches, one.name) for one in fields(DemoSwitches)})

    def set_switches(self, switches: DemoSwitches) -> None:
        """Set all switches. They take effect with the next call.

        Of the calls that fail, some are refused once, so that a job leaves rows to try again.
        """
        self._access.require(Role.ADMIN)
        self._service.switches = replace(self._service.switches, refuses_once=True, **asdict(switches))

    def someone_else_edits(self, item: ItemKey) -> None:
        """Add one recipient to the item and remove one, as somebody at another screen would."""
        self._access.require(Role.ADMIN)
        self._service.someone_else_edits(Item(item.supplier, item.supplier_item_id))

    def reset(self) -> None:
        """Restore the sample data and the switches of a new demo."""
        self._access.require(Role.ADMIN)
        self._service.switches = Switches()
        self._service.store.clear()
        load_sample(self._service.store)


def start_demo(folder: Path, credentials: ClientCredentials, closing: ExitStack) -> EmbeddedService:
    """Start the bundled service with its sample data; `closing` stops it. SettingsError when it cannot."""
    try:
        embedded = start_embedded(
            ServiceSettings(
                database_url=sqlite_url(folder / "demo-service.sqlite"),
                client_id=credentials.client_id,
                client_secret=credentials.client_secret,
                sample=True,
            )
        )
        closing.callback(embedded.stop)
    except (ServiceSettingsError, OSError) as error:
        raise SettingsError(
            f"The bundled service of the demo could not be started: {error}",
            advice=f"Look at demo-service.sqlite in {folder}; without that file the demo begins afresh.",
        ) from None
    return embedded


def put_invented_names(directory: Directory) -> None:
    """Keep the names of the sample data."""
    names = invented_names()
    directory[Kind.SUPPLIER].put([NameRow((supplier,), name) for supplier, name in names.suppliers])
    directory[Kind.ITEM].put(
        [NameRow((supplier, item), name, market) for supplier, item, name, market in names.items]
    )
    directory[Kind.RECIPIENT].put([NameRow((recipient_id,), name) for recipient_id, name in names.recipients])
