"""Texts in the form in which they are compared."""

import pytest

from item_visibility.model.folding import folded


@pytest.mark.parametrize(
    ("name", "plain"),
    [
        ("Straße", "strasse"),
        ("Ærø Œuvre", "aero oeuvre"),
        ("ĐURO", "duro"),
        ("İzmir \u0131", "izmir i"),
        ("", ""),
    ],
)
def test_names_are_folded_as_people_type_them(name: str, plain: str) -> None:
    assert folded(name) == plain
