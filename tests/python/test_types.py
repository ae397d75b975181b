"""A user's program passes `mypy --strict`: every public name has types, and examples use them."""

from __future__ import annotations

import inspect
import re
import shutil
import subprocess
import sys
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

import onehop

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

ROOT = Path(__file__).resolve().parents[2]
PROGRAM = Path(__file__).with_name("typed_program.py")
EXAMPLES = sorted(ROOT.glob("examples/*/*.py"))
# SciPy has no types of its own; whether others are installed must not matter.
SETTINGS = (
    "[mypy]\nstrict = True\n[mypy-scipy.*]\nfollow_imports = skip\nignore_missing_imports = True\n"
)


def test_the_program_uses_every_public_name():
    used = set(re.findall(r"\bonehop\.(\w+)", PROGRAM.read_text()))
    assert set(onehop.__all__) <= used


def members_in_python() -> Iterator[tuple[str, Callable[..., object]]]:
    """Functions and methods of the public names; what the C++ module has is in its stub."""
    for name in onehop.__all__:
        public = getattr(onehop, name)
        if inspect.isfunction(public):
            yield name, public
        elif inspect.isclass(public) and public.__module__ != "onehop._core":
            for key, member in vars(public).items():
                function = getattr(member, "fget", getattr(member, "__func__", member))
                if inspect.isfunction(function) and (key == "__init__" or key[0] != "_"):
                    yield f"{name}.{key}", function


def test_every_public_function_names_the_types_of_what_it_takes_and_gives():
    found = list(members_in_python())
    assert len(found) > 150
    for name, function in found:
        signature = inspect.signature(function)
        named = [one for one in signature.parameters.values() if one.name not in ("self", "cls")]
        assert all(one.annotation is not one.empty for one in named), name
        assert signature.return_annotation is not signature.empty, name


def test_examples_and_a_program_with_every_public_name_are_strictly_typed(tmp_path):
    pytest.importorskip("mypy")
    settings = tmp_path / "mypy.ini"
    settings.write_text(SETTINGS)
    # In a folder of its own mypy finds nothing but the installed package.
    words = [sys.executable, "-m", "mypy", f"--config-file={settings}", "--cache-dir=cache"]
    assert len(EXAMPLES) > 6
    # Mypy says no errors of an installed package, so its stubs are looked at as files of this
    # folder.
    stubs = [
        Path(shutil.copy(stub, tmp_path)) for stub in Path(onehop.__file__).parent.glob("_*.pyi")
    ]
    assert len(stubs) == 3
    files = [*EXAMPLES, PROGRAM, *stubs]
    done = subprocess.run(
        [*words, *files], capture_output=True, text=True, cwd=tmp_path, timeout=100
    )
    assert done.returncode == 0, done.stdout + done.stderr
