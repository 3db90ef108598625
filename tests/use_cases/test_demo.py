"""The switches of a demo tell what they changed."""

from dataclasses import replace

import pytest

from item_visibility.use_cases.demo import DemoSwitches, told_change

USUAL = DemoSwitches()


@pytest.mark.parametrize(
    ("change", "there", "back"),
    [
        (
            {"put_merges": True},
            "A list that is set now merges",
            "A list that is set now replaces the old one",
        ),
        (
            {"empty_is_not_found": False},
            "An item without recipients now answers an empty list",
            "An item without recipients now answers 404",
        ),
        (
            {"removing_missing_is_not_found": True},
            "Removing a missing recipient now answers 404",
            "Removing a missing recipient now answers 204",
        ),
        (
            {"sends_expires_in": False},
            "Tokens now do not say how long they live",
            "Tokens now say how long they live",
        ),
        ({"read_lag_s": 1.5}, "Reads now stay 1.5 s behind changes", "Reads now show changes at once"),
        ({"failing_share": 0.3}, "30% of the calls now fail", "Calls are not made to fail now"),
        ({"token_lifetime_s": 3}, "Tokens now live for 3 s", "Tokens now live for 300 s"),
    ],
)
def test_a_switch_tells_what_it_changed(change: dict[str, bool], there: str, back: str) -> None:
    """There and back, from the next call on."""
    switched = replace(USUAL, **change)
    assert told_change(USUAL, switched) == f"{there}, from the next call on."
    assert told_change(switched, USUAL) == f"{back}, from the next call on."


def test_several_changes_are_told_together_and_none_not_at_all() -> None:
    """As when two browsers turn switches."""
    switched = replace(USUAL, put_merges=True, token_lifetime_s=3)
    words = "A list that is set now merges; Tokens now live for 3 s, from the next call on."
    assert told_change(USUAL, switched) == words
    assert told_change(USUAL, USUAL) == ""
