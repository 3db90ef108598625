"""No secret and no token in any pack, in any form, wherever somebody or the service wrote one."""

import logging
from dataclasses import replace
from pathlib import Path

import pytest

from item_visibility.api.token.renewal import ClientCredentials
from item_visibility.desk.history.spreadsheet import as_csv
from item_visibility.evidence.redaction import redactor, redactor_for
from item_visibility.records.history.search import HistoryFilter
from tests.evidence.plants import OPAQUE, SECRET, found_in, packs, reasons, sealed
from tests.support.desk import ITEM, TEST_ENVIRONMENT, a_request, open_kit
from tests.support.telling_service import TellingService
from tests.support.thorough import how_many

PACKS = how_many(usual=20, thorough=1_000, variable="PACKS")


def test_no_planted_secret_is_found_in_any_pack() -> None:
    """1,000 packs when thorough: the same ones each time."""
    hide = redactor([SECRET, OPAQUE])
    assert [number for number, one in enumerate(packs(PACKS)) if found_in(sealed(hide.value(one)))] == []


def test_the_search_finds_what_is_not_hidden() -> None:
    """The same packs, untreated."""
    assert [number for number, one in enumerate(packs(10)) if not found_in(sealed(one))] == []


def test_no_secret_given_as_a_reason_is_kept(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    """Not in our records, an export, a pack or a log at DEBUG."""
    caplog.set_level(logging.DEBUG)
    environment = replace(TEST_ENVIRONMENT, credentials=ClientCredentials("us", SECRET))
    environment.credentials.tokens.note(OPAQUE)
    reason = " and ".join(reasons(20))
    with open_kit(tmp_path, environment=environment, fake=TellingService({ITEM: {"A"}})) as kit:
        kit.save(replace(a_request(ITEM, key="k", base="A", add="B"), reason=reason))
        pack = kit.desk.evidence.of_save("k", link="")
        export = as_csv(kit.records.search.all(HistoryFilter())).decode("utf-8", "surrogatepass")
        entry = kit.records.history.entry("k")
    assert found_in(pack) == []
    kept = repr(entry) + export + caplog.text + repr(kit.desk.environment)
    clean = redactor_for(environment.credentials)
    assert ("[hidden]" in export, clean.text(kept) == kept) == (True, True)
