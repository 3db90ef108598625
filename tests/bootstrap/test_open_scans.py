"""Scans on the wired desk."""

from pathlib import Path

import pytest

from item_visibility.bootstrap.embedded_demo import SHOWN_FIRST
from item_visibility.bootstrap.open_desk import open_desk
from item_visibility.settings.settings import read_settings
from item_visibility.storage.scans.scan_state import ScanState
from tests.support.desk import wait_until

pytestmark = pytest.mark.contract


def test_a_scan_reads_every_known_item_of_the_service(tmp_path: Path) -> None:
    """From the desk through client, service and back; closing the desk closes its connections."""
    desk = open_desk(read_settings({}, data_folder=tmp_path / "data", may_be_demo=True))
    desk.scans.start(SHOWN_FIRST.supplier)
    scan = wait_until(
        lambda: (found := desk.scans.progress(SHOWN_FIRST.supplier)) and not found.is_under_way and found
    )
    seen = desk.records.seen.all(SHOWN_FIRST.supplier)
    desk.close()
    assert (scan.state, scan.failed) == (ScanState.ENDED, 0)
    assert scan.checked == scan.total == len([one for one in seen if one.recipients is not None]) > 0
