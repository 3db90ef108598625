"""How many functions of ours lie between the press of Save and the wire, and between the client and the wire?

`python -m benchmarks.frames` first adds a recipient with the client alone. It prints the frames from
`VisibilityClient.add_visibility` to the socket, and the modules of ours whose code ran until then. Then it
opens the demo without a browser, adds a recipient to an item and presses Save. It prints the frames of the
screen's thread, down to the hand-over to a worker, and those of the worker's thread, down to the transport,
for each request of the save.
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

import httpx

from components import session
from item_visibility.client.client import VisibilityClient
from item_visibility.client.identifiers import ItemKey
from item_visibility.client.transport import Network, Stream
from item_visibility_service.sample import SHOWCASE
from item_visibility_service.server import start_embedded
from item_visibility_service.settings import ServiceSettings
from tests.support.screens import Window

ROOT = Path(__file__).resolve().parents[1]
OURS = ("components", "item_visibility")
SAVING = "components/item/"
NEW = "9521110000009"


@dataclass(slots=True)
class Save:
    """The frames of one save: those of the press, and those of each request."""

    press: tuple[str, ...] = ()
    requests: list[tuple[str, tuple[str, ...]]] = field(default_factory=list)


def main() -> None:
    """Add once, save once, and print."""
    with tempfile.TemporaryDirectory() as folder:
        show_client(folder)
    with tempfile.TemporaryDirectory() as folder:
        environ = {"ITEM_VISIBILITY_DEMO": "true", "XDG_DATA_HOME": folder}
        with patch.dict(os.environ, environ), watched() as save:
            window = Window(ItemKey(*SHOWCASE))
            window.add(NEW)
            window.save()
            session.close_desk()
    print(f"from the press to the worker: {len(save.press)}")
    print("".join(f"  {frame}\n" for frame in save.press))
    for line, frames in save.requests:
        print(f"{line}: {len(frames)} in the worker, {len(save.press) + len(frames)} from the press")
        print("".join(f"  {frame}\n" for frame in frames))


def show_client(folder: str) -> None:
    """Print the frames and the modules between the client and the socket."""
    frames: tuple[str, ...] = ()
    modules: set[str] = set()
    write = Stream.write

    def look(frame: FrameType, _event: str, _of: object) -> None:
        modules.update(one.partition(" ")[0] for one in frames_of_ours(frame)[-1:])

    def watched_write(stream: Stream, buffer: bytes, timeout: float | None = None) -> None:
        nonlocal frames
        sys.setprofile(None)
        caller = sys._getframe(1)  # noqa: SLF001  (the only way to the caller)
        frames = frames or (*frames_of_ours(caller), "item_visibility/client/transport.py Stream.write")
        write(stream, buffer, timeout)

    settings = ServiceSettings(f"sqlite:///{folder}/service.sqlite", "client", "secret")
    with (
        start_embedded(settings) as service,
        VisibilityClient(service.base_url, service.auth_url, "client", "secret") as client,
    ):
        client.request_token()
        with patch.object(Stream, "write", watched_write):
            sys.setprofile(look)
            client.add_visibility(ItemKey(*SHOWCASE), NEW)
    print(f"from the client to the socket: {len(frames)} frames, {len(modules)} modules")
    print("".join(f"  {line}\n" for line in (*frames, "", *sorted(modules))))


@contextmanager
def watched() -> Iterator[Save]:
    """Note the frames of ours at the hand-over to a worker, and at each request of a worker."""
    save = Save()
    hand_over, send = ThreadPoolExecutor.submit, Network.handle_request

    def watched_hand_over(pool: ThreadPoolExecutor, *work: object, **named: object) -> "Future[object]":
        frames = frames_of_ours(sys._getframe(1))  # noqa: SLF001  (the only way to the caller)
        if any(frame.startswith(SAVING) for frame in frames):
            save.press = frames
        return hand_over(pool, *work, **named)  # type: ignore[arg-type]  # passed through

    def watched_send(network: Network, request: httpx.Request) -> httpx.Response:
        if save.press:
            frames = frames_of_ours(sys._getframe(1))  # noqa: SLF001  (the only way to the caller)
            save.requests.append((request.extensions["call"].operation.name, frames))
        return send(network, request)

    with (
        patch.object(ThreadPoolExecutor, "submit", watched_hand_over),
        patch.object(Network, "handle_request", watched_send),
    ):
        yield save


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
