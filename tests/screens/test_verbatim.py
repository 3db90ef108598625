"""Any text survives Markdown: what a reader of CommonMark sees is the text."""

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from components.verbatim import described, listed, plain, showable, verbatim, visible
from tests.support.hostile_texts import LISTABLE

MARKED = st.text(alphabet="` \\*_[]()<>!:#$-+.a1w/@&|\n\u202e\ud800", max_size=12)
ANY = st.one_of(st.text(max_size=30), MARKED)
WORDS = st.text(
    alphabet=st.characters(categories=["L", "Nd", "Mn"], include_characters=" ,;.:-()/?!'\"%+&"), max_size=30
)


def read_code_span(markdown: str) -> str:
    """The content that CommonMark shows for a text that is one code span, and nothing else.

    The span ends at the first run of backticks as long as the one that opened it; line ends become
    spaces; one space is taken from both sides when both have one and not all are spaces.
    """
    opening = re.match("`+", markdown)
    assert opening is not None
    fence = opening[0]
    runs = [run for run in re.finditer("`+", markdown) if run.start() > 0 and len(run[0]) == len(fence)]
    assert [run.end() for run in runs] == [len(markdown)]
    content = markdown[len(fence) : -len(fence)].replace("\n", " ")
    is_padded = content[:1] == content[-1:] == " " and bool(content.strip(" "))
    return content[1:-1] if is_padded else content


@given(ANY)
def test_a_code_span_shows_the_text(text: str) -> None:
    shown = read_code_span(verbatim(text))
    expected = visible(text) if visible(text).strip(" ") else "␣" * len(text) or "∅"
    assert shown == expected
    assert plain(text) in {text, verbatim(text)}


@given(WORDS)
def test_running_words_open_nothing(text: str) -> None:
    loose = text if plain(text) == text else ""
    assert re.search(r"[`*_\[\]<>$#~|\\@]|://|www\.|:\w+[:\[]|--|&[^\s]", loose, re.IGNORECASE) is None
    assert re.match(r"\s|[-+=]\s|\d+[.)]\s", loose) is None


@pytest.mark.parametrize("text", LISTABLE.values(), ids=LISTABLE.keys())
def test_hostile_texts_are_told_apart(text: str) -> None:
    others = [verbatim(other) for other in LISTABLE.values() if other != text]
    assert verbatim(text) not in others
    assert verbatim(text).encode("utf-8").decode("utf-8") == verbatim(text)
    assert showable(text).encode("utf-8", "strict")


@pytest.mark.parametrize(
    "text",
    [
        "Added Sonnenhof and Le Panier, removed Migros · verified 14:02",
        "Müller & Söhne, Filiale 7 (Nord)",
        "שלום 1",
        "Kaufhaus 日本",
        "+2 \N{MINUS SIGN}1",
        "Z\u0351a",
    ],
)
def test_harmless_words_stay_running_text(text: str) -> None:
    assert plain(text) == text


def test_names_stand_before_ids_and_long_lists_are_cut_short() -> None:
    assert described("R1", "Kaufhaus 1") == "Kaufhaus 1 `R1`"
    assert described("R1", "*x*") == "`*x*` `R1`"
    assert described("R1", "") == "`R1`"
    assert listed(frozenset("ABCDEFG")) == "`A`, `B`, `C`, `D`, `E` and 2 more"
    assert visible("a\x00\ud800\U000e0001b") == "a\\u0000\\ud800\\U000e0001b"
    assert showable("a\x00\ud800b") == "a\x00\\ud800b"
