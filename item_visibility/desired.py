"""A list that says who should see what, and how far what is so differs from it."""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from item_visibility.api.identifiers import ItemKey
from item_visibility.changes.bulk import BulkAction, BulkItem
from item_visibility.changes.job import ItemPreview
from item_visibility.desk_bulk import BulkDesk, Understood
from item_visibility.files.encoding import Encoding
from item_visibility.intake.damage import Finding, accept
from item_visibility.intake.layout import Fixed, guess_layout

PAGE = 200


@dataclass(frozen=True, slots=True, kw_only=True)
class ListOptions:
    """What is said besides a list.

    With `prune`, a list that says nothing else sets its items exactly: who is not named is taken away.
    `accept_suggestions` puts the suggestions for damaged ids in their place; `as_is` takes what is
    damaged then as it stands.
    """

    encoding: Encoding = Encoding.UTF_8
    supplier: str | None = None
    action: BulkAction | None = None
    prune: bool = False
    accept_suggestions: bool = False
    as_is: bool = False


@dataclass(frozen=True, slots=True)
class ReadList:
    """What a list asks of each item; with `complaints`, it is not to be taken at all."""

    items: tuple[BulkItem, ...]
    complaints: tuple[str, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Drift:
    """How one item differs from what the list says of it.

    `left_alone` are those who can see it although the list, which only adds, does not name them.
    `refusal` says why the item cannot be changed, empty when it can.
    """

    item: ItemKey
    add: tuple[str, ...]
    remove: tuple[str, ...]
    left_alone: int
    refusal: str

    @property
    def is_so(self) -> bool:
        """True when nothing is to be done."""
        return not (self.add or self.remove or self.refusal)


def read_list(bulk: BulkDesk, content: bytes, options: ListOptions) -> ReadList:
    """What the list asks for, and every reason not to take it. FileError when it cannot be read."""
    table = bulk.read_file(content, encoding=options.encoding)
    layout = guess_layout(table)
    if options.prune and layout.action is not None:
        why = "The file has a column that says what to do, so that it cannot be pruned to what it names."
        return ReadList((), (f"{why} Leave out --prune, or that column.",))
    if options.accept_suggestions:
        table = accept(table, bulk.find_damage(table, layout))
    findings = () if options.as_is else bulk.find_damage(table, layout)
    action = BulkAction.SET if options.prune else options.action
    understood = bulk.understand(table, layout, Fixed(supplier=options.supplier, action=action))
    return ReadList(understood.items, (*_damage(findings), *_left_out(understood)))


def drifts(bulk: BulkDesk, key: str) -> Iterator[Drift]:
    """Every item that was read for a job, in the order of the list."""
    after = -1
    while page := bulk.items(key, after=after, limit=PAGE):
        yield from (_drift(one.intent, one.preview) for one in page if one.preview is not None)
        after = page[-1].position


def _drift(intent: BulkItem, preview: ItemPreview) -> Drift:
    named = intent.add | intent.remove
    is_adding = intent.exactly is None and bool(intent.add)
    return Drift(
        item=intent.item,
        add=tuple(sorted(preview.add)),
        remove=tuple(sorted(preview.remove)),
        left_alone=len((preview.current or frozenset()) - named) if is_adding else 0,
        refusal=preview.refusal,
    )


def _damage(findings: Iterable[Finding]) -> Iterator[str]:
    for found in findings:
        meant = "" if found.suggestion is None else f" Perhaps it is {found.suggestion}."
        yield f"Row {found.row}, column {found.place + 1}: {found.message}{meant}"


def _left_out(understood: Understood) -> Iterator[str]:
    for problem in understood.problems:
        yield f"Row {problem.number}: {problem.message}"
    for contradiction in understood.contradictions:
        rows = ", ".join(map(str, contradiction.rows[:10]))
        yield f"Rows {rows}: {contradiction.message}"
