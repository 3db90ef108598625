"""Recipients that a person types, pastes or chooses, alone or in groups: never a number by chance."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from item_visibility.client.identifiers import ItemKey
from item_visibility.errors import SetError
from item_visibility.lists.paste import DoubtfulText, EnteredIds
from item_visibility.storage.directory import Kind, NameRow
from item_visibility.use_cases.choose_recipients import Group, Selection, offered_groups, open_group
from tests.support.desk import ITEM, DeskKit, open_kit

GLN, OTHER_GLN = "4000001000005", "4000001000012"
LISTED = frozenset({"R1", "AB-12"})
SUPPLIER = ITEM.supplier
AUSTRIA = ItemKey(SUPPLIER, "04012345678901:040")
SODA = ItemKey(SUPPLIER, "04012345678918:276")
FOREIGN = ItemKey("S2", "04012345678901:040")
WORDS, OTHER = DoubtfulText("Words"), DoubtfulText("Other")
SHOPS = Group("set:Shops", "Set Shops", 2, frozenset("BX"))


@pytest.fixture(scope="module")
def kit(tmp_path_factory: pytest.TempPathFactory) -> Iterator[DeskKit]:
    with open_kit(tmp_path_factory.mktemp("entered")) as opened:
        names = {"4711": "Sonnenhof", "4712": "Sonnenhof", "4713": "Le Panier", "branch north": "Nord"}
        rows = opened.records.directory[Kind.RECIPIENT]
        rows.put([NameRow((one,), name) for one, name in names.items()])
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
    assert kit.desk.names.read_many(text, listed=LISTED) == EnteredIds(ids, ())


def test_a_name_of_several_is_asked_about_with_all_of_them(kit: DeskKit) -> None:
    (asked,) = kit.desk.names.read_many("Sonnenhof").doubtful
    assert asked == DoubtfulText("Sonnenhof", (("4711", "Sonnenhof"), ("4712", "Sonnenhof")), is_shared=True)


def test_the_nearest_are_offered_of_the_first_texts_only(kit: DeskKit) -> None:
    asked = kit.desk.names.read_many(
        "\n".join(["Le Panjer"] + [f"x{n}y Le Panjer" for n in range(25)])
    ).doubtful
    assert asked[0].alike == (("4713", "Le Panier"),)
    assert len(asked) == 26


def test_an_e_mail_is_read_for_ids_and_names(kit: DeskKit) -> None:
    read = kit.desk.names.read_many(
        f"Subject: Visibility\nDear Anna Schmidt,\nplease add Le Panier and 4711 by 12.03.2026, and the\n"
        f"branches Zzyxx Handel and {OTHER_GLN}; Panier too.\n"
        f"Kind regards\nHans Berger\nTel 0711 12345, {GLN}\n"
    )
    assert read.ids == ("4713",)
    assert [(one.text, one.alike) for one in read.doubtful] == [
        ("4711", (("4711", "Sonnenhof"),)),
        (OTHER_GLN, ()),
        (GLN, ()),
    ]
    assert "Dear Anna Schmidt" in read.ignored
    assert "Hans Berger" in read.ignored


def test_a_text_that_no_request_can_carry_says_why(kit: DeskKit) -> None:
    (asked,) = kit.desk.names.read_many("..").doubtful
    assert asked.why_not


@pytest.fixture
def groups(tmp_path: Path) -> Iterator[DeskKit]:
    """A desk with four named items, one of another supplier, and two sets."""
    with open_kit(tmp_path, {ITEM: "AB", AUSTRIA: "BC", SODA: ""}) as opened:
        names = {ITEM: "Oat biscuits", AUSTRIA: "Oat biscuits", SODA: "Soda", FOREIGN: "Oat biscuits"}
        opened.records.directory[Kind.ITEM].put(
            [NameRow((item.supplier, item.supplier_item_id), name) for item, name in names.items()]
        )
        opened.desk.sets.make("Online shops", ["A", "X"])
        opened.desk.sets.make("Discounters", ["D"])
        yield opened


def offered(groups: DeskKit, text: str) -> list[tuple[str, int | None]]:
    return [(one.words, one.count) for one in offered_groups(groups.desk, ITEM, text)]


def test_sets_and_other_items_of_the_supplier_are_offered_before_anything_is_typed(groups: DeskKit) -> None:
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
def test_they_are_found_by_name(groups: DeskKit, text: str, words: list[str]) -> None:
    assert [one for one, _ in offered(groups, text)] == words


def test_an_item_that_was_read_and_has_nobody_is_not_offered(groups: DeskKit) -> None:
    groups.desk.read(SODA)
    assert offered(groups, "soda") == []


def test_a_group_is_opened_as_it_is_now(groups: DeskKit) -> None:
    shops = open_group(groups.desk, ITEM, "set:Online shops")
    assert (shops.recipients, shops.words) == (frozenset("AX"), "Set Online shops")
    group = open_group(groups.desk, ITEM, f"item:{AUSTRIA.supplier_item_id}")
    assert (group.recipients, group.count) == (frozenset("BC"), 2)
    assert [call.operation for call in groups.fake.calls] == ["getVisibilities"]


def test_a_set_that_is_gone_says_so(groups: DeskKit) -> None:
    groups.desk.sets.delete("Online shops")
    with pytest.raises(SetError):
        open_group(groups.desk, ITEM, "set:Online shops")


def test_each_is_chosen_once_in_the_order_of_choice() -> None:
    chosen = Selection().with_entered(EnteredIds(("B", "A", "B"))).with_ids(["A", "C"])
    assert chosen.ids == ("B", "A", "C")
    assert chosen.without("B").ids == ("A", "C")


def test_texts_are_asked_about_until_they_are_settled() -> None:
    chosen = Selection().with_entered(EnteredIds(("A",), (WORDS, OTHER), ("Dear all",)))
    assert chosen.ignored == ("Dear all",)
    chosen = chosen.with_entered(EnteredIds((), (WORDS,)))
    assert chosen == Selection(("A",), doubtful=(WORDS, OTHER))
    assert chosen.without("A").doubtful == (WORDS, OTHER)
    assert chosen.with_ids(["Words"], settled={"Words"}) == Selection(("A", "Words"), doubtful=(OTHER,))


def test_a_group_is_one_choice_and_its_recipients_are_all_chosen() -> None:
    chosen = Selection(("A", "B")).with_group(SHOPS)
    assert chosen.everyone == frozenset("ABX")
    grown = Group("set:Shops", "Set Shops", 1, frozenset("Y"))
    assert chosen.with_group(grown).everyone == frozenset("ABY")
    assert chosen.without_group("set:Shops").everyone == frozenset("AB")
