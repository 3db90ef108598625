"""Scans as the screens ask for them."""

from dataclasses import replace
from pathlib import Path

from item_visibility.storage.scans.scan_state import ScanState
from tests.support.desk import ITEM, OTHER_ITEM, PERSON, open_kit, wait_until
from tests.support.fake_visibilities import START


def test_a_person_starts_cancels_and_resumes_a_scan(tmp_path: Path) -> None:
    """Without a scan there is no progress; one that has ended cannot be cancelled."""
    with open_kit(tmp_path, {ITEM: "AB", OTHER_ITEM: ""}) as kit:
        scans = kit.desk.scans
        assert scans.progress(None) is None
        kit.records.directory.remember([ITEM, OTHER_ITEM])
        begun = scans.start(ITEM.supplier)
        assert begun is not None
        assert (begun.person, begun.total, begun.begun_at) == (PERSON, 2, START)
        wait_until(lambda: scans.progress(ITEM.supplier) == replace(begun, state=ScanState.ENDED, checked=2))
        ended = scans.cancel(ITEM.supplier)
        again = scans.resume(ITEM.supplier)
        assert ended is not None
        assert again is not None
        assert (ended.state, again.checked) == (ScanState.ENDED, 2)
