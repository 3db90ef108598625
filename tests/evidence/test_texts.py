"""A pack as text, as a page and as JSON: everything is said, exactly, and nothing acts."""

import json
from dataclasses import replace
from html.parser import HTMLParser

import pytest

from item_visibility.errors import ProblemDetail
from item_visibility.evidence.attached_json import attached_json
from item_visibility.evidence.html_page import html_page
from item_visibility.evidence.pack import Named
from item_visibility.evidence.shown_texts import shown
from item_visibility.evidence.ticket_text import ticket_text
from tests.evidence.packs import FAILED, KEY, PACK

HOSTILE = '<img src="https://evil.example/x"> </pre><script>alert(1)</script>\n\N{RIGHT-TO-LEFT OVERRIDE}'
TEXT = """EVIDENCE: Added Sonnenhof

Supplier   Nord (S)
Item       Rye crackers · Germany (I)
Recipient  Sonnenhof (R)
Service    https://api.example.com/v1 (environment test)
Link       https://dash.example.com/?supplier=S&item=I
Made       2026-11-22 14:02:05 UTC by Berta, Item Visibility Dashboard 0.1.0

How it is known
  Read back.
  Why: ticket 4711

What was asked for
  add Sonnenhof (R): done, 1 call
  remove Q: refused, 2 calls · status 503 · Down: Try later · No.

The list
  1 recipient before, 2 recipients after
  + Sonnenhof (R)
  - P

Asked and answered, times in UTC
  14:02:05.120 GET /v1/itemvisibilities/S/I → 200, 34 ms, request f00d
  14:02:06.120 PUT /v1/itemvisibilities/S/I/recipient/R → 503, 1,030 ms, attempt 2, request without id \
· Down: Try later
  14:02:06.120 PUT /v1/itemvisibilities/S/I/recipient/R → unanswered, 1,030 ms, attempt 2, \
request without id · no answer came in time
  … 3 requests more were made; their record was not kept

History of this pair, newest first
  2026-11-22 14:02:05 UTC removed Sonnenhof by Anna · done · ticket 1
  2026-11-22 14:02:05 UTC seen to be gone · done

To ask again; $TOKEN is an access token, and a line that changes something begins with #
  curl x
  # curl y

Check it with: item-visibility evidence verify FILE
SHA-256 """


class Tags(HTMLParser):
    """The tags of a page, with their attributes, and its text."""

    def __init__(self, page: str) -> None:
        super().__init__()
        self.tags: list[str] = []
        self.attributes: list[tuple[str, str | None]] = []
        self.words = ""
        self.feed(page)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        """Keep the tag."""
        self.tags.append(tag)
        self.attributes += attrs

    def handle_data(self, data: str) -> None:
        """Keep the text."""
        self.words += data


def test_the_text_says_everything_in_the_order_in_which_it_is_read() -> None:
    """The event comes first, the digest last."""
    assert ticket_text(PACK, KEY).startswith(TEXT)


def test_what_is_not_known_is_not_said() -> None:
    """A pack with the least in it has the fewest lines."""
    least = replace(
        PACK,
        recipient=None,
        changes=(),
        before=None,
        after=None,
        exchanges=(),
        skipped=0,
        history=(),
        not_on_record="They were not kept.",
        curls=(),
        link="",
    )
    text = ticket_text(least, None)
    assert "\nThe list\n  Not known: it was not read.\n" in text
    assert "\nAsked and answered, times in UTC\n  They were not kept.\n" in text
    assert [
        word for word in ("Recipient ", "Link ", "What was asked", "History", "To ask again") if word in text
    ] == []
    assert text.endswith(" · seal none")


def test_the_history_of_an_item_is_not_called_that_of_a_pair() -> None:
    """There is no recipient."""
    assert "\nHistory, newest first\n" in ticket_text(replace(PACK, recipient=None), None)


def test_a_list_that_was_only_read_is_shown_as_it_was_read() -> None:
    """There is no before. Recipients with names come first."""
    read = replace(
        PACK,
        before=None,
        after=tuple(f"R{number:02}" for number in range(30)),
        names=(Named("R07", "Sonnenhof"),),
    )
    text = ticket_text(read, None)
    assert "30 recipients can see the item, as it was read.\n  Sonnenhof (R07)\n  R00\n" in text
    assert "  R19\n  … and 10 more in the JSON file\n" in text


def test_a_list_that_nobody_read_back_is_not_known() -> None:
    """It is never called empty."""
    assert "1 recipient before, not known after" in ticket_text(replace(PACK, after=None), None)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("Müller & Söhne", "Müller & Söhne"),
        ("", '""'),
        (" a", '"\\u0020a"'),
        ("a  b", '"a \\u0020b"'),
        ("a\nSHA-256 ", '"a\\u000aSHA-256\\u0020"'),
        ('"\ud800\\', '"\\"\\ud800\\\\"'),
        ("\U000e0001", '"\\U000e0001"'),
    ],
)
def test_a_text_can_be_read_exactly(text: str, expected: str) -> None:
    """Unseen characters stand there as escapes, and no text begins a line of its own."""
    assert shown(text) == expected


def test_nothing_in_a_page_acts() -> None:
    """No id, name or word of the service becomes a tag; nothing is fetched from anywhere."""
    hostile = replace(
        PACK,
        sentence=HOSTILE,
        item=Named(HOSTILE, HOSTILE),
        changes=(replace(PACK.changes[0], message=HOSTILE),),
        exchanges=(replace(FAILED, problem=ProblemDetail(400, HOSTILE)),),
        curls=(HOSTILE,),
    )
    page = Tags(html_page(hostile, KEY))
    assert set(page.tags) == set(Tags(html_page(PACK, KEY)).tags)
    assert set(page.tags) & {"script", "img", "a", "link", "iframe"} == set()
    assert {name for name, _ in page.attributes} == {"lang", "charset", "http-equiv", "content", "name"}
    assert HOSTILE.partition("\n")[0] in page.words


def test_a_page_says_what_the_text_says() -> None:
    """Line by line."""
    words = Tags(html_page(PACK, KEY)).words
    lines = [line.strip() for line in TEXT.splitlines()[12:-1]]
    assert (len(lines) > 10, [line for line in lines if line not in words]) == (True, [])


def test_the_json_holds_everything() -> None:
    """Whole lists, and values in place of words."""
    document = json.loads(attached_json(PACK, KEY))
    pack = document["pack"]
    assert (pack["subject"], pack["after"], pack["made_at"]) == (
        "save",
        ["Q", "R"],
        "2026-11-22T14:02:05.120000+00:00",
    )
    assert pack["exchanges"][1] == {
        "at": "2026-11-22T14:02:06.120000+00:00",
        "operation": "addVisibility",
        "method": "PUT",
        "path": "/v1/itemvisibilities/S/I/recipient/R",
        "status": 503,
        "failure": "",
        "problem": {"status": 503, "title": "Down", "detail": "Try later", "instance": "", "request_id": ""},
        "attempt": 2,
        "took_ms": 1030,
        "request_id": "",
    }


def test_only_what_a_pack_holds_can_be_told() -> None:
    """A mistake of ours, and not a text that is not JSON."""
    with pytest.raises(TypeError, match="object is not told"):
        attached_json(replace(PACK, link=object()), None)  # type: ignore[arg-type]  (that is the mistake)
