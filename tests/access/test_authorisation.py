"""The authorisation matrix: each kind of person tries everything that can be done."""

from pathlib import Path

import pytest

from item_visibility.access.access import Role
from tests.access.signing_in import signed_in
from tests.support.authorisation_matrix import (
    LOOKS,
    USE_CASES,
    column,
    expected,
    prepared,
    use_cases_of,
)
from tests.support.kinds_of_people import PEOPLE


@pytest.mark.parametrize("name", PEOPLE)
def test_nobody_does_what_their_sign_in_does_not_allow(tmp_path: Path, name: str) -> None:
    """A refused use case leaves no trace at the service or in our records, and an allowed one is done."""
    assert column(tmp_path, name) == {place: expected(name, place) for place in USE_CASES}


@pytest.mark.parametrize(
    ("role", "expected"),
    [(Role.VIEWER, (False, False)), (Role.EDITOR, (True, False)), (Role.ADMIN, (True, True))],
)
def test_screens_offer_a_job_to_those_who_may_work_with_it(
    tmp_path: Path, role: Role, expected: tuple[bool, bool]
) -> None:
    """Their own, and that of somebody else."""
    with prepared(tmp_path, lambda: signed_in(role)) as scene:
        jobs = [scene.kit.desk.bulk.store.job(key) for key in ("undo own", "undo other")]
        assert tuple(map(scene.kit.desk.bulk.may_work_with, jobs)) == expected


def test_no_use_case_is_missing_in_the_matrix(tmp_path: Path) -> None:
    """A new one says which role it needs, or that it changes nothing."""
    tried = {place.partition(" (")[0] for place in USE_CASES}
    with prepared(tmp_path, lambda: signed_in(Role.ADMIN)) as scene:
        assert use_cases_of(scene) == tried | LOOKS
