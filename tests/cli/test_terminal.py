"""What the commands print besides their results."""

import pytest

from item_visibility.cli.output import print_new_address
from item_visibility.storage.addresses import AddressChange
from tests.support.desk import TEST_ENVIRONMENT
from tests.support.fake_visibilities import START


@pytest.mark.parametrize(("is_new", "lines"), [(True, 3), (False, 0)])
def test_a_new_address_is_told_once(capsys: pytest.CaptureFixture[str], *, is_new: bool, lines: int) -> None:
    """On the error stream, so that the result can still be read by a program."""
    print_new_address(AddressChange("https://old.example.com/v1", START, is_new=is_new), TEST_ENVIRONMENT)
    told = capsys.readouterr()
    assert (told.out, len(told.err.splitlines())) == ("", lines)
