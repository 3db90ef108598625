"""Recipients that are chosen in a field, before a button does something with them."""

from item_visibility.lists.paste import DoubtfulText, EnteredIds
from item_visibility.use_cases.choose_recipients import Group, GroupChoice, ManyChosen

WORDS, OTHER = DoubtfulText("Words"), DoubtfulText("Other")
SHOPS = Group(GroupChoice("set:Shops", "Set Shops", 2), frozenset("BX"), "Shops")


def test_each_is_chosen_once_in_the_order_of_choice() -> None:
    """It may be entered often."""
    chosen = ManyChosen().with_entered(EnteredIds(("B", "A", "B"))).with_ids(["A", "C"])
    assert chosen.ids == ("B", "A", "C")
    assert chosen.without("B").ids == ("A", "C")


def test_texts_are_asked_about_until_they_are_settled() -> None:
    """Each once, beside what is chosen."""
    chosen = ManyChosen().with_entered(EnteredIds(("A",), (WORDS, OTHER)))
    chosen = chosen.with_entered(EnteredIds((), (WORDS,)))
    assert chosen == ManyChosen(("A",), asked=(WORDS, OTHER))
    assert chosen.without("A").asked == (WORDS, OTHER)
    assert chosen.with_ids(["Words"], settled={"Words"}) == ManyChosen(("A", "Words"), asked=(OTHER,))


def test_a_group_is_one_choice_and_its_recipients_are_all_chosen() -> None:
    """Choosing it again takes it as it is now; removing it leaves those that were chosen alone."""
    chosen = ManyChosen(("A", "B")).with_group(SHOPS)
    assert chosen.everyone == frozenset("ABX")
    grown = Group(GroupChoice("set:Shops", "Set Shops", 1), frozenset("Y"), "Shops")
    assert chosen.with_group(grown).everyone == frozenset("ABY")
    assert chosen.without_group("set:Shops").everyone == frozenset("AB")


def test_ignored_prose_is_that_of_the_last_text() -> None:
    """It goes with the next one."""
    chosen = ManyChosen().with_entered(EnteredIds((), (), ("Dear all",)))
    assert chosen.ignored == ("Dear all",)
    assert chosen.with_entered(EnteredIds(("A",))).ignored == ()
