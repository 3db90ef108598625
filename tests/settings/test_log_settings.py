"""Settings of the log, and the answer to any other word."""

import pytest

from item_visibility.errors import SettingsError
from item_visibility.settings.settings import LogSettings, read_log_settings, read_settings


def test_the_log_is_text_of_what_was_done() -> None:
    """Unless the variables say otherwise; an empty one counts as not set."""
    written = {"ITEM_VISIBILITY_LOG": "JSON ", "ITEM_VISIBILITY_LOG_LEVEL": "debug"}
    assert read_log_settings({"ITEM_VISIBILITY_LOG": ""}) == LogSettings(form="text", level="info")
    assert read_log_settings(written) == LogSettings(form="json", level="debug")


@pytest.mark.parametrize("variable", ["ITEM_VISIBILITY_LOG", "ITEM_VISIBILITY_LOG_LEVEL"])
def test_another_word_is_refused(variable: str) -> None:
    """Every reader of the settings refuses it."""
    with pytest.raises(SettingsError, match=f"{variable} is none of"):
        read_settings({variable: "xml"})
