"""Secrets planted into packs, in every writing, and looked for in what is made of them."""

import base64
import json
from collections.abc import Callable
from dataclasses import replace
from datetime import timedelta
from html import unescape
from random import Random
from urllib.parse import quote, unquote

from item_visibility.errors import ProblemDetail
from item_visibility.evidence.pack import Change, Fact, Named, Pack, PastChange, RequestAndAnswer
from item_visibility.evidence.sealed_pack import Evidence
from tests.evidence.packs import AT, KEY, PACK, READ

SECRET = "p@ss:w%rd&=+y-never-shown"
OPAQUE = "tok3n-of-today-never-shown"
BEARER = "b3arer.of.somebody.else-never-shown"
WEB_TOKEN = "eyJhbGciOiJSUzI1NiJ9.eyJzdWIiOiJuZXZlci1zaG93biJ9.bmV2ZXItc2hvd24"

_WAYS: tuple[Callable[[str], str], ...] = (
    str,
    lambda text: quote(text, safe=""),
    lambda text: "".join(f"%{byte:02X}" for byte in text.encode()),
    lambda text: "".join(f"\\u{ord(sign):04x}" for sign in text),
    lambda text: base64.b64encode(text.encode()).decode(),
    lambda text: base64.urlsafe_b64encode(f"us:{text}".encode()).decode(),
)
_PLANTS: tuple[Callable[[Random], str], ...] = (
    lambda random: random.choice(_WAYS)(SECRET),
    lambda random: random.choice(_WAYS)(OPAQUE),
    lambda _: f"Bearer {BEARER}",
    lambda _: WEB_TOKEN,
    lambda _: f"client_secret={quote(SECRET, safe='')}",
)
_AROUND = ("", "04012345678901:276", "Rejected: ", "<b>", '"', "ä ", "/", " and more", "\n", ";", "\ud800")


def planted(random: Random) -> str:
    """A text with a secret somewhere in it."""
    return f"{random.choice(_AROUND)}{random.choice(_PLANTS)(random)} {random.choice(_AROUND)}"


def reasons(count: int) -> list[str]:
    """This many texts with secrets, the same ones each time."""
    return [planted(Random(number)) for number in range(count)]  # noqa: S311  (they are to repeat)


def packs(count: int) -> list[Pack]:
    """This many packs with secrets, the same ones each time."""
    return [pack_with_plants(Random(number)) for number in range(count)]  # noqa: S311  (they are to repeat)


def pack_with_plants(random: Random) -> Pack:
    """A pack in which any text may hold one."""

    def text() -> str:
        return planted(random) if random.random() < 0.6 else random.choice(_AROUND)

    def problem() -> ProblemDetail | None:
        return random.choice((None, ProblemDetail(400, text(), text(), text(), "f00d")))

    def exchange() -> RequestAndAnswer:
        path = f"/v1/itemvisibilities/{quote(text(), safe='', errors='surrogatepass')}"
        at = AT + timedelta(milliseconds=random.randrange(10_000))
        return replace(READ, at=at, path=path, failure=text(), problem=problem())

    named = [Named(text(), text()) for _ in range(5)]
    return replace(
        PACK,
        sentence=text(),
        verification=text(),
        supplier=named[0],
        item=named[1],
        recipient=random.choice((None, named[2])),
        facts=(Fact("Why", text()), Fact("Because", text())),
        changes=tuple(
            Change(recipient=one, change="add", outcome="refused", message=text(), problem=problem())
            for one in named
        ),
        before=random.choice((None, tuple(sorted(text() for _ in range(3))))),
        after=tuple(text() for _ in range(3)),
        names=tuple(named),
        added=tuple(named[:2]),
        exchanges=tuple(exchange() for _ in range(3)),
        history=(PastChange(at=AT, what=text(), by=text(), outcome="done", reason=text()),),
        curls=(f"curl -H 'x' 'https://api.example.com{exchange().path}'",),
        link=f"https://dash.example.com/?item={quote(text(), errors='surrogatepass')}",
        environment=text(),
        made_by=text(),
    )


def found_in(evidence: Evidence) -> list[str]:
    """The secrets that stand in any form of the evidence, in any writing."""
    forms = [evidence.text(), unescape(evidence.page().decode()), evidence.json().decode()]
    forms += [json.dumps(json.loads(evidence.json()), ensure_ascii=False), repr(evidence)]
    every = "\n".join((*forms, *map(unquote, forms))).lower()
    sought = [SECRET, OPAQUE, BEARER, WEB_TOKEN, *(way(one) for way in _WAYS for one in (SECRET, OPAQUE))]
    sought += [base64.b64encode(one.encode()).decode()[:-4] for one in (SECRET, OPAQUE)]
    return [one for one in sought if one.lower() in every]


def sealed(pack: Pack) -> Evidence:
    """Evidence as it is made of a pack without secrets."""
    return Evidence(pack, KEY)
