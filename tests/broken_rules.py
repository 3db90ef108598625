"""Breaks one rule of the program at a time, and runs the tests that should notice.

`python -m tests.broken_rules` applies each change below to a copy of the program, and runs the tests named
there. It prints "noticed" or "MISSED" for each rule, and exits with the number of missed ones. Words after
the command choose the rules that contain one of them.
"""

import os
import shutil
import subprocess
import sys
import tempfile
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
COPIED = (
    "app.py",
    "components",
    "pages",
    "item_visibility",
    "item_visibility_service",
    "tests",
    "benchmarks",
)
FAILED = 1
"""The exit status of pytest when a test failed: any other means that it could not run."""


@dataclass(frozen=True, slots=True)
class Break:
    """A rule, the line of the program that keeps it, what to put there instead, and the tests."""

    rule: str
    file: str
    line: str
    instead: str
    tests: str


SAVING, CLIENT, ACCESS, LISTS = (
    f"item_visibility/{name}" for name in ("saving", "client", "access", "lists")
)
BREAKS = (
    Break(
        "Only what is not in place is sent",
        f"{SAVING}/plan.py",
        "steps = tuple(step for step in wanted if not is_met(step, current))",
        "steps = wanted",
        "tests/saving",
    ),
    Break(
        "A key with other content is refused",
        f"{SAVING}/save.py",
        "if not request.has_content_of(entry.request):",
        "if False:",
        "tests/saving tests/contract/test_replicas.py",
    ),
    Break(
        "A save needs an editor",
        f"{SAVING}/save.py",
        "if request.role is None or request.role < Role.EDITOR:",
        "if False:",
        "tests/saving",
    ),
    Break(
        "A save that became large is asked about again",
        f"{SAVING}/save.py",
        "if hold is not None:",
        "if False:",
        "tests/saving",
    ),
    Break(
        "The intent is recorded before the first write",
        f"{SAVING}/save.py",
        "known = None if request.is_empty else self._history.begin(request, plan, started_at=started_at)",
        "known = None",
        "tests/saving",
    ),
    Break(
        "An interrupted save that cannot be read stays open",
        f"{SAVING}/save.py",
        "if result.after is not None:\n            self._history.settle_open",
        "if True:\n            self._history.settle_open",
        "tests/saving tests/bootstrap",
    ),
    Break(
        "More than half is confirmed by its number",
        f"{SAVING}/confirmation.py",
        "LARGE_REMOVAL_SHARE = 0.5",
        "LARGE_REMOVAL_SHARE = 0.9",
        "tests/saving tests/screens/test_item_page.py",
    ),
    Break(
        "A whole list replaces only the list that was confirmed",
        f"{SAVING}/confirmation.py",
        "if request.operation is not Operation.EDIT and plan.current != base:",
        "if False:",
        "tests/saving",
    ),
    Break(
        "An addition is held when the item was withdrawn meanwhile",
        f"{SAVING}/confirmation.py",
        "if request.base and not plan.current and plan.added:",
        "if False:",
        "tests/saving",
    ),
    Break(
        "An accepted call is never repeated",
        f"{SAVING}/writing.py",
        "may_succeed_later = {Outcome.NOT_SENT, Outcome.UNKNOWN}",
        "may_succeed_later = frozenset(Outcome)",
        "tests/saving",
    ),
    Break(
        "A change that somebody else made is not ours",
        f"{SAVING}/judge.py",
        "outcome = Outcome.DONE if is_perhaps_ours else Outcome.IN_PLACE",
        "outcome = Outcome.DONE",
        "tests/saving",
    ),
    Break(
        "Nothing is verified without a read afterwards",
        f"{SAVING}/judge.py",
        "if after is None or Outcome.UNKNOWN in outcomes:",
        "if Outcome.UNKNOWN in outcomes:",
        "tests/saving",
    ),
    Break(
        "What others changed meanwhile is reported",
        f"{SAVING}/judge.py",
        "others=others_changes(request.base, without_ours),",
        "others=OthersChanges(),",
        "tests/saving",
    ),
    Break(
        "A list is not sent when the lock was lost",
        f"{SAVING}/writing.py",
        "if not is_held():",
        "if False:",
        "tests/saving",
    ),
    Break(
        "Calls stop when the service is clearly down",
        f"{SAVING}/writing.py",
        "if error is not None and (is_down or _stops_others(error)):",
        "if False:",
        "tests/saving",
    ),
    Break(
        "One save at a time changes an item",
        f"{SAVING}/locks.py",
        "self._freed.wait_for(lambda: self._waiting[item][0] is turn)",
        "pass",
        "tests/saving tests/contract/test_together.py",
    ),
    Break(
        "Two dots are never sent as an id",
        f"{CLIENT}/identifiers.py",
        'if value in {".", ".."}:',
        "if False:",
        "tests/client",
    ),
    Break(
        "An id that is too long for a path is refused",
        f"{CLIENT}/identifiers.py",
        "if size > MAX_SEGMENT_BYTES:",
        "if False:",
        "tests/client",
    ),
    Break(
        "A control character in an id is refused",
        f"{CLIENT}/identifiers.py",
        'if unicodedata.category(character) in {"Cc", "Cs"}:',
        'if unicodedata.category(character) in {"Cs"}:',
        "tests/client",
    ),
    Break(
        "A path that the HTTP library would change is not sent",
        f"{CLIENT}/transport.py",
        'if url.raw_path != request.path.encode("ascii"):',
        "if False:",
        "tests/client",
    ),
    Break(
        "A 404 with content is not an empty list",
        f"{CLIENT}/answers.py",
        "is_empty_404 = answer.status == HTTPStatus.NOT_FOUND and not answer.has_content",
        "is_empty_404 = answer.status == HTTPStatus.NOT_FOUND",
        "tests/client",
    ),
    Break(
        "A list on the wire is not repeated after an unknown outcome",
        f"{CLIENT}/retry.py",
        "may_repeat = self.operation.may_repeat or not self.may_be_applied",
        "may_repeat = True",
        "tests/client",
    ),
    Break(
        "A very long Retry-After ends the call",
        f"{CLIENT}/retry.py",
        "if asked_s > timeouts.LONGEST_RETRY_AFTER_S:",
        "if False:",
        "tests/client",
    ),
    Break(
        "Many calls share one token request",
        f"{CLIENT}/token.py",
        "if token is not None and token is not other_than and self._is_useful(token):",
        "if False:",
        "tests/client",
    ),
    Break(
        "A token that replaced a refused one is not replaced again at once",
        f"{CLIENT}/token.py",
        "return is_proven or self._clock() >= token.requested_at_s + timeouts.TOKEN_REFUSAL_PAUSE_S",
        "return True",
        "tests/client",
    ),
    Break(
        "An error body is read up to a limit",
        f"{CLIENT}/transport.py",
        "limit = MAX_ANSWER_BYTES if answer.status == HTTPStatus.OK else MAX_ERROR_BYTES",
        "limit = MAX_ANSWER_BYTES",
        "tests/client",
    ),
    Break(
        "A role that is too low is refused",
        f"{ACCESS}/access.py",
        "if person.role < needed:",
        "if False:",
        "tests/access",
    ),
    Break(
        "A sign-in that has ended is refused",
        f"{ACCESS}/access.py",
        "if person.ends_at is not None and at >= person.ends_at:",
        "if False:",
        "tests/access",
    ),
    Break(
        "Signing out ends the session in every window",
        f"{ACCESS}/access.py",
        "if self._sign_outs is not None and self._sign_outs.is_ended(person):",
        "if False:",
        "tests/access tests/use_cases",
    ),
    Break(
        "The work of others is an admin's",
        f"{ACCESS}/access.py",
        "if not _may_change(person, owner_key):",
        "if False:",
        "tests/access tests/use_cases",
    ),
    Break(
        "Only the configured provider is believed",
        f"{ACCESS}/sign_in.py",
        'claims.get("iss") == rules.issuer and',
        "True and",
        "tests/access",
    ),
    Break(
        "A number cell is read as text only when its digits are proven",
        f"{LISTS}/damage.py",
        "is_whole = self._filled(text) == text == original and has_form",
        "is_whole = True",
        "tests/lists",
    ),
    Break(
        "A suggestion is taken only when the digits are proven, or the person says so",
        f"{LISTS}/bulk_list.py",
        "whole = [one for one in found if one.is_whole]",
        "whole = found",
        "tests/lists tests/use_cases/test_wrong_entries.py",
    ),
    Break(
        "Nothing in a written workbook runs as a formula",
        f"{LISTS}/writer.py",
        "sheet.write_string(number, column, fit(cell), text)",
        "sheet.write(number, column, fit(cell), text)",
        "tests/lists",
    ),
    Break(
        "Rows that contradict each other are skipped",
        f"{LISTS}/bulk_list.py",
        "if _recipients(rows, BulkAction.ADD) & _recipients(rows, BulkAction.REMOVE):",
        "if False:",
        "tests/lists",
    ),
    Break(
        "A text that a spreadsheet shortened is not an id",
        f"{LISTS}/damage.py",
        "if is_shortened(cleaned):",
        "if False:",
        "tests/lists tests/use_cases/test_wrong_entries.py",
    ),
)


