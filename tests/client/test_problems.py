"""The problem reader takes anything and never raises. Spec: "ProblemDetail"."""

import json
import random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from item_visibility.client.answers import read_problem
from item_visibility.errors import ProblemDetail

PROBLEM = "application/problem+json"
TYPES = [
    PROBLEM,
    "application/json",
    "Application/Problem+JSON; charset=utf-8",
    "text/html",
    "",
    "x",
    "\0;;",
    "/",
]


def body_of(members: object) -> bytes:
    """The members as a JSON body."""
    return json.dumps(members).encode()


def test_all_members_are_read() -> None:
    """A conforming problem is passed on in its own words."""
    members = {"status": 400, "title": "Bad", "detail": "Too bad", "instance": "/problems/7", "more": 1}
    assert read_problem(400, PROBLEM, body_of(members), is_cut=False) == ProblemDetail(
        400, "Bad", "Too bad", "/problems/7"
    )


@pytest.mark.parametrize("said", [200, "200", None, True, 1e400])
def test_the_status_of_the_answer_wins(said: object) -> None:
    """The body's own word on the status is not believed."""
    assert read_problem(404, PROBLEM, body_of({"status": said}), is_cut=False) == ProblemDetail(404)


@pytest.mark.parametrize(
    ("content_type", "body", "is_cut"),
    [
        ("text/html", b'{"title": "shown?"}', False),
        ("", b'{"title": "shown?"}', False),
        (PROBLEM, b'{"title": "shown?"}', True),
        (PROBLEM, b'{"title": "shown?"', False),
        (PROBLEM, b'\xff\xfe{"title": "shown?"}', False),
        (PROBLEM, b'["shown?"]', False),
        (PROBLEM, b"", False),
        (PROBLEM, b"[" * 60_000, False),
        (PROBLEM, b"1" * 60_000, False),
        (PROBLEM, b'{"title": 7, "detail": ["x"], "instance": {}}', False),
    ],
)
def test_what_is_no_problem_detail_gives_its_status_alone(
    content_type: str, body: bytes, *, is_cut: bool
) -> None:
    """HTML, broken, cut and strange bodies are not shown."""
    assert read_problem(502, content_type, body, is_cut=is_cut) == ProblemDetail(502)


def test_long_texts_are_cut() -> None:
    """A text has room on a screen."""
    problem = read_problem(
        400,
        PROBLEM,
        body_of({"title": "t" * 999, "detail": "d" * 9_999, "instance": "i" * 999}),
        is_cut=False,
    )
    assert (len(problem.title), len(problem.detail), len(problem.instance)) == (200, 2_000, 500)


def test_half_characters_are_replaced() -> None:
    """A text can always be shown, and written as UTF-8."""
    problem = read_problem(400, PROBLEM, rb'{"title": "a\ud800b", "detail": "\ud83d\ude00"}', is_cut=False)
    assert (problem.title, problem.detail) == ("a\ufffdb", "😀")


def test_a_byte_order_mark_is_skipped() -> None:
    """Some servers write one."""
    assert read_problem(400, PROBLEM, b"\xef\xbb\xbf" + body_of({"title": "x"}), is_cut=False).title == "x"


def is_fit_to_show(problem: ProblemDetail, status: int) -> bool:
    """True when the problem has its status and texts that can be written."""
    text = problem.title + problem.detail + problem.instance
    return problem.status == status and len(text) <= 2_700 and bool(text.encode() or True)


def test_ten_thousand_mangled_bodies_are_survived() -> None:
    """Bytes are flipped, cut, doubled and inserted; each gives a problem that can be shown."""
    chance = random.Random(8)  # noqa: S311  (a seed for a test)
    whole = body_of(
        {"status": 400, "title": "Bad ä\ud83d", "detail": "x" * 40, "instance": "/i", "n": [1.5e300]}
    )

    def mangled() -> bytes:
        body = bytearray(whole)
        for _ in range(chance.randint(0, 6)):
            place = chance.randrange(len(body) + 1)
            body[place : place + chance.randint(0, 9)] = chance.randbytes(chance.randint(0, 5))
        return bytes(body) * chance.choice([1, 1, 1, 2])

    problems = [
        read_problem(status, chance.choice(TYPES), mangled(), is_cut=chance.random() < 0.1)
        for status in range(10_000)
    ]
    assert [number for number, problem in enumerate(problems) if not is_fit_to_show(problem, number)] == []


@given(
    st.recursive(
        st.none() | st.booleans() | st.floats() | st.text() | st.integers(),
        lambda inner: (
            st.lists(inner)
            | st.dictionaries(st.sampled_from(["status", "title", "detail", "instance"]) | st.text(), inner)
        ),
    )
)
def test_any_json_is_survived(members: object) -> None:
    """The reader turns any JSON of a service into a problem that can be shown."""
    assert is_fit_to_show(read_problem(400, PROBLEM, body_of(members), is_cut=False), 400)
