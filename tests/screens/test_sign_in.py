"""The sign-in page, the person menu, and the checks of each request."""

import logging
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import ExitStack
from datetime import timedelta
from pathlib import Path
from unittest.mock import patch

import httpx
import pytest
import time_machine
from starlette.responses import PlainTextResponse

from components import session, sign_in
from components.middleware import RETURN_COOKIE, SignInCookies
from item_visibility.access.access_log import ACCESS_LOG
from item_visibility.access.claims import SignInRules
from item_visibility.access.people import Role
from item_visibility.storage.recipient_sets import StoredSet
from tests.access.signing_in import RULES, claims
from tests.screens.bulk import BULK_PAGE
from tests.screens.conftest import OpenDesk, answer_of
from tests.support.desk import ITEM, DeskKit, break_records
from tests.support.fake_visibilities import START
from tests.support.screens import DIRECTORY_PAGE, Window

Expire = Callable[[], None]
FORGOTTEN = f"{RETURN_COOKIE}=; Path=/tools/; Max-Age=0; HttpOnly; SameSite=Lax"
AGAIN = ["Sign in again", "Sign out"]
SIGNED_IN = [b"_streamlit_user=x; Path=/tools"]
EDITED = {"keep_name", "save_names", "put_in", "delete_set"}
IMPORTED = {"recipient-names_file", "recipient-sets_file"}


@pytest.fixture(autouse=True)
def now() -> Iterator[None]:
    with time_machine.travel(START):
        yield


@pytest.fixture
def said(monkeypatch: pytest.MonkeyPatch) -> dict[str, object]:
    """The provider's claims in every window. At first there are none."""
    word: dict[str, object] = {}
    monkeypatch.setattr(type(session.st.user), "to_dict", lambda _: word)
    use_rules(monkeypatch, RULES)
    return word


@pytest.fixture
def kit(open_desk: OpenDesk) -> DeskKit:
    return open_desk({ITEM: {"A", "B", "C"}}, person=session.person_here)


@pytest.fixture
def expire(kit: DeskKit, said: dict[str, object]) -> Iterator[Expire]:
    """Sign in an editor.

    Return a function that lets eight hours pass, so that the sign-in ends.
    """
    said |= word_for(Role.EDITOR)
    with ExitStack() as clocks:

        def let_time_pass() -> None:
            kit.fake.time.sleep(timedelta(hours=8).total_seconds())
            clocks.enter_context(time_machine.travel(START + timedelta(hours=8)))

        yield let_time_pass


def use_rules(monkeypatch: pytest.MonkeyPatch, rules: SignInRules) -> None:
    monkeypatch.setattr(session, "sign_in_rules", lambda: rules)


def word_for(role: Role | None, **changed: object) -> dict[str, object]:
    roles = [f"item-visibility-{role.word}"] if role else []
    times = {"iat": START.timestamp(), "exp": START.timestamp() + 300}
    return claims(**{**times, "realm_access": {"roles": roles}, **changed}) | {
        "is_logged_in": True
    }


def buttons(window: Window) -> list[str]:
    return [button.label for button in window.app.button if not button.disabled]


NINE_HOURS_AGO = START.timestamp() - 9 * 3600


@pytest.mark.parametrize(
    ("role", "changed", "text", "offered"),
    [
        (None, {"is_logged_in": False}, None, ["Sign in"]),
        (
            Role.EDITOR,
            {"iat": NINE_HOURS_AGO},
            "Your sign-in has ended. Nothing was changed.",
            AGAIN,
        ),
        (
            None,
            {},
            "Anna Muster has no role here. Nothing was shown or changed.",
            ["Sign out"],
        ),
    ],
    ids=["before", "ended", "no role"],
)
def test_without_a_sign_in_only_the_sign_in_buttons_are_shown(  # noqa: PLR0913, PLR0917
    kit: DeskKit,
    said: dict[str, object],
    role: Role | None,
    changed: dict[str, object],
    text: str | None,
    offered: list[str],
) -> None:
    said |= word_for(role, **changed) | {"is_logged_in": True} | changed
    window = Window(ITEM)
    assert window.texts[:1] == ([text] if text else [])
    assert buttons(window) == offered
    assert window.editors == 0
    assert kit.fake.calls == []