def main(*words: str) -> None:
    """Break each rule, or those that contain one of the words, and print whether a test noticed."""
    missed = 0
    with tempfile.TemporaryDirectory() as folder:
        copy = Path(folder)
        for name in COPIED:
            source = ROOT / name
            (shutil.copytree if source.is_dir() else shutil.copy)(source, copy / name)
        for name in ("pyproject.toml", ".streamlit"):
            (copy / name).symlink_to(ROOT / name)
        for one in BREAKS:
            if not words or any(word in one.rule for word in words):
                is_noticed = notices(one, copy)
                missed += not is_noticed
                sys.stdout.write(f"{'noticed' if is_noticed else 'MISSED ':8}{one.rule}\n")
                sys.stdout.flush()
    sys.exit(missed)


def notices(one: Break, copy: Path) -> bool:
    """True when a test fails with the rule broken. The copy is as before afterwards."""
    file = copy / one.file
    whole = file.read_text("utf-8")
    assert whole.count(one.line) == 1, f"{one.file} no longer has the line {one.line!r} once"
    file.write_text(whole.replace(one.line, one.instead), "utf-8")
    command = [sys.executable, "-m", "pytest", "-x", "-q", "-p", "no:cacheprovider", *one.tests.split()]
    environ = {**os.environ, "PYTHONPATH": str(copy), "PYTHONDONTWRITEBYTECODE": "1"}
    ended = subprocess.run(command, cwd=copy, env=environ, capture_output=True, text=True, check=False)
    file.write_text(whole, "utf-8")
    assert ended.returncode in {0, FAILED}, ended.stdout + ended.stderr
    return ended.returncode == FAILED


if __name__ == "__main__":
    main(*sys.argv[1:])
