"""Problem details, as the service sends them with error responses. Spec: "ProblemDetail"; RFC 9457."""

import json

from item_visibility.errors import ProblemDetail

MAX_TITLE, MAX_DETAIL, MAX_INSTANCE = 200, 2_000, 500


def read_problem(status: int, content_type: str, body: bytes, *, is_cut: bool) -> ProblemDetail:
    """Return the problem in an error response; never raise. Spec: "ProblemDetail".

    Only a complete JSON object is read. HTML, a body that was cut short and anything else give a
    problem with only its status. The HTTP status wins over the one in the body.
    """
    if is_cut or not is_json(content_type):
        return ProblemDetail(status)
    members = parse_json(body)
    if not isinstance(members, dict):
        return ProblemDetail(status)
    return ProblemDetail(
        status,
        title=_text(members.get("title"), MAX_TITLE),
        detail=_text(members.get("detail"), MAX_DETAIL),
        instance=_text(members.get("instance"), MAX_INSTANCE),
    )


def parse_json(body: bytes) -> object:
    """Return the value in a JSON text in UTF-8, or None when it is none; never raise."""
    try:
        return json.loads(body.decode("utf-8-sig"))
    except (ValueError, RecursionError):
        return None


def is_json(content_type: str) -> bool:
    """True for `application/json`, `application/problem+json` and other media types of JSON."""
    media_type = content_type.partition(";")[0].strip().lower()
    return media_type == "application/json" or media_type.endswith("+json")


def _text(value: object, limit: int) -> str:
    """Return the value if it is text, cut, with broken surrogates replaced so that it can be shown."""
    if not isinstance(value, str):
        return ""
    return value[:limit].encode("utf-16", "surrogatepass").decode("utf-16", "replace")
