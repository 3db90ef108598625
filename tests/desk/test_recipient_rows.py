"""The recipients that are shown, and their order."""

import pytest

from item_visibility.changes.draft import Draft
from item_visibility.desk.recipient_rows import by_name, page_of_list, staged_in_sight
from tests.support.desk import ITEM
from tests.support.fake_visibilities import START


def test_names_come_first_and_numbers_second() -> None:
    """Case does not matter; without a name the numbers count."""
    names = {"3": "berta", "2": "Anna", "9": "Anna"}
    assert by_name(["1", "3", "2", "0", "9"], names) == ("2", "9", "3", "0", "1")


@pytest.mark.parametrize(
    ("adding", "removing", "shown"),
    [
        (0, 0, (0, 0, 0)),
        (3, 2, (3, 2, 0)),
        (4_331, 0, (10, 0, 4_321)),
        (0, 12, (0, 10, 2)),
        (20, 1, (9, 1, 11)),
        (1, 20, (1, 9, 11)),
        (20, 20, (5, 5, 30)),
    ],
)
def test_neither_kind_pushes_the_other_out_of_sight(
    adding: int, removing: int, shown: tuple[int, int, int]
) -> None:
    """Ten changes are shown, and the others counted."""
    base = frozenset(f"R{number:05}" for number in range(30))
    draft = Draft(ITEM, base, START).with_added(f"N{number:05}" for number in range(adding))
    draft = draft.with_changed(dict.fromkeys(sorted(base)[:removing], False))
    staged = staged_in_sight(draft)
    assert (len(staged.adding), len(staged.removing), staged.more) == shown
    assert list(staged.adding) == sorted(draft.add)[: shown[0]]
    assert list(staged.removing) == sorted(draft.remove)[: shown[1]]


def test_a_page_holds_its_rows() -> None:
    """The last one what is left; there is always one."""
    rows = tuple("ABCDE")
    assert page_of_list(rows, number=1, size=2).rows == ("A", "B")
    assert page_of_list(rows, number=3, size=2).rows == ("E",)
    assert page_of_list((), number=1, size=2).pages == 1


@pytest.mark.parametrize(("asked", "shown"), [(-1, 1), (0, 1), (4, 3)])
def test_a_page_that_is_not_there_is_the_nearest(asked: int, shown: int) -> None:
    """A list may have become shorter."""
    page = page_of_list(tuple("ABCDE"), number=asked, size=2)
    assert (page.number, page.pages) == (shown, 3)
