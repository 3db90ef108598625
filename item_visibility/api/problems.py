"""Problem details, as the service sends them with error responses. Spec: "ProblemDetail"; RFC 9457."""

import json
from dataclasses import dataclass

MAX_TITLE, MAX_DETAIL, MAX_INSTANCE = 200, 2_000, 500


@dataclass(frozen=True, slots=True)
class ProblemDetail:
    """The service's own words about an error. Spec: "ProblemDetail".

    `status` is the HTTP status, whatever the body says. The texts are the service's, cut to
    200 (title), 2,000 (detail) and 500 (instance) characters; empty where it sent none.
    """

    status: int
    title: str = ""
    detail: str = ""
    instance: str = ""

    @property
    def has_words(self) -> bool:
        """True when the service said anything besides the status."""
        return bool(self.title or self.detail or self.instance)


def read_problem(status: int, content_type: str, body: bytes, *, is_cut: bool) -> ProblemDetail:
    """The problem that an error response tells about; never raises. Spec: "ProblemDetail".

    Only a whole JSON object is read. HTML, a body that was cut short and anything else give a
    problem with its status alone. The HTTP status wins over the body's.
    """
    if is_cut or not is_json(content_type):
        return ProblemDetail(status)
    try:
        members = json.loads(body.decode("utf-8-sig"))
    except (ValueError, RecursionError):
        return ProblemDetail(status)
    if not isinstance(members, dict):
        return ProblemDetail(status)
    return ProblemDetail(
        status,
        title=_text(members.get("title"), MAX_TITLE),
        detail=_text(members.get("detail"), MAX_DETAIL),
        instance=_text(members.get("instance"), MAX_INSTANCE),
    )


def is_json(content_type: str) -> bool:
    """True for `application/json`, `application/problem+json` and other media types of JSON."""
    media_type = content_type.partition(";")[0].strip().lower()
    return media_type == "application/json" or media_type.endswith("+json")


def _text(value: object, most: int) -> str:
    """The value when it is a text, cut, with halves of characters replaced so that it can be shown."""
    if not isinstance(value, str):
        return ""
    return value[:most].encode("utf-16", "surrogatepass").decode("utf-16", "replace")
