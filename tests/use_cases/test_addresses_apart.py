"""Nothing of one service shows up at another, in whatever order their addresses are used."""

import itertools
from collections.abc import Callable, Collection, Iterable, Iterator
from contextlib import ExitStack
from dataclasses import replace

import pytest
from hypothesis import Phase, given, settings
from hypothesis import strategies as st

from item_visibility.saving.bulk import BulkItem
from item_visibility.saving.job import JobState
from item_visibility.saving.plan import plan_changes
from item_visibility.saving.request import ChangeRequest
from item_visibility.saving.save import Saver
from item_visibility.settings.settings import Environment
from item_visibility.storage.directory import Kind
from item_visibility.storage.history.search import HistoryFilter
from tests.storage.jobs import a_job
from tests.support.desk import ITEM, PERSON, TEST_ENVIRONMENT, DeskKit, a_request, open_kit
from tests.support.thorough import how_many

ADDRESSES = ("north", "south", "southeast")


class Places:
    """One environment at three addresses in turn, with one database; every id names where it was made."""

    def __init__(self, kits: dict[str, DeskKit]) -> None:
        self.kits = kits
        self.numbers = itertools.count()

    def take(self, steps: Iterable[tuple[str, "Action"]]) -> None:
        """Do one thing after the other, each at its address."""
        for at, action in steps:
            action(self, at)

    def strays(self) -> dict[str, list[str]]:
        """By address: what was made elsewhere, and went out here, is seen, offered, or waits to be done."""
        told = {at: f"{kit.fake.calls} {everything(kit)}" for at, kit in self.kits.items()}
        return {
            at: [other for other in ADDRESSES if other != at and f"<{other}>" in words]
            for at, words in told.items()
        }

    def new_id(self, at: str) -> str:
        """An id that says where it was made."""
        return f"<{at}>{next(self.numbers)}"

    def save(self, at: str) -> None:
        """Add one recipient."""
        self.send(at, add={self.new_id(at)})

    def undo(self, at: str) -> None:
        """Undo the last save, as it is offered."""
        desk = self.kits[at].desk
        status = desk.latest_save(ITEM)
        if status is not None:
            undo = desk.undo(status.request.key, desk.read(ITEM)).request
            self.send(at, add=undo.add, remove=undo.remove)

    def remove_all(self, at: str) -> None:
        """Remove every recipient."""
        self.send(at, remove=self.kits[at].desk.read(ITEM).recipients or frozenset())

    def take_sets(self, at: str) -> None:
        """Make a set, then add every set that is offered."""
        desk = self.kits[at].desk
        desk.sets.make(self.new_id(at), [self.new_id(at)])
        self.send(at, add=frozenset[str]().union(*(known.recipients for known in desk.records.sets.all())))

    def end_in_the_middle(self, at: str) -> None:
        """Begin a save, and be killed before anything is sent."""
        recipient_id = self.new_id(at)
        request = ChangeRequest(
            recipient_id, ITEM, frozenset(), frozenset({recipient_id}), frozenset(), PERSON
        )
        plan = plan_changes(ITEM, current=frozenset(), add=request.add, remove=frozenset())
        kit = self.kits[at]
        kit.records.history.begin(request, plan, started_at=kit.fake.time.now())

    def start_again(self, at: str) -> None:
        """Settle what an earlier run left open."""
        kit = self.kits[at]
        hands = kit.fake.time
        saver = Saver(kit.fake, kit.records.history, clock=hands.now, sleep=hands.sleep)
        for entry in kit.records.history.unsettled():
            saver.settle_open(entry)

    def somebody_else_changes(self, at: str) -> None:
        """Behind our back; the next read shows it, long after the last save."""
        kit = self.kits[at]
        kit.fake.put(ITEM, {self.new_id(at)})
        kit.fake.time.sleep(60)
        kit.desk.read(ITEM)

    def bring_a_job(self, at: str) -> None:
        """Keep one that waits for its turn."""
        kit, key = self.kits[at], self.new_id(at)
        job = a_job(key, created_at=kit.fake.time.now(), state=JobState.QUEUED)
        kit.records.jobs.create(job, [BulkItem(item=ITEM, add=frozenset({key}))])
        item = replace(ITEM, supplier_item_id=key)
        kit.records.directory.remember([item])
        kit.desk.remember_use(item)

    def send(
        self, at: str, *, add: Collection[str] = frozenset(), remove: Collection[str] = frozenset()
    ) -> None:
        """Save these changes, with the number of removals typed."""
        base = self.kits[at].desk.read(ITEM).recipients or frozenset[str]()
        request = a_request(ITEM, key=self.new_id(at), base=base, add=add, remove=remove)
        self.kits[at].save(replace(request, confirmed_count=len(request.remove)))


Action = Callable[[Places, str], None]
ACTIONS: tuple[Action, ...] = (
    Places.save,
    Places.undo,
    Places.remove_all,
    Places.take_sets,
    Places.end_in_the_middle,
    Places.start_again,
    Places.somebody_else_changes,
    Places.bring_a_job,
)


@pytest.fixture(scope="module")
def places(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Places]:
    """The three addresses, with nothing on record."""
    folder = tmp_path_factory.mktemp("addresses")
    with ExitStack() as opened:
        yield Places({at: opened.enter_context(open_kit(folder, environment=_at(at))) for at in ADDRESSES})


def _at(address: str) -> Environment:
    return replace(TEST_ENVIRONMENT, base_url=f"https://{address}.example.com/v1")


def everything(kit: DeskKit) -> str:
    """All that our own records give back."""
    desk, records = kit.desk, kit.records
    history = list(desk.records.search.all(HistoryFilter()))
    return repr(
        (
            history,
            [records.history.entry(entry.request.key) for entry in history],
            [desk.latest_save(ITEM), records.history.unsettled()],
            [
                desk.recent_items(),
                desk.finder.first(Kind.SUPPLIER),
                desk.names.find_items(ITEM.supplier, ""),
            ],
            [list(rows.all()) for rows in records.directory.values()],
            [
                desk.names.recipient_names([ITEM.supplier]),
                list(desk.records.directory[Kind.RECIPIENT].all()),
            ],
            [desk.records.sets.names(), desk.records.sets.all()],
            [desk.bulk.store.jobs(), records.jobs.in_state(set(JobState))],
        )
    )


@settings(max_examples=how_many(usual=2, thorough=25), deadline=None, phases=[Phase.generate])
@given(
    steps=st.lists(st.tuples(st.sampled_from(ADDRESSES), st.sampled_from(ACTIONS)), min_size=40, max_size=50)
)
def test_nothing_of_one_address_is_at_another(places: Places, steps: list[tuple[str, Action]]) -> None:
    """Neither on the wire, nor on the screen, nor among what is settled or queued."""
    places.take(steps)
    assert places.strays() == {at: [] for at in ADDRESSES}
