"""The rights of a person."""

import pytest

from item_visibility.access.people import Person, Role, machine_user
from tests.access.signing_in import NOW, signed_in


@pytest.mark.parametrize(
    ("person", "may"),
    [
        (machine_user(), True),
        (signed_in(Role.VIEWER), False),
        (signed_in(Role.EDITOR), True),
        (signed_in(Role.ADMIN, ends_at=NOW), False),
        (signed_in(None), False),
    ],
)
def test_a_person_needs_a_role_and_a_valid_sign_in(
    person: Person, *, may: bool
) -> None:
    assert person.may(Role.EDITOR, at=NOW) is may
