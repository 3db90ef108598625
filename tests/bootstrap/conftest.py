"""The bundled service, and the settings of a demo and of a configured service."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from item_visibility.bootstrap.open_desk import open_desk
from item_visibility.settings.settings import Settings, read_settings
from item_visibility.use_cases.desk import Desk
from item_visibility_service.server import EmbeddedService
from tests.support.bundled_service import CLIENT_ID, CLIENT_SECRET
from tests.support.slow_server import SlowServer


@pytest.fixture
def settings(tmp_path: Path) -> Settings:
    """Nothing configured, and a data folder of the test's own."""
    return read_settings({}, data_folder=tmp_path / "data", may_be_demo=True)


@pytest.fixture
def desk(settings: Settings) -> Iterator[Desk]:
    desk = open_desk(settings)
    yield desk
    desk.close()


def configured(service: EmbeddedService | SlowServer, folder: Path, **more: str) -> Settings:
    variables = {
        "BASE_URL": service.base_url,
        "AUTH_URL": service.auth_url,
        "CLIENT_ID": CLIENT_ID,
        "CLIENT_SECRET": CLIENT_SECRET,
        **more,
    }
    environ = {f"ITEM_VISIBILITY_{name}": value for name, value in variables.items()}
    return read_settings(environ, data_folder=folder / "data")
