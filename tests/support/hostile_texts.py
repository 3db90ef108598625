"""Texts with a meaning in Markdown, browsers or terminals, and ids that look like paths
or commands.
"""

import string

MARKUP = {
    "image": "![x](http://192.0.2.1/pixel.png)",
    "link": "[click](http://192.0.2.1/)",
    "link by reference": "[click][1]\n\n[1]: http://192.0.2.1/",
    "html": (
        '<img src="http://192.0.2.1/x" onerror="alert(1)"><script>alert(1)</script>'
    ),
    "style": "<style>*{display:none}</style>",
    "1 backtick": "a`b",
    "2 backticks": "``![x](http://192.0.2.1/)``",
    "3 backticks": "```\n![x](http://192.0.2.1/)\n```",
    "4 backticks": "````python",
    "5 backticks": "`````",
    "backticks of all lengths": "` `` ``` ```` `````",
    "backtick at the end": "![x](http://192.0.2.1/)`",
    "maths": "$x^2$ and $$\\frac{1}{2}$$",
    "icon": ":material/delete:",
    "emoji": ":smile: :+1:",
    "colour": ":red[alarm] :blue-badge[fine]",
    "heading": "# A heading",
    "list": "- one\n- two",
    "numbered": "1. one",
    "table": "| a | b |\n|---|---|\n| 1 | 2 |",
    "footnote": "text[^1]\n\n[^1]: note",
    "www": "www.example.com",
    "address": "https://example.com/?a=1&b=2",
    "mail": "someone@example.com",
    "autolink": "<https://example.com>",
    "emphasis": "**bold** _slanted_ ~~gone~~",
    "entity": "&lt;b&gt; &amp; &#x41;",
    "arrows": "-> <- <-> -- >= ==",
    "escape": "\\*not slanted\\* \\",
    "quotation": "> quoted",
    "formula": '=HYPERLINK("http://192.0.2.1/","x")',
    "command": "+cmd|' /C calc'!A0",
    "right to left": "\u05e9\u05dc\u05d5\u05dd \u0645\u0631\u062d\u0628\u0627",
    "combining marks": "Z\u0351\u036b\u0343a\u0325\u0301",
    "very long": "9" * 600,
    "leading and trailing spaces": "  R1  ",
    "spaces alone": "   ",
}
INVISIBLE = {
    "bidi override": "R\u202e1\u202c",
    "zero width": "R\u200b1\ufeff",
    "soft hyphen": "R\u00ad1",
    "line separator": "R\u20281",
}
UNSENDABLE = {
    "line break": "R1\n# heading",
    "tab": "R\t1",
    "NUL": "R\x001",
    "escape sequence": "\x1b[31mred\x1b[0m",
    "C1 control": "R\x9b1",
    "delete": "R\x7f1",
}
HALVES = {"half a character": "R\ud8001", "the other half": "\udfff"}

ORDINARY_NAMES = ("M&M's", "AT&T", "Rewe_Süd", "Milch 3,5 % [Bio]", "#1 Foods")
"""Names with a sign that means something in Markdown."""

SENDABLE = {name: text for name, text in MARKUP.items() if "\n" not in text} | INVISIBLE
"""Texts that a path can contain, so a person can enter them as ids."""

SHOWABLE = MARKUP | INVISIBLE | UNSENDABLE
"""Texts that the service can send in a message."""

LISTABLE = SHOWABLE | HALVES
"""Texts that the service can list as ids."""


CONTROLS = [*map(chr, range(0x20)), *map(chr, range(0x7F, 0xA0))]
SURROGATES = ["\ud800", "\udbff", "\udc00", "\udfff"]
ODD_CHARACTERS = (
    "\u00a0\u00ad\u034f\u061c\u115f\u180e\u200b\u200c\u200d\u200e\u200f\u2028\u2029\u202a\u202e\u2060\u2066"
    "\u2069\u3000\ufe0f\ufeff\ufffd\uffff\U0001f600\U000e0001\U0010ffff\u0301\u00e9\u1e9e\u0130\u0131\u03c2"
    "\u2024\u2025\u2026\uff0e\uff0f\u2215\u2044\uff05\uff03\uff1f\u66f8\u05d0\u0627\u0e01"
)
PLAIN = r"""
    . .. ... .... ./ ../ /.. /. ../.. ..; ..%2f .%2e %2e %2e%2e %2E%2E %2f %2F %5c
    %252e%252e %00 %0a %0d%0a
    %zz % %% %2 100% / // /// \ ..\ a/b a//b /a a/ x/recipient/y /recipient/ recipient
    recipient/
    /recipient/r S/I/recipient/r itemvisibilities v1 /v1/itemvisibilities/S/I http://example.com/
    //example.com https: a:b @ user@host a@b:c ? ?a=b a?b # a#b #a & a&b=c = ; ;a=b a;b
    , a,b + a+b * **
    *bold* _x_ `x` ~ $ $TOKEN ${x} {x} {{x}} [x] ![x](http://e/) <b> <script> &lt; &#0;
    ' " | || ^ ! ( ) -
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
