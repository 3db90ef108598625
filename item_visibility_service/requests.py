"""Reads and checks the path and the body of a request. Notes N1, N6 and N12."""

import json
import re
from http import HTTPStatus
from urllib.parse import parse_qsl, quote, unquote_to_bytes

from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.types import Scope

from item_visibility_service.limits import (
    MAX_FORM_BYTES,
    MAX_FORM_FIELDS,
    MAX_ID_BYTES,
    MAX_ID_CHARACTERS,
    MAX_LIST_BYTES,
    MAX_RECIPIENTS,
)

_ORIGIN = re.compile(rb"^https?://[^/]*", re.IGNORECASE)
_AMBIGUOUS_SEGMENT = re.compile(rb"/(?:\.|%2e){0,2}(?:/|\Z)", re.IGNORECASE)
_BROKEN_ESCAPE = re.compile("%(?![0-9A-Fa-f]{2})")
_NOT_TEXT = re.compile("[\u0000-\u001f\u007f-\u009f\ud800-\udfff]")


def bad_request(detail: str) -> HTTPException:
    """Return an error for status 400. Note N6."""
    return HTTPException(HTTPStatus.BAD_REQUEST, detail)


def read_path(scope: Scope) -> str:
    """Return the percent-encoded path; raises HTTPException (400) if it is ambiguous.

    Routes must not be matched with the decoded path: setVisibilities on the item
    `x/recipient/y` would become addVisibility on the item `x`.
    """
    path: bytes = _ORIGIN.sub(b"", scope["raw_path"])
    if b"#" in path:
        raise bad_request("The path contains a number sign: write it as %23.")
    if path != b"/" and _AMBIGUOUS_SEGMENT.search(path):
        raise bad_request(
            "A segment of the path is empty, '.' or '..'. Many programs remove these."
        )
    return path.decode("latin-1")


def read_segment(name: str, raw: str) -> str:
    """Return the identifier in a percent-encoded path segment.

    Raises HTTPException (400).
    """
    if _BROKEN_ESCAPE.search(raw):
        raise bad_request(
            f"{name} has a percent sign without two hexadecimal digits after it."
        )
    try:
        text = unquote_to_bytes(raw.encode("latin-1")).decode("utf-8")
    except UnicodeDecodeError:
        raise bad_request(f"{name} is not UTF-8.") from None
    return check_identifier(name, text)


def check_identifier(name: str, text: str) -> str:
    """Return the text if it is an acceptable identifier; raises HTTPException (400)."""
    if not text:
        raise bad_request(f"{name} is empty.")
    if text in {".", ".."}:
        raise bad_request(
            f"{name} is {text!r}, which many programs remove from a path."
        )
    if _NOT_TEXT.search(text):
        raise bad_request(
            f"{name} contains a control character or half of a surrogate pair."
        )
    if len(text) > MAX_ID_CHARACTERS:
        raise bad_request(
            f"{name} has {len(text)} characters; {MAX_ID_CHARACTERS} are allowed."
        )
    # A character has at most 12 bytes when percent-encoded: short texts need no count.
    if len(text) * 12 > MAX_ID_BYTES and len(quote(text, safe="")) > MAX_ID_BYTES:
        raise bad_request(
            f"{name} has more than {MAX_ID_BYTES} bytes when percent-encoded."
        )
    return text


async def read_recipients(request: Request) -> frozenset[str]:
    """Return the recipients in the body; raises HTTPException (400, 413, 415).

    Spec: "RecipientsArray".
    """
    body = await _read_body(request, "application/json", MAX_LIST_BYTES)
    try:
        value: object = json.loads(body.decode("utf-8"))
    except (ValueError, RecursionError):
        raise bad_request("The body is not JSON.") from None

    if not isinstance(value, list):
        raise bad_request("The body is not an array.")
    if len(value) > MAX_RECIPIENTS:
        raise bad_request(
            f"The list has {len(value)} elements; {MAX_RECIPIENTS} are allowed."
        )
    strings = [element for element in value if isinstance(element, str)]
    if len(strings) != len(value):
        raise bad_request("An element of the array is not a string.")

    return frozenset(
        check_identifier(f"Element {index} of the list", text)
        for index, text in enumerate(strings)
    )


async def read_form(request: Request) -> dict[str, str] | None:
    """Return the fields, or None if the form is malformed or repeats a field.

    RFC 6749, section 3.2. Raises HTTPException (413, 415).
    """
    body = await _read_body(
        request, "application/x-www-form-urlencoded", MAX_FORM_BYTES
    )
    try:
        pairs = parse_qsl(
            body.decode("ascii"),
            keep_blank_values=True,
            strict_parsing=True,
            errors="strict",
            max_num_fields=MAX_FORM_FIELDS,
        )
    except ValueError:
        return None
    form = dict(pairs)
    return form if len(form) == len(pairs) else None


async def _read_body(request: Request, media_type: str, max_bytes: int) -> bytes:
    content_type = request.headers.get("content-type", "").partition(";")[0]
    if content_type.strip().lower() != media_type:
        raise HTTPException(
            HTTPStatus.UNSUPPORTED_MEDIA_TYPE, f"The body must be {media_type}."
        )
    encoding = request.headers.get("content-encoding", "identity")
    if encoding.strip().lower() != "identity":
        raise HTTPException(
            HTTPStatus.UNSUPPORTED_MEDIA_TYPE, "The body must not be compressed."
        )

    # Stop at the limit, so that a long body takes little memory.
    body = bytearray()
    async for chunk in request.stream():
        body += chunk
        if len(body) > max_bytes:
            raise HTTPException(
                HTTPStatus.REQUEST_ENTITY_TOO_LARGE,
                f"The body has more than {max_bytes} bytes.",
            )
    return bytes(body)
