"""`import onehop` must cost little and offer what it should."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

import pytest

import onehop


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
    assert (folder / "py.typed").exists() and (folder / "_core.pyi").exists()


def test_stub_is_as_agreed():
    """The interface of the C++ module changes only on purpose: then copy the new stub here."""
    stub = (Path(onehop.__file__).parent / "_core.pyi").read_text()
    agreed = (Path(__file__).parent / "_core.pyi.ref").read_text()
    assert normal(stub) == normal(agreed)


def normal(stub: str) -> str:
    return re.sub(r"__version__: str = .*", "__version__: str", stub)
