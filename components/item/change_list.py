"""The exact list of changes that a save would make, in words, before it is saved."""

import streamlit as st

from components.text_table import show_table
from components.verbatim import described
from item_visibility.changes.draft import Draft

_IN_WORDS = 10


def show_changes(draft: Draft, names: dict[str, str]) -> None:
    """List every staged change. Draw nothing when nothing is staged."""
    if draft.is_empty:
        return
    with st.container(border=True, key="changes"):
        st.markdown("**Staged**")
        if len(draft.add) + len(draft.remove) <= _IN_WORDS:
            for recipient_id in sorted(draft.add):
                st.markdown(f":material/add: Add {described(recipient_id, names.get(recipient_id, ''))}")
            for recipient_id in sorted(draft.remove):
                st.markdown(
                    f":material/remove: Remove {described(recipient_id, names.get(recipient_id, ''))}"
                )
        else:
            _show_table(draft, names)


def _show_table(draft: Draft, names: dict[str, str]) -> None:
    changes = [("Add", recipient_id) for recipient_id in sorted(draft.add)]
    changes += [("Remove", recipient_id) for recipient_id in sorted(draft.remove)]
    rows = [(change, recipient_id, names.get(recipient_id, "")) for change, recipient_id in changes]
    show_table(rows, ["Change", "Recipient", "Name"], key="change_table", alt="The staged changes")