def test_changes_survive_a_sign_in_that_has_ended_when_save_is_pressed(
    kit: DeskKit, said: dict[str, object], expire: Expire
) -> None:
    window = Window(ITEM)
    window.add_as_number("N1")
    window.untick("A")
    expire()
    window.save()
    assert window.texts == [
        "Your sign-in has ended. Nothing was changed.",
        "Sign in again.",
        "Your changes are not saved. They will be filled in again after you sign in.",
    ]
    assert window.editors == 0
    assert kit.fake.writes == []
    assert window.address == {
        "supplier": ITEM.supplier,
        "item": ITEM.supplier_item_id,
        "add": "N1",
        "remove": "A",
    }
    later = kit.fake.time.now().timestamp()
    said |= word_for(Role.EDITOR, iat=later, exp=later + 300)
    again = Window(**window.address)
    assert [chip["id"] for chip in again.found()["chosen"]] == ["N1"]
    assert again.ticks == {"A": False, "B": True, "C": True}
    again.save()
    assert again.plan == {"remove": ["A"], "add": ["N1"]}
    assert kit.fake.writes == []
    again.confirm()
    assert kit.fake.recipients_of(ITEM) == {"B", "C", "N1"}


@pytest.mark.parametrize(
    ("before", "press"),
    [(Window.leave, Window.save), (Window.save, lambda window: window.confirm("3"))],
    ids=["at Save", "at Confirm"],
)
def test_a_large_change_survives_a_sign_in_that_ends_before_or_after_its_plan(
    kit: DeskKit,
    expire: Expire,
    before: Callable[[Window], None],
    press: Callable[[Window], None],
) -> None:
    kit.fake.put(ITEM, {"A", "B", "\ud800", "C"})
    window = Window(ITEM)
    for recipient in ("A", "B", "\\ud800"):
        window.untick(recipient)
    before(window)
    expire()
    press(window)
    assert buttons(window) == AGAIN
    assert window.editors == 0
    assert window.plan == {}
    assert window.app.query_params["remove"] == ["A", "B"]
    assert kit.fake.writes == []


@pytest.mark.parametrize(("count", "is_carried"), [(160, True), (180, False)])
def test_changes_too_long_for_a_link_are_offered_as_a_file(
    kit: DeskKit, expire: Expire, count: int, *, is_carried: bool
) -> None:
    window = Window(ITEM)
    window.add("\n".join(f"40000010{number:05}" for number in range(count)))
    expire()
    window.save()
    assert ("add" in window.address) is is_carried
    assert ("unsaved_changes" in window.keys) is not is_carried
    assert kit.fake.writes == []


def test_a_viewer_sees_the_list_and_cannot_change_it(
    kit: DeskKit, said: dict[str, object]
) -> None:
    said |= word_for(Role.VIEWER)
    window = Window(ITEM, add=["N1"], remove=["A"])
    assert window.says("Role: viewer")
    assert window.says(":orange-badge[:material/lock: Read only]")
    assert set(window.ticks) == {"A", "B", "C"}
    assert window.editor.proto.disabled
    window.open_more()
    assert {
        "Save",
        "Remove all",
        "Set exactly to…",
        "Undo",
        "Sign out everybody",
    }.isdisjoint(buttons(window))
    window.click("reload")
    assert kit.desk.is_locked
    assert len(kit.fake.calls) == 2
    assert kit.fake.writes == []


@pytest.mark.parametrize(
    ("role", "is_offered"), [(Role.VIEWER, False), (Role.EDITOR, True)]
)
@pytest.mark.usefixtures("kit")
def test_only_an_editor_is_offered_upload_and_preview(
    said: dict[str, object], role: Role, *, is_offered: bool
) -> None:
    said |= word_for(role)
    window = Window.on(BULK_PAGE)
    assert [key in window.keys for key in ("upload", "bulk_paste", "preview")] == [
        is_offered
    ] * 3
    assert "export" in window.keys
    assert window.says("Upload a list") == is_offered


