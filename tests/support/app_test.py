"""A faster AppTest: no repeated work for each window and run, and no waits for a browser.

Each new AppTest reads the metadata of every installed package, to look for Streamlit components. That takes
60 ms, three times as long as one of our pages. Each run also compiles the page again, and is asked every
millisecond whether it has ended.
"""

from collections.abc import Iterator

import pytest
from streamlit.components.v2 import manifest_scanner
from streamlit.runtime.scriptrunner.script_cache import ScriptCache
from streamlit.testing.v1 import app_test, local_script_runner
from streamlit.testing.v1.local_script_runner import LocalScriptRunner

from components.item import saving

give_up_if_it_runs = local_script_runner.require_widgets_deltas


@pytest.fixture(scope="session", autouse=True)
def prepared_app_tests() -> Iterator[None]:
    """Look for components once, compile each page once, wait for each save."""
    found = manifest_scanner.scan_component_manifests()
    compiled = ScriptCache()
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(manifest_scanner, "scan_component_manifests", lambda: found)
        patch.setattr(local_script_runner, "ScriptCache", lambda: compiled)
        patch.setattr(app_test, "ScriptCache", lambda: compiled)
        patch.setattr(local_script_runner, "require_widgets_deltas", wait_for_the_run)
        patch.setattr(saving, "WAIT_FOR_SAVE_S", 60.0)
        yield


def wait_for_the_run(runner: LocalScriptRunner, timeout: float) -> None:
    """Sleep until the run ends; fail as Streamlit does if that takes too long."""
    thread = runner._script_thread  # noqa: SLF001  (Streamlit asks again and again instead)
    assert thread is not None
    thread.join(timeout)
    if not runner.script_stopped():
        give_up_if_it_runs(runner, 0)
