"""The sheet of a workbook that holds the list: shown, and chosen where there are several."""

from dataclasses import dataclass

import streamlit as st

from components.verbatim import plain, showable, visible
from item_visibility.errors import SheetsError

SHEET = "bulk_sheet"
_TO_CHOOSE = "sheet_choice.to_choose"


@dataclass(frozen=True, slots=True)
class _ToChoose:
    file_id: str
    sheets: tuple[str, ...]
    why: str


def needs_sheet(file_id: str) -> bool:
    """True when a sheet must be chosen before the file can be read."""
    kept: _ToChoose | None = st.session_state.get(_TO_CHOOSE)
    return kept is not None and kept.file_id == file_id


def choose_sheet(file_id: str, error: SheetsError | None = None) -> str | None:
    """Draw the sheet choice if the error asks for one. Return the sheet, or None until it is chosen."""
    if error is not None and not needs_sheet(file_id):
        st.session_state.pop(SHEET, None)
        st.session_state[_TO_CHOOSE] = _ToChoose(file_id, error.sheets, error.message)
    if not needs_sheet(file_id):
        return None
    kept: _ToChoose = st.session_state[_TO_CHOOSE]
    options = {showable(visible(name)): name for name in kept.sheets}
    shown = st.selectbox(
        "Sheet that is the list", tuple(options), index=None, key=SHEET, placeholder="Choose one"
    )
    sheet = None if shown is None else options.get(shown)
    if sheet is None:
        st.info(plain(f"{kept.why} Nothing is read before you choose."), icon=":material/table_view:")
    return sheet
