"""Open an item, and save its form.

From the request over the plan to confirm and the running save to the result.
"""

from collections.abc import Iterable
from dataclasses import dataclass, replace

import streamlit as st

from components import draw
from components.downloads import offer_ticket
from components.finder.search_fields import (
    RecipientField,
    chosen_recipients,
    forget_chosen,
    put_recipients,
)
from components.item.form import (
    ADD_RECIPIENTS,
    ItemForm,
    current_form,
    drop_form,
    new_form,
    removed_rows,
)
from components.item.links import FilledIn, use_prefill
from components.markdown_escape import escaped, phrase
from components.notices import Notice, keep_notice, show_error, show_notice
from components.table import show_recipients
from item_visibility.access.people import Role
from item_visibility.client.identifiers import ItemKey, refusal
from item_visibility.errors import ItemVisibilityError, SignInError
from item_visibility.model.change import (
    ChangeOperation,
    ChangeRequest,
    Goal,
    recipients_of,
)
from item_visibility.model.large_changes import (
    Confirmation,
    confirmation_for,
    is_confirmed,
)
from item_visibility.model.outcome import Outcome, SaveResult, Verdict
from item_visibility.model.read_item import ReadItem
from item_visibility.model.words import many
from item_visibility.saving.save_worker import SaveStatus
from item_visibility.timeouts import WAIT_FOR_SAVE_S
from item_visibility.use_cases.choose_recipients import Selection
from item_visibility.use_cases.desk import Desk
from item_visibility.use_cases.ticket import ticket_of_item

ADD = "add_recipients"
"""The key of the field for recipients to add."""

_SAVES = "open_and_save.saves"
_UNDO = "open_and_save.undo"
_COUNT = "plan_count"


@dataclass(frozen=True, slots=True)
class Plan:
    """A request that waits for confirmation.

    `notes` say what the request leaves out.
    """

    request: ChangeRequest
    question: Confirmation
    notes: tuple[Notice, ...] = ()


@dataclass(slots=True)
class Saves:
    """The saves of the open item in this window."""

    running: str = ""
    """The key of a save in a worker thread, until `open_item` processes its result."""

    ended: SaveStatus | None = None

    refused: ItemVisibilityError | Notice | None = None
    """Why nothing was sent."""

    plan: Plan | None = None

    unsaved: ChangeRequest | None = None
    """The request that was not saved because the sign-in had ended."""


def saves_here() -> Saves:
    """Return this window's saves of its open item."""
    saves: Saves = st.session_state.setdefault(_SAVES, Saves())
    return saves


def adding(form: ItemForm) -> RecipientField:
    """Return this form's field for recipients to add."""
    return RecipientField(
        ADD, about=form.item, listed=form.recipients, groups_for=form.item
    )


def chosen_to_add(desk: Desk, form: ItemForm) -> Selection:
    """Return the recipients that are chosen to be added."""
    return chosen_recipients(desk, adding(form))


def open_item(desk: Desk, item: ItemKey) -> ItemForm | None:
    """Return the form of the item, or None if its list cannot be read.

    After a save, return a new form.
    """
    form = current_form(desk, item)
    status = running_save(desk)
    if form is None:
        form = _read_item(desk, item)
    elif status is not None and status.result is not None:
        form = _take_result(desk, form, status, status.result)

    # Another page may have asked for an undo.
    item_to_undo, key = st.session_state.pop(_UNDO, (None, ""))
    if form is not None and item_to_undo == item:
        ask_undo(desk, form, key)
    return form


def _take_result(
    desk: Desk, form: ItemForm, status: SaveStatus, result: SaveResult
) -> ItemForm:
    saves = saves_here()
    saves.running = ""
    if result.verdict is Verdict.NOTHING_SENT:
        form = _ask_again(desk, form, status.request, result)
    else:
        form = _after(desk, form, status.request, result)
    saves.ended = status
    return form


def _read_item(desk: Desk, item: ItemKey) -> ItemForm | None:
    # Settle what an earlier save left open, then read the list.
    reload()
    try:
        is_busy = desk.settle(item)
        reading = desk.read(item)
    except ItemVisibilityError as error:
        show_error("The recipients could not be read. Nothing was changed.", error)
        st.button("Try again", key="try_again", icon=":material/refresh:")
        offer_ticket(lambda: ticket_of_item(desk, item), key="item")
        return None

    desk.remember_use(item)
    if is_busy:
        keep_notice(
            "This item was being saved when the list was read. Press Reload in a "
            "moment to see the result."
        )

    # Fill in the changes of a link, except those that are already made or impossible.
    prefill = use_prefill(item)
    add = [
        recipient
        for recipient in _sendable(prefill.add)
        if recipient not in reading.listed
    ]
    form = new_form(desk, reading, unticked=prefill.remove)
    if add:
        put_recipients(desk, adding(form), add)
    if len(add) < len(prefill.add) or not reading.listed.issuperset(prefill.remove):
        keep_notice(
            "Some changes in the link were ignored: they are already made or cannot "
            "be sent."
        )

    saves_here().ended = desk.interrupted_save(item)
    return form


