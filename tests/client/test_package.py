"""The client is a library of its own: typed, and without the dashboard."""

import subprocess
import sys
from pathlib import Path

import item_visibility

WITHOUT_DASHBOARD = """
import sys
for name in ("streamlit", "pandas", "numpy", "sqlalchemy", "starlette", "item_visibility_service"):
    sys.modules[name] = None
from item_visibility import ItemKey, VisibilityClient
client = VisibilityClient("https://api.example.com/v1", "https://login.example.com", "id", "secret")
client.close()
print(ItemKey("S", "I"))
"""
TYPED_USE = """
from item_visibility import ItemKey, VisibilityClient

def read(client: VisibilityClient) -> frozenset[str] | None:
    return client.get_visibilities(ItemKey("S", "I"))

read(3)  # type: ignore[arg-type]
"""
ROOT = Path(item_visibility.__file__).parents[1]


def test_the_client_works_without_the_dashboard() -> None:
    done = subprocess.run(
        [sys.executable, "-W", "error", "-c", WITHOUT_DASHBOARD],
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=False,
    )
    assert (done.stdout, done.stderr) == ("ItemKey(supplier='S', supplier_item_id='I')\n", "")


def test_the_client_is_typed_for_those_who_use_it(tmp_path: Path) -> None:
    (tmp_path / "use.py").write_text(TYPED_USE)
    command = [sys.executable, "-m", "mypy", "--strict", "--no-incremental", "--cache-dir", "cache", "use.py"]
    environ = {"MYPYPATH": str(ROOT), "PATH": ""}
    done = subprocess.run(command, cwd=tmp_path, env=environ, capture_output=True, text=True, check=False)
    assert done.stdout == "Success: no issues found in 1 source file\n"
    assert (ROOT / "item_visibility" / "py.typed").is_file()