def test_without_our_database_people_who_signed_in_can_read_and_a_save_says_why_not(
    kit: DeskKit, said: dict[str, object], tmp_path: Path
) -> None:
    said |= word_for(Role.EDITOR)
    window = Window(ITEM)
    window.untick("A")
    break_records(tmp_path)
    window.save()
    assert "Nothing was changed." in window.alerts
    assert window.says("The dashboard's own database could not be used")
    assert set(Window(ITEM).ticks) == {"A", "B", "C"}
    assert kit.fake.writes == []


@pytest.mark.parametrize(
    ("role", "offered"),
    [(Role.VIEWER, set()), (Role.EDITOR, EDITED), (Role.ADMIN, EDITED | IMPORTED)],
)
def test_the_directory_offers_what_the_role_allows(
    kit: DeskKit, said: dict[str, object], role: Role, offered: set[str]
) -> None:
    kit.records.sets.make(StoredSet("filled", frozenset("A"), START, "ann"))
    said |= word_for(role)
    window = Window(ITEM)
    window.go_to(DIRECTORY_PAGE)
    names = window.keys
    window.switch("directory_part", "Recipient sets")
    assert (names | window.keys) & (EDITED | IMPORTED) == offered


@pytest.mark.parametrize(
    ("name", "is_out"), [(" anna MUSTER ", True), ("bob", False), ("", True)]
)
def test_an_admin_ends_the_sign_ins_of_a_person_or_of_everybody(
    kit: DeskKit, said: dict[str, object], name: str, *, is_out: bool
) -> None:
    said |= word_for(Role.ADMIN)
    window = Window(ITEM)
    beside = Window(ITEM)
    window.enter("sign_ins_of", name)
    window.click("end_sign_ins" if name else "end_all_sign_ins")
    beside.app.run()
    assert ("You were signed out. Nothing was changed." in beside.texts) is is_out
    assert not kit.fake.writes


