"""Short words for counts, lists of names and texts on one line."""

from collections.abc import Iterable, Mapping


def many(count: int, noun: str) -> str:
    """Return a count with its noun, such as `1 item` and `2,000 items`."""
    ending = "" if count == 1 else "s"
    return f"{count:,} {noun}{ending}"


def names_first(recipient_ids: Iterable[str], names: Mapping[str, str]) -> list[str]:
    """Sort the recipients by name. Those without a name come last, sorted by id."""

    def order(recipient_id: str) -> tuple[bool, str, str]:
        name = names.get(recipient_id, "")
        return not name, name.casefold(), recipient_id

    return sorted(recipient_ids, key=order)


def one_line(text: str) -> str:
    """Return the text on one line, with invisible characters escaped."""
    return "".join(
        char if char.isprintable() else char.encode("unicode_escape").decode()
        for char in text
    )
