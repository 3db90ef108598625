"""Scans as the screens ask for them."""

from dataclasses import replace
from pathlib import Path

from item_visibility.desk.scans.recipient_view import OtherSide, Side
from item_visibility.records.scans.scan_state import ScanState
from tests.support.desk import ITEM, OTHER_ITEM, PERSON, open_kit, wait_until
from tests.support.fake_visibilities import START


def test_a_person_scans_cancels_and_goes_on(tmp_path: Path) -> None:
    """Without a scan there is no progress."""
    with open_kit(tmp_path, {ITEM: "AB", OTHER_ITEM: ""}) as kit:
        scans = kit.desk.scans
        assert (scans.progress(None), scans.seen_by("A", None)) == (None, ())
        kit.records.directory.remember([ITEM, OTHER_ITEM])
        kit.desk.read(ITEM)
        begun = scans.start(ITEM.supplier)
        assert begun is not None
        assert (begun.person, begun.total, begun.begun_at) == (PERSON, 2, START)
        wait_until(lambda: scans.progress(ITEM.supplier) == replace(begun, state=ScanState.ENDED, checked=2))
        assert [one.can_see for one in scans.seen_by("A", None)] == [True, False]
        ended = scans.cancel(ITEM.supplier)
        again = scans.resume(ITEM.supplier)
        assert ended is not None
        assert again is not None
        assert (ended.state, again.checked) == (ScanState.ENDED, 2)


def test_a_recipient_is_compared_with_another_and_with_a_set(tmp_path: Path) -> None:
    """Of each list only those who are asked about are looked at."""
    with open_kit(tmp_path, {ITEM: "ABCD"}) as kit:
        kit.records.directory.remember([ITEM])
        kit.desk.read(ITEM)
        sides = (OtherSide(Side.RECIPIENT, "B"), OtherSide(Side.SET, "shops", frozenset("ABX")))
        rows = [kit.desk.scans.seen_by("X", ITEM.supplier, side)[0] for side in sides]
    assert [(row.can_see, row.compared) for row in rows] == [(False, "Yes"), (False, "2 of 2")]
