"""Recipients that a person types, pastes or chooses, singly or in groups.

No number is guessed.
"""

from collections.abc import Iterator
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from item_visibility.client.identifiers import ItemKey
from item_visibility.errors import NotPossibleError
from item_visibility.model.known_ids import Kind, NameRow
from item_visibility.use_cases.choose_recipients import (
    Group,
    Selection,
    add_entered,
    offered_groups,
    open_group,
    remarks_on,
)
from item_visibility.use_cases.find_by_name import DoubtfulText
from tests.support.desk import ITEM, DeskKit, open_kit

GLN = "4000001000005"
OTHER_GLN = "4000001000012"
SUPPLIER_GLN = "4000002000004"
LISTED = frozenset({"R1", "AB-12"})
SUPPLIER = ITEM.supplier
AUSTRIA = ItemKey(SUPPLIER, "04012345678901:040")
SODA = ItemKey(SUPPLIER, "04012345678918:276")
FOREIGN = ItemKey("S2", "04012345678901:040")
SHOPS = Group("set:Shops", "Set Shops", 2, frozenset("BX"))
NAMES = {
    "4711": "Sonnenhof",
    "4712": "Sonnenhof",
    "4713": "Le Panier",
    "branch north": "Nord",
}


@pytest.fixture(scope="module")
def kit(tmp_path_factory: pytest.TempPathFactory) -> Iterator[DeskKit]:
    with open_kit(tmp_path_factory.mktemp("entered")) as opened:
        rows = opened.records.directory[Kind.RECIPIENT]
        rows.put([NameRow((own_id,), name) for own_id, name in NAMES.items()])
        opened.records.directory[Kind.SUPPLIER].put([NameRow((SUPPLIER_GLN,), "Mill")])
        yield opened


def entered(kit: DeskKit, text: str, *, chosen: tuple[str, ...] = ()) -> Selection:
    return add_entered(kit.desk.names, Selection(chosen), text, listed=LISTED)


@pytest.mark.parametrize(
    "text",
    [
        *(
            f"{separator}R1{separator}R2{separator}"
            for separator in (
                "\n",
                "\r\n",
                "\t",
                ",",
                ";",
                " ",
                "\u00a0",
                "\ufeff",
                "\u2028",
                ", ;\n\n",
                " and ",
            )
        ),
        '"R1" R2',
        '"R1","R2"',
        '"R1\nR2"',
    ],
)
def test_ids_are_separated(kit: DeskKit, text: str) -> None:
    read = entered(kit, text)
    assert read.ids == ("R1", "R2")
    assert read.doubtful == ()
    assert read.ignored == ()


@pytest.mark.parametrize(
    ("text", "group"),
    [
        ('"say ""1"""', 'say "1"'),
        ('"open1', '"open1'),
        ('in"side1', 'in"side1'),
        ('"a;b", R2', "a;b"),
    ],
)
def test_a_quoted_cell_is_one_text(kit: DeskKit, text: str, group: str) -> None:
    assert [doubt.text for doubt in entered(kit, text).doubtful] == [group]


@pytest.mark.parametrize("text", ["", " ,;\n"])
def test_separators_alone_are_not_read_as_ids(kit: DeskKit, text: str) -> None:
    assert entered(kit, text) == Selection()


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
        ("Le Panier und nord or R1", ("4713", "branch north", "R1")),
        ("4711 4712 4713", ("4711", "4712", "4713")),
        ("4000 0010 00005", (GLN,)),
        (f"4000 0010 00005 {OTHER_GLN}", (GLN, OTHER_GLN)),
    ],
)
def test_a_known_id_or_a_text_with_the_form_of_an_id_is_accepted(
    kit: DeskKit, text: str, ids: tuple[str, ...]
) -> None:
    read = entered(kit, text)
    assert read.ids == ids
    assert read.doubtful == ()


@pytest.mark.parametrize(
    "text",
    [
        *("43000", "7up", "R1x", "Tel 0711/12345", "SHOP 7up"),
        *(
            "430 Sonnenhof",
            "R1 x",
            "Le Panier Nord",
            "Neuer Le Panier",
            "--",
            "Sonnenhof Le Panier",
        ),
    ],
)
def test_any_other_text_is_asked_about(kit: DeskKit, text: str) -> None:
    read = entered(kit, text)
    assert read.ids == ()
    assert [doubt.text for doubt in read.doubtful] == [text]
    assert entered(kit, text, chosen=(text,)) == Selection((text,))


