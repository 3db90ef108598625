"""Shows which of our functions are called between a press of Save and the socket.

`python -m benchmarks.frames` first adds a recipient with the client alone. It prints
the modules that were used, and the call stack down to the socket. Then it opens the
demo without a browser, unticks a recipient of an item and presses Save. It prints the
call stack from the press to the start of a worker, and, for each kind of request, the
call stack from the worker to the socket.

At the end it prints how much there is to read, all of it traced: the files that explain
the save, the modules to the socket and the calls to the socket. The files that explain
the save are those with a function on one of these stacks, or with a function or class
that such a function calls.
"""

import os
import sys
import tempfile
import threading
import traceback
from collections.abc import Collection, Iterable
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

AT_MOST = {
    "files that explain it": 30,
    "modules to the socket": 10,
    "calls to the socket": 16,
}

Stack = tuple[str, ...]
presses: dict[Stack, None] = {}
"""The stacks where the item page starts a worker."""
writes: dict[Stack, None] = {}
"""The stacks where a request is written to a socket."""
modules: set[str] = set()
"""The files with a function that ran before the first write to a socket."""
calls: set[tuple[str, str]] = set()
"""The calls of our functions, as pairs of functions."""
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
            writes.clear()
            sys.setprofile(note_module)
            client.add_visibility(ItemKey(*SHOWCASE), NEW)
            sys.setprofile(None)
        show("from the client to the socket", [*writes][-1:])
        title = f"{len(modules)} modules of ours"
        print(title, *sorted(modules), sep="\n  ", end="\n\n")

        # Untick a recipient on the item page and press Save. The profile is that of the
        # threads that are started from then on: one for the page, one for the worker.
        window = Window(ItemKey(*SHOWCASE))
        window.untick(next(iter(window.ticks)))
        presses.clear()
        writes.clear()
        threading.setprofile(note_call)
        window.save()
        threading.setprofile(None)
        session.desks.close()
    show("from the press to the worker", presses)
    show("from the worker to the socket", writes)
    show_sizes()


def show(title: str, stacks: Collection[Stack]) -> None:
    for stack in stacks:
        print(f"{title}: {len(stack)} frames", *stack, sep="\n  ", end="\n\n")


def show_sizes() -> None:
    """Print the files, modules and calls of the traced save, and their limits."""
    path = {function for stack in (*presses, *writes) for function in stack}
    called = {function for caller, function in calls if caller in path}
    removal = [*max(presses, key=len), *max(writes, key=len)]
    sizes = {
        "files that explain it": files_of(path | called),
        "modules to the socket": files_of(removal),
        "calls to the socket": removal,
    }

    print("untick one recipient and Save")
    for name, parts in sizes.items():
        print(f"  {name}: {len(parts)} (at most {AT_MOST[name]})")
    print("\nthe files that explain it", *sizes["files that explain it"], sep="\n  ")


def files_of(functions: Iterable[str]) -> list[str]:
    return sorted({function.split()[0] for function in functions})


def note_module(frame: FrameType, _event: str, _of: object) -> None:
    """Remember the module of a function, if it is ours.

    Python calls this for each function call.
    """
    if not writes and is_ours(frame):
        modules.add(file_of(frame))


def note_call(frame: FrameType, event: str, _of: object) -> None:
    """Remember a call of a function of ours, and which of our functions made it."""
    if event != "call" or not is_ours(frame):
        return
    caller = frame.f_back
    while caller is not None and not is_ours(caller):
        caller = caller.f_back
    if caller is not None:
        calls.add((function_of(caller), function_of(frame)))


def noted_submit(
    pool: ThreadPoolExecutor, *work: object, **options: object
) -> "Future[object]":
    stack = frames_of_ours(sys._getframe(1))  # noqa: SLF001  (the only way to the caller)
    if any(frame.startswith(SAVING) for frame in stack):
        presses[stack] = None
    return submit(pool, *work, **options)  # type: ignore[arg-type]  # passed through


def noted_write(stream: Stream, buffer: bytes, timeout: float | None = None) -> None:
    writes[frames_of_ours(sys._getframe(1))] = None  # noqa: SLF001  (as above)
    write(stream, buffer, timeout)


def frames_of_ours(frame: FrameType) -> Stack:
    """Return our functions in a stack, the outermost first."""
    callers = (caller for caller, _ in traceback.walk_stack(frame))
    functions = [function_of(caller) for caller in callers if is_ours(caller)]
    return tuple(reversed(functions))


def is_ours(frame: FrameType) -> bool:
    # The code of a generated `__init__` has no file, but the globals of its class do.
    return str(frame.f_globals.get("__file__")).startswith(OURS)


def file_of(frame: FrameType) -> str:
    return str(frame.f_globals["__file__"]).removeprefix(f"{ROOT}/")


def function_of(frame: FrameType) -> str:
    return f"{file_of(frame)} {frame.f_code.co_qualname}"


if __name__ == "__main__":
    main()
