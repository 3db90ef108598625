"""Scans give way to people, and are never held up by them for long."""

import threading

import pytest

from item_visibility.scans import people_first
from item_visibility.scans.people_first import PeopleFirst


def test_a_scan_gives_way_until_nobody_waits(monkeypatch: pytest.MonkeyPatch) -> None:
    """It goes on with the last one who has read."""
    monkeypatch.setattr(people_first, "SCAN_GIVES_WAY_S", 60)
    people = PeopleFirst()
    order = list[str]()

    def scan() -> None:
        people.give_way()
        order.append("scan")

    with people.waiting():
        with people.waiting():
            reader = threading.Thread(target=scan)
            reader.start()
        order.append("person")
    reader.join()
    people.give_way()
    assert order == ["person", "scan"]


def test_a_scan_is_not_held_up_for_long(monkeypatch: pytest.MonkeyPatch) -> None:
    """People may be busy."""
    monkeypatch.setattr(people_first, "SCAN_GIVES_WAY_S", 0.001)
    people = PeopleFirst()
    order = list[str]()
    with people.waiting():
        people.give_way()
        order.append("scan")
    order.append("person")
    assert order == ["scan", "person"]