def _sendable(recipients: Iterable[str]) -> list[str]:
    return [
        recipient
        for recipient in recipients
        if refusal(recipient, name="recipient") is None
    ]


def save_form(desk: Desk, form: ItemForm) -> None:
    """Save the chips and ticks of this form, or ask for confirmation.

    A double click saves only once.
    """
    # The browser can still show the form from before Reload.
    if current_form(desk, form.item) is not form:
        is_second_press = desk.save_status(form.save_key) is not None
        if not is_second_press:
            headline = (
                "Nothing was saved: the list was loaded again meanwhile. Check your "
                "changes, then save again."
            )
            _refuse(Notice(headline))
        return

    if running_save(desk) is not None:
        return

    # Every text must be decided before anything is sent.
    chosen = chosen_to_add(desk, form)
    if chosen.undecided:
        headline = phrase(
            'Nothing was saved. First decide what this text under "{}" means:',
            ADD_RECIPIENTS,
        )
        _refuse(Notice(headline, ("; ".join(chosen.undecided),)))
        return

    add = chosen.everyone - form.recipients
    remove = removed_rows(form) - chosen.everyone
    if not add and not remove:
        _refuse(
            Notice("Nothing to save: no tick was changed, and no recipient was added.")
        )
        return

    request = _request(form, add=add, remove=remove)
    _save_or_ask(desk, request, is_indirect=bool(form.unticked))


def ask_remove_all(desk: Desk, form: ItemForm) -> None:
    """Show the plan that removes every recipient."""
    everyone = form.recipients
    request = _request(form, operation=ChangeOperation.REMOVE_ALL, remove=everyone)
    _save_or_ask(desk, request)


def ask_set_exactly(desk: Desk, form: ItemForm) -> None:
    """Show the plan that replaces the whole list with the chosen recipients."""
    chosen = chosen_to_add(desk, form)
    if chosen.undecided or not chosen.everyone:
        headline = phrase(
            'First enter all recipients, or a recipient set, under "{}".',
            ADD_RECIPIENTS,
        )
        _refuse(Notice(headline))
        return

    add = chosen.everyone - form.recipients
    remove = form.recipients - chosen.everyone
    request = _request(form, operation=ChangeOperation.SET, add=add, remove=remove)
    _save_or_ask(desk, request)


def ask_undo(desk: Desk, form: ItemForm, key: str) -> None:
    """Read the list again, and show the plan that undoes this history entry."""
    try:
        undo = desk.undo(key, desk.read(form.item))
    except ItemVisibilityError as error:
        _refuse(error)
        return

    # Say what cannot be undone.
    notes = []
    if undo.left_alone:
        notes.append(
            Notice(
                "Not undone, because these recipients were changed again later:",
                undo.left_alone,
            )
        )
    if undo.not_restorable:
        notes.append(
            Notice(
                "These ids cannot be sent one at a time, so they cannot be restored:",
                undo.not_restorable,
            )
        )

    if undo.request.is_empty:
        nothing = Notice("Nothing to undo: the list no longer contains this change.")
        _refuse(notes[0] if notes else nothing)
        return

    _save_or_ask(desk, undo.request, is_indirect=True, notes=tuple(notes))


def ask_undo_when_open(item: ItemKey, key: str) -> None:
    """Make the item page show the plan of this undo when it next opens the item."""
    st.session_state[_UNDO] = (item, key)


def show_plan(desk: Desk) -> None:
    """Open the dialog if a plan of this item waits for confirmation."""
    plan = saves_here().plan
    if plan is None:
        return

    dialog = st.dialog(
        escaped(plan.question.title), width="medium", on_dismiss=_drop_plan
    )
    dialog(_draw_plan)(desk, plan)


def _draw_plan(desk: Desk, plan: Plan) -> None:
    # What would change.
    request = plan.request
    if plan.question.why:
        draw.markdown("{}", plan.question.why)
    names = desk.names.recipient_names(request.add | request.remove)
    for verb, recipients in (("Remove", request.remove), ("Add", request.add)):
        if recipients:
            draw.markdown("**{} {}**", verb, many(len(recipients), "recipient"))
            to_do = verb.lower()
            show_recipients(
                recipients, names, key=f"plan_{to_do}", alt=f"Recipients to {to_do}"
            )
    for notice in plan.notes:
        show_notice(notice)

    # Confirm, if necessary with the number of removals.
    count = plan.question.count_to_type
    with st.form("plan", border=False):
        typed = ""
        if count:
            typed = st.text_input(
                phrase("Type {} to confirm", count), key=_COUNT, autocomplete="off"
            )
        with st.container(
            horizontal=True, horizontal_alignment="right", key="plan_buttons"
        ):
            # Confirm comes first, because Enter in the field presses the form's first
            # button.
            is_pressed = st.form_submit_button(
                "Confirm", key="plan_confirm", type="primary"
            )
            is_cancelled = st.form_submit_button("Cancel", key="plan_cancel")

    if is_pressed and not is_confirmed(count, typed=typed):
        draw.error("Type {} to confirm.", count)
    elif is_pressed or is_cancelled:
        _drop_plan()
        if is_pressed:
            confirmed = replace(request, confirmed_count=len(request.remove) or None)
            _save_or_ask(desk, confirmed, is_confirmed=True)
        st.rerun()  # a button in a dialog reruns the dialog alone


