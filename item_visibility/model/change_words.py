"""Short descriptions of changes, such as "Added Le Panier and 3 more"."""

from collections import Counter
from collections.abc import Collection, Mapping

from item_visibility.model.change import ChangeKind, Goal
from item_visibility.model.outcome import Outcome, SaveResult, Verdict
from item_visibility.model.words import names_first

GOALS = {Goal.VISIBLE: "Add", Goal.NOT_VISIBLE: "Remove"}
_ALL_NAMED = 3
_NOT_SHOWN = "sent, but the service still shows the old list"
_PERHAPS_SENT = "perhaps sent, but the list did not show it"
_NOT_READ = "sent, but the list could not be read afterwards"
_OUTCOME_UNKNOWN = "it is not known which changes were saved"


def named(recipient_ids: Collection[str], names: Mapping[str, str]) -> str:
    """List the recipients as a text.

    A long list ends with a count: `Sonnenhof, Le Panier and 3 more`.
    """
    in_order = names_first(recipient_ids, names)
    shown = in_order if len(in_order) <= _ALL_NAMED else in_order[: _ALL_NAMED - 1]
    texts = [names.get(recipient_id) or recipient_id for recipient_id in shown]
    hidden = len(in_order) - len(shown)
    if hidden:
        texts.append(f"{hidden:,} more")

    parts = [", ".join(texts[:-1]), *texts[-1:]]
    return " and ".join(part for part in parts if part)


def done_in_words(
    added: Collection[str], removed: Collection[str], names: Mapping[str, str]
) -> str:
    """Return the changes as a text, such as `Added Sonnenhof, removed Le Panier`."""
    parts = []
    if added:
        parts.append(f"added {named(added, names)}")
    if removed:
        parts.append(f"removed {named(removed, names)}")
    done = ", ".join(parts)
    return done[:1].upper() + done[1:]


def by_whom(kind: ChangeKind, person: str) -> str:
    """Return the person, or `somebody elsewhere` for a change not made here."""
    return "somebody elsewhere" if kind is ChangeKind.OBSERVED else person


def result_in_words(result: SaveResult, names: Mapping[str, str]) -> str:
    """Describe in a few words how a save ended."""
    done = done_in_words(result.added, result.removed, names)
    if result.verdict is Verdict.NOT_CONFIRMED:
        return f"Not confirmed: {_not_confirmed(result, done, names)}"
    if result.is_unchanged:
        return "Nothing was changed"
    if not done:
        return "Nothing to change: the list is already as requested"

    # Count the recipients that were not changed.
    parts = [done]
    counts = Counter(step.outcome for step in result.steps)
    parts.extend(
        f"{counts[outcome]:,} {outcome}"
        for outcome in (Outcome.IN_PLACE, Outcome.REFUSED, Outcome.NOT_SENT)
        if counts[outcome]
    )
    return " · ".join(parts)


def _not_confirmed(result: SaveResult, done: str, names: Mapping[str, str]) -> str:
    if result.after is None:
        return (
            _NOT_READ
            if any(step.attempts for step in result.steps)
            else _OUTCOME_UNKNOWN
        )

    open_steps = [step for step in result.steps if step.outcome is Outcome.UNKNOWN]
    words = _NOT_SHOWN if any(step.attempts for step in open_steps) else _PERHAPS_SENT
    if not done:
        return words
    recipients = [step.step.recipient_id for step in open_steps]
    return f"{words} for {named(recipients, names)} · {done}"
