"""Names in the directory, as an import puts them there."""

from collections.abc import Iterable

from item_visibility.client.identifiers import ItemKey
from item_visibility.storage.directory import Directory, Kind
from item_visibility.storage.names import NameRow


def put_names(
    directory: Directory,
    *,
    suppliers: Iterable[tuple[str, str]] = (),
    items: Iterable[tuple[ItemKey, str, str]] = (),
    recipients: Iterable[tuple[str, str]] = (),
) -> None:
    """Keep ids with their names; items with their market before the name."""
    directory[Kind.SUPPLIER].put([NameRow((one,), name) for one, name in suppliers])
    directory[Kind.ITEM].put(
        [NameRow((one.supplier, one.supplier_item_id), name, market) for one, market, name in items]
    )
    directory[Kind.RECIPIENT].put([NameRow((one,), name) for one, name in recipients])
