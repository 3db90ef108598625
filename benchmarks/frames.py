"""How many functions and modules of ours lie between the press of Save and the socket?

`python -m benchmarks.frames` first adds a recipient with the client alone, then opens the demo without a
browser, adds a recipient to an item and presses Save. It prints the frames from the client to the socket and
the modules of ours that ran until then; the frames of the screen's thread, down to the hand-over to a worker;
and those of the worker's thread, down to the socket, for each kind of request of the save.
"""

import os
import sys
import tempfile
from collections.abc import Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from types import FrameType
from unittest.mock import patch

from components import session
from item_visibility.client.client import VisibilityClient
from item_visibility.client.identifiers import ItemKey
from item_visibility.client.transport import Stream
from item_visibility_service.sample import SHOWCASE
from item_visibility_service.server import start_embedded
from item_visibility_service.settings import ServiceSettings
from tests.support.screens import Window

ROOT = Path(__file__).resolve().parents[1]
OURS = ("components", "item_visibility")
SAVING = "components/item/"
NEW = "9521110000009"


Stack = tuple[str, ...]


@dataclass(slots=True)
class Watch:
    """The stacks at hand-overs from the item page to a worker, and at writes to a socket."""

    presses: dict[Stack, None] = field(default_factory=dict)
    writes: dict[Stack, None] = field(default_factory=dict)
    modules: set[str] = field(default_factory=set)

    def note_module(self, frame: FrameType, _event: str, _of: object) -> None:
        """Note the module of a function of ours that is called: a profile function."""
        self.modules.update(one.partition(" ")[0] for one in frames_of_ours(frame)[-1:])


def main() -> None:
    """Add once, save once, and print."""
    with tempfile.TemporaryDirectory() as folder, watched() as watch:
        add_with_client(folder, watch)
    show("from the client to the socket", [*watch.writes][-1:])
    print(f"{len(watch.modules)} modules of ours", *sorted(watch.modules), sep="\n  ", end="\n\n")
    with (
        tempfile.TemporaryDirectory() as folder,
        patch.dict(os.environ, {"ITEM_VISIBILITY_DEMO": "true", "XDG_DATA_HOME": folder}),
        watched() as watch,
    ):
        window = Window(ItemKey(*SHOWCASE))
        window.add(NEW)
        watch.writes.clear()
        window.save()
        session.desks.close()
    show("from the press to the worker", [*watch.presses])
    show("from the worker to the socket", [*watch.writes])


def show(words: str, stacks: list[Stack]) -> None:
    """Print the frames of each stack."""
    for stack in stacks:
        print(f"{words}: {len(stack)} frames", *stack, sep="\n  ", end="\n\n")


def add_with_client(folder: str, watch: Watch) -> None:
    """Add a recipient at a service of its own, and note the modules from the call to the socket."""
    settings = ServiceSettings(f"sqlite:///{folder}/service.sqlite", "client", "secret")
    with (
        start_embedded(settings) as service,
        VisibilityClient(service.base_url, service.auth_url, "client", "secret") as client,
    ):
        client.request_token()
        sys.setprofile(watch.note_module)
        client.add_visibility(ItemKey(*SHOWCASE), NEW)


@contextmanager
def watched() -> Iterator[Watch]:
    """Watch hand-overs and writes in this block."""
    watch = Watch()
    submit, write = ThreadPoolExecutor.submit, Stream.write

    def watched_submit(pool: ThreadPoolExecutor, *work: object, **named: object) -> "Future[object]":
        stack = frames_of_ours(sys._getframe(1))  # noqa: SLF001  (the only way to the caller)
        if any(frame.startswith(SAVING) for frame in stack):
            watch.presses[stack] = None
        return submit(pool, *work, **named)  # type: ignore[arg-type]  # passed through

    def watched_write(stream: Stream, buffer: bytes, timeout: float | None = None) -> None:
        sys.setprofile(None)
        watch.writes[frames_of_ours(sys._getframe(1))] = None  # noqa: SLF001  (as above)
        write(stream, buffer, timeout)

    with (
        patch.object(ThreadPoolExecutor, "submit", watched_submit),
        patch.object(Stream, "write", watched_write),
    ):
        yield watch


def frames_of_ours(frame: FrameType | None) -> tuple[str, ...]:
    """Return the functions of the program in a stack, the outermost first."""
    frames: list[str] = []
    while frame is not None:
        path = Path(frame.f_code.co_filename)
        if path.is_relative_to(ROOT) and path.relative_to(ROOT).parts[0] in OURS:
            frames.append(f"{path.relative_to(ROOT).as_posix()} {frame.f_code.co_qualname}")
        frame = frame.f_back
    return tuple(reversed(frames))


if __name__ == "__main__":
    main()
