"""How often does an outcome change its form between the answer of the service and the row of a job?

`python -m benchmarks.forms` applies a list of one recipient, whom the service refuses, to the demo. It
prints, in order, each kind of value that held the service's own words about the refusal, or the value
before it, when a function of the program returned it or was a method of it. The record of the request, which
observers get, is skipped: nothing of the row comes from it.
"""

import os
import tempfile
import threading
from collections.abc import Iterator
from dataclasses import fields, is_dataclass
from pathlib import Path
from types import FrameType
from unittest.mock import patch

import httpx
from click.testing import CliRunner

from item_visibility.api.observing import CallRecord
from item_visibility.cli import main as command
from item_visibility.errors import ProblemDetail
from item_visibility_service.sample.load import SHOWCASE

ROOT = str(Path(__file__).resolve().parents[1] / "item_visibility" / "x")[:-1]
WORDS = "Refused, to be followed"
ANYTHING_ELSE = (ProblemDetail, list, tuple, str, bytes)


def main() -> None:
    """Apply the list, and print."""
    forms: dict[str, str] = {}

    def watch(frame: FrameType, event: str, returned: object) -> None:
        if event == "return" and frame.f_code.co_filename.startswith(ROOT):
            for value in (frame.f_locals.get("self"), returned):
                if holds_words(value, forms):
                    forms.setdefault(type(value).__name__, frame.f_code.co_qualname)

    refused = refusing(httpx.HTTPTransport.handle_request)
    with tempfile.TemporaryDirectory() as folder:
        wanted = Path(folder) / "wanted.csv"
        wanted.write_text(f"supplier,item,recipient\n{','.join(SHOWCASE)},9521110000009\n")
        environ = {"ITEM_VISIBILITY_DEMO": "true", "XDG_DATA_HOME": folder}
        with patch.dict(os.environ, environ), patch.object(httpx.HTTPTransport, "handle_request", refused):
            threading.setprofile(watch)
            print(CliRunner().invoke(command, ["apply", str(wanted), "--yes", "--as-is"]).output)
            threading.setprofile(None)
    print(f"An outcome changes its form {len(forms) - 1} times from the answer to the row:")
    print("".join(f"  {form}, seen in {function}\n" for form, function in forms.items()), end="")


def refusing(send):  # type: ignore[no-untyped-def]  # noqa: ANN001, ANN201  (a method of httpx)
    """Return the method, with every write refused."""

    def handle_request(transport: httpx.HTTPTransport, request: httpx.Request) -> httpx.Response:
        if "/recipient/" in request.url.path:
            problem = {"status": 409, "title": WORDS}
            return httpx.Response(409, json=problem, headers={"content-type": "application/problem+json"})
        response: httpx.Response = send(transport, request)
        return response

    return handle_request


def holds_words(value: object, forms: dict[str, str]) -> bool:
    """True when the value itself holds the words, or a value of a form before it."""
    if isinstance(value, (ProblemDetail, CallRecord)):
        return False
    return any(is_of_words(part) or type(part).__name__ in forms.keys() - {"dict"} for part in held(value))


def held(value: object) -> Iterator[object]:
    """Yield what the value holds directly."""
    if isinstance(value, dict) and "outcome" in value:  # a row
        yield from value.values()
    elif is_dataclass(value):
        yield from (getattr(value, one.name, None) for one in fields(value))
    elif isinstance(value, Exception):
        yield from vars(value).values()


def is_of_words(part: object) -> bool:
    """True for the words as bytes, as text or as a problem detail."""
    if isinstance(part, ProblemDetail):
        return part.title == WORDS
    return part == WORDS or (isinstance(part, bytes) and WORDS.encode() in part)


if __name__ == "__main__":
    main()
