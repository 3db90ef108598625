"""Texts typed into the spreadsheet program, and texts damaged by hand."""

ENGLISH, GERMAN = 1033, 1031

Rows = tuple[tuple[str, str, str, str], ...]
"""Case, what is expected of XLSX and of CSV (empty: nothing), and the id."""

_ITEMS = (
    ("a code is a text", "", "", "ITEM-0117-A"),
    ("another code is a text", "", "", "ITEM-0216-A"),
    (
        "number and market are taken for hours and minutes",
        "NUMBER_CELL",
        "DATE_OR_TIME",
        "09521000000117:276",
    ),
    ("number and another market, too", "NUMBER_CELL", "DATE_OR_TIME", "09521000000216:040"),
)


TYPED: dict[str, tuple[int, Rows]] = {
    "item_typed_english": (
        ENGLISH,
        (
            *_ITEMS,
            ("thirteen digits", "NUMBER_CELL", "", "9521000000414"),
            ("number and market, sixteen digits", "DIGITS_CUT", "DIGITS_CUT", "4012345678901276"),
            ("number and market, beyond exact numbers", "DIGITS_CUT", "SCIENTIFIC", "9521000000513276"),
            ("number and market, seventeen digits", "DIGITS_CUT", "SCIENTIFIC", "09521000000612276"),
            ("indicator, number and market", "DIGITS_CUT", "SCIENTIFIC", "19521000000718276"),
            ("a code with E", "NUMBER_CELL", "SCIENTIFIC", "12E10"),
            ("a shorter code with E", "NUMBER_CELL", "SCIENTIFIC", "4E5"),
            ("a code that is a day", "NUMBER_CELL", "DATE_OR_TIME", "2024-3-1"),
            ("a code that is a month", "NUMBER_CELL", "DATE_OR_TIME", "JAN-32"),
            ("a code that is half", "NUMBER_CELL", "DATE_OR_TIME", "1/2"),
            ("a code that is a time", "NUMBER_CELL", "DATE_OR_TIME", "12:30"),
            ("a code that is a truth", "NUMBER_CELL", "TRUTH", "TRUE"),
            ("a percentage", "NUMBER_CELL", "PERCENT_OR_CURRENCY", "100%"),
            ("money", "NUMBER_CELL", "PERCENT_OR_CURRENCY", "$400"),
            ("thousands", "NUMBER_CELL", "", "9,521,000,000,810"),
            ("a plus in front", "NUMBER_CELL", "", "+9521000000919"),
            ("a minus in front", "NUMBER_CELL", "SIGN", "-9521000001015"),
            ("a number in brackets", "NUMBER_CELL", "SIGN", "(9521000001114)"),
            ("decimals", "NUMBER_CELL", "", "9521000001213.0"),
            ("spaces around a number", "NUMBER_CELL", "", " 9521000001312 "),
            ("an apostrophe", "APOSTROPHE", "APOSTROPHE", "'09521000001411"),
            ("another currency", "PERCENT_OR_CURRENCY", "PERCENT_OR_CURRENCY", "€400"),
            ("digits of full width", "OTHER_DIGITS", "OTHER_DIGITS", "\uff10\uff19\uff15\uff12\uff11"),
        ),
    ),
    "item_typed_german": (
        GERMAN,
        (
            *_ITEMS,
            ("thousands", "NUMBER_CELL", "", "9.521.000.000.414"),
            ("decimals", "NUMBER_CELL", "", "9521000000513,00"),
            ("a shortened number", "NUMBER_CELL", "SCIENTIFIC", "9,521E+12"),
            ("a code that is a day", "NUMBER_CELL", "DATE_OR_TIME", "01.03.2024"),
            ("a code that is a day of this year", "NUMBER_CELL", "DATE_OR_TIME", "1.3."),
            ("a code that is a truth", "NUMBER_CELL", "TRUTH", "WAHR"),
            ("money, of which LibreOffice loses the sign", "NUMBER_CELL", "DECIMALS", "400 €"),
        ),
    ),
    "recipient_typed_english": (
        ENGLISH,
        (
            ("a location number", "NUMBER_CELL", "", "9522000000015"),
            ("another location number", "NUMBER_CELL", "", "9522000000022"),
            ("a location number from zero", "NUMBER_CELL", "ZEROS_LOST", "0952200000031"),
            ("a location number from two zeros", "NUMBER_CELL", "ZEROS_LOST", "0095220000046"),
        ),
    ),
    "market_typed_english": (
        ENGLISH,
        (
            ("Germany", "NUMBER_CELL", "", "276"),
            ("Austria", "NUMBER_CELL", "ZEROS_LOST", "040"),
            ("Albania", "NUMBER_CELL", "ZEROS_LOST", "008"),
        ),
    ),
}
"""Opened by the program as CSV, with numbers and dates recognised as it does."""