def _drop_plan() -> None:
    saves_here().plan = None


def unsaved_changes() -> FilledIn | None:
    """Return the changes that were not saved because the sign-in has ended, or None.

    Ids that cannot be sent are left out, because the link that keeps the changes cannot
    contain them.
    """
    saves = saves_here()
    request = saves.plan.request if saves.plan else saves.unsaved
    if request is None:
        return None

    changes = FilledIn(
        request.item,
        add=frozenset(_sendable(request.add)),
        remove=frozenset(_sendable(request.remove)),
    )
    return changes if changes.add or changes.remove else None


def running_save(desk: Desk) -> SaveStatus | None:
    """Return the save of the open item until `open_item` has processed its result."""
    key = saves_here().running
    return desk.save_status(key) if key else None


def reload() -> None:
    """Forget ticks, chips, plan and messages. The next run reads the list again."""
    st.session_state.pop(_SAVES, None)
    forget_chosen(ADD)
    drop_form()


def _request(
    form: ItemForm,
    *,
    operation: ChangeOperation = ChangeOperation.EDIT,
    add: frozenset[str] = frozenset(),
    remove: frozenset[str] = frozenset(),
) -> ChangeRequest:
    return ChangeRequest(
        key=form.save_key,
        item=form.item,
        operation=operation,
        base=form.reading.recipients,
        add=add,
        remove=remove,
        person="",
        environment=form.environment,
        reason=str(st.session_state.get(f"reason-{form.key}", "")).strip(),
    )


def _save_or_ask(
    desk: Desk,
    request: ChangeRequest,
    *,
    is_indirect: bool = False,
    is_confirmed: bool = False,
    notes: tuple[Notice, ...] = (),
) -> None:
    question = None
    if not is_confirmed:
        question = confirmation_for(request, is_indirect=is_indirect)

    # Ask for confirmation, or begin the save.
    saves = saves_here()
    saves.ended = None
    saves.refused = None
    try:
        desk.access.require(Role.EDITOR)
        if question is not None:
            saves.plan = Plan(request, question, notes)
            return
        status = desk.save(request)
    except ItemVisibilityError as error:
        if isinstance(error, SignInError):
            saves.unsaved = request
        _refuse(error)
        return

    if status.result is not None and status.result.verdict is Verdict.NOTHING_SENT:
        lines = (status.result.message, status.result.advice)
        _refuse(Notice("Nothing was changed.", tuple(filter(None, lines))))
        return

    saves.running = request.key
    # Wait, so that a short save ends before the next run, which takes its result in
    # `open_item`.
    desk.worker.wait(request.key, WAIT_FOR_SAVE_S)


def _refuse(reason: ItemVisibilityError | Notice) -> None:
    saves = saves_here()
    saves.ended = None
    saves.refused = reason


def _ask_again(
    desk: Desk, form: ItemForm, request: ChangeRequest, result: SaveResult
) -> ItemForm:
    """Show the plan again if the list changed after it was confirmed."""
    if result.before is None or result.before == form.recipients:
        return form

    fresh = new_form(desk, _reading(request.item, result.before, result))
    if request.operation is ChangeOperation.EDIT:
        add = request.add - fresh.recipients
        remove = request.remove & fresh.recipients
    else:
        add = request.wanted - fresh.recipients
        remove = fresh.recipients - request.wanted

    if add or remove:
        again = replace(
            request,
            key=fresh.save_key,
            base=fresh.reading.recipients,
            add=add,
            remove=remove,
            confirmed_count=None,
            environment=form.environment,
        )
        _save_or_ask(desk, again, is_indirect=True)
    return fresh


def _after(
    desk: Desk, form: ItemForm, request: ChangeRequest, result: SaveResult
) -> ItemForm:
    """Start a form for the list after the save."""
    # Changes that were not made become chips and unticked rows.
    missing = [
        ended.step
        for ended in result.steps
        if ended.outcome not in {Outcome.DONE, Outcome.IN_PLACE}
    ]
    chips = recipients_of(missing, Goal.VISIBLE)
    if request.undo_of is not None:
        # An undo keeps the chips that were entered before it.
        chips |= chosen_to_add(desk, form).everyone
    put_recipients(desk, adding(form), sorted(chips))

    if result.after is not None:
        reading = _reading(request.item, result.after, result)
    else:
        try:
            reading = desk.read(request.item)
        except ItemVisibilityError:
            return new_form(desk, form.reading)
    return new_form(desk, reading, unticked=recipients_of(missing, Goal.NOT_VISIBLE))


def _reading(item: ItemKey, recipients: frozenset[str], result: SaveResult) -> ReadItem:
    return ReadItem(
        item=item,
        recipients=recipients,
        asked_at=result.ended_at,
        read_at=result.ended_at,
    )
