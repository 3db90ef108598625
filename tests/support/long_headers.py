"""Requests with headers of an exact size, sent at once or in small parts."""

import socket
import time

_PART_BYTES = 1400
_PAUSE_S = 0.002
_WITHIN_S = 60


def status_of(  # noqa: PLR0913  (each is a property of the request)
    port: int,
    size: int,
    *,
    path: str = "/",
    lines: int = 1,
    is_web_socket: bool = False,
    is_in_parts: bool = False,
) -> int:
    """Return the status of the answer to a request with so many bytes of headers.

    Fail if there is none.
    """
    head = [f"Host: 127.0.0.1:{port}", f"Origin: http://127.0.0.1:{port}"]
    if is_web_socket:
        head += [
            "Connection: Upgrade",
            "Upgrade: websocket",
            "Sec-WebSocket-Version: 13",
        ]
        head += ["Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ=="]
    names = [f"X-{number}: " for number in range(lines)]
    if lines == 1:
        names = ["Cookie: large="]
    missing = size - sum(len(line) + len("\r\n") for line in head + names)
    fillers = [missing // lines] * lines
    fillers[0] += missing % lines
    head += [name + "x" * filler for name, filler in zip(names, fillers, strict=True)]
    return _send(
        port,
        f"GET {path} HTTP/1.1\r\n" + "".join(f"{line}\r\n" for line in [*head, ""]),
        is_in_parts,
    )


def _send(port: int, request: str, is_in_parts: bool) -> int:  # noqa: FBT001  (of this module)
    data = request.encode("ascii")
    with socket.create_connection(("127.0.0.1", port), timeout=_WITHIN_S) as connection:
        connection.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        step = _PART_BYTES if is_in_parts else len(data)
        for start in range(0, len(data), step):
            connection.sendall(data[start : start + step])
            time.sleep(_PAUSE_S if is_in_parts else 0)
        return int(connection.recv(100).split()[1])
