"""No serious obstacle on any page, in light and in dark, for people who do not see or point as others do."""

import pytest
from axe_playwright_python.sync_playwright import Axe

from tests.browser.conftest import NewPerson
from tests.support.dashboard import Place
from tests.support.thorough import sample

SERIOUS = frozenset({"serious", "critical"})
NOT_OURS: dict[str, str] = {}
"""Rule and selector of what Streamlit 1.67 itself draws, and why it stays."""


PAGES = [
    ("/", "12 recipients can see this item"),
    ("/check?supplier=9521000010000&item=09521000010017:276&recipient=9522000020006", "Asked at"),
    ("/bulk", "Or paste rows"),
    ("/connection", "Everything works."),
]


@pytest.mark.parametrize(
    ("path", "words", "scheme"),
    sample([(*page, scheme) for page in PAGES for scheme in ("light", "dark")], 4),
)
def test_no_page_puts_a_serious_obstacle_in_the_way(
    demo: Place, new_person: NewPerson, path: str, words: str, scheme: str
) -> None:
    """What axe calls serious or critical."""
    person = new_person(color_scheme=scheme)
    person.open(f"{demo.dashboard.url}{path}").reads(words)
    person.settles()
    found = Axe().run(person.page).response["violations"]
    obstacles = {
        f"{one['id']} at {' '.join(map(str, node['target']))}"
        for one in found
        for node in one["nodes"]
        if one["impact"] in SERIOUS
    }
    assert obstacles - NOT_OURS.keys() == set()
