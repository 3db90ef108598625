"""The request for each operation. Spec: "Endpoints"."""

import pytest

from item_visibility.client import operations as ops
from item_visibility.client.identifiers import ItemKey
from item_visibility.errors import IdentifierError

BASE = "https://api.example.com/v1"
ITEM = ItemKey("S/1", "ä 1")
PATH = f"{BASE}/itemvisibilities/S%2F1/%C3%A4%201"


@pytest.mark.parametrize(
    ("request_", "name", "method", "url"),
    [
        (ops.get_visibilities(BASE, ITEM), "getVisibilities", "GET", PATH),
        (ops.set_visibilities(BASE, ITEM, []), "setVisibilities", "PUT", PATH),
        (ops.remove_visibilities(BASE, ITEM), "removeVisibilities", "DELETE", PATH),
        (ops.add_visibility(BASE, ITEM, "r/1"), "addVisibility", "PUT", f"{PATH}/recipient/r%2F1"),
        (
            ops.remove_visibility(BASE, ITEM, "%"),
            "removeVisibility",
            "DELETE",
            f"{PATH}/recipient/%25",
        ),
    ],
)
def test_each_operation_has_its_method_and_path(
    request_: ops.Request, name: str, method: str, url: str
) -> None:
    """The table of endpoints, line by line."""
    assert (request_.operation.name, request_.operation.method, request_.url) == (
        name,
        method,
        url,
    )


def test_a_set_sends_a_sorted_array_without_repetition() -> None:
    """Ids that no path can address travel in a list; half a character travels as an escape."""
    request = ops.set_visibilities(BASE, ITEM, ["b", "ä", "b", "..", "", "\ud800", "a\n"])
    assert request.body == rb'["", "..", "a\n", "b", "\u00e4", "\ud800"]'
    assert ("Content-Type", "application/json") in request.headers


@pytest.mark.parametrize("recipients", ["abc", [1], [None], ["a", b"b"]])
def test_a_set_takes_texts_only(recipients: list[str]) -> None:
    """One text is no list of its letters, and nothing but text is an id."""
    with pytest.raises(IdentifierError):
        ops.set_visibilities(BASE, ITEM, recipients)


def test_only_a_set_has_a_body() -> None:
    """The other operations say all in their path."""
    assert ops.add_visibility(BASE, ITEM, "r").body is None


def test_a_repr_does_not_show_a_body() -> None:
    """A token request is a request too, and holds the secret."""
    assert "hidden" not in repr(ops.set_visibilities(BASE, ITEM, ["hidden"]))


@pytest.mark.parametrize(
    ("operation", "may_repeat"),
    [
        (ops.GET_VISIBILITIES, True),
        (ops.SET_VISIBILITIES, False),
        (ops.REMOVE_VISIBILITIES, False),
        (ops.ADD_VISIBILITY, True),
        (ops.REMOVE_VISIBILITY, True),
    ],
)
def test_only_what_names_a_state_of_one_recipient_is_repeated(
    operation: ops.Operation, *, may_repeat: bool
) -> None:
    """A whole list that is sent twice could undo what somebody did in between. Note N17."""
    assert operation.may_repeat is may_repeat
