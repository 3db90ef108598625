"""A pack shows whether it was edited, and whether it was made here."""

from collections.abc import Callable

import pytest

from item_visibility.evidence.attached_json import attached_json
from item_visibility.evidence.checked_file import check_file
from item_visibility.evidence.html_page import html_page
from item_visibility.evidence.pack import Pack
from item_visibility.evidence.seal import Authenticity
from item_visibility.evidence.ticket_text import ticket_text
from tests.evidence.packs import KEY, PACK

Write = Callable[[Pack, bytes | None], str]
EVERY_FORM = pytest.mark.parametrize("write", [ticket_text, html_page, attached_json])


@EVERY_FORM
@pytest.mark.parametrize(
    ("made_with", "checked_with", "expected"),
    [
        (KEY, KEY, Authenticity.MADE_HERE),
        (KEY, None, Authenticity.UNEDITED),
        (KEY, b"another", Authenticity.UNEDITED),
        (None, KEY, Authenticity.UNEDITED),
    ],
)
def test_only_the_installation_that_made_it_recognises_it(
    write: Write, made_with: bytes | None, checked_with: bytes | None, expected: Authenticity
) -> None:
    """Anybody else sees that its digest fits."""
    assert check_file(write(PACK, made_with).encode(), checked_with) is expected


@EVERY_FORM
@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("Added Sonnenhof", "Added Panier"),
        ("ticket 4711", "ticket 4712"),
        ("503", "204"),
        ("/v1/itemvisibilities/S/I", "/v1/itemvisibilities/S/J"),
    ],
)
def test_an_edit_is_seen(write: Write, before: str, after: str) -> None:
    """Also by the installation that made it."""
    assert check_file(write(PACK, KEY).replace(before, after).encode(), KEY) is Authenticity.EDITED


def test_blanks_count_in_the_json() -> None:
    """Two ids may differ in nothing else."""
    written = attached_json(PACK, KEY).replace("ticket 4711", "ticket  4711")
    assert check_file(written.encode(), KEY) is Authenticity.EDITED


def test_a_ticket_may_wrap_the_text_and_change_its_line_ends() -> None:
    """The words are the same."""
    wrapped = ticket_text(PACK, KEY).replace(" by ", "\r\n      by ").replace("\n\n", "\r\n\r\n\r\n")
    assert check_file(f"\ufeff{wrapped}\r\n".encode(), KEY) is Authenticity.MADE_HERE


def test_a_line_like_that_of_the_seal_in_a_text_is_no_seal() -> None:
    """The last one counts, and what is added below is an edit."""
    line = f"SHA-256 {'0' * 64} · seal {'0' * 64}"
    text = ticket_text(PACK, KEY)
    assert check_file(f"{line}\n{text}".encode(), KEY) is Authenticity.EDITED
    assert check_file(f"{text}\n{line}".encode(), KEY) is Authenticity.EDITED


def test_the_json_may_be_written_in_another_way() -> None:
    """In one line, for example."""
    assert check_file(attached_json(PACK, KEY).replace("\n", "").encode(), KEY) is Authenticity.MADE_HERE


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ('"pack": {', '"pack": 1, "pack": {'),
        ('"format"', '"more": 1, "format"'),
        ('"sha256": "', '"sha256": "ä'),
        ('"seal": "', '"seal": 1, "x": "'),
        ('"sha256": ', '"sha256": 1, "y": '),
        ('"pack": {', '"pack": {{'),
        ('"link": "https', '"link": "\\u0020https'),
    ],
)
def test_a_document_that_two_readers_could_read_differently_is_edited(before: str, after: str) -> None:
    """So is one that is broken, or has more in it."""
    written = attached_json(PACK, KEY)
    assert check_file(written.replace(before, after).encode(), KEY) is Authenticity.EDITED


@pytest.mark.parametrize("seal", ['"ä"', "1"])
def test_a_seal_that_is_none_is_an_edit(seal: str) -> None:
    """The text in its place does not matter."""
    written = attached_json(PACK, None).replace('"seal": "none"', f'"seal": {seal}')
    assert check_file(written.encode(), KEY) is Authenticity.EDITED


@pytest.mark.parametrize("content", [b"", b"hello", b"\xff\xfe", b'{"format": "other"}', b"{}"])
def test_another_file_is_no_evidence(content: bytes) -> None:
    """It has no digest."""
    assert check_file(content, KEY) is Authenticity.NO_EVIDENCE
