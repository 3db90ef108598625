"""Windows of the dashboard without a browser.

Each opens Streamlit's web socket, which runs the page.
"""

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
_TRIES = 100
_PAUSE_S = 0.2
_ANSWERS_WITHIN_S = 60
_WITHIN_S = 300
_Result = TypeVar("_Result")


class LightWindows:
    """Opens windows of one dashboard, and keeps them open.

    All of them live in one thread.

    Attributes:
        refused: the HTTP statuses with which web sockets were refused.
    """

    def __init__(self, url: str, *, from_address: str = "127.0.0.1") -> None:
        parts = urlsplit(url)
        self._origin = f"{parts.scheme}://{parts.netloc}"
        self._address = f"{url.replace('http', 'ws', 1).rstrip('/')}/_stcore/stream"
        self._from_address = from_address
        self._loop = asyncio.new_event_loop()
        self._thread = threading.Thread(
            target=self._loop.run_forever, name="light windows", daemon=True
        )
        self._connections: list[ClientConnection] = []
        self.refused: list[int] = []

    def open(self, count: int, *, cookie: str = "", is_patient: bool = False) -> int:
        """Open windows, wait until their pages are drawn, and return how many opened.

        Each window has the cookie of another browser, unless a cookie is given. A
        patient one tries again, as Streamlit's page does.
        """
        return self._wait(
            self._open_all(count, cookie, tries=_TRIES if is_patient else 1)
        )

    def reopen(self) -> int:
        """Open every window again that was closed, as Streamlit's page does.

        Return how many are open.
        """
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

    async def _open_all(self, count: int, cookie: str, *, tries: int) -> int:
        turn = asyncio.Semaphore(_AT_ONCE)

        async def open_in_turn() -> bool:
            async with turn:
                for _ in range(tries):
                    if await self._open(cookie or secrets.token_hex(16)):
                        return True
                    await asyncio.sleep(_PAUSE_S)
                return False

        return sum(await asyncio.gather(*(open_in_turn() for _ in range(count))))

    async def _open(self, cookie: str) -> bool:
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
                open_timeout=_ANSWERS_WITHIN_S,
                ping_interval=None,
            )
        except InvalidStatus as error:
            self.refused.append(error.response.status_code)
            return False
        except (OSError, WebSocketException):
            return False
        if not await _run_page(connection):
            return False
        self._connections.append(connection)
        return True

    async def _reopen_all(self) -> int:
        wanted = len(self._connections)
        missing = wanted - await self._count_open()
        await self._open_all(missing, "", tries=_TRIES)
        return await self._count_open()

    async def _count_open(self) -> int:
        """Count the windows whose replica answers a ping. Forget the others."""
        answers = await asyncio.gather(*map(_is_answered, self._connections))
        pairs = zip(self._connections, answers, strict=True)
        self._connections = [
            connection for connection, is_answered in pairs if is_answered
        ]
        return len(self._connections)

    async def _close_all(self) -> None:
        await asyncio.gather(*(connection.close() for connection in self._connections))


@contextmanager
def light_windows(
    url: str, *, from_address: str = "127.0.0.1"
) -> Iterator[LightWindows]:
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


async def _is_answered(connection: ClientConnection) -> bool:
    try:
        await (await connection.ping())
    except WebSocketException:
        return False
    return True


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
