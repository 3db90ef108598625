"""A pack as a page to read: one file, without a script, a style from elsewhere or any other request."""

from html import escape

from item_visibility.evidence.pack import Pack
from item_visibility.evidence.seal import sealed
from item_visibility.evidence.sections import HOW_TO_CHECK, Section, head_of, sections_of
from item_visibility.evidence.shown_texts import shown

_LINES = 1_000
_STYLE = (
    "body{font:16px/1.5 system-ui,sans-serif;max-width:60rem;margin:2rem auto;padding:0 1rem;color:#1f2328;"
    "background:#fff}h1{font-size:1.4rem}h2{font-size:1.05rem;margin:1.5rem 0 .25rem}dl{display:grid;"
    "grid-template-columns:max-content 1fr;gap:.15rem 1rem}dd,dt{margin:0}dt{color:#57606a}"
    "dd,li,pre,footer{overflow-wrap:anywhere;white-space:pre-wrap}ul{padding-left:1.2rem;margin:0}"
    "pre{background:#f6f8fa;padding:.75rem}footer{margin-top:2rem;font-size:.8rem;color:#57606a}"
)
_POLICY = "default-src 'none'; style-src 'unsafe-inline'; base-uri 'none'; form-action 'none'"
"""Nothing in the file can fetch anything, whoever opens it."""


def html_page(pack: Pack, key: bytes | None) -> str:
    """Return the page, with its seal at the end."""
    title = escape(shown(pack.sentence))
    head = "".join(f"<dt>{label}</dt><dd>{escape(value)}</dd>\n" for label, value in head_of(pack))
    body = "".join(_section(section) for section in sections_of(pack, limit=_LINES))
    page = (
        '<!doctype html>\n<html lang="en">\n<head>\n<meta charset="utf-8">\n'
        f'<meta http-equiv="Content-Security-Policy" content="{_POLICY}">\n'
        '<meta name="viewport" content="width=device-width">\n'
        f"<title>Evidence: {title}</title>\n<style>{_STYLE}</style>\n</head>\n<body>\n"
        f"<h1>{title}</h1>\n<dl>\n{head}</dl>\n{body}<footer>{HOW_TO_CHECK}\n"
    )
    return sealed(page, key, end="</footer>\n</body>\n</html>\n")


def _section(section: Section) -> str:
    lines = [escape(line) for line in section.lines]
    if section.is_code:
        shown_lines = "<pre>" + "\n".join(lines) + "</pre>\n"
    else:
        shown_lines = "<ul>\n" + "".join(f"<li>{line}</li>\n" for line in lines) + "</ul>\n"
    return f"<h2>{escape(section.heading)}</h2>\n{shown_lines}"
