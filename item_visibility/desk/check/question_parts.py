"""The parts of a question, filled and corrected one by one."""

from dataclasses import replace

from item_visibility.desk.check.question import Doubt, Question
from item_visibility.desk.check.question_words import Role
from item_visibility.desk.finder.find_by_name import Choice, Finder
from item_visibility.records.directory.named_rows import Kind

OFFERED = 12
"""The limit of known ids that a person is offered for one part."""
KINDS = {Role.SUPPLIER: Kind.SUPPLIER, Role.ITEM: Kind.ITEM, Role.RECIPIENT: Kind.RECIPIENT}


def choose(question: Question, role: Role, choice: Choice) -> Question:
    """Return the question with the id that was chosen for one part; an item brings its supplier."""
    settled = {Role.ITEM, Role.SUPPLIER} if role is Role.ITEM else {role}
    doubts = tuple(one for one in question.doubts if one.role not in settled)
    chosen = with_part(replace(question, doubts=doubts), role, choice.id)
    return replace(chosen, supplier=choice.ids[0]) if role is Role.ITEM else chosen


def corrected(question: Question, role: Role, text: str, *, finder: Finder) -> Question:
    """Return the question with another text for one part: what it names, else the number that it is."""
    wanted = text.strip()
    supplier = question.supplier if role is Role.ITEM else None
    matches = finder.find(KINDS[role], wanted, supplier=supplier)
    if matches.taken:
        return choose(question, role, matches.taken)
    doubts = tuple(one for one in question.doubts if one.role is not role)
    if matches.choices:
        doubts = (*doubts, Doubt(role=role, text=wanted, choices=matches.choices[:OFFERED]))
    return with_part(replace(question, doubts=doubts), role, None if matches.choices else wanted or None)


def swapped(question: Question) -> Question:
    """Return the question with supplier and recipient changed for each other."""
    return replace(
        question,
        supplier=question.recipient_id,
        recipient_id=question.supplier,
        doubts=tuple(one for one in question.doubts if one.role is Role.ITEM),
    )


def with_part(question: Question, role: Role, value: str | None) -> Question:
    """Return the question with another id for one part. The markets belong to the item that was read."""
    if role is Role.SUPPLIER:
        return replace(question, supplier=value)
    if role is Role.RECIPIENT:
        return replace(question, recipient_id=value)
    return replace(question, supplier_item_id=value, markets=frozenset(), as_written="")
