"""For any list, only changes that the plan showed are sent, and none of them comes from a note."""

from pathlib import Path

from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from tests.cli.lists import kit, run
from tests.lists.any_lists import AnyList, Ask, any_lists
from tests.support.desk import DeskKit

__all__ = ["kit"]


def shown(plan: str) -> set[Ask]:
    """The lines of a plan as changes: the items, and below each what is added and removed."""
    item = ""
    asked: set[Ask] = set()
    for line in plan.splitlines():
        action, _, recipients = line.strip().partition(" ")
        item = line.partition(" / ")[2] or item
        found = recipients.strip().split(", ") if line.startswith("    ") else []
        asked |= {Ask(item, recipient, action) for recipient in found}
    return asked


def sent(kit: DeskKit) -> set[Ask]:
    """The writes since the last time."""
    actions = {"addVisibility": "add", "removeVisibility": "remove"}
    writes = {
        Ask(call.item.supplier_item_id, str(call.recipient_id), actions[call.operation])
        for call in kit.fake.writes
    }
    kit.fake.calls.clear()
    return writes


@settings(max_examples=40, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(
    brought=any_lists(),
    hidden=st.sampled_from(((), ("--hidden", "use"), ("--hidden", "skip"))),
    ignored=st.sampled_from(((), ("--ignore-column", "D"), ("--ignore-column", "Name"))),
)
def test_what_is_sent_was_shown_and_is_in_the_list(
    kit: DeskKit, brought: AnyList, hidden: tuple[str, ...], ignored: tuple[str, ...]
) -> None:
    sheet = ("--sheet", brought.sheet) if brought.sheet else ()
    Path("list").write_bytes(brought.content)
    result = run("apply", "list", "--yes", "--as-is", "--confirm-removals", "1", *sheet, *hidden, *ignored)
    writes = sent(kit)
    pairs = {(one.item, one.recipient) for one in brought.asks.values()}
    assert writes <= shown(result.stdout)
    assert {(one.item, one.recipient) for one in writes} <= pairs
    assert not (writes and "was not applied" in result.stderr)