def test_the_access_log_names_each_sign_in_once(
    said: dict[str, object], expire: Expire, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level(logging.INFO, ACCESS_LOG)
    window = Window(ITEM)
    window.click("reload")
    expire()
    window.click("reload")
    window.app.run()
    said.clear()
    window.app.run()
    events = [
        (record.message, vars(record).get("role"))
        for record in caplog.records
        if record.name == ACCESS_LOG
    ]
    reads = [("read", "editor")] * (len(events) - 2)
    assert events == [("sign-in", "editor"), *reads, ("sign-in refused", None)]


def test_a_sign_out_ends_every_window_and_says_when_it_could_not_be_stored(
    kit: DeskKit,
    said: dict[str, object],
    caplog: pytest.LogCaptureFixture,
    tmp_path: Path,
) -> None:
    said |= word_for(Role.EDITOR)
    windows = [Window(ITEM) for _ in range(3)]
    with patch.object(sign_in.st, "logout") as gone:
        windows[0].click("sign_out")
        windows[1].click("reload")
        assert "You were signed out. Nothing was changed." in windows[1].texts
        assert "could not be stored" not in caplog.text
        break_records(tmp_path)
        windows[2].click("sign_out")
    assert gone.call_count == 2
    assert "could not be stored" in caplog.text
    assert not kit.fake.writes


# What goes with each request.


def exchange(
    path: str,
    *,
    headers: Mapping[str, str] | None = None,
    cookies: Iterable[bytes] = (),
) -> httpx.Headers:
    answer = PlainTextResponse("", 302, headers={"location": "/tools/"})
    answer.raw_headers.extend((b"set-cookie", cookie) for cookie in cookies)
    return answer_of(SignInCookies(answer, "/tools/"), path, headers=headers).headers


@pytest.mark.parametrize(
    ("page", "kept"),
    [
        (
            "/tools/?supplier=1&item=2%3A276&add=R+1",
            "/tools/?supplier=1&item=2%3A276&add=R+1",
        ),
        ("/tools/bulk?job=1;Domain=x, y", "/tools/bulk?job=1%3BDomain=x%2C%20y"),
        ("/tools/?item=1&sign_in=failed", "/tools/?item=1"),
        ("/tools/?sign_in=failed", "/tools/"),
    ],
)
def test_the_page_where_a_sign_in_begins_is_opened_again_after_it(
    page: str, kept: str
) -> None:
    headers = {
        "host": "dashboard.example",
        "referer": f"https://dashboard.example{page}",
    }
    assert "set-cookie" not in exchange(page, headers={"accept": "text/html"})
    begun = exchange("/tools/auth/login?provider=default", headers=headers)
    assert (
        begun["set-cookie"]
        == f"{RETURN_COOKIE}={kept}; Path=/tools/; Max-Age=600; HttpOnly; SameSite=Lax"
    )
    cookie = {"cookie": f"{RETURN_COOKIE}={kept}"}
    back = exchange("/tools/oauth2callback", headers=cookie, cookies=SIGNED_IN)
    assert back["location"] == kept
    assert FORGOTTEN in back.get_list("set-cookie")


@pytest.mark.parametrize(
    "referer",
    [
        "",
        "https://elsewhere.example/tools/bulk",
        "https://dashboard.example/tools/auth/login",
        "https://dashboard.example/elsewhere?a=1",
        "https://dashboard.example//evil.example/tools/",
        "https://[dashboard.example/tools/bulk",
    ],
    ids=["none", "another server", "no page", "not ours", "two slashes", "no address"],
)
def test_a_sign_in_that_begins_outside_our_pages_forgets_an_earlier_page(
    referer: str,
) -> None:
    headers = {"host": "dashboard.example", "referer": referer}
    begun = exchange("/tools/auth/login", headers=headers)
    assert begun["set-cookie"] == FORGOTTEN


@pytest.mark.parametrize(
    "remembered",
    [
        "//evil.example",
        "https://evil.example",
        "/tools/\\evil",
        "/elsewhere",
        "/tools/auth/logout",
    ],
)
def test_a_sign_in_never_leads_to_another_website(remembered: str) -> None:
    cookie = {"cookie": f"{RETURN_COOKIE}={remembered}"}
    back = exchange("/tools/oauth2callback", headers=cookie, cookies=SIGNED_IN)
    assert back["location"] == "/tools/"


@pytest.mark.parametrize(
    "cookies", [[], [b'_streamlit_user=""; Max-Age=0; Path=/tools']]
)
@pytest.mark.parametrize(
    ("remembered", "location"),
    [
        ("", "/tools/?sign_in=failed"),
        ("/tools/?item=1", "/tools/?item=1&sign_in=failed"),
    ],
)
def test_a_sign_in_that_did_not_succeed_leads_back_and_is_logged(
    caplog: pytest.LogCaptureFixture,
    cookies: list[bytes],
    remembered: str,
    location: str,
) -> None:
    caplog.set_level(logging.INFO, ACCESS_LOG)
    cookie = {"cookie": f"{RETURN_COOKIE}={remembered}"}
    back = exchange(
        "/tools/oauth2callback?state=stale", headers=cookie, cookies=cookies
    )
    assert back["location"] == location
    assert caplog.messages == ["sign-in refused"]


def test_a_sign_in_that_cannot_begin_leads_back_and_is_logged(
    caplog: pytest.LogCaptureFixture,
) -> None:
    caplog.set_level(logging.INFO, ACCESS_LOG)
    failed = SignInCookies(PlainTextResponse("Authentication error", 400), "/tools/")
    headers = {
        "host": "dashboard.example",
        "referer": "https://dashboard.example/tools/?item=1",
    }
    answer = answer_of(failed, "/tools/auth/login", headers=headers)
    assert answer.status_code == 302
    assert answer.headers["location"] == "/tools/?item=1&sign_in=failed"
    assert caplog.messages == ["sign-in refused"]


@pytest.mark.usefixtures("kit", "said")
def test_the_page_says_that_a_sign_in_did_not_succeed() -> None:
    window = Window(ITEM, sign_in="failed")
    assert window.says("The sign-in did not succeed. Please sign in again.")


def test_every_cookie_is_secure_behind_tls() -> None:
    https = {"x-forwarded-proto": "https"}
    answer = exchange(
        "/tools/oauth2callback", headers=https, cookies=[*SIGNED_IN, b"b=1; Secure"]
    )
    assert answer.get_list("set-cookie") == [
        "_streamlit_user=x; Path=/tools; Secure",
        "b=1; Secure",
        f"{FORGOTTEN}; Secure",
    ]
