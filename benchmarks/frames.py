"""Shows which of our functions are called between a press of Save and the socket.

`python -m benchmarks.frames` first adds a recipient with the client alone. It prints
the modules that were used, and the call stack down to the socket. Then it opens the
demo without a browser, adds a recipient to an item and presses Save. It prints the call
stack from the press to the start of a worker, and, for each kind of request, the call
stack from the worker to the socket.
"""

import os
import sys
import tempfile
import traceback
from collections.abc import Collection
from concurrent.futures import Future, ThreadPoolExecutor
from pathlib import Path
from types import FrameType
from unittest.mock import patch

from components import session
from item_visibility.client.client import VisibilityClient
from item_visibility.client.identifiers import ItemKey
from item_visibility.client.network import Stream
from item_visibility_service.sample_data import SHOWCASE
from tests.support.bundled_service import (
    CLIENT_ID,
    CLIENT_SECRET,
    run_bundled,
    sqlite_url,
)
from tests.support.program import ROOT
from tests.support.screens import Window

OURS = (f"{ROOT}/components/", f"{ROOT}/item_visibility/")
SAVING = "components/item/"
NEW = "9521110000009"

Stack = tuple[str, ...]
presses: dict[Stack, None] = {}
"""The stacks where the item page starts a worker."""
writes: dict[Stack, None] = {}
"""The stacks where a request is written to a socket."""
modules: set[str] = set()
submit = ThreadPoolExecutor.submit
write = Stream.write


def main() -> None:
    with (
        tempfile.TemporaryDirectory() as folder,
        patch.dict(
            os.environ, {"ITEM_VISIBILITY_DEMO": "true", "XDG_DATA_HOME": folder}
        ),
        patch.object(ThreadPoolExecutor, "submit", noted_submit),
        patch.object(Stream, "write", noted_write),
    ):
        # Add a recipient with the client alone.
        with (
            run_bundled(sqlite_url(Path(folder))) as service,
            VisibilityClient(
                service.base_url, service.auth_url, CLIENT_ID, CLIENT_SECRET
            ) as client,
        ):
            client.request_token()
            sys.setprofile(note_module)
            client.add_visibility(ItemKey(*SHOWCASE), NEW)
        show("from the client to the socket", [*writes][-1:])
        title = f"{len(modules)} modules of ours"
        print(title, *sorted(modules), sep="\n  ", end="\n\n")

        # Add a recipient on the item page and press Save.
        window = Window(ItemKey(*SHOWCASE))
        window.add(NEW)
        presses.clear()
        writes.clear()
        window.save()
        session.desks.close()
    show("from the press to the worker", presses)
    show("from the worker to the socket", writes)


def show(title: str, stacks: Collection[Stack]) -> None:
    for stack in stacks:
        print(f"{title}: {len(stack)} frames", *stack, sep="\n  ", end="\n\n")


def note_module(frame: FrameType, _event: str, _of: object) -> None:
    """Remember the module of a function, if it is ours.

    Python calls this for each function call.
    """
    if frame.f_code.co_filename.startswith(OURS):
        modules.add(frame.f_code.co_filename.removeprefix(f"{ROOT}/"))


def noted_submit(
    pool: ThreadPoolExecutor, *work: object, **options: object
) -> "Future[object]":
    stack = frames_of_ours(sys._getframe(1))  # noqa: SLF001  (the only way to the caller)
    if any(frame.startswith(SAVING) for frame in stack):
        presses[stack] = None
    return submit(pool, *work, **options)  # type: ignore[arg-type]  # passed through


def noted_write(stream: Stream, buffer: bytes, timeout: float | None = None) -> None:
    sys.setprofile(None)
    writes[frames_of_ours(sys._getframe(1))] = None  # noqa: SLF001  (as above)
    write(stream, buffer, timeout)


def frames_of_ours(frame: FrameType) -> Stack:
    """Return our functions in a stack, the outermost first."""
    stack = []
    for caller, _ in traceback.walk_stack(frame):
        code = caller.f_code
        if code.co_filename.startswith(OURS):
            file = code.co_filename.removeprefix(f"{ROOT}/")
            stack.append(f"{file} {code.co_qualname}")
    return tuple(reversed(stack))


if __name__ == "__main__":
    main()
