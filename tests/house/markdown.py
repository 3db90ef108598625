"""Find texts of screens that Streamlit would render as Markdown although they are not
fixed.

Streamlit renders Markdown in labels, alerts, captions and many other places. A text is
fixed if it consists of literals, of results of the escape helpers of
`components.markdown_escape`, and of other fixed texts. If a function passes a parameter
to Markdown, its callers have the duty to pass a fixed text.
"""

import ast
from collections.abc import Iterable, Iterator

ESCAPES = {"verbatim", "plain", "described", "listed"}
CHECKED_FIELDS = {"headline"}
"""Fields of classes of ours. Callers of the class must escape them."""
CONSTRUCTORS = {("Notice", "headline", 0)}
FORBIDDEN = {"write", "write_stream", "html", "iframe", "table", "exception", "latex"}
LABELLED = """
    badge button camera_input caption checkbox color_picker date_input datetime_input
    dialog error download_button expander file_uploader form_submit_button header info
    link_button markdown menu_button multiselect number_input popover selectbox slider
    spinner status subheader success tabs text_area text_input time_input title toast
    toggle warning
"""
COLUMNS = ("CheckboxColumn", "Column", "NumberColumn", "TextColumn")
PLACES = {
    **dict.fromkeys((*LABELLED.split(), *COLUMNS), (0,)),
    **dict.fromkeys(["pills", "radio", "segmented_control", "select_slider"], (0, 1)),
    "metric": (0, 1, 2),
    "page_link": (1,),
    "progress": (1,),
    "text": (),
}
"""The positions of the arguments that Streamlit 1.67 renders as Markdown."""
KEYWORDS = {"body", "caption", "delta", "help", "label", "text", "title", "format_func"}
KEYWORDS_OF_CHOICES = {*KEYWORDS, "options"}
SAFE_HTML = {"st.html(_LAYOUT)", "st.html(html_link(address_to_open(name), name))"}
"""The only allowed uses of HTML: a file of ours, and a link whose texts are escaped."""

SCOPES = ast.FunctionDef | ast.Lambda | ast.Module | ast.ListComp | ast.GeneratorExp

Duty = tuple[str, str, int]
"""A function, a parameter and its position.

Callers must pass a fixed text for this parameter.
"""


