"""Ways to act on a page: with a mouse, or with a keyboard alone.

Moving the mouse or the focus is not counted, so both need the same number of actions.
"""

from itertools import count

from playwright.sync_api import FilePayload, FloatRect, Locator, expect

_MOST_STOPS = 200
"""After so many presses of Tab, a person has passed every field of the page and gives
up.
"""

_MOST_LOOKS = 100
_TWO_FRAMES = (
    "new Promise(done => requestAnimationFrame(() => requestAnimationFrame(done)))"
)

_HEADER_PX = 35
_ROW_PX = 35
_TICK_PX = 80
"""The width of the first column of the table's canvas, where the ticks are drawn."""


def place_of_tick(table: Locator, row: int) -> tuple[float, float]:
    canvas = table.get_by_test_id("data-grid-canvas")
    canvas.scroll_into_view_if_needed()
    box = box_of(canvas)
    return box["x"] + _TICK_PX / 2, box["y"] + _HEADER_PX + _ROW_PX * (row + 0.5)


def box_of(part: Locator) -> FloatRect:
    before = None
    for _ in range(_MOST_LOOKS):
        expect(part).to_be_visible()
        box = part.bounding_box()
        if box is not None and box == before:
            return box
        before = box
        part.page.evaluate(_TWO_FRAMES)
    raise AssertionError(f"{part} does not stop moving")


class Mouse:
    """Somebody who clicks, drops files, and types where they clicked."""

    def reach(self, field: Locator) -> None:
        field.click()

    def enter(self, field: Locator, text: str) -> None:
        field.fill(text)
        field.press("Enter")

    def press(self, button: Locator) -> None:
        button.click()

    def choose(self, option: Locator) -> None:
        option.click()

    def switch(self, label: Locator) -> None:
        label.click()

    def tick(self, table: Locator, row: int) -> None:
        table.page.mouse.click(*place_of_tick(table, row))

    def bring(self, area: Locator, file: FilePayload) -> None:
        """Drop the file once the area accepts files: a disabled area ignores it."""
        taker = area.locator("input[type=file]")
        expect(taker).to_be_enabled()
        taker.set_input_files(file)


class Keyboard:
    """Somebody who uses only a keyboard. Tab moves the focus from field to field."""

    def reach(self, field: Locator) -> None:
        """Press Tab until the field has the focus."""
        expect(field).to_be_enabled()
        stops = count()
        while not field.evaluate("element => element.matches(':focus')"):
            assert next(stops) < _MOST_STOPS, f"Tab does not reach {field}"
            field.page.keyboard.press("Tab")

    def enter(self, field: Locator, text: str) -> None:
        self.reach(field)
        field.page.keyboard.press("ControlOrMeta+a")
        field.page.keyboard.type(text)
        field.page.keyboard.press("Enter")

    def press(self, button: Locator) -> None:
        self.reach(button)
        button.page.keyboard.press("Space")

    def choose(self, option: Locator) -> None:
        expect(option).to_be_visible()
        stops = count()
        while option.get_attribute("aria-selected") != "true":
            assert next(stops) < _MOST_STOPS, f"the arrow keys do not reach {option}"
            option.page.keyboard.press("ArrowDown")
        option.page.keyboard.press("Enter")

    def switch(self, label: Locator) -> None:
        self.press(label.locator("input"))

    def tick(self, table: Locator, row: int) -> None:
        """Move down from the first row to this row, and press the space bar."""
        canvas = table.get_by_test_id("data-grid-canvas")
        keyboard = table.page.keyboard
        ticks = canvas.locator("tbody td:first-child")

        # While the page draws the table, the focused cell loses the focus.
        expect(
            table.page.locator('[data-test-script-state="notRunning"]')
        ).to_be_attached()
        expect(ticks.first).to_be_attached()

        self.reach(canvas)
        expect(ticks.first).to_be_focused()
        for below in range(1, row + 1):
            keyboard.press("ArrowDown")
            expect(ticks.nth(below)).to_be_focused()
        keyboard.press("Space")

    def bring(self, area: Locator, file: FilePayload) -> None:
        with area.page.expect_file_chooser() as chooser:
            self.press(area.locator("button"))
        chooser.value.set_files(file)


Hand = Mouse | Keyboard
