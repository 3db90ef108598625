"""The meaning of an entered text: never a number by chance."""

from collections.abc import Iterator

import pytest

from item_visibility.lists.paste import DoubtfulText, EnteredIds
from item_visibility.storage.directory import NamedRow
from item_visibility.use_cases.directory import Kind
from tests.support.desk import DeskKit, open_kit

GLN, OTHER_GLN = "4000001000005", "4000001000012"
LISTED = frozenset({"R1", "AB-12"})


@pytest.fixture(scope="module")
def kit(tmp_path_factory: pytest.TempPathFactory) -> Iterator[DeskKit]:
    """A directory with a few names."""
    with open_kit(tmp_path_factory.mktemp("entered")) as opened:
        names = {"4711": "Sonnenhof", "4712": "Sonnenhof", "4713": "Le Panier", "branch north": "Nord"}
        rows = opened.records.directory[Kind.RECIPIENT]
        rows.put([NamedRow((one,), name) for one, name in names.items()])
        yield opened


@pytest.mark.parametrize(
    ("text", "ids"),
    [
        (GLN, (GLN,)),
        (f"{GLN}\n{OTHER_GLN};4711, R1\tR22", (GLN, OTHER_GLN, "4711", "R1", "R22")),
        ("4999", ("4999",)),
        ("XY-7", ("XY-7",)),
        ("branch north", ("branch north",)),
        ("le panier", ("4713",)),
        (f"{GLN}\nLE PANIER", (GLN, "4713")),
    ],
)
def test_what_is_known_or_has_the_form_of_a_number_is_one(
    kit: DeskKit, text: str, ids: tuple[str, ...]
) -> None:
    """A GLN, a form that the list or the directory has, and the full name of exactly one recipient."""
    assert kit.desk.entered.read(text, listed=LISTED) == EnteredIds(ids, ())


@pytest.mark.parametrize(
    "text",
    ["43000", "95220000200", "7up", "R1x", "12.03.2026", "Tel 0711/12345", "SHOP", "SHOP 7up", "ABC-7"],
)
def test_any_other_text_is_asked_about(kit: DeskKit, text: str) -> None:
    """Half a number, a date, a name, a sentence: none is taken unasked."""
    read = kit.desk.entered.read(text, listed=LISTED)
    assert (read.ids, [one.text for one in read.doubtful]) == ((), [text])
    assert kit.desk.entered.read(text, listed=LISTED, as_numbers=frozenset({text})) == EnteredIds((text,), ())


def test_a_name_of_several_is_asked_about_with_all_of_them(kit: DeskKit) -> None:
    """Nobody knows which is meant."""
    (asked,) = kit.desk.entered.read("Sonnenhof").doubtful
    assert asked == DoubtfulText("Sonnenhof", (("4711", "Sonnenhof"), ("4712", "Sonnenhof")), is_shared=True)


def test_the_nearest_are_offered_of_the_first_texts_only(kit: DeskKit) -> None:
    """A column of a thousand names is not a thousand searches."""
    asked = kit.desk.entered.read("\n".join(["Le Panjer"] + [f"x{n}y Le Panjer" for n in range(25)])).doubtful
    assert asked[0].alike == (("4713", "Le Panier"),)
    assert len(asked) == 26


def test_an_order_of_many_is_kept(kit: DeskKit) -> None:
    """As they were pasted, with their repeats."""
    read = kit.desk.entered.read(f"{OTHER_GLN}\n{GLN}\n{OTHER_GLN}")
    assert read.ids == (OTHER_GLN, GLN, OTHER_GLN)


def test_a_number_written_with_spaces_is_one(kit: DeskKit) -> None:
    """A GLN, or one that is known; several numbers stay several."""
    spaced = f"{GLN[:4]} {GLN[4:8]} {GLN[8:]}"
    assert kit.desk.entered.read(spaced).ids == (GLN,)
    assert kit.desk.entered.read(f"{spaced} {OTHER_GLN}").ids == (GLN, OTHER_GLN)
    assert kit.desk.entered.read("4711 4712 4713").ids == ("4711", "4712", "4713")


def test_an_e_mail_is_read_for_ids_and_names(kit: DeskKit) -> None:
    """What may be another id or name is asked about; the rest is ignored, also after the closing words."""
    read = kit.desk.entered.read(
        f"Subject: Visibility\nDear Anna Schmidt,\nplease add Le Panier and 4711 by 12.03.2026, and the\n"
        f"branches Zzyxx Handel and {OTHER_GLN}; Panier too.\n"
        f"Kind regards\nHans Berger\nTel 0711 12345, {GLN}\n"
    )
    assert read.ids == ("4713",)
    assert [(one.text, one.alike) for one in read.doubtful] == [
        ("4711", (("4711", "Sonnenhof"),)),
        ("Zzyxx Handel", ()),
        (OTHER_GLN, ()),
        ("Panier", (("4713", "Le Panier"),)),
        (GLN, ()),
    ]
    assert "Dear Anna Schmidt" in read.ignored
    assert "Hans Berger" in read.ignored


def test_a_text_that_no_request_can_carry_says_why(kit: DeskKit) -> None:
    """It cannot be added as an id."""
    (asked,) = kit.desk.entered.read("..").doubtful
    assert asked.why_not
