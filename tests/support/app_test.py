"""A faster AppTest: no repeated work for each window and run, and no waits for a browser.

Each new AppTest reads the metadata of every installed package, to look for Streamlit components. That takes
60 ms, three times as long as one of our pages. Each run also compiles the page again.
"""

from collections.abc import Iterator

import pytest
from streamlit.components.v2 import manifest_scanner
from streamlit.runtime.scriptrunner.script_cache import ScriptCache
from streamlit.testing.v1 import app_test, local_script_runner

from components.saving import press
from components.shell import late_edits


@pytest.fixture(scope="session", autouse=True)
def prepared_app_tests() -> Iterator[None]:
    """Look for components once, compile each page once, check a save often, expect no late edit."""
    found = manifest_scanner.scan_component_manifests()
    compiled = ScriptCache()
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(manifest_scanner, "scan_component_manifests", lambda: found)
        patch.setattr(local_script_runner, "ScriptCache", lambda: compiled)
        patch.setattr(app_test, "ScriptCache", lambda: compiled)
        patch.setattr(press, "LOOK_AT_SAVE_EVERY_S", 0.005)
        patch.setattr(late_edits, "_ARRIVE_WITHIN_S", 0.0)
        yield
