"""The local variables of every function of the program, as a traceback would show them, searched for secrets.

    with watched_frames(["hush"]) as found:
        read_settings(environ)
    assert found == set()

A function is looked at when it ends, in whatever thread: whatever could be raised in it, shows no more.
"""

import sys
import threading
from base64 import b64encode
from collections.abc import Collection, Iterator
from contextlib import contextmanager
from types import FrameType
from urllib.parse import quote

_OURS = "/item_visibility/"
_COMPARING = ("/client/secrets.py", "/use_cases/redaction.py")
"""They look for secrets, so they hold them; each is a few lines over texts, in which nothing is raised."""

_HIDING = frozenset(
    {
        *("hidden_environ", "_hidden", "_hidden_table"),
        *("_web_address", "token_request"),
    }
)
"""They take a secret as it comes, and hand on what does not show it; nothing is raised while they hold it."""


def writings(secret: str) -> tuple[str, ...]:
    """The secret as it is, in an address, in escapes of JSON, and in base64, alone and behind a user name."""
    return (
        secret,
        quote(secret, safe=""),
        "".join(f"\\u{ord(sign):04x}" for sign in secret),
        b64encode(secret.encode()).decode().rstrip("=")[:-1],
        b64encode(f"user:{secret}".encode()).decode().rstrip("=")[8:-1],
    )


def found_in(text: str, secrets: Collection[str]) -> set[str]:
    """The secrets that stand in the text in any writing."""
    return {secret for secret in secrets if any(one in text for one in writings(secret))}


@contextmanager
def watched_frames(secrets: Collection[str]) -> Iterator[set[str]]:
    """Watch the block and the threads that begin within it; yield where a secret is shown.

    `secrets` may grow meanwhile, as by tokens.
    """
    found: set[str] = set()
    asked = threading.local()

    def look(frame: FrameType, event: str, _of: object) -> None:
        path = frame.f_code.co_filename
        is_ours = event == "return" and _OURS in path and not path.endswith(_COMPARING)
        if not is_ours or frame.f_code.co_qualname.partition(".")[0] in _HIDING or vars(asked):
            return
        asked.by_us = True  # what shows a value is a function, too
        found.update(_shown(frame, secrets))
        del asked.by_us

    before = sys.getprofile()
    threading.setprofile(look)
    sys.setprofile(look)
    try:
        yield found
    finally:
        sys.setprofile(before)
        threading.setprofile(None)  # type: ignore[arg-type]  (as the documentation says)


def _shown(frame: FrameType, secrets: Collection[str]) -> Iterator[str]:
    where = f"{frame.f_code.co_filename.rpartition(_OURS)[2]}:{frame.f_code.co_name}"
    for name, value in list(frame.f_locals.items()):
        yield from (f"{where}: {name}" for _ in found_in(_printed(value), secrets))


def _printed(value: object) -> str:
    try:
        return repr(value)
    except Exception:  # noqa: BLE001  (half made: a traceback would show nothing of it either)
        return ""