def test_only_the_wrong_number_among_ids_is_asked_about(kit: DeskKit) -> None:
    read = entered(kit, f"{GLN} 4711x 4712")
    assert read.ids == (GLN, "4712")
    assert [doubt.text for doubt in read.doubtful] == ["4711x"]


@pytest.mark.parametrize("separator", ["|", "-", "/", "+"])
def test_several_ids_in_one_word_are_asked_about_although_the_item_lists_such_texts(
    kit: DeskKit, separator: str
) -> None:
    listed = frozenset(
        f"{GLN}{separator}400000100{end}" for end in ("2002", "3009", "4006")
    )
    text = f"{GLN}{separator}{OTHER_GLN}"
    read = add_entered(kit.desk.names, Selection(), text, listed=listed)
    assert (read.ids, read.undecided) == ((), (text,))


def test_a_name_of_several_recipients_offers_all_of_them(kit: DeskKit) -> None:
    (doubt,) = entered(kit, "Sonnenhof").doubtful
    assert doubt == DoubtfulText(
        "Sonnenhof",
        tuple(NameRow((own_id,), "Sonnenhof") for own_id in ("4711", "4712")),
        is_name=True,
    )


def test_similar_names_are_looked_up_for_the_first_texts_only(kit: DeskKit) -> None:
    doubts = entered(
        kit, "\n".join(["Le Panjer"] + [f"x{n}y Le Panjer" for n in range(25)])
    ).doubtful

    assert doubts[0].alike == (NameRow(("4713",), "Le Panier"),)
    assert doubts[-1].alike == ()
    assert len(doubts) == 26


def test_the_glns_of_an_e_mail_are_added_and_other_numbers_and_names_asked_about(
    kit: DeskKit,
) -> None:
    lines = (
        "Subject: Visibility",
        "Dear Anna Schmidt,",
        "please add Le Panier (4711) and 4999 by 12.03.2026, and the",
        f"branches Zzyxx Handel and {OTHER_GLN}, 4000 0010 00005; Panier too.",
        "Le Panier",
        "Kind regards",
        "Hans Berger",
        f"Tel 07111 12345, {SUPPLIER_GLN}",
        "",
    )
    read = entered(kit, "\n".join(lines))

    assert read.ids == (OTHER_GLN, GLN, "4713")
    choices = {
        doubt.text: [(row.id, row.name) for row in doubt.alike]
        for doubt in read.doubtful
    }
    assert list(choices.items()) == [
        ("Le Panier", [("4713", "Le Panier")]),
        ("4711", [("4711", "Sonnenhof")]),
        ("4999", [("4999", "")]),
    ]
    assert {
        "Dear Anna Schmidt",
        "branches Zzyxx Handel",
        "Hans Berger",
        SUPPLIER_GLN,
    } <= set(read.ignored)


def test_a_text_that_no_request_can_carry_is_refused_with_a_reason(
    kit: DeskKit,
) -> None:
    (doubt,) = entered(kit, "..").doubtful
    assert doubt.why_not


WORDS = st.sampled_from(
    ["Sonnenhof", "Markt", "7", GLN, "R1", "ID", "Le Panier", "\u0665", "²", "-"]
)
SEPARATORS = st.sampled_from([" ", "\n", "\t", ",", "; ", '"', "\u00a0"])


@given(
    text=st.lists(WORDS | SEPARATORS | st.text()).map("".join),
    chosen=st.frozensets(WORDS | st.text()),
)
def test_what_is_accepted_without_asking_has_a_digit_or_is_known(
    kit: DeskKit, text: str, chosen: frozenset[str]
) -> None:
    ids = entered(kit, text, chosen=tuple(chosen)).ids
    known_ids = {*chosen, *NAMES, *LISTED}
    for recipient in ids:
        assert recipient in known_ids or any(map(str.isdecimal, recipient))


HIDDEN_CHARACTER = (
    "holds characters that cannot be seen; looks like SHOP7, which is in the list"
)


@pytest.mark.parametrize(
    ("new", "remarks"),
    [
        (["4000001000006"], ["check digit does not fit: 4000001000005 would"]),
        (["4.00638E+15"], ["a spreadsheet shortened this number"]),
        (["12345"], ["looks like 0012345, which is in the list"]),
        (
            ["SHO\u00adP7"],
            [HIDDEN_CHARACTER],
        ),
        (["mall7", "MALL7"], ["looks like mall7, which is entered too"]),
        (["4000001000005"], []),
        ([], []),
    ],
)
def test_a_suspicious_id_has_a_warning(new: list[str], remarks: list[str]) -> None:
    listed = frozenset({"0012345", "SHOP7"})
    assert list(remarks_on(new, listed=listed).values()) == remarks