class Screen:
    """The syntax tree of one file with screens."""

    def __init__(self, tree: ast.Module) -> None:
        self.tree = tree
        self.duties: set[Duty] = set(CONSTRUCTORS)
        self._parents: dict[ast.AST, ast.AST] = {}
        for node in ast.walk(tree):
            self._parents |= dict.fromkeys(ast.iter_child_nodes(node), node)
        self.functions = {
            node.name: node
            for node in ast.walk(tree)
            if isinstance(node, ast.FunctionDef)
        }
        self._open: set[ast.AST] = set()

    def loose_texts(self, duties: Iterable[Duty] = ()) -> list[str]:
        """Return the calls that pass Markdown a text that is not fixed, and forbidden
        calls.
        """
        loose = []
        for node in ast.walk(self.tree):
            if isinstance(node, ast.Call):
                loose += [
                    f"line {node.lineno}: {ast.unparse(text)[:80]}"
                    for text in self._texts(node, set(duties))
                    if not self._is_fixed(text)
                ]
        return loose

    def _texts(self, call: ast.Call, duties: set[Duty]) -> Iterator[ast.expr]:
        match call.func:
            case ast.Attribute(attr="html") if ast.unparse(call) in SAFE_HTML:
                return
            case ast.Attribute(value=ast.Name(id="st"), attr=name) if name in FORBIDDEN:
                yield call
            case ast.Attribute(attr=name) if name in PLACES:
                places = PLACES[name]
                yield from (
                    call.args[place] for place in places if place < len(call.args)
                )
                keywords = KEYWORDS_OF_CHOICES if 1 in places else KEYWORDS
                yield from _keyword_values(call, keywords)
            case ast.Attribute(value=ast.Name(id="st")):
                yield from _keyword_values(call, KEYWORDS)
            case ast.Name(id=name):
                for function, parameter, place in duties:
                    if function == name:
                        yield from call.args[place : place + 1]
                        yield from _keyword_values(call, {parameter})
        yield from _keyword_values(call, {"unsafe_allow_html"})

    def _is_fixed(self, node: ast.AST) -> bool:
        # A text that refers to itself is fixed if its other parts are.
        if node in self._open:
            return True

        self._open.add(node)
        try:
            return self._is_made_of_fixed(node)
        finally:
            self._open.discard(node)

    def _is_made_of_fixed(self, node: ast.AST) -> bool:
        match node:
            case ast.Constant():
                return not (node.value is True and self._is_switch(node))
            case ast.Attribute(attr=name):
                return name in CHECKED_FIELDS
            case ast.Name():
                return self._is_fixed_name(node)
            case ast.Call():
                return self._is_fixed_call(node)
        parts = _parts(node)
        return parts is not None and all(map(self._is_fixed, parts))

    def _is_switch(self, node: ast.AST) -> bool:
        parent = self._parents[node]
        return isinstance(parent, ast.keyword) and parent.arg == "unsafe_allow_html"

    def _is_fixed_call(self, call: ast.Call) -> bool:
        match call.func:
            case ast.Name(id=name) if name in ESCAPES or name == "len":
                return True
            case ast.Name(id="map") if isinstance(call.args[0], ast.Name):
                return call.args[0].id in ESCAPES
            case ast.Name(id=name) if name in self.functions:
                return self.returns_fixed(name)
            case ast.Attribute(
                value=base, attr="join" | "get" | "items" | "values" | "format"
            ):
                return self._is_fixed(base) and all(map(self._is_fixed, call.args[:1]))
        return False

    def returns_fixed(self, function: str) -> bool:
        """Return True if the function always returns fixed texts when its callers pass
        fixed texts.
        """
        returned = [
            node.value
            for node in ast.walk(self.functions[function])
            if isinstance(node, ast.Return) and node.value is not None
        ]
        return all(map(self._is_fixed, returned))

    def _is_fixed_name(self, name: ast.Name) -> bool:
        for scope in self._scopes(name):
            # For a parameter, the callers have the duty to pass a fixed text.
            places = self._parameters(scope)
            if name.id in places:
                function = scope.name if isinstance(scope, ast.FunctionDef) else ""
                self.duties.add((function, name.id, places[name.id]))
                return bool(function)

            bound = list(self._bound(scope, name.id))
            if bound:
                return all(
                    value is not None and self._is_fixed(value) for value in bound
                )
        return name.id in self.functions and self.returns_fixed(name.id)

    def _scopes(self, node: ast.AST) -> Iterator[ast.AST]:
        """Yield the functions around a node, innermost first, and then the file."""
        while node in self._parents:
            node = self._parents[node]
            if isinstance(node, SCOPES):
                yield node

    def _parameters(self, scope: ast.AST) -> dict[str, int]:
        if not isinstance(scope, ast.FunctionDef | ast.Lambda):
            return {}
        spec = scope.args
        parameters = [*spec.posonlyargs, *spec.args, *spec.kwonlyargs]
        return {parameter.arg: place for place, parameter in enumerate(parameters)}

    def _bound(self, scope: ast.AST, name: str) -> Iterator[ast.expr | None]:
        """Yield the values that a name gets in a scope.

        A value that cannot be found is None.
        """
        for node in ast.walk(scope):
            match node:
                case ast.Assign(targets=[ast.Name(id=target_name)], value=value) if (
                    target_name == name
                ):
                    yield value
                case (
                    ast.For(target=target, iter=values)
                    | ast.comprehension(target=target, iter=values)
                ):
                    yield from _looped(target, self._written_out(values), name)
                case ast.Name(id=target_name, ctx=ast.Store()) if (
                    target_name == name and not self._is_seen(node)
                ):
                    yield None

    def _written_out(self, values: ast.expr) -> ast.expr:
        """Return the values of a loop, also if the file first gives them a name."""
        if not isinstance(values, ast.Name):
            return values
        assigned = [
            node.value
            for node in ast.walk(self.tree)
            if isinstance(node, ast.Assign)
            and ast.unparse(node.targets[0]) == values.id
        ]
        return assigned[0] if len(assigned) == 1 else values

    def _is_seen(self, target: ast.Name) -> bool:
        followed = ast.Assign | ast.For | ast.comprehension
        parent = self._parents[target]
        return isinstance(parent, followed) or isinstance(
            self._parents[parent], ast.For | ast.comprehension
        )


def _keyword_values(call: ast.Call, names: set[str]) -> Iterator[ast.expr]:
    return (keyword.value for keyword in call.keywords if keyword.arg in names)


def _parts(node: ast.AST) -> list[ast.expr] | None:
    """Return the parts of a text or of a collection of texts, or None if they cannot be
    found.
    """
    match node:
        case (
            ast.JoinedStr(values=parts)
            | ast.BoolOp(values=parts)
            | ast.Tuple(elts=parts)
            | ast.List(elts=parts)
        ):
            return parts
        case (
            ast.FormattedValue(value=part)
            | ast.Subscript(value=part)
            | ast.NamedExpr(value=part)
        ):
            return [part]
        case ast.ListComp(elt=part) | ast.GeneratorExp(elt=part):
            return [part]
        case ast.BinOp(left=left, right=right) | ast.IfExp(body=left, orelse=right):
            return [left, right]
    return None


def _looped(target: ast.expr, values: ast.expr, name: str) -> Iterator[ast.expr | None]:
    """Yield the values of a name in a loop over `values`, or over one column of them if
    they are rows.
    """
    if isinstance(target, ast.Tuple):
        names = [part.id if isinstance(part, ast.Name) else "" for part in target.elts]
        rows = values.elts if isinstance(values, ast.Tuple | ast.List) else [values]
        for place, target_name in enumerate(names):
            if target_name == name:
                yield from (
                    row.elts[place] if isinstance(row, ast.Tuple) else None
                    for row in rows
                )
