"""Texts with a meaning in Markdown, a browser or a terminal, which must be shown unchanged.

Ids, names and the service's messages are data: people read them, and no program interprets them.
"""

MARKUP = {
    "image": "![x](http://192.0.2.1/pixel.png)",
    "link": "[click](http://192.0.2.1/)",
    "link by reference": "[click][1]\n\n[1]: http://192.0.2.1/",
    "html": '<img src="http://192.0.2.1/x" onerror="alert(1)"><script>alert(1)</script>',
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

SENDABLE = {name: text for name, text in MARKUP.items() if "\n" not in text} | INVISIBLE
"""Texts that fit in a path, so a person can enter them as ids."""

SHOWABLE = MARKUP | INVISIBLE | UNSENDABLE
"""Texts that a service can send in its messages."""

LISTABLE = SHOWABLE | HALVES
"""Texts that a service can hold as ids in a list."""
