"""The screen before all others, the person menu, and what goes with each request where people sign in."""

import asyncio
from collections.abc import Callable, Iterator, Mapping
from datetime import timedelta
from pathlib import Path

import httpx
import pytest
import time_machine
from starlette.datastructures import Headers
from starlette.responses import PlainTextResponse
from starlette.types import Message, Receive, Scope, Send

from components import wiring
from components.shell import browser_cookie
from components.sign_in import way_out, window_person
from components.sign_in.cookies import RETURN_COOKIE, SignInCookies
from item_visibility.errors import RecordsError
from item_visibility.people.person import Role
from item_visibility.people.sign_in_rules import SignInRules
from item_visibility.records.directory.recipient_sets import StoredSet
from tests.people.signing_in import RULES, claims, signed_in
from tests.support.desk import ITEM, DeskKit, open_kit
from tests.support.fake_visibilities import START
from tests.support.screens import DIRECTORY_PAGE, Window

pytestmark = pytest.mark.screen

SIGNED_IN = [b"_streamlit_user=x; Path=/tools"]


@pytest.fixture(autouse=True)
def now() -> Iterator[None]:
    """The clock of the desk is that of the provider, too."""
    with time_machine.travel(START):
        yield


@pytest.fixture
def said(monkeypatch: pytest.MonkeyPatch) -> dict[str, object]:
    """The provider's words in every window; nothing at first."""
    word: dict[str, object] = {}
    monkeypatch.setattr(type(window_person.st.user), "to_dict", lambda _: word)
    use_rules(monkeypatch, RULES)
    return word


