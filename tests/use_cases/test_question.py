"""Reading a customer's question."""

from collections.abc import Iterable
from dataclasses import dataclass

import pytest
from hypothesis import given
from hypothesis import strategies as st

from item_visibility.client.identifiers import ItemKey
from item_visibility.storage.directory import Ids, Kind, NamedRow, Names
from item_visibility.use_cases.check.question.each_row import read_questions
from item_visibility.use_cases.check.question.parts import (
    Doubt,
    Question,
    QuestionRole,
    choose,
    swapped,
    with_part,
)
from item_visibility.use_cases.find_by_name import Choice, Finder

S, I, R = "4000001000005", "04012345678901:276", "4300000000014"  # noqa: E741  (supplier, item, recipient in texts)
ALL = Question(supplier=S, supplier_item_id=I, recipient_id=R)


@dataclass(frozen=True)
class Known:
    """A directory of a few ids."""

    suppliers: tuple[str, ...] = ()
    items: tuple[ItemKey, ...] = ()
    recipients: tuple[str, ...] = ()

    def is_known_supplier(self, supplier: str) -> bool:
        """True for the suppliers given."""
        return supplier in self.suppliers

    def is_known_item(self, item: ItemKey) -> bool:
        """True for the items given."""
        return item in self.items

    def is_known_recipient(self, recipient_id: str) -> bool:
        """True for the recipients given."""
        return recipient_id in self.recipients

    def items_with_number(self, number: str, *, supplier: str | None = None) -> tuple[ItemKey, ...]:
        """The items given whose ids begin with the number."""
        ours = (item for item in self.items if supplier in {None, item.supplier})
        return tuple(one for one in ours if one.supplier_item_id.startswith(number))


class NamelessRows:
    """Rows of a directory in which nobody has a name."""

    def __init__(self, ids: Iterable[Ids]) -> None:
        self._ids = frozenset(ids)

    def current(self) -> Names:
        """Return those with the ids given."""
        return Names({ids: NamedRow(ids) for ids in self._ids})


NOTHING = Known()


def read_question(text: str, *, known: Known) -> Question:
    """The first question of the text, without what the person is asked back."""
    ids = {
        Kind.SUPPLIER: [(one,) for one in known.suppliers],
        Kind.ITEM: [(one.supplier, one.supplier_item_id) for one in known.items],
        Kind.RECIPIENT: [(one,) for one in known.recipients],
    }
    finder = Finder({kind: NamelessRows(some) for kind, some in ids.items()})  # type: ignore[misc]  (what of them is asked)
    question = read_questions(text, known=known, finder=finder)[0]  # type: ignore[arg-type]  (what of it is asked)
    return Question(
        supplier=question.supplier,
        supplier_item_id=question.supplier_item_id,
        recipient_id=question.recipient_id,
    )


@pytest.mark.parametrize(
    "text",
    [
        f"{S} {I} {R}",
        f"{S}\t{I}\t{R}\n",
        f"{S};{I};{R}",
        f"{S}, {I}, {R}",
        f"supplier: {S} item: {I} recipient: {R}",
        f"Recipient={R} Supplier={S} Item={I}",
        f"recipient:{R}\nsupplier:{S}\nitem:{I}",
        f"Supplier GLN: {S}, Item GTIN: {I}, Recipient GLN: {R}",
        f"Supplier item id: {I}; supplier id: {S}; recipient id: {R}",
        f"supplierId: {S} supplierItemId: {I} recipientId: {R}",
        f"Lieferant: {S}, Artikel: {I}, Empfänger: {R}",
        f"Lieferanten-GLN {S} Artikel-Nr. {I} Empfänger-GLN {R}",
        f"Artikel {I} von Lieferant {S} für Empfänger {R}, bitte prüfen",
        f"GTIN {I} supplier {S} recipient {R}",
        f"http://127.0.0.1:8501/check?supplier={S}&item=04012345678901%3A276&recipient={R}",
        f"See https://x.example/?env=test&supplier={S}&item={I}&recipient={R} please, it is 14:02",
        f"https://x.example/?supplier={S}&item={I} and recipient {R}?",
        f"?supplier={S}&item={I}&recipient={R}",
        f"Can {R} see {I} of {S}?",
        f"Hello, can {R} see {I} of {S}? Thanks, Ann (ticket 4711)",
        f"Kann {R} den Artikel {I} von {S} sehen?",
        f'Is "{I}" from "{S}" visible for "{R}"?',
        f"Why does {R} not see the item `{I}` by {S}?!",
        f"{R} cannot see {I} (supplier: {S})",
        f"Hi, {R} can't see {I} ({S}).",
        f"Kunde 4711 sagt: {R} sieht {I} von {S} nicht",
        f"Sieht {R} {I} von {S}?",
        f"is {I} from {S} visible to {R}?",
        f"Ist {I} für {R} sichtbar (Lieferant {S})?",
        f"{S} / {I} / {R}",
        f"{S} {I} {R}?",
        f"Please check {S} {I} {R}, thanks",
    ],
)
def test_a_whole_question_is_read(text: str) -> None:
    """Links, labels in two languages, bare lines and sentences hold all three without any directory."""
    assert read_question(text, known=NOTHING) == ALL


