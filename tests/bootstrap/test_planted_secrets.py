"""Every secret of an installation, searched for in what its program writes, shows and hands out."""

import logging
from collections.abc import Iterator
from contextlib import closing
from dataclasses import replace
from pathlib import Path

import pytest

from item_visibility.bootstrap.open_desk import open_desk
from item_visibility.lists.reader import read_table
from item_visibility.saving.request import ChangeRequest
from item_visibility.settings import Settings
from item_visibility.storage.history import HistoryFilter
from item_visibility.use_cases.connection import examine, report_ticket
from item_visibility.use_cases.desk import Desk
from item_visibility.use_cases.history import as_xlsx
from item_visibility.use_cases.ticket import ticket_of_item, ticket_of_save
from item_visibility_service.server import EmbeddedService
from tests.settings.test_settings import ENVIRON, SECRETS, TOML, read
from tests.support.bundled_service import CLIENT_ID, CLIENT_SECRET
from tests.support.desk import ITEM, a_request, saved_on

pytestmark = pytest.mark.contract


def settings_of(service: EmbeddedService, folder: Path) -> Settings:
    """Settings with every secret that there is; nobody signs in, so that this machine's user may work."""
    variables = {"BASE_URL": service.base_url, "AUTH_URL": service.auth_url, "CLIENT_ID": CLIENT_ID}
    variables |= {"CLIENT_SECRET": CLIENT_SECRET, "DATABASE_URL": f"sqlite:///{folder}/records.sqlite"}
    environ = ENVIRON | {f"ITEM_VISIBILITY_{name}": value for name, value in variables.items()}
    return replace(read(folder, environ, TOML), sign_in=None)


def work(desk: Desk, request: ChangeRequest) -> Iterator[str]:
    saved_on(desk, request)
    report = report_ticket(examine(desk, ITEM), base_url=desk.environment.base_url)
    for one in (ticket_of_item(desk, ITEM), ticket_of_save(desk, request.key), report):
        yield one.text + one.curl + one.json.decode()
    yield str(read_table(as_xlsx(desk.records.search.all(HistoryFilter()))))
    yield repr((desk.environment, desk.save_status(request.key), vars(desk)))


def test_a_program_at_work_hands_out_no_secret(
    service: EmbeddedService, tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level(logging.DEBUG)
    settings = settings_of(service, tmp_path)
    with closing(open_desk(settings)) as desk:
        ticket_of_item(desk, ITEM)
        own = [CLIENT_SECRET, *desk.environment.credentials.tokens]
        request = replace(a_request(ITEM, add={"A"}), reason=" and ".join(own))
        handed_out = "".join(work(desk, request))
        secrets = [*SECRETS, *own, *desk.environment.credentials.tokens]
    assert len(own) == 2
    assert [secret for secret in secrets if secret in handed_out + caplog.text] == []
    assert "[hidden]" in handed_out
