"""The drawing helpers escape their values, and never our words."""

import pytest
from streamlit.testing.v1 import AppTest


def draw_everything() -> None:
    """Draw a page.

    All imports are here, because AppTest runs only the source of this function.
    """
    from components import draw  # noqa: PLC0415
    from components.markdown_escape import phrase  # noqa: PLC0415

    draw.title("*{}*", "[x]")
    draw.header("*{}*", "[x]")
    draw.markdown("*{name}*", name="[x]")
    draw.caption("*{name}*", name="[x]")
    draw.info("*{}*", "[x]")
    draw.warning("*{}*", "[x]")
    draw.error("*{}*", "[x]")
    draw.success("*{}*", "[x]")
    draw.alert("*{}*", "[x]", kind="info", title="[title]")
    draw.caption(phrase("*{}*", "{y}"))


@pytest.fixture(scope="module")
def shown() -> AppTest:
    return AppTest.from_function(draw_everything).run()


@pytest.mark.parametrize(
    "kind",
    [
        "title",
        "header",
        "markdown",
        "caption",
        "info",
        "warning",
        "error",
        "success",
    ],
)
def test_a_helper_escapes_its_values_and_not_our_words(
    shown: AppTest, kind: str
) -> None:
    assert shown.get(kind)[0].value == "*&#91;x&#93;*"


def test_a_value_of_a_phrase_is_not_taken_for_a_template(shown: AppTest) -> None:
    assert shown.caption[1].value == "*&#123;y&#125;*"


def test_the_title_of_an_alert_is_escaped(shown: AppTest) -> None:
    assert shown.info[1].proto.title == "&#91;title&#93;"