@pytest.mark.parametrize("text", [f"{R} {I} {S}", f"{I};{R};{S}", f"we have {R} with {I} and {S} in it"])
def test_any_order_is_read_when_the_ids_are_known(text: str) -> None:
    """The directory tells which is which."""
    known = Known(suppliers=(S,), items=(ItemKey(S, I),), recipients=(R,))
    assert read_question(text, known=known) == ALL


def test_a_known_supplier_tells_its_items_apart() -> None:
    """An item id of any look is found under its supplier."""
    known = Known(suppliers=("ACME",), items=(ItemKey("ACME", "X"),))
    asked = read_question("SHOP X ACME", known=known)
    assert asked == Question(supplier="ACME", supplier_item_id="X", recipient_id="SHOP")


def test_an_id_known_as_both_is_told_by_its_place() -> None:
    """A company can be a supplier and a recipient."""
    known = Known(suppliers=(S, R), recipients=(S, R))
    assert read_question(f"{S} {I} {R}", known=known) == ALL


def test_known_words_are_ids_in_a_sentence() -> None:
    """An id without a digit is found when it is known."""
    known = Known(suppliers=("ACME",), recipients=("SHOP?",))
    asked = read_question(f"so can SHOP? really see {I} of our ACME now", known=known)
    assert asked == Question(supplier="ACME", supplier_item_id=I, recipient_id="SHOP?")


def test_three_bare_words_are_taken_in_order() -> None:
    """Ids are opaque: they need no digit."""
    asked = read_question("ACME WIDGET SHOP", known=NOTHING)
    assert asked == Question(supplier="ACME", supplier_item_id="WIDGET", recipient_id="SHOP")


def test_a_supplier_can_be_its_own_recipient() -> None:
    """The same id twice in a bare line is two ids."""
    asked = read_question(f"{S} {I} {S}", known=NOTHING)
    assert asked == Question(supplier=S, supplier_item_id=I, recipient_id=S)


def test_cells_keep_their_spaces() -> None:
    """Cells copied from a spreadsheet are separated by tabs alone."""
    asked = read_question("ACME Ltd\tnut, small\tshop 7?", known=NOTHING)
    assert asked == Question(supplier="ACME Ltd", supplier_item_id="nut, small", recipient_id="shop 7?")


def test_a_label_with_a_colon_takes_any_word() -> None:
    """After a colon the next word is the value."""
    asked = read_question("supplier: ACME item: WIDGET recipient: SHOP", known=NOTHING)
    assert asked == Question(supplier="ACME", supplier_item_id="WIDGET", recipient_id="SHOP")


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("", "The question does not say the supplier, the item and the recipient, or not clearly."),
        (
            "hello there",
            "The question does not say the supplier, the item and the recipient, or not clearly.",
        ),
        (f"supplier: {S}", "The question does not say the item and the recipient, or not clearly."),
        (f"{S} {I}", "The question does not say the recipient, or not clearly."),
        (f"can {R} see {I}?", "The question does not say the supplier, or not clearly."),
        (
            f"{S} {R} 4300000000021 4300000000038",
            "The question does not say the supplier, the item and the recipient, or not clearly.",
        ),
        (f"{I} {R} {S}", "The question does not say the supplier and the recipient, or not clearly."),
        (
            f"well, {R} and {I} and then {S}, 4300000000021",
            "The question does not say the supplier and the recipient, or not clearly.",
        ),
        (f"ticket 4711: can {R} see {I}?", "The question does not say the supplier, or not clearly."),
        ("a2 b3", "The question does not say the supplier, the item and the recipient, or not clearly."),
        (f"?supplier={S}&item={I} what about it", "The question does not say the recipient, or not clearly."),
        (f"{S} {I} {R}", ""),
    ],
)
def test_what_is_missing_is_said(text: str, words: str) -> None:
    """Nothing is guessed from too little or too much."""
    assert read_question(text, known=NOTHING).missing_words == words


