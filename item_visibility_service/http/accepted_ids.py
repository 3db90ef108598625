"""Identifiers: the strings that the service accepts, and reading them from a raw path. Note N1."""

import re
from collections.abc import Iterable
from dataclasses import dataclass
from urllib.parse import quote, unquote_to_bytes

from item_visibility_service.http.problem_answers import bad_request
from item_visibility_service.limits import MAX_ID_BYTES, MAX_ID_CHARACTERS

_BROKEN_ESCAPE = re.compile(rb"%(?![0-9A-Fa-f]{2})")
_NOT_TEXT = re.compile("[\u0000-\u001f\u007f-\u009f\ud800-\udfff]")
_DOTS = frozenset({".", ".."})


@dataclass(frozen=True, slots=True, order=True)
class Item:
    """One item of one supplier. Spec: "Resources and their fields"."""

    supplier: str
    supplier_item_id: str


def read_segment(name: str, raw: bytes) -> str:
    """Return the identifier in a raw path segment; raises ProblemError (400)."""
    if _BROKEN_ESCAPE.search(raw):
        raise bad_request(f"{name}: a percent sign is not followed by two hexadecimal digits.")
    try:
        text = unquote_to_bytes(raw).decode("utf-8")
    except UnicodeDecodeError:
        raise bad_request(f"{name} is not UTF-8.") from None
    return check_identifier(name, text)


def check_identifier(name: str, text: str) -> str:
    """Return the same string if the service accepts it as an identifier; raises ProblemError (400)."""
    if not text:
        raise bad_request(f"{name} is empty.")
    if text in _DOTS:
        raise bad_request(f"{name} is {text!r}, which many programs take for a folder and leave out.")
    if _NOT_TEXT.search(text):
        raise bad_request(f"{name} holds a control character or half of a surrogate pair.")
    if len(text) > MAX_ID_CHARACTERS:
        raise bad_request(f"{name} has {len(text)} characters; {MAX_ID_CHARACTERS} are allowed.")
    if len(text) * 12 > MAX_ID_BYTES and len(quote(text, safe="")) > MAX_ID_BYTES:
        raise bad_request(f"{name} has more than {MAX_ID_BYTES} bytes when it is percent-encoded.")
    return text


def check_recipients(texts: Iterable[str]) -> frozenset[str]:
    """Return the recipients of a list without duplicates; raises ProblemError (400) for the first bad one."""
    return frozenset(
        check_identifier(f"Element {index} of the list", text) for index, text in enumerate(texts)
    )
