"""Windows of the dashboard without a browser: each opens Streamlit's web socket and runs the page."""

import asyncio
import secrets
import ssl
import threading
from collections.abc import Coroutine, Iterator
from contextlib import contextmanager
from typing import Any, TypeVar
from urllib.parse import urlsplit

from streamlit.proto.BackMsg_pb2 import BackMsg
from streamlit.proto.ForwardMsg_pb2 import ForwardMsg
from websockets.asyncio.client import ClientConnection, connect
from websockets.exceptions import InvalidStatus, WebSocketException
from websockets.typing import Origin, Subprotocol

_AT_ONCE = 8
_TRIES = 300
_PAUSE_S = 0.2
_WITHIN_S = 300
_Result = TypeVar("_Result")


class LightWindows:
    """Opens windows of one dashboard, and keeps them open. All of them live in one thread.

    Attributes:
        refused: the HTTP statuses with which web sockets were refused.
    """

    def __init__(self, url: str, *, from_address: str = "127.0.0.1") -> None:
        parts = urlsplit(url)
        self._origin = f"{parts.scheme}://{parts.netloc}"
        self._address = f"{url.replace('http', 'ws', 1).rstrip('/')}/_stcore/stream"
        self._from_address = from_address
        self._loop = asyncio.new_event_loop()
        self._thread = threading.Thread(target=self._loop.run_forever, name="light windows", daemon=True)
        self._connections: list[ClientConnection] = []
        self.refused: list[int] = []

    def open(self, count: int, *, cookie: str = "", runs_page: bool = True) -> int:
        """Open windows, each with one attempt, and return how many of them opened.

        By default each window has the cookie of another browser, and returns after its page was drawn.
        """
        return self._wait(self._open_all(count, cookie, runs_page=runs_page))

    def reopen(self) -> int:
        """Open every window again that was closed, as Streamlit's page does. Return how many are open."""
        return self._wait(self._reopen_all())

    def count_open(self) -> int:
        return self._wait(self._count_open())

    def start(self) -> None:
        self._thread.start()

    def close(self) -> None:
        self._wait(self._close_all())
        self._loop.call_soon_threadsafe(self._loop.stop)
        self._thread.join()
        self._loop.close()

    def _wait(self, work: Coroutine[Any, Any, _Result]) -> _Result:
        return asyncio.run_coroutine_threadsafe(work, self._loop).result(_WITHIN_S)

    async def _open_all(self, count: int, cookie: str, *, runs_page: bool) -> int:
        turn = asyncio.Semaphore(_AT_ONCE)

        async def open_in_turn() -> bool:
            async with turn:
                return await self._open(cookie or secrets.token_hex(16), runs_page=runs_page)

        return sum(await asyncio.gather(*(open_in_turn() for _ in range(count))))

    async def _open(self, cookie: str, *, runs_page: bool) -> bool:
        try:
            connection = await connect(
                self._address,
                origin=Origin(self._origin),
                subprotocols=[Subprotocol("streamlit")],
                additional_headers={"Cookie": f"item_visibility_replica={cookie}"},
                ssl=_trusting() if self._address.startswith("wss:") else None,
                local_addr=(self._from_address, 0),
                proxy=None,
                max_size=None,
                open_timeout=_WITHIN_S,
                ping_interval=None,
            )
        except InvalidStatus as error:
            self.refused.append(error.response.status_code)
            return False
        except (OSError, WebSocketException):
            return False
        if runs_page and not await _run_page(connection):
            return False
        self._connections.append(connection)
        return True

    async def _reopen_all(self) -> int:
        wanted = len(self._connections)
        for _ in range(_TRIES):
            missing = wanted - await self._count_open()
            if not missing:
                break
            await self._open_all(missing, "", runs_page=True)
            await asyncio.sleep(_PAUSE_S)
        return await self._count_open()

    async def _count_open(self) -> int:
        """Count the windows that are open now. Forget the others."""
        for connection in list(self._connections):
            try:
                async with asyncio.timeout(0):
                    await connection.wait_closed()
            except TimeoutError:
                continue
            self._connections.remove(connection)
        return len(self._connections)

    async def _close_all(self) -> None:
        await asyncio.gather(*(connection.close() for connection in self._connections))


@contextmanager
def light_windows(url: str, *, from_address: str = "127.0.0.1") -> Iterator[LightWindows]:
    """Yield an opener of windows, and close all of its windows at the end."""
    windows = LightWindows(url, from_address=from_address)
    windows.start()
    try:
        yield windows
    finally:
        windows.close()


def _trusting() -> ssl.SSLContext:
    """Accept the certificate that was made for this test."""
    context = ssl.create_default_context()
    context.check_hostname = False
    context.verify_mode = ssl.CERT_NONE
    return context


async def _run_page(connection: ClientConnection) -> bool:
    """Ask for the first page, and return True once its script has ended."""
    question = BackMsg()
    question.rerun_script.query_string = ""
    message = ForwardMsg()
    try:
        await connection.send(question.SerializeToString())
        while message.WhichOneof("type") != "script_finished":
            data = await connection.recv()
            assert isinstance(data, bytes)
            message.ParseFromString(data)
    except WebSocketException:
        return False
    return True