@pytest.fixture
def groups(tmp_path: Path) -> Iterator[DeskKit]:
    """A desk with four named items, an item of another supplier, and two sets."""
    with open_kit(tmp_path, {ITEM: "AB", AUSTRIA: "BC", SODA: ""}) as opened:
        names = {
            ITEM: "Oat biscuits",
            AUSTRIA: "Oat biscuits",
            SODA: "Soda",
            FOREIGN: "Oat biscuits",
        }
        opened.records.directory[Kind.ITEM].put(
            [
                NameRow((item.supplier, item.supplier_item_id), name)
                for item, name in names.items()
            ]
        )
        opened.desk.sets.make("Online shops", ["A", "X"])
        opened.desk.sets.make("Discounters", ["D"])
        yield opened


def offered(groups: DeskKit, text: str) -> list[tuple[str, int | None]]:
    return [
        (group.words, group.count) for group in offered_groups(groups.desk, ITEM, text)
    ]


def test_sets_and_other_items_of_the_supplier_are_offered_before_anything_is_typed(
    groups: DeskKit,
) -> None:
    groups.desk.read(AUSTRIA)
    assert offered(groups, "") == [
        ("Set Discounters", 1),
        ("Set Online shops", 2),
        ("Same recipients as Oat biscuits · Austria", 2),
        ("Same recipients as Soda · Germany", None),
    ]


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("online", ["Set Online shops"]),
        ("set disc", ["Set Discounters"]),
        ("soda", ["Same recipients as Soda · Germany"]),
        ("same recipients as oat", ["Same recipients as Oat biscuits · Austria"]),
        ("nothing like it", []),
    ],
)
def test_groups_are_found_by_name(groups: DeskKit, text: str, words: list[str]) -> None:
    assert [group_id for group_id, _ in offered(groups, text)] == words


def test_an_item_without_recipients_is_not_offered(groups: DeskKit) -> None:
    groups.desk.read(SODA)
    assert offered(groups, "soda") == []


def test_opening_a_group_reads_its_current_recipients(groups: DeskKit) -> None:
    shops = open_group(groups.desk, ITEM, "set:Online shops")
    assert shops.recipients == frozenset("AX")
    assert shops.words == "Set Online shops"

    group = open_group(groups.desk, ITEM, f"item:{AUSTRIA.supplier_item_id}")
    assert group.recipients == frozenset("BC")
    assert group.count == 2
    assert [call.operation for call in groups.fake.calls] == ["getVisibilities"]


def test_opening_a_deleted_set_is_an_error(groups: DeskKit) -> None:
    groups.desk.sets.delete("Online shops")
    with pytest.raises(NotPossibleError):
        open_group(groups.desk, ITEM, "set:Online shops")


def test_recipients_are_chosen_once_and_keep_their_order(kit: DeskKit) -> None:
    chosen = entered(kit, "R1, 4711, R1").with_ids(["4711", "C"])
    assert chosen.ids == ("R1", "4711", "C")
    assert chosen.without("R1").ids == ("4711", "C")


def test_doubtful_texts_stay_until_they_are_decided(kit: DeskKit) -> None:
    chosen = entered(kit, "4711, 7up\nThese are the words of a sentence")
    assert chosen.ignored == ("7up", "These are the words of a sentence")
    assert chosen.note == ""

    chosen = add_entered(
        kit.desk.names, entered(kit, "Words, 8up"), "Words, R1", listed=LISTED
    )

    assert [doubt.text for doubt in chosen.doubtful] == ["Words", "8up"]
    assert chosen.ids == ("R1",)
    assert chosen.ignored == ()
    assert chosen.note == "1 already listed"
    assert len(chosen.without("R1").doubtful) == 2

    decided = chosen.with_ids(["Words"], decided={"Words"})
    assert decided.ids == ("R1", "Words")
    assert [doubt.text for doubt in decided.doubtful] == ["8up"]


def test_a_group_is_one_choice_and_its_recipients_are_all_chosen() -> None:
    chosen = Selection(("A", "B")).with_group(SHOPS)
    assert chosen.everyone == frozenset("ABX")

    grown = Group("set:Shops", "Set Shops", 1, frozenset("Y"))
    assert chosen.with_group(grown).everyone == frozenset("ABY")
    assert chosen.without_group("set:Shops").everyone == frozenset("AB")
