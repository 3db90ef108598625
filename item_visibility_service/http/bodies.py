"""Reading request bodies, up to a size limit."""

import json
from http import HTTPStatus

from starlette.requests import Request

from item_visibility_service.http.problem_answers import ProblemError, bad_request


async def read_body(request: Request, *, media_type: str, max_bytes: int) -> bytes:
    """Return the whole body; raises ProblemError (413, 415)."""
    given = request.headers.get("content-type", "").partition(";")[0].strip().lower()
    if given != media_type:
        raise ProblemError(HTTPStatus.UNSUPPORTED_MEDIA_TYPE, f"The body has to be {media_type}.")
    if request.headers.get("content-encoding", "identity").strip().lower() != "identity":
        raise ProblemError(
            HTTPStatus.UNSUPPORTED_MEDIA_TYPE, "The body has to be sent as it is, not compressed."
        )
    body = bytearray()
    async for chunk in request.stream():
        body += chunk
        if len(body) > max_bytes:
            raise ProblemError(
                HTTPStatus.REQUEST_ENTITY_TOO_LARGE, f"The body has more than {max_bytes} bytes."
            )
    return bytes(body)


def read_recipients_array(body: bytes, *, max_items: int) -> list[str]:
    """Return the strings of a RecipientsArray; raises ProblemError (400). Spec: "RecipientsArray"."""
    try:
        value: object = json.loads(body.decode("utf-8"))
    except (ValueError, RecursionError):
        raise bad_request("The body is not JSON.") from None
    if not isinstance(value, list):
        raise bad_request("The body is not an array.")
    if len(value) > max_items:
        raise bad_request(f"The list has {len(value)} elements; {max_items} are allowed.")
    strings = [element for element in value if isinstance(element, str)]
    if len(strings) != len(value):
        raise bad_request("An element of the array is not a string.")
    return strings
