"""Identifiers that look like something else: a path, a query, a command, the end of a line."""

import string

CONTROLS = [*map(chr, range(0x20)), *map(chr, range(0x7F, 0xA0))]
SURROGATES = ["\ud800", "\udbff", "\udc00", "\udfff"]
ODD_CHARACTERS = (
    "\u00a0\u00ad\u034f\u061c\u115f\u180e\u200b\u200c\u200d\u200e\u200f\u2028\u2029\u202a\u202e\u2060\u2066"
    "\u2069\u3000\ufe0f\ufeff\ufffd\uffff\U0001f600\U000e0001\U0010ffff\u0301\u00e9\u1e9e\u0130\u0131\u03c2"
    "\u2024\u2025\u2026\uff0e\uff0f\u2215\u2044\uff05\uff03\uff1f\u66f8\u05d0\u0627\u0e01"
)
PLAIN = r"""
    . .. ... .... ./ ../ /.. /. ../.. ..; ..%2f .%2e %2e %2e%2e %2E%2E %2f %2F %5c %252e%252e %00 %0a %0d%0a
    %zz % %% %2 100% / // /// \ ..\ a/b a//b /a a/ x/recipient/y /recipient/ recipient recipient/
    /recipient/r S/I/recipient/r itemvisibilities v1 /v1/itemvisibilities/S/I http://example.com/
    //example.com https: a:b @ user@host a@b:c ? ?a=b a?b # a#b #a & a&b=c = ; ;a=b a;b , a,b + a+b * **
    *bold* _x_ `x` ~ $ $TOKEN ${x} {x} {{x}} [x] ![x](http://e/) <b> <script> &lt; &#0; ' " | || ^ ! ( ) -
    -- -1 NULL null None nan true 0 00 007 1e5 =1+1 04012345678901:276 CON aux.txt
"""
WORDS = [
    *PLAIN.split(),
    "",
    " ",
    "  ",
    "a b",
    " a",
    "a ",
    "\u00a0a",
    "' or 1=1 --",
    "ä",
    "a\u0308",
    "ÄÖÜß",
    "日本語",
    "שלום",
    "\U0001f469\u200d\U0001f469\u200d\U0001f467",
    *(character * 200 for character in "aä%/.\U0001f600"),
    "x" * 2_001,
    "ä" * 400,
]
AROUND = [*string.punctuation, "%2F", "%2E", "..", "../", "/.."]

HOSTILE_IDS: tuple[str, ...] = tuple(
    dict.fromkeys(
        [
            *WORDS,
            *AROUND,
            *(f"a{piece}" for piece in AROUND),
            *(f"{piece}a" for piece in AROUND),
            *(f"a{piece}b" for piece in AROUND),
            *(f"{piece}{piece}" for piece in AROUND),
            *(f"a{character}b" for character in CONTROLS + SURROGATES),
            *(f"{character}" for character in CONTROLS + SURROGATES),
            *ODD_CHARACTERS,
            *(f"a{character}b" for character in ODD_CHARACTERS),
            *(f".{character}." for character in ODD_CHARACTERS),
        ]
    )
)
