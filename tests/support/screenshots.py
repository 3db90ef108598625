"""Photographs every page and state in light and dark, wide and narrow, for people to look at.

`python -m tests.support.screenshots FOLDER` takes them all from a new demo; names of states after the folder
take only these. `--readme` takes the two pictures of the README instead.
"""

import argparse
import sys
import tempfile
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager
from pathlib import Path

from playwright.sync_api import Browser

from tests.support.chromium import PATIENCE_MS, run_chromium
from tests.support.dashboard import ROOT, Place, run_demo
from tests.support.pages import Person, Watch
from tests.support.screen_states import PAGES, VIEWS, WIDE, State, View, show
from tests.support.support_states import STATES, UNANSWERED, run_unanswered

_CANVAS_MS = 400
"""A table is a canvas: nothing tells when it was drawn anew."""


def photograph_states(folder: Path, states: Mapping[str, State], views: Sequence[View]) -> None:
    """Write a picture of each state in each view into the folder."""
    folder.mkdir(parents=True, exist_ok=True)
    with run_chromium() as browser, ExitStack() as running:
        places: dict[bool, Place] = {}
        for name, state in states.items():
            is_gone = name in UNANSWERED
            if is_gone not in places:
                places[is_gone] = running.enter_context(_run(browser, is_gone=is_gone))
            _photograph(browser, places[is_gone], state, views, folder / name, is_whole=name not in PAGES)


@contextmanager
def _run(browser: Browser, *, is_gone: bool) -> Iterator[Place]:
    """Run a demo, or a dashboard whose service has gone."""
    with tempfile.TemporaryDirectory() as home:
        if not is_gone:
            with run_demo(Path(home)) as place:
                yield place
            return
        with (
            browser.new_context() as context,
            run_unanswered(Path(home), Person(context.new_page(), Watch())) as place,
        ):
            yield place


def _photograph(  # noqa: PLR0913  (what, where, how)
    browser: Browser, place: Place, state: State, views: Sequence[View], stem: Path, *, is_whole: bool
) -> None:
    """Write the pictures of one state: what is in sight, or the whole page."""
    context = browser.new_context(viewport=WIDE, timezone_id="Europe/Berlin")
    context.set_default_timeout(PATIENCE_MS)
    person = Person(context.new_page(), Watch())
    state(place, person)
    for view in views:
        viewport, scheme = view
        show(person, view)
        if is_whole:
            _make_room(person, view)
        person.page.wait_for_timeout(_CANVAS_MS)
        file = stem.with_name(f"{stem.name}-{scheme}-{viewport['width']}.png")
        person.page.screenshot(path=file)
        sys.stdout.write(f"{file}\n")
    context.close()


def _make_room(person: Person, view: View) -> None:
    """Make the window as high as the page that scrolls in it."""
    viewport, scheme = view
    height: int = person.page.get_by_test_id("stMain").evaluate("main => main.scrollHeight")
    show(person, ({"width": viewport["width"], "height": max(viewport["height"], height)}, scheme))


def _named(names: Iterable[str]) -> dict[str, State]:
    """Return the states of these names; all of them without any."""
    every = STATES | UNANSWERED
    return {name: every[name] for name in names} or every


def main() -> None:
    """Read the command line and take the pictures."""
    parser = argparse.ArgumentParser(description="Photograph every page and state of a new demo.")
    parser.add_argument("folder", type=Path, nargs="?", default=ROOT / "tests" / "output")
    parser.add_argument("states", nargs="*", help=f"only these, of {', '.join(STATES | UNANSWERED)}")
    parser.add_argument("--readme", action="store_true", help="take the README's pictures instead")
    asked = parser.parse_args()
    if asked.readme:
        views: tuple[View, ...] = ((WIDE, "light"), (WIDE, "dark"))
        photograph_states(asked.folder, {"item-edited": STATES["item-edited"]}, views)
        for _, scheme in views:
            picture = asked.folder / f"item-edited-{scheme}-{WIDE['width']}.png"
            picture.replace(ROOT / "docs" / "images" / f"item-{scheme}.png")
    else:
        photograph_states(asked.folder, _named(asked.states), VIEWS)


if __name__ == "__main__":
    main()