MISREAD: Rows = (
    ("an umlaut", "MISREAD", "MISREAD", "Müller-7"),
    ("a long dash", "MISREAD", "MISREAD", "KUND\u20130042"),
    ("a no-break space", "MISREAD", "MISREAD", "KUND\u00a00043"),
    ("an id in ASCII", "", "", "KUND-0044"),
)
"""Read in the wrong character set by the program: UTF-8 as Windows letters, and the other way round."""


def _both(*rows: tuple[str, str, str]) -> Rows:
    return tuple((case, kind, kind, text) for case, kind, text in rows)


BY_HAND: dict[str, Rows] = {
    "item_by_hand": _both(
        ("fourteen digits from zero", "", "09521000000117"),
        ("fourteen digits from zero, too", "", "09521000000216"),
        ("fourteen digits from zero, again", "", "09521000000315"),
        ("zero lost of fourteen digits", "ZEROS_LOST", "9521000000414"),
        ("the same number with fourteen digits", "", "09521000000513"),
        ("the same number with thirteen digits", "TWO_WRITINGS", "9521000000513"),
        ("a number with its market", "", "09521000000612:276"),
        ("the number without its market", "MARKET_MISSING", "09521000000612"),
        ("zero lost of a market", "ZEROS_LOST", "09521000000711:40"),
        ("zero lost before a market", "ZEROS_LOST", "9521000000810:276"),
        ("a market with decimals", "DECIMALS", "09521000000919:276.0"),
        ("number and market with decimals", "DECIMALS", "9521000001015.0:276.0"),
        ("a shortened number with its market", "SCIENTIFIC", "9.52100E+12:276"),
        ("a letter O for a zero", "LETTERS_FOR_DIGITS", "0952100O001114"),
        ("a small L for a one", "LETTERS_FOR_DIGITS", "0952l000001213"),
        ("letters for digits before a market", "LETTERS_FOR_DIGITS", "O952I000001312:276"),
        ("spaces between groups", "THOUSANDS", "0 952100 000141 1"),
        ("digits of Arabic", "OTHER_DIGITS", "\u0660\u0669\u0665\u0662\u0661"),
        ("a quotation mark on each side", "QUOTES", '"09521000001510"'),
        ("German quotation marks", "QUOTES", "„09521000001619“"),
        ("a curved apostrophe", "APOSTROPHE", "\u201909521000001718"),
        ("a minus behind", "SIGN", "9521000001817-"),
        ("a plus in front", "SIGN", "+9521000001916"),
    ),
    "recipient_by_hand": _both(
        ("an ordinary code", "", "KUND-0042"),
        ("a code with a blank", "", "KUND 0042"),
        ("a Cyrillic letter", "LOOK_ALIKE_LETTERS", "\u041aUND-0043"),
        ("Greek letters", "LOOK_ALIKE_LETTERS", "K\u039fND-0044"),
        ("letters of full width", "OTHER_DIGITS", "\uff2bUND-0045"),
        ("a code", "LOOK_ALIKE", "SHOP-77"),
        ("the same code in small letters", "LOOK_ALIKE", "shop-77"),
        ("a long dash", "DASHES", "KUND\u20130046"),
        ("a minus sign", "DASHES", "KUND\u22120047"),
        ("a lost character", "MISREAD", "M\ufffdller-7"),
        ("an umlaut, misread", "MISREAD", "MÃ¼ller-8"),
        ("a byte order mark, misread", "MISREAD", "ï»¿KUND-0048"),
        ("an escape of workbooks", "ESCAPED", "KUND-0049_x000D_"),
        ("another escape of workbooks", "ESCAPED", "_x004B_UND-0050"),
        ("an escape of web pages", "ESCAPED", "KUND&amp;CO-51"),
        ("a no-break space of web pages", "ESCAPED", "KUND-0052&nbsp;"),
        ("an escape of addresses", "ESCAPED", "KUND%2D0053"),
        ("a blank behind", "OUTER_SPACES", "KUND-0054 "),
        ("a blank in front", "OUTER_SPACES", " KUND-0055"),
        ("a tab behind", "ODD_SPACES", "KUND-0056\t"),
        ("an ideographic blank", "ODD_SPACES", "KUND\u30000057"),
        ("a column that is too narrow", "ERROR_VALUE", "########"),
        ("an error, German", "ERROR_VALUE", "#WERT!"),
        ("a cell that is gone, German", "ERROR_VALUE", "#BEZUG!"),
        ("an error of LibreOffice", "ERROR_VALUE", "Err:502"),
        ("nothing, as pandas writes it", "MISSING", "nan"),
        ("nothing, as databases write it", "MISSING", "NULL"),
        ("money with its name", "PERCENT_OR_CURRENCY", "EUR 400"),
        ("a month, German", "DATE_OR_TIME", "Mrz 24"),
        ("a day of a month, German", "DATE_OR_TIME", "01. Dez"),
        ("a time and a day", "DATE_OR_TIME", "2024-03-01 00:00:00"),
    ),
}
"""Written as CSV by nobody but `make`: no spreadsheet program saw these rows."""
