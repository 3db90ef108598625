"""Known ids without a database."""

from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass, field

from item_visibility.lists.damage_rules import IdRole


@dataclass(frozen=True)
class Known:
    """Knows these ids."""

    of_suppliers: tuple[str, ...] = ()
    of_items: tuple[str, ...] = ()
    of_recipients: tuple[str, ...] = ()
    names: Mapping[str, str] = field(default_factory=dict)

    def ids(self, role: IdRole) -> Iterable[str]:
        """Every known id of the role."""
        ids = {
            IdRole.SUPPLIER: self.of_suppliers,
            IdRole.ITEM: self.of_items,
            IdRole.RECIPIENT: self.of_recipients,
        }
        return ids.get(role, ())

    def called(self, _role: IdRole, names: Collection[str]) -> Mapping[str, str]:
        """The id of each name."""
        return {name: self.names[name] for name in names if name in self.names}


NOTHING_KNOWN = Known()
