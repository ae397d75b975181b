"""Packages that only parts of onehop need may be missing, and the message must say so."""

from __future__ import annotations

import pytest


@pytest.fixture
def without(onehop, tmp_path):
    """Runs onehop where a package cannot be imported."""

    def run(package, *words):
        hide = f"import sys\nsys.modules[{package!r}] = None\n"
        (tmp_path / "sitecustomize.py").write_text(hide)
        return onehop(*words, PYTHONPATH=str(tmp_path))

    return run


SOLVE = ("solve", "--lattice", "4x4x4x4", "--start", "cold", "--kappa", "0.1")


@pytest.mark.parametrize(
    ("package", "extra", "words"),
    [
        ("matplotlib", "plot", (*SOLVE, "--plot", "pion.png")),
        ("h5py", "hdf5", (*SOLVE, "--hdf5", "pion.h5")),
        ("scipy", "fit", ("fit", __file__)),
        ("scipy", "fit", ("reproduce", "--calibrate")),
        ("jinja2", "report", ("report", __file__, "-o", "report.html")),
    ],
)
def test_a_missing_package_is_one_line_before_any_work(without, tmp_path, package, extra, words):
    names = ("pion.png", "pion.h5", "report.html")
    ended = without(package, *(tmp_path / w if w in names else w for w in words))
    assert (ended.status, ended.out) == (2, "")
    assert ended.err.count("\n") == 1
    assert f"needs {package}, which is not installed" in ended.err
    assert f"pip install '.[{extra}]'" in ended.err
    assert not any((tmp_path / name).exists() for name in names)


@pytest.mark.parametrize(
    ("module", "words"),
    [
        ("_bench", ("bench", "latency", "--sizes", "8")),
        ("_bench", ("tune",)),
        ("_apps", ("app", "spin-glass", "--lattice", "4x4x4", "--beta", "1")),
    ],
)
def test_what_was_left_out_of_the_build_is_one_line(without, module, words):
    ended = without(f"onehop.{module}", *words)
    assert (ended.status, ended.out) == (2, "")
    assert ended.err == (
        f"onehop: onehop {words[0]} is not part of this installation, which was made without "
        "applications, benchmarks and MPI library; make install, or pip install ., makes one with "
        "them\n"
    )
    assert without(f"onehop.{module}", *SOLVE).status == 0


@pytest.mark.parametrize("package", ["matplotlib", "h5py", "scipy", "jinja2"])
def test_the_rest_does_without(without, tmp_path, package):
    assert without(package, *SOLVE, "--json", tmp_path / "pion.json").status == 0
    assert without(package, "simulate", "apenet-v4", "halo").status == 0
    assert without(package, "info").status == 0