@pytest.mark.parametrize("text", ["S1 [a](b) (R)x", "supplier: S1 item: [a](b) recipient: (R)x?"])
def test_brackets_that_belong_to_an_id_stay(text: str) -> None:
    """Punctuation falls away only around an id of a sentence, and only where it is no part of a pair."""
    asked = read_question(text, known=NOTHING)
    assert asked == Question(supplier="S1", supplier_item_id="[a](b)", recipient_id="(R)x")


@pytest.mark.parametrize("wrapped", [f"({R})", f"[{R}", f"{R})", f"\u201e{R}\u201c", f"<{R}>.", f"'{R}',"])
def test_punctuation_around_an_id_falls_away(wrapped: str) -> None:
    """Brackets, quotation marks and full stops of a sentence are no part of the id."""
    assert read_question(f"can {wrapped} see {I} of {S}", known=NOTHING) == ALL


def test_a_link_that_is_none_is_passed_over() -> None:
    """A broken address, or one of another site, does not stop the reading."""
    text = f"http://[broken?a=b https://x.example/?q=1 supplier: {S} item: {I} recipient: {R}"
    assert read_question(text, known=NOTHING) == ALL


@pytest.mark.parametrize("piece", ["?", "x?", "=", "(", "item:", '"'])
def test_a_long_text_is_read_in_one_go(piece: str) -> None:
    """Nothing is gone through again and again: with the pattern of before, this one took hours."""
    assert read_question(piece * 20_000, known=NOTHING).item is None


def test_an_item_needs_both_of_its_parts() -> None:
    """Half an item is none."""
    assert Question(supplier_item_id=I).item is None


def test_an_item_is_supplier_and_item_id() -> None:
    """Both parts together are the key."""
    assert ALL.item == ItemKey(S, I)


CHOICE = Choice(("4000002000004", "04012345678918:040"), "Butter")


def test_an_item_that_is_chosen_brings_its_supplier_and_its_market() -> None:
    """And settles what was asked about either."""
    doubts = tuple(Doubt(role=role, text="x", choices=(CHOICE,)) for role in QuestionRole)
    asked = Question(recipient_id=R, markets=frozenset({"276"}), doubts=doubts)
    chosen = choose(asked, QuestionRole.ITEM, CHOICE)
    assert ((chosen.supplier, chosen.supplier_item_id), chosen.markets) == (CHOICE.ids, frozenset())
    assert [doubt.role for doubt in chosen.doubts] == [QuestionRole.RECIPIENT]


def test_a_part_that_is_corrected_leaves_the_others_as_they_are() -> None:
    """Also what is asked about them."""
    doubts = tuple(Doubt(role=role, text="x", choices=()) for role in QuestionRole)
    asked = Question(supplier=S, supplier_item_id=I, markets=frozenset({"276"}), doubts=doubts)
    corrected = with_part(asked, QuestionRole.RECIPIENT, R)
    assert (corrected.item, corrected.recipient_id, corrected.markets) == (ALL.item, R, asked.markets)
    assert [doubt.role for doubt in corrected.doubts] == [QuestionRole.SUPPLIER, QuestionRole.ITEM]


def test_supplier_and_recipient_change_places() -> None:
    """One click for a row in the other order."""
    turned = swapped(ALL)
    assert (turned.supplier, turned.recipient_id) == (R, S)
    assert swapped(turned) == ALL


@given(
    st.text()
    | st.lists(st.sampled_from(["supplier:", "item", S, I, R, "can", "?", "a=b?c=d", "\t", "http://["])).map(
        " ".join
    )
)
def test_any_text_is_read(text: str) -> None:
    """Reading never raises, and never invents an id that the text does not hold."""
    asked = read_question(text, known=NOTHING)
    found = [value for value in (asked.supplier, asked.supplier_item_id, asked.recipient_id) if value]
    assert len(found) + len(asked.missing) == 3
