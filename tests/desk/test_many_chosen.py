"""Recipients that are chosen in a field, before a button does something with them."""

from item_visibility.desk.finder.many_chosen import ManyChosen
from item_visibility.intake.paste import DoubtfulText, EnteredIds

WORDS, OTHER = DoubtfulText("Words"), DoubtfulText("Other")


def test_each_is_chosen_once_in_the_order_of_choice() -> None:
    """It may be entered often."""
    chosen = ManyChosen().with_entered(EnteredIds(("B", "A", "B"), ()))
    assert chosen.with_entered(EnteredIds(("A", "C"), ())).ids == ("B", "A", "C")
    assert chosen.without("B").ids == ("A",)


def test_texts_are_asked_about_until_they_are_settled() -> None:
    """Each once, beside what is chosen."""
    chosen = ManyChosen().with_entered(EnteredIds(("A",), (WORDS, OTHER)))
    chosen = chosen.with_entered(EnteredIds((), (WORDS,)))
    assert chosen == ManyChosen(("A",), (WORDS, OTHER))
    assert chosen.without("A").asked == (WORDS, OTHER)
    settled = chosen.with_entered(EnteredIds(("Words",), ()), settled={"Words"})
    assert settled == ManyChosen(("A", "Words"), (OTHER,))
