"""Stages what another page asked for on the open item: an undo or an addition."""

from components.item.asked_addition import stage_asked_addition
from components.saving.undoing import stage_asked_undo
from item_visibility.changes.draft import Draft
from item_visibility.desk.use_cases import Desk


def stage_what_was_asked(desk: Desk, draft: Draft) -> Draft:
    """Return the draft with what was asked for elsewhere on top. Nothing is sent."""
    for stage in (stage_asked_undo, stage_asked_addition):
        draft = stage(desk, draft)
    return draft
