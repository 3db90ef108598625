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
    # The address bar of each window: a third of the work of full Chromium 156.
    "WebUIOmniboxPopup",
    "WebUIOmniboxAimPopup",
    # Turned off by Playwright 1.65 too. Chromium reads only the last list of features,
    # so this repeats them.
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
    # Pages live too briefly for the two slower compilers, which take a seventh of the
    # time of a page load.
    "--js-flags=--no-maglev --no-turbofan",
    # Without fades, which take a seventh of the remaining work.
    "--force-prefers-reduced-motion",
    "--in-process-gpu",  # saves a process for drawing, which no test looks at
)
"""Options that save work and do not change how a page behaves."""


@pytest.fixture(scope="package")
def chromium() -> Iterator[Browser]:
    """Yield a headless Chromium. Skip the tests if this machine has no browser.

    Each folder of tests starts its own: Playwright leaves an event loop in this thread,
    which would disturb the tests of other folders.
    """
    if find_browser() is None:
        pytest.skip(
            "no Chromium, Chrome or Edge here: `python3 run.py test` fetches one"
        )
    with run_chromium() as browser:
        yield browser


@contextmanager
def run_chromium() -> Iterator[Browser]:
    is_root = sys.platform == "linux" and os.geteuid() == 0
    expect.set_options(timeout=PATIENCE_MS)
    sandbox = (
        ["--no-sandbox"] if is_root else []
    )  # Chromium refuses to run its sandbox as root
    arguments = [f"--disable-features={','.join(_OFF)}", *_CHEAP, *sandbox]
    with pytest.MonkeyPatch.context() as patch:
        for name, value in browser_environment().items():
            patch.setenv(name, value)
        with sync_playwright() as playwright:
            browser = playwright.chromium.launch(
                executable_path=find_browser(), args=arguments
            )
            yield browser
            browser.close()
