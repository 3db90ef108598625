"""Known ids in memory are found by name."""

from item_visibility.model.known_ids import NameRow, Names


def test_rows_are_found_by_exactly_their_name() -> None:
    rows = [NameRow(("2",), "Łódź"), NameRow(("1",), "LODZ"), NameRow(("3",))]
    names = Names({row.ids: row for row in rows})
    assert [row.id for row in names.called("lodz")] == ["1", "2"]
    assert [row.id for row in names.called("Łódź")] == ["1", "2"]
    assert names.called("Lod") == ()
    assert names.called("") == ()
    assert names.called("\u0301") == ()
