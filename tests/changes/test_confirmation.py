"""The confirmation: what counts as a large removal."""

import pytest

from item_visibility.changes.confirmation import is_confirmed, is_large_removal


@pytest.mark.parametrize(
    ("before", "removed", "added", "is_large"),
    [
        (10, 5, 0, False),
        (10, 6, 0, True),
        (1, 1, 0, True),
        (2, 1, 0, False),
        (1, 1, 1, True),
        (10, 10, 5, True),
        (0, 0, 0, False),
        (0, 0, 3, False),
        (3, 0, 0, False),
    ],
)
def test_a_large_removal_leaves_nobody_or_takes_more_than_half(
    before: int,
    removed: int,
    added: int,
    is_large: bool,  # noqa: FBT001  (a column of the table)
) -> None:
    """The last one, or more than half of those before; additions do not make up for it."""
    assert is_large_removal(before=before, removed=removed, added=added) is is_large


@pytest.mark.parametrize(
    ("count", "typed", "is_enough"),
    [(6, "6", True), (6, " 6 ", True), (6, "5", False), (6, "", False), (0, "", True), (None, "", True)],
)
def test_exactly_the_asked_count_confirms(
    count: int | None,
    typed: str,
    is_enough: bool,  # noqa: FBT001  (a column of the table)
) -> None:
    """Spaces around it do not matter, and where no count is asked for any text will do."""
    assert is_confirmed(count, typed=typed) is is_enough
