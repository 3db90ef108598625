"""Questions that the specification leaves open, in each of their readings."""

from concurrent.futures import ThreadPoolExecutor

import httpx
import pytest

from item_visibility_service.embedded import EmbeddedService
from item_visibility_service.http.accepted_ids import Item
from item_visibility_service.open_points.refused_once import RefusedOnce
from item_visibility_service.open_points.switches import Failure, Switches
from item_visibility_service.sample.load import invented_names
from item_visibility_service.storage.visibility_store import Change
from tests.support.bundled_service import OperationLog, open_client

ITEM = "/S/I"
KEY = Item("S", "I")


@pytest.mark.contract
@pytest.mark.parametrize(
    ("switches", "expected"),
    [(Switches(put_merges=False), ["b", "c"]), (Switches(put_merges=True), ["a", "b", "c"])],
)
def test_a_set_replaces_or_merges(service: EmbeddedService, switches: Switches, expected: list[str]) -> None:
    """Note N3."""
    service.service.switches = switches
    with open_client(service) as client:
        client.put(ITEM, json=["a", "b"])
        client.put(ITEM, json=["b", "c"])

        assert client.get(ITEM).json() == expected
    assert service.service.switches == switches


@pytest.mark.contract
@pytest.mark.parametrize(
    ("switches", "expected"),
    [(Switches(empty_is_not_found=True), (404, b"")), (Switches(empty_is_not_found=False), (200, b"[]"))],
)
def test_an_empty_item_is_404_or_an_empty_list(
    service: EmbeddedService, switches: Switches, expected: tuple[int, bytes]
) -> None:
    """Note N4."""
    service.service.switches = switches
    with open_client(service) as client:
        answer = client.get(ITEM)

    assert (answer.status_code, answer.content) == expected


@pytest.mark.contract
@pytest.mark.parametrize("path", [ITEM, "/S/I/recipient/r"])
@pytest.mark.parametrize(
    ("switches", "missing"),
    [
        (Switches(removing_missing_is_not_found=False), 204),
        (Switches(removing_missing_is_not_found=True), 404),
    ],
)
def test_removing_what_is_not_there_is_204_or_404(
    service: EmbeddedService, path: str, switches: Switches, missing: int
) -> None:
    """Removing what is there is 204 always: Note N5."""
    service.service.switches = switches
    with open_client(service) as client:
        client.put("/S/I/recipient/r")

        statuses = [client.delete(path).status_code for _ in range(2)]

    assert statuses == [204, missing]


@pytest.mark.contract
def test_a_404_of_a_removal_is_a_problem(service: EmbeddedService) -> None:
    """Other than the one of a read. Spec: "Errors"."""
    service.service.switches = Switches(removing_missing_is_not_found=True)
    with open_client(service) as client:
        assert client.delete(ITEM).json() == {
            "status": 404,
            "title": "Not Found",
            "detail": "There was nothing to remove.",
        }


@pytest.mark.contract
def test_reads_can_lag_behind_changes(service: EmbeddedService) -> None:
    """Each change is applied at once, and seen later: Note N11."""
    service.service.switches = Switches(read_lag_s=3600)
    with open_client(service) as client:
        client.put(ITEM, json=["a", "b"])
        client.put("/S/I/recipient/c")
        client.delete("/S/I/recipient/a")
        lagging = client.get(ITEM).status_code
        service.service.switches = Switches()

        assert (lagging, client.get(ITEM).json()) == (404, ["b", "c"])


@pytest.mark.contract
@pytest.mark.parametrize(
    ("failure", "status", "applied"),
    [
        (Failure.ERROR_BEFORE, 500, ()),
        (Failure.ERROR_AFTER, 500, ("r",)),
        (Failure.UNAVAILABLE, 503, ()),
    ],
)
def test_calls_can_fail_before_and_after_they_are_applied(
    service: EmbeddedService,
    operation_log: OperationLog,
    failure: Failure,
    status: int,
    applied: tuple[str, ...],
) -> None:
    """A client cannot tell from the answer whether a 500 was applied."""
    service.service.switches = Switches(failing_share=1, failures=(failure,))
    with open_client(service) as client:
        answer = client.put("/S/I/recipient/r")

    assert (answer.status_code, answer.json()["status"]) == (status, status)
    assert (service.service.store.recipients(KEY), len(operation_log.operations)) == (applied, len(applied))


