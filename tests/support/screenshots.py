"""Take the pictures of the README: `python -m tests.support.screenshots`."""

import tempfile
from pathlib import Path

from tests.support.chromium import PATIENCE_MS, run_chromium
from tests.support.dashboard import run_demo
from tests.support.pages import Person, Watch
from tests.support.program import ROOT
from tests.support.screen_states import WIDE, View, edit, show

_CANVAS_MS = 400
"""A table is drawn on a canvas, and no event says when it was drawn again."""


def main() -> None:
    views: tuple[View, ...] = ((WIDE, "light"), (WIDE, "dark"))
    with (
        tempfile.TemporaryDirectory() as home,
        run_chromium() as browser,
        run_demo(Path(home)) as place,
    ):
        context = browser.new_context(viewport=WIDE, timezone_id="Europe/Berlin")
        context.set_default_timeout(PATIENCE_MS)
        person = Person(context.new_page(), Watch())
        edit(place, person)
        for view in views:
            _, scheme = view
            show(person, view)
            person.page.wait_for_timeout(_CANVAS_MS)
            person.page.screenshot(path=ROOT / "docs/images" / f"item-{scheme}.png")


if __name__ == "__main__":
    main()
