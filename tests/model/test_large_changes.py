"""Which changes are large or indirect, and the question before such a save."""

from collections.abc import Iterable
from dataclasses import replace

import pytest

from item_visibility.model.change import ChangeKind, ChangeOperation
from item_visibility.model.large_changes import (
    LARGE_ADDITION,
    MAY_BE_LOST,
    confirmation_for,
    is_confirmed,
    is_large_removal,
)
from tests.saving.saving import ask

MANY = [f"r{number}" for number in range(LARGE_ADDITION + 1)]


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
def test_a_removal_is_large_if_it_removes_everyone_or_more_than_half(
    before: int,
    removed: int,
    added: int,
    is_large: bool,  # noqa: FBT001  (a column of the table)
) -> None:
    assert is_large_removal(before=before, removed=removed, added=added) is is_large


@pytest.mark.parametrize(
    ("count", "typed", "is_enough"),
    [
        (6, "6", True),
        (6, " 6 ", True),
        (6, "5", False),
        (6, "", False),
        (0, "", True),
        (None, "", True),
    ],
)
def test_only_the_exact_count_confirms(
    count: int | None,
    typed: str,
    is_enough: bool,  # noqa: FBT001  (a column of the table)
) -> None:
    assert is_confirmed(count, typed=typed) is is_enough


LIST = frozenset("ABCDE")


def asked(  # noqa: PLR0913  (each case gives only two or three)
    *,
    base: Iterable[str] = LIST,
    add: Iterable[str] = (),
    remove: Iterable[str] = (),
    operation: ChangeOperation = ChangeOperation.EDIT,
    kind: ChangeKind = ChangeKind.EDIT,
    is_indirect: bool = False,
) -> tuple[str, str, int | None] | None:
    request = replace(
        ask(base=base, add=add, remove=remove), operation=operation, kind=kind
    )
    question = confirmation_for(request, is_indirect=is_indirect)
    return question and (question.title, question.why, question.count_to_type)


@pytest.mark.parametrize(
    "changes", [{}, {"add": "X"}, {"remove": "AB"}, {"base": "", "add": MANY[:-1]}]
)
def test_a_small_change_is_saved_at_once(changes: dict[str, Iterable[str]]) -> None:
    assert asked(**changes) is None


@pytest.mark.parametrize(
    ("question", "title", "why", "count"),
    [
        (
            asked(remove="ABC"),
            "Remove 3 of 5 recipients?",
            "That is more than half.",
            3,
        ),
        (
            asked(remove="ABC", add="X"),
            "Remove 3 of 5 recipients and add 1 recipient?",
            "That is more than half.",
            3,
        ),
        (
            asked(base="A", remove="A"),
            "Remove 1 of 1 recipient?",
            "Nobody will see the item any more.",
            1,
        ),
        (
            asked(add=MANY),
            "Add 101 recipients?",
            "That is more than 100 at once.",
            None,
        ),
        (asked(add="X", is_indirect=True), "Add 1 recipient?", "", None),
        (asked(remove="A", is_indirect=True), "Remove 1 of 5 recipients?", "", None),
        (asked(add="X", kind=ChangeKind.UNDO), "Undo this change?", "", None),
        (
            asked(remove="ABC", kind=ChangeKind.UNDO),
            "Undo this change?",
            "That is more than half.",
            3,
        ),
        (
            asked(remove=LIST, operation=ChangeOperation.REMOVE_ALL),
            "Remove all 5 recipients?",
            f"Nobody will see the item any more. {MAY_BE_LOST}",
            5,
        ),
        (
            asked(add="X", remove="A", operation=ChangeOperation.SET),
            "Set exactly to 5 recipients?",
            MAY_BE_LOST,
            None,
        ),
        (
            asked(add="X", remove="ABC", operation=ChangeOperation.SET),
            "Set exactly to 3 recipients?",
            f"That is more than half. {MAY_BE_LOST}",
            3,
        ),
    ],
)
def test_a_large_or_indirect_change_needs_a_confirmation(
    question: tuple[str, str, int | None] | None,
    title: str,
    why: str,
    count: int | None,
) -> None:
    assert question == (title, why, count)
