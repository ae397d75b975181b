"""`import onehop` must cost little and offer what it should."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

import pytest

import onehop
from onehop.elf import dynamic_symbols

MODULES = ("_core", "_bench", "_apps")


def loaded_by(statement: str) -> set[str]:
    code = f"import sys; {statement}; print(' '.join(sys.modules))"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    return set(done.stdout.split())


@pytest.mark.parametrize(
    "statement", ["import onehop", "import onehop; onehop.join(); onehop.solve"]
)
def test_import_brings_no_plots_and_no_terminal(statement):
    assert loaded_by(statement).isdisjoint({"matplotlib", "pydantic", "rich"})


def test_every_name_is_there_and_listed():
    assert set(onehop.__all__) <= set(dir(onehop))
    assert all(getattr(onehop, name) is not None for name in onehop.__all__)


def test_no_module_takes_the_place_of_a_name():
    """An imported module is an attribute of the package too, so that it needs another name."""
    modules = {path.stem for path in Path(onehop.__file__).parent.iterdir()}
    assert modules.isdisjoint(onehop.__all__)


def test_unknown_name_is_an_attribute_error():
    with pytest.raises(AttributeError, match="no attribute 'nothing'"):
        onehop.nothing  # noqa: B018


def test_package_is_typed():
    folder = Path(onehop.__file__).parent
    assert (folder / "py.typed").exists()


@pytest.mark.parametrize("module", MODULES)
def test_stub_is_as_agreed(module):
    """The interface of a C++ module changes only on purpose: then copy the new stub here."""
    stub = (Path(onehop.__file__).parent / f"{module}.pyi").read_text()
    agreed = (Path(__file__).parent / f"{module}.pyi.ref").read_text()
    assert normal(stub) == normal(agreed)


@pytest.mark.parametrize("module", MODULES)
def test_modules_share_one_copy_of_the_library(module):
    """A second copy would have transports, settings and caches of its own."""
    folder = Path(onehop.__file__).parent
    [path] = folder.glob(f"{module}.*.so")
    library = dynamic_symbols(folder / "lib" / "libonehop_core.so")
    shared = {s.name for s in library if s.defined and not s.weak and "onehop" in s.name}
    symbols = dynamic_symbols(path)
    assert shared & {s.name for s in symbols if not s.defined}
    assert not shared & {s.name for s in symbols if s.defined}


def normal(stub: str) -> str:
    return re.sub(r"__version__: str = .*", "__version__: str", stub)
