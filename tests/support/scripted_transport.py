"""A service without a network: scripted answers, and a record of the requests."""

import json
from collections.abc import Callable
from itertools import chain, repeat

import httpx

from item_visibility import VisibilityClient
from item_visibility.client.call_records import Observer, ignore
from tests.support.waiting import HandClock

BASE_URL = "https://api.example.com/some/v1"
AUTH_URL = "https://login.example.com"
CLIENT_ID = "the client"
CLIENT_SECRET = "the secret, never-shown"

Step = httpx.Response | Exception | Callable[[httpx.Request], httpx.Response]


def token_answer(number: int) -> httpx.Response:
    body = {
        "access_token": f"token-{number}-never-shown",
        "expires_in": 300,
        "token_type": "Bearer",
    }
    return httpx.Response(200, json=body)


class ScriptedTransport(httpx.BaseTransport):
    """A transport that answers calls with the steps of a script, and repeats the last
    step.

    It also issues tokens, after the answers in `token_steps`. `calls` and
    `token_requests` record requests.
    """

    def __init__(self, *steps: Step, token_steps: tuple[Step, ...] = ()) -> None:
        self.calls: list[httpx.Request] = []
        self.token_requests: list[httpx.Request] = []
        self._steps = chain(steps[:-1], repeat(steps[-1]))
        self._token_steps = iter(token_steps)

    def handle_request(self, request: httpx.Request) -> httpx.Response:
        request.read()
        request = _copy(request)
        if request.url.host == "login.example.com":
            self.token_requests.append(request)
            usual = token_answer(len(self.token_requests))
            return _take(next(self._token_steps, usual), request)
        self.calls.append(request)
        return _take(next(self._steps), request)

    @property
    def lines(self) -> list[str]:
        return [
            f"{call.method} {call.url.raw_path.decode('ascii')}" for call in self.calls
        ]


def _copy(request: httpx.Request) -> httpx.Request:
    """Return a copy, because after a 401 the client puts another token into the same
    request.
    """
    return httpx.Request(
        request.method,
        request.url,
        headers=request.headers,
        content=request.content,
        extensions=request.extensions,
    )


def _take(step: Step, request: httpx.Request) -> httpx.Response:
    if isinstance(step, Exception):
        raise step
    if isinstance(step, httpx.Response):
        return httpx.Response(
            step.status_code, headers=step.headers, content=step.content
        )
    return step(request)


def scripted_client(
    transport: httpx.BaseTransport,
    *,
    clock: HandClock | None = None,
    on_call: Observer = ignore,
) -> VisibilityClient:
    """Return a client on the transport.

    Its waits have the maximum length but take no real time.
    """
    clock = clock or HandClock()
    return VisibilityClient(
        BASE_URL,
        AUTH_URL,
        CLIENT_ID,
        CLIENT_SECRET,
        transport=transport,
        on_call=on_call,
        sleep=clock.sleep,
        clock=clock,
        now=clock.now,
        chance=lambda: 1.0,
    )


def recipients(*ids: str) -> httpx.Response:
    return httpx.Response(200, json=list(ids))


def problem(status: int, title: str = "No") -> httpx.Response:
    body = json.dumps({"status": status, "title": title}).encode()
    return httpx.Response(
        status, headers={"Content-Type": "application/problem+json"}, content=body
    )


NO_CONTENT = httpx.Response(204)
