"""The names of markets: countries, in English, in German and as people say them."""

from collections.abc import Mapping
from functools import cache, lru_cache

from iso3166 import (
    countries,
    countries_by_alpha2,
    countries_by_alpha3,
    countries_by_numeric,
)

OTHER_NAMES = {
    "DE": "Deutschland",
    "AT": "Österreich|Oesterreich",
    "BE": "Belgien",
    "BG": "Bulgarien",
    "CH": "Schweiz",
    "CZ": "Tschechien|Czech Republic",
    "DK": "Dänemark|Daenemark",
    "ES": "Spanien",
    "FI": "Finnland",
    "FR": "Frankreich",
    "GB": "United Kingdom|Great Britain|UK|Großbritannien|Grossbritannien|Vereinigtes Königreich",
    "GR": "Griechenland",
    "HR": "Kroatien",
    "HU": "Ungarn",
    "IE": "Irland",
    "IT": "Italien",
    "LT": "Litauen",
    "LU": "Luxemburg",
    "LV": "Lettland",
    "NL": "The Netherlands|Niederlande|Holland",
    "NO": "Norwegen",
    "PL": "Polen",
    "RO": "Rumänien|Rumaenien",
    "SE": "Schweden",
    "SI": "Slowenien",
    "SK": "Slowakei",
    "TR": "Turkey|Türkei",
    "US": "USA|United States|Vereinigte Staaten",
}
"""Names of markets that the standard does not have: German ones, and those that people say."""
ADJECTIVES = {
    "AT": "austria|österreich",
    "BE": "belgi",
    "CH": "swiss|schweizer",
    "DE": "german|deutsch",
    "DK": "danish|dän",
    "ES": "spani",
    "FR": "french|franz",
    "GB": "brit",
    "IT": "itali",
    "NL": "dutch|niederländ|holländ",
    "PL": "polish|poln",
}
"""Beginnings of market adjectives, in "the Swiss market". Alone they are parts of names: Dutch cheese."""
_MARKETS_WITHOUT_COUNTRY = {"097": "European Union"}


@lru_cache(maxsize=1024)
def market_name(code: str) -> str:
    """Return the country of an ISO 3166 code (276, DE, DEU), or an empty text."""
    code = code.upper()
    for table in (countries_by_numeric, countries_by_alpha2, countries_by_alpha3):
        if code in table:
            return table[code].apolitical_name
    return _MARKETS_WITHOUT_COUNTRY.get(code, "")


def market_code(text: str) -> str:
    """Return the number of the market if the whole text names one (276, DE, DEU, Germany), or empty."""
    word = text.strip()
    for table in (countries_by_numeric, countries_by_alpha2, countries_by_alpha3):
        if word.upper() in table:
            return table[word.upper()].numeric
    return codes_by_name().get(word.casefold(), "")


@cache
def codes_by_name() -> Mapping[str, str]:
    """Return the numbers of the markets by their names in English and German, without case."""
    numbers = {name.casefold(): one.numeric for one in countries for name in (one.name, one.apolitical_name)}
    for code, names in OTHER_NAMES.items():
        numbers |= {name.casefold(): countries_by_alpha2[code].numeric for name in names.split("|")}
    return numbers