@pytest.fixture
def kit(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[DeskKit]:
    """A desk that asks who works in its windows."""
    wiring.close_desk()
    with open_kit(tmp_path, {ITEM: {"A", "B"}}, person=wiring.person_here) as opened:
        monkeypatch.setattr(wiring, "open_desk", lambda *_, **__: opened.desk)
        yield opened
    wiring.close_desk()


def use_rules(monkeypatch: pytest.MonkeyPatch, rules: SignInRules) -> None:
    """Let people sign in by these rules."""
    for module in (wiring, browser_cookie):
        monkeypatch.setattr(module, "sign_in_rules", lambda: rules)


def word_for(role: Role | None, **changed: object) -> dict[str, object]:
    """The provider's word for somebody who signed in just now."""
    roles = [f"item-visibility-{role.word}"] if role else []
    times = {"iat": START.timestamp(), "exp": START.timestamp() + 300}
    return claims(**{**times, "realm_access": {"roles": roles}, **changed}) | {"is_logged_in": True}


def buttons(window: Window) -> list[str]:
    """The labels of the buttons that are not off."""
    return [one.label for one in window.app.button if not one.disabled]


def test_before_the_sign_in_there_is_one_button(kit: DeskKit, said: dict[str, object]) -> None:
    """And neither a list nor an environment; nothing is asked of the service."""
    window = Window(ITEM)
    assert (said, buttons(window), window.editors, kit.fake.calls) == ({}, ["Sign in"], 0, [])


def test_a_sign_in_that_has_ended_says_so(kit: DeskKit, said: dict[str, object]) -> None:
    """And offers the next one."""
    said |= word_for(Role.EDITOR, iat=(START - timedelta(hours=9)).timestamp())
    window = Window(ITEM)
    assert window.texts == [
        "Your sign-in has ended. Nothing was changed.",
        "Sign in again. What you staged is kept.",
    ]
    assert (buttons(window), kit.fake.calls) == (["Sign in again", "Sign out"], [])


def test_what_is_staged_outlasts_a_sign_in_that_ends(kit: DeskKit, said: dict[str, object]) -> None:
    """After eight hours Save writes nothing and says why; after the next sign-in the draft is there."""
    said |= word_for(Role.EDITOR)
    owner = signed_in(Role.EDITOR).owner
    window = Window(ITEM, browser=owner)
    window.add_as_number("C")
    staged, later = window.staged, START + timedelta(hours=8)
    kit.fake.time.sleep(timedelta(hours=8).total_seconds())
    with time_machine.travel(later):
        window.click("save")
        assert (window.texts[0], window.editors) == ("Your sign-in has ended. Nothing was changed.", 0)
        said |= word_for(Role.EDITOR, iat=later.timestamp(), exp=later.timestamp() + 300)
        again = Window(ITEM, browser=owner)
    assert (staged != [], again.staged, kit.fake.writes) == (True, staged, [])


def test_somebody_without_a_role_is_told_whom_to_ask(kit: DeskKit, said: dict[str, object]) -> None:
    """And sees nothing else."""
    said |= word_for(None)
    window = Window(ITEM)
    assert window.texts[0] == "Anna Muster has no role here. Nothing was shown or changed."
    assert (buttons(window), kit.fake.calls) == (["Sign out"], [])


def test_a_viewer_sees_the_list_and_cannot_change_it(kit: DeskKit, said: dict[str, object]) -> None:
    """As in an environment that is read-only."""
    said |= word_for(Role.VIEWER)
    window = Window(ITEM)
    assert window.says("Role: viewer")
    assert window.says(":orange-badge[:material/lock: Read only]")
    assert {"Add", "Save"}.isdisjoint(buttons(window))
    window.click("load_again")
    assert (kit.desk.is_locked, len(kit.fake.calls), kit.fake.writes) == (True, 2, [])


@pytest.mark.parametrize(
    ("role", "offered"),
    [
        (Role.VIEWER, set()),
        (Role.EDITOR, {"keep_name", "save_names", "make_set", "put_in", "delete_set"}),
        (
            Role.ADMIN,
            {
                "keep_name",
                "save_names",
                "make_set",
                "put_in",
                "delete_set",
                "names_file_0",
                "sets_file_0",
            },
        ),
    ],
)
def test_the_directory_offers_what_the_role_allows(
    kit: DeskKit, said: dict[str, object], role: Role, offered: set[str]
) -> None:
    """Names, sets and files; a button that would be refused is not there."""
    kit.records.sets.make(StoredSet("filled", frozenset("A"), START, "ann"))
    said |= word_for(role)
    window = Window(ITEM)
    window.go_to(DIRECTORY_PAGE)
    there = window.keys
    window.switch("directory_part", "Recipient sets")
    everything = {"keep_name", "save_names", "make_set", "put_in", "delete_set"}
    everything |= {"names_file_0", "sets_file_0"}
    assert (there | window.keys) & everything == offered


def test_what_is_staged_belongs_to_the_person(monkeypatch: pytest.MonkeyPatch) -> None:
    """The browser does not matter."""
    use_rules(monkeypatch, RULES)
    monkeypatch.setattr(browser_cookie, "person_here", lambda: signed_in(Role.EDITOR))
    assert browser_cookie.this_browser() == signed_in(Role.EDITOR).owner


def test_a_sign_out_ends_every_window(
    kit: DeskKit, said: dict[str, object], monkeypatch: pytest.MonkeyPatch
) -> None:
    """Also the one that was open beside it."""
    gone: list[str] = []
    monkeypatch.setattr(way_out.st, "logout", lambda: gone.append("signed out"))
    said |= word_for(Role.EDITOR)
    beside, window = Window(ITEM), Window(ITEM)
    window.click("sign_out")
    beside.click("load_again")
    assert (gone, beside.texts[0]) == (["signed out"], "You signed out. Nothing was changed.")
    assert not kit.fake.writes


def test_somebody_is_signed_out_here_also_while_the_records_are_away(
    kit: DeskKit, said: dict[str, object], monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    """The log says that other windows stay signed in."""

    def refuse() -> None:
        raise RecordsError("The database cannot be used.", advice="Ask.")

    gone: list[str] = []
    monkeypatch.setattr(way_out.st, "logout", lambda: gone.append("signed out"))
    monkeypatch.setattr(kit.doorkeeper, "sign_out", refuse)
    said |= word_for(Role.EDITOR)
    Window(ITEM).click("sign_out")
    assert (gone, "could not be recorded" in caplog.text) == (["signed out"], True)


# What goes with each request.


def exchange(
    wrap: Callable[[Callable[..., object]], Callable[..., object]],
    path: str,
    *,
    query: str = "",
    headers: Mapping[str, str] | None = None,
    cookies: list[bytes] | None = None,
) -> tuple[Headers, Headers]:
    """Send a request through the middleware; return the headers that arrived, and those of the answer."""
    seen: list[Scope] = []
    sent: list[Message] = []

    async def answer(scope: Scope, _receive: Receive, send: Send) -> None:
        seen.append(scope)
        found = [(b"location", b"/tools/"), *((b"set-cookie", one) for one in cookies or [])]
        await send({"type": "http.response.start", "status": 302, "headers": found})

    async def receive() -> Message:
        return {"type": "http.request"}

    async def send(message: Message) -> None:
        sent.append(message)

    raw = [(name.encode(), value.encode()) for name, value in (headers or {}).items()]
    scope = {"type": "http", "method": "GET", "path": path, "query_string": query.encode(), "headers": raw}
    with time_machine.travel(START, tick=False):
        asyncio.run(wrap(answer)({**scope, "scheme": "http"}, receive, send))  # type: ignore[arg-type]  (an ASGI call)
    return Headers(raw=seen[0]["headers"]), Headers(raw=sent[0]["headers"])


async def asked(app: SignInCookies, path: str, cookie: str = "") -> httpx.Response:
    """The application's answer."""
    async with httpx.AsyncClient(transport=httpx.ASGITransport(app), base_url="http://localhost") as client:
        return await client.get(path, headers={"cookie": cookie})


def with_cookies(app: Callable[..., object]) -> SignInCookies:
    """The middleware of cookies, below a base path."""
    return SignInCookies(app, lambda: True, "/tools/")  # type: ignore[arg-type]  (an ASGI application)


def test_a_link_is_remembered_until_the_provider_has_answered() -> None:
    """Then it is opened, and forgotten."""
    _, page = exchange(with_cookies, "/tools/bulk", query="job=1", headers={"accept": "text/html"})
    assert page["set-cookie"] == (
        f"{RETURN_COOKIE}=%2Ftools%2Fbulk%3Fjob%3D1; Path=/tools/; Max-Age=600; HttpOnly; SameSite=Lax"
    )
    cookie = {"cookie": f"{RETURN_COOKIE}=%2Ftools%2Fbulk%3Fjob%3D1"}
    _, back = exchange(with_cookies, "/tools/oauth2callback", headers=cookie, cookies=SIGNED_IN)
    assert back["location"] == "/tools/bulk?job=1"
    assert f"{RETURN_COOKIE}=; Path=/tools/; Max-Age=0; HttpOnly; SameSite=Lax" in back.getlist("set-cookie")


@pytest.mark.parametrize("path", ["/tools/", "/tools/auth/login", "/tools/a/b", "/elsewhere"])
def test_only_a_page_with_something_in_it_is_remembered(path: str) -> None:
    """The first page is where everybody comes back to anyway."""
    assert "set-cookie" not in exchange(with_cookies, path, headers={"accept": "text/html"})[1]


def test_nothing_is_remembered_where_nobody_leaves_to_sign_in() -> None:
    """The cookie would lead nowhere."""
    headers = {"accept": "text/html"}
    _, page = exchange(lambda app: SignInCookies(app, lambda: False, "/"), "/bulk", headers=headers)  # type: ignore[arg-type]  (an ASGI application)
    assert "set-cookie" not in page


@pytest.mark.parametrize(
    ("remembered", "cookies"),
    [
        ("%2F%2Fevil.example", SIGNED_IN),
        ("https%3A%2F%2Fevil.example", SIGNED_IN),
        ("%2Ftools%2F%5Cevil", SIGNED_IN),
        ("%2Ftools%2F%0D%0Ax", SIGNED_IN),
        ("%2Ftools%2Fbulk", []),
    ],
)
def test_nobody_is_led_elsewhere(remembered: str, cookies: list[bytes]) -> None:
    """Nor back to a page after a sign-in that failed."""
    cookie = {"cookie": f"{RETURN_COOKIE}={remembered}"}
    _, back = exchange(with_cookies, "/tools/oauth2callback", headers=cookie, cookies=cookies)
    assert back["location"] == "/tools/"


def test_every_cookie_is_secure_behind_tls() -> None:
    """Streamlit leaves it out."""
    https = {"x-forwarded-proto": "https"}
    _, answer = exchange(
        with_cookies, "/tools/oauth2callback", headers=https, cookies=[*SIGNED_IN, b"b=1; Secure"]
    )
    assert answer.getlist("set-cookie") == ["_streamlit_user=x; Path=/tools; Secure", "b=1; Secure"]


@pytest.mark.parametrize(
    ("asked_with", "set_cookie", "status"),
    [
        ("", "", 502),
        ("", "_streamlit_user=x; Max-Age=9", 200),
        ("_streamlit_user=x", "", 200),
        ("_streamlit_user=x", '_streamlit_user=""; Max-Age=0', 502),
    ],
)
def test_somebody_who_comes_back_and_is_not_signed_in_is_told(
    asked_with: str, set_cookie: str, status: int
) -> None:
    """The provider did not answer in time: Streamlit would show the first screen again, without a word."""
    answer = PlainTextResponse("", headers={"set-cookie": set_cookie} if set_cookie else {})
    app = with_cookies(answer)
    assert asyncio.run(asked(app, "/tools/oauth2callback?code=1", asked_with)).status_code == status


@pytest.mark.parametrize(
    ("path", "status", "expected"),
    [
        ("/tools/oauth2callback", 200, (200, b"as it was")),
        ("/tools/auth/login", 400, (502, b"You could not be signed in:")),
        ("/tools/auth/login", 302, (302, b"as it was")),
        ("/tools/", 400, (400, b"as it was")),
    ],
)
def test_a_provider_that_does_not_answer_is_told_in_words(
    path: str, status: int, expected: tuple[int, bytes]
) -> None:
    """Streamlit says "Authentication error", and no more."""
    app = with_cookies(PlainTextResponse("as it was", status_code=status))
    answer = asyncio.run(asked(app, path))
    assert (answer.status_code, answer.content[: len(expected[1])]) == expected
