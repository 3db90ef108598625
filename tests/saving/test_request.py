"""A person's request for a save."""

import pytest

from tests.saving.saving import ask


def test_a_request_that_contradicts_itself_is_refused() -> None:
    """Nobody can be added and removed at once."""
    with pytest.raises(ValueError, match="cannot be both added and removed"):
        ask(add={"A"}, remove={"A"})
