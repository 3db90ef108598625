"""The preview of one item of a job."""

import pytest

from item_visibility.saving.job import ItemPreview
from tests.support.fake_visibilities import START


@pytest.mark.parametrize(
    ("current", "already_visible", "already_without"),
    [
        (frozenset({"A", "C"}), {"A"}, {"B"}),
        (frozenset({"C"}), set(), {"A", "B"}),
        (None, set(), {"A", "B"}),
    ],
)
def test_what_is_in_place_is_told_by_the_list_that_was_read(
    current: frozenset[str] | None, already_visible: set[str], already_without: set[str]
) -> None:
    """A recipient in place is on the list or not on it; where nothing is recorded, nobody is."""
    preview = ItemPreview(current=current, read_at=START, in_place=frozenset({"A", "B"}))
    assert (preview.already_visible, preview.already_without) == (already_visible, already_without)
