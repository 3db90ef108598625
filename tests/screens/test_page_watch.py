"""What draws a page again without a press: a sign-out in another window."""

from pathlib import Path

import pytest

from components.frame import is_signed_out
from item_visibility.access.access import Role
from item_visibility.errors import SignInError
from tests.access.signing_in import signed_in
from tests.support.desk import ITEM, open_kit
from tests.support.fake_visibilities import START

pytestmark = pytest.mark.screen


def test_a_sign_out_elsewhere_is_noticed(tmp_path: Path) -> None:
    """In another window, or by the command: what was on the screen is hidden."""
    with open_kit(tmp_path, person=lambda: signed_in(Role.EDITOR)) as kit:
        assert not is_signed_out(kit.desk)
        kit.access.sign_out()
        assert is_signed_out(kit.desk)


def test_a_sign_in_that_expires_does_not_redraw_the_page(tmp_path: Path) -> None:
    """Drawing the page again would drop ticks that are not saved; whatever is pressed next is refused."""
    with open_kit(tmp_path, person=lambda: signed_in(Role.EDITOR, ends_at=START)) as kit:
        assert not is_signed_out(kit.desk)
        with pytest.raises(SignInError, match="has ended"):
            kit.desk.read(ITEM)
