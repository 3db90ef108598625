"""The digests by which rows refer to texts and lists."""

from item_visibility.storage.rows import digest


def test_a_digest_separates_its_parts() -> None:
    parts = [
        (),
        ("",),
        ("", ""),
        ("a", "b"),
        ("ab",),
        ("a\x00b",),
        ("b", "a"),
        ("x" * 10_000,),
    ]
    assert len({digest(*part) for part in parts}) == len(parts)
    assert {len(digest(*part)) for part in parts} == {40}
