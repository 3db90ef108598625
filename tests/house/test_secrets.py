"""No secret is ever part of a text that shows an object."""

import ast
import re

from tests.house.tree import PROGRAM, files, offenders, parse

SECRET = re.compile(r"(secret|token|password|authorization)$")


def shown_secrets(module: ast.Module) -> list[str]:
    return [
        f"{found.name}.{field.target.id}"
        for found in ast.walk(module)
        if isinstance(found, ast.ClassDef)
        and any("dataclass" in ast.unparse(by) for by in found.decorator_list)
        for field in found.body
        if isinstance(field, ast.AnnAssign)
        and isinstance(field.target, ast.Name)
        and SECRET.search(field.target.id)
        and "str" in ast.unparse(field.annotation)
        and "repr=False" not in ast.unparse(field.value or field.target)
    ]


def test_no_secret_is_shown_with_its_object() -> None:
    assert offenders(lambda path: shown_secrets(parse(path)), files(*PROGRAM, suffix=".py")) == {}


def test_the_rule_finds_a_shown_secret() -> None:
    source = """
@dataclass(frozen=True, slots=True)
class Client:
    client_id: str
    client_secret: str
    access_token: str = field(repr=False)
    token_lifetime_s: float
"""
    assert shown_secrets(ast.parse(source)) == ["Client.client_secret"]