@pytest.mark.contract
def test_a_share_of_the_changes_can_be_refused_once(service: EmbeddedService) -> None:
    """The first one among them; sent again, each is applied, until the failures are switched off and on."""
    failing = Switches(failing_share=0.3, failures=(Failure.UNAVAILABLE,), refuses_once=True)
    refused = RefusedOnce()
    assert [refused.refuses(number, failing) for number in range(7)] == [
        *[True, False, False],
        *[True, False, False],
        True,
    ]
    assert not refused.refuses(0, failing)
    assert not refused.refuses(9, Switches(failing_share=0.3))
    refused.forget()
    assert refused.refuses(0, failing)
    service.service.switches = Switches(failing_share=1e-12, refuses_once=True)
    with open_client(service) as client:
        statuses = [client.put("/S/I/recipient/r").status_code for _ in range(2)]
    assert statuses == [409, 204]


@pytest.mark.contract
def test_a_503_says_when_to_come_again(service: EmbeddedService) -> None:
    """In seconds: Note N12."""
    service.service.switches = Switches(failing_share=1, failures=(Failure.UNAVAILABLE,))
    with open_client(service) as client:
        assert client.get(ITEM).headers["retry-after"] == "1"


@pytest.mark.contract
def test_an_answer_can_break_off_after_the_call_was_applied(parsed_service: EmbeddedService) -> None:
    """The client sees a connection that ends too early, with each parser."""
    parsed_service.service.switches = Switches(failing_share=1, failures=(Failure.BROKEN_OFF,))
    with open_client(parsed_service) as client, pytest.raises(httpx.RemoteProtocolError):
        client.put("/S/I/recipient/r")

    assert parsed_service.service.store.recipients(KEY) == ("r",)


@pytest.mark.contract
def test_only_the_five_operations_fail(service: EmbeddedService) -> None:
    """A demo of failures goes on having tokens and a health."""
    service.service.switches = Switches(failing_share=1)

    with open_client(service) as client:
        statuses = [
            client.get(f"{service.auth_url}{path}").status_code for path in ("/healthz", "/v1/openapi.json")
        ]

    assert statuses == [200, 200]


@pytest.mark.contract
def test_switches_change_while_calls_run(service: EmbeddedService) -> None:
    """A call sees one set of switches or the next, never a mixture."""
    readings = [Switches(empty_is_not_found=value) for value in (True, False)] * 20

    def set_switches(switches: Switches) -> None:
        service.service.switches = switches

    with open_client(service) as client, ThreadPoolExecutor(4) as pool:
        setting = pool.map(set_switches, readings)
        answers = list(pool.map(lambda _: client.get(ITEM), range(100)))

    assert list(setting) == [None] * 40
    assert {(answer.status_code, answer.content) for answer in answers} <= {(404, b""), (200, b"[]")}


@pytest.mark.contract
@pytest.mark.parametrize(
    ("present", "newcomer"),
    [
        ([], "9522000010007"),
        (["a", "b"], "9522000010007"),
        (["9522000010007"], "9522000020006"),
        (sorted(recipient_id for recipient_id, _ in invented_names().recipients), "someone-else-1"),
    ],
)
def test_somebody_else_can_edit(service: EmbeddedService, present: list[str], newcomer: str) -> None:
    """One recipient comes and one goes, where there is one to go."""
    service.service.store.replace(KEY, frozenset(present))

    change = service.service.someone_else_edits(KEY)

    assert change == Change(added=frozenset({newcomer}), removed=frozenset(present[:1]))
    assert service.service.store.recipients(KEY) == tuple(sorted([*present[1:], newcomer]))


@pytest.mark.parametrize(
    ("wrong", "message"),
    [
        ({"read_lag_s": -1}, "between 0 and 3600"),
        ({"read_lag_s": float("nan")}, "between 0 and 3600"),
        ({"token_lifetime_s": 0}, "at least one second"),
        ({"failing_share": 1.1}, "from 0 to 1"),
        ({"failing_share": -0.1}, "from 0 to 1"),
        ({"failures": ()}, "at least one way"),
    ],
)
def test_switches_that_make_no_sense_are_refused(wrong: dict[str, object], message: str) -> None:
    """The message says what is allowed."""
    with pytest.raises(ValueError, match=message):
        Switches(**wrong)  # type: ignore[arg-type]  # what a caller may not give
