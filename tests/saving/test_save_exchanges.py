"""A save tells what it asked and was answered, also one that sent nothing or was interrupted."""

from item_visibility.client.identifiers import ItemKey
from item_visibility.saving.outcome import SaveResult, Verdict
from item_visibility.saving.save import Saver
from tests.saving.saving import MemoryHistory, ask
from tests.support.fake_visibilities import FakeTime
from tests.support.scripted_transport import (
    NO_CONTENT,
    ScriptedTransport,
    Step,
    problem,
    recipients,
    scripted_client,
)

ITEM = ItemKey("S", "I")


def saver_on(history: MemoryHistory, *steps: Step) -> Saver:
    time = FakeTime()
    client = scripted_client(ScriptedTransport(*steps))
    return Saver(client, history, clock=time.now, sleep=time.sleep)


def told(result: SaveResult) -> list[tuple[str, int | None]]:
    return [(one.operation, one.status) for one in result.exchanges if one.method != "POST"]


def test_every_request_of_a_save_is_told_and_recorded() -> None:
    history = MemoryHistory()
    steps = (recipients("A"), problem(503), NO_CONTENT, recipients("A", "B"))
    result = saver_on(history, *steps).save(ask(item=ITEM, base="A", add="B"))
    assert told(result) == [
        ("getVisibilities", 200),
        ("addVisibility", 503),
        ("addVisibility", 204),
        ("getVisibilities", 200),
    ]
    recorded = history.entries["key-1"].result
    assert recorded is not None
    assert recorded.exchanges == result.exchanges


def test_a_save_that_sent_nothing_tells_why() -> None:
    result = saver_on(MemoryHistory(), problem(403)).save(ask(item=ITEM, add="B"))
    assert (result.verdict, told(result)) == (Verdict.NOTHING_SENT, [("getVisibilities", 403)])


def test_an_interrupted_save_tells_how_it_was_settled() -> None:
    history = MemoryHistory()
    request = ask(item=ITEM, add="B")
    saver_on(history, recipients(), NO_CONTENT, recipients("B")).save(request)
    result = saver_on(history, recipients("B")).settle_open(history.entries["key-1"])
    assert told(result) == [("getVisibilities", 200)]
