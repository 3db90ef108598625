"""A running Chromium for browser tests."""

import os
import sys
from collections.abc import Iterator
from contextlib import contextmanager

import pytest
from playwright.sync_api import Browser, expect, sync_playwright

from tests.support.browser import browser_environment, find_browser

PATIENCE_MS = 60_000
"""The timeout for anything expected on a screen, long enough for a busy machine."""

_OFF = (
    "WebUIOmniboxPopup",  # two pages for each window's address bar: a third of full Chromium 156's work
    "WebUIOmniboxAimPopup",
    # Those that Playwright 1.65 turns off: Chromium obeys only the last list.
    "AvoidUnnecessaryBeforeUnloadCheckSync",
    "DestroyProfileOnBrowserClose",
    "HttpsUpgrades",
    "HttpsFirstBalancedModeAutoEnable",
    "LensOverlay",
    "MediaRouter",
    "PaintHolding",
    "ThirdPartyStoragePartitioning",
    "AvoidCorsURLLoaderRestartOnRedirect",
    "OptimizationHints",
    "NetworkTimeServiceQuerying",
    "AimEnabled",
    "PreconnectToSearch",
)

_CHEAP = (
    # A page lives for seconds: code that is compiled a third time, in the background, is never used enough.
    # Measured per page load: a seventh of all processor time.
    "--js-flags=--no-maglev --no-turbofan",
    "--in-process-gpu",  # one process less draws what nobody looks at
)
"""Switches that make a page cheaper, and change nothing that it does."""


@pytest.fixture(scope="package")
def chromium() -> Iterator[Browser]:
    """A headless Chromium; the tests are skipped if this machine has none.

    It lives for the tests of one folder. Playwright keeps an event loop running in this thread, and the
    tests of other folders must not find it.
    """
    if find_browser() is None:
        pytest.skip("no Chromium, Chrome or Edge here: `python3 run.py test` fetches one")
    with run_chromium() as browser:
        yield browser


@contextmanager
def run_chromium() -> Iterator[Browser]:
    is_root = sys.platform == "linux" and os.geteuid() == 0
    expect.set_options(timeout=PATIENCE_MS)
    sandbox = ["--no-sandbox"] if is_root else []  # Chromium refuses its sandbox to root
    arguments = [f"--disable-features={','.join(_OFF)}", *_CHEAP, *sandbox]
    with pytest.MonkeyPatch.context() as patch:
        for name, value in browser_environment().items():
            patch.setenv(name, value)
        with sync_playwright() as playwright:
            browser = playwright.chromium.launch(executable_path=find_browser(), args=arguments)
            yield browser
            browser.close()
