"""What other runs read on from is replaced only by --force; results are replaced by results."""

from __future__ import annotations

import shutil

import pytest

SMOOTH = ("--smear", "stout:0.1")


@pytest.fixture
def kept(configurations, tmp_path):
    """Returns a configuration that a command could write to, with its name."""
    path = tmp_path / "kept.nersc"
    shutil.copy(configurations["nersc"], path)
    return path


@pytest.mark.parametrize("ranks", [1, 2])
def test_measure_keeps_a_configuration(onehop, refused, configurations, kept, ranks):
    before = kept.read_bytes()
    words = ("measure", configurations["nersc"], *SMOOTH, "--ranks", ranks, "-o", kept)
    line = refused(*words)
    assert line == f"{kept} exists; give another name, or --force to replace it"
    assert kept.read_bytes() == before
    assert onehop(*words, "--force").status == 0
    assert kept.read_bytes() != before


@pytest.mark.parametrize("ranks", [1, 2])
def test_solve_keeps_a_propagator(onehop, refused, configurations, tmp_path, ranks):
    words = ("solve", configurations["nersc"], "--mass", "0.5", "--ranks", ranks)
    out = ("--out", tmp_path / "s.npy")
    assert onehop(*words, *out).status == 0
    before = (tmp_path / "s.npy").read_bytes()
    assert "s.npy exists; give another name, or --force" in refused(*words, *out, "--tol", "1e-3")
    assert (tmp_path / "s.npy").read_bytes() == before
    assert onehop(*words, *out, "--tol", "1e-3", "--force").status == 0
    assert (tmp_path / "s.npy").read_bytes() != before


def test_fit_keeps_a_platform_file(onehop, refused, tmp_path):
    mine, points = tmp_path / "mine.toml", tmp_path / "points.csv"
    assert onehop("platform", "new", "mine", "-o", mine).status == 0
    before = mine.read_bytes()
    rows = "".join(f"{2**k},1,{1 + 2**k / 900}\n" for k in range(3, 20))
    points.write_text(f"size_bytes,channels,time_us\n{rows}")
    words = ("fit", points, "--model", "hockney", "-o", mine)
    assert "mine.toml exists; give another name, or --force" in refused(*words)
    assert mine.read_bytes() == before
    assert onehop(*words, "--force").status == 0
    assert mine.read_bytes() != before


def test_run_keeps_a_recording(refused, tmp_path):
    (tmp_path / "recording").write_text("of yesterday")
    words = ("run", "-n", "1", "--mpi", "--record", tmp_path / "recording", "--", "true")
    assert "recording exists; give another name, or --force" in refused(*words)
    assert (tmp_path / "recording").read_text() == "of yesterday"


def test_an_empty_file_is_none(onehop, configurations, tmp_path):
    (tmp_path / "new.nersc").touch()
    words = ("measure", configurations["nersc"], *SMOOTH, "-o", tmp_path / "new.nersc")
    assert onehop(*words).status == 0


@pytest.mark.parametrize(
    ("option", "form"),
    [("--json", "nersc"), ("--hdf5", "h5"), ("--json", "scidac"), ("--trace", "npy")],
)
def test_results_replace_no_field(onehop, refused, configurations, tmp_path, option, form):
    """Links are not lost to a name that was completed to the wrong one."""
    path = tmp_path / f"kept.{form}"
    assert onehop("convert", configurations["nersc"], path).status == 0
    before = path.read_bytes()
    line = refused("solve", configurations["nersc"], "--mass", "0.5", option, path)
    kept = "links, a propagator or eigenvectors"
    assert line == f"{option} {path} would replace {kept}; give another name"
    assert path.read_bytes() == before


def test_results_replace_no_history(onehop, refused, tmp_path):
    words = ("--lattice", "4x4x4x4", "--beta", "6", "--sweeps", "1", "-o", tmp_path / "g")
    assert onehop("generate", *words).status == 0
    before = (tmp_path / "g.json").read_bytes()
    line = refused("solve", tmp_path / "g", "--mass", "0.5", "--json", tmp_path / "g.json")
    assert "would replace the history of g, which generate --continue needs" in line
    assert (tmp_path / "g.json").read_bytes() == before


def test_results_replace_those_of_an_earlier_run(onehop, configurations, tmp_path):
    names = {"--json": "r.json", "--hdf5": "r.h5", "--plot": "r.png", "--trace": "t.json"}
    words = [word for option, name in names.items() for word in (option, tmp_path / name)]
    for mass in ("0.5", "0.6"):
        ended = onehop("solve", configurations["nersc"], "--mass", mass, *words)
        assert (ended.status, ended.err) == (0, "")


def test_force_says_what_it_is_for(refused, configurations):
    for command, other in (("solve", "--out"), ("measure", "--output"), ("convert", "OUT")):
        line = refused(command, configurations["nersc"], "--force")
        assert line == f"--force is for {other}; give {other} too, or leave --force out"
