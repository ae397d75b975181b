"""`onehop app graph-search` from outside."""

from __future__ import annotations

import json
import types
from pathlib import Path

import numpy as np
import pytest
from conftest import ONEHOP
from scipy.sparse import coo_matrix
from scipy.sparse.csgraph import shortest_path

import onehop as onehop_package
from onehop import UsageError, _apps, _core
from onehop.cli._shared import job
from onehop.cli.app import graph_search_input

APP = ("app", "graph-search")
SMALL = (*APP, "--scale", "9", "--roots", "5", "--seed", "3")


def record_of(onehop, *words):
    ended = onehop(*words, "--json", "-")
    assert (ended.status, ended.err) == (0, "")
    return json.loads(ended.out)


def trees_of(onehop, tmp_path, *words):
    """Record, levels and parents."""
    files = [tmp_path / "levels.npy", tmp_path / "parents.npy"]
    record = record_of(onehop, *words, "--levels", files[0], "--parents", files[1])
    return record, *map(np.load, files)


def test_record_has_what_graph500_asks_for(onehop):
    record = record_of(onehop, *SMALL)
    assert (record["schema"], record["app"]) == ("onehop.app/1", "graph-search")
    result, check = record["result"], record["check"]
    assert (result["scale"], result["edgefactor"], result["nbfs"]) == (9, 16, 5)
    for what in ("time", "nedge", "teps"):
        values = [
            result[f"{which}_{what}"]
            for which in ("min", "firstquartile", "median", "thirdquartile", "max")
        ]
        assert values == sorted(values)
    rates = np.array([sample["teps"] for sample in record["samples"]])
    assert np.isclose(result["harmonic_mean_teps"], 1 / np.mean(1 / rates))
    assert result["construction_time"] == record["timing"]["construction_s"] > 0
    assert (check["passed"], check["value"], check["limit"]) == (True, 0, 0)
    for sample in record["samples"]:
        assert sample["reached"] == sum(sample["vertices_by_level"])
        assert sample["teps"] == sample["edges"] / sample["time_s"]


@pytest.fixture(scope="module")
def grid(tmp_path_factory):
    """Two grids of 12 by 9 vertices without an edge between them, with edges that occur twice and
    loops, in any order."""
    width, height = 12, 9
    numbers = np.arange(width * height).reshape(height, width)
    across = np.stack([numbers[:, :-1].ravel(), numbers[:, 1:].ravel()], axis=1)
    down = np.stack([numbers[1:].ravel(), numbers[:-1].ravel()], axis=1)
    one = np.concatenate([across, down, down[::3], across[::7][:, [0, 0]]])
    edges = np.random.default_rng(1).permutation(np.concatenate([one, one + width * height]))
    name = tmp_path_factory.mktemp("graph") / "grid.npy"
    np.save(name, edges)
    return name, edges


def levels_by_scipy(edges, roots, vertices=None):
    vertices = vertices or edges.max() + 1
    ones = np.ones(len(edges))
    matrix = coo_matrix((ones, edges.T), shape=(vertices, vertices)).tocsr()
    found = shortest_path(matrix, directed=False, unweighted=True, indices=roots)
    return np.where(np.isfinite(found), found, -1).astype(int)


@pytest.mark.parametrize("words", [("--partition", "2x2"), ("--partition", "1x3")], ids=" ".join)
def test_levels_of_a_kronecker_graph_are_those_of_scipy(onehop, tmp_path, words):
    """The edges are drawn here once more as the application's generator is documented to do, by
    the package itself; what is searched is not."""
    scale = 12
    kronecker = (*APP, "--scale", scale, "--roots", "6", "--seed", "11", *words)
    record, levels, parents = trees_of(onehop, tmp_path, *kronecker)
    edges = _apps.kronecker_edges(_core.join("self"), scale, 16, 11).astype(int)
    roots = [sample["root"] for sample in record["samples"]]
    expected = levels_by_scipy(edges, roots, 2**scale)
    assert (levels == expected).all() and expected.max() >= 4
    joined = coo_matrix((np.ones(len(edges)), edges.T), shape=(2**scale, 2**scale)).tocsr()
    joined = joined + joined.T
    for of_root, up, root in zip(levels, parents, roots, strict=True):
        assert up[root] == root and (up[of_root < 0] == -1).all()
        for v in np.flatnonzero(of_root > 0):
            row = joined.indices[joined.indptr[v] : joined.indptr[v + 1]]
            assert up[v] == row[of_root[row] == of_root[v] - 1].min()


@pytest.mark.parametrize("ranks", [1, 3])
def test_levels_of_a_graph_of_ones_own_are_those_of_scipy(onehop, grid, tmp_path, ranks):
    name, edges = grid
    words = (*APP, "--edges", name, "--roots", "12", "-n", ranks)
    record, levels, parents = trees_of(onehop, tmp_path, *words)
    roots = [sample["root"] for sample in record["samples"]]
    assert (levels == levels_by_scipy(edges, roots)).all()
    assert {sample["edges"] for sample in record["samples"]} == {len(edges) // 2}
    neighbours = {(a, b) for a, b in [*edges.tolist(), *edges[:, ::-1].tolist()] if a != b}
    for of_root, up in zip(levels, parents, strict=True):
        for v, (level, parent) in enumerate(zip(of_root, up, strict=True)):
            nearer = [a for a, b in neighbours if b == v and of_root[a] == level - 1 >= 0]
            assert parent == (v if level == 0 else min(nearer, default=-1))


@pytest.fixture(scope="module")
def alone(onehop_once, tmp_path_factory):
    folder = tmp_path_factory.mktemp("alone")
    return trees_of(onehop_once, folder, *SMALL, "--variant", "top-down")


@pytest.mark.parametrize(
    "words",
    [
        ("--variant", "pruned"),
        ("-n", "2"),
        ("-n", "3", "--variant", "top-down"),
        ("-n", "4", "--variant", "pruned"),
        ("-n", "4", "--partition", "2d", "--variant", "top-down"),
        ("-n", "4", "--partition", "2d", "--variant", "pruned"),
        ("-n", "4", "--partition", "2d"),
        ("-n", "6", "--partition", "2d"),
        ("--partition", "3x2"),
        ("--partition", "2x1", "--variant", "top-down"),
        ("--partition", "2x2", "--transport", "mpi_p2p"),
        ("--partition", "2x2", "--transport", "virtual:apenet-v4"),
        ("--partition", "2x2", "--transport", "virtual:quong", "--memory", "device"),
        ("-n", "2", "--transport", "mpi_p2p"),
        ("-n", "2", "--transport", "mpi_rma"),
        ("-n", "4", "--transport", "virtual:apenet-v4"),
        ("-n", "2", "--transport", "virtual:quong", "--memory", "device"),
    ],
    ids=" ".join,
)
def test_trees_are_the_same_on_any_wire(onehop, alone, tmp_path, words):
    if "mpi" in " ".join(words) and not Path(ONEHOP).with_name("mpicxx").exists():
        pytest.skip("no MPI")
    record, levels, parents = trees_of(onehop, tmp_path, *SMALL, *words)
    expected, expected_levels, expected_parents = alone
    assert (levels == expected_levels).all() and (parents == expected_parents).all()
    for found, of in zip(record["samples"], expected["samples"], strict=True):
        assert {k: found[k] for k in ("root", "edges", "vertices_by_level")} == {
            k: of[k] for k in ("root", "edges", "vertices_by_level")
        }


def test_another_seed_gives_another_graph(onehop, alone):
    other = record_of(onehop, *SMALL, "--seed", "4")["samples"]
    levels = [sample["vertices_by_level"] for sample in alone[0]["samples"]]
    assert [sample["vertices_by_level"] for sample in other] != levels


def test_a_virtual_machine_is_charged_for_what_is_read(onehop):
    """One rank of one GPU at 150 GB/s, 7 us a launch: of each level 12 bytes a vertex and 8 an edge
    of it; messages do not exist, and reductions of one rank cost nothing."""
    wire = ("--transport", "virtual:apenet-v4", "--memory", "device", "--variant", "top-down")
    for sample in record_of(onehop, *SMALL, *wire)["samples"]:
        read = 12 * sample["reached"] + 8 * sum(sample["edges_by_level"])
        launches = len(sample["vertices_by_level"])
        assert sample["time_s"] == pytest.approx(7e-6 * launches + read / 150e9, rel=1e-3)


def test_picture_and_table(onehop, tmp_path):
    ended = onehop(*SMALL, "--plot", tmp_path / "s.svg")
    assert ended.status == 0
    assert "million edges per second" in ended.out and "valid: no vertices" in ended.out
    assert (tmp_path / "s.svg").stat().st_size > 1000


def saved(tmp_path, array):
    np.save(tmp_path / "bad.npy", array)
    return tmp_path / "bad.npy"


@pytest.mark.parametrize(
    ("array", "message"),
    [
        (np.zeros((4, 3), int), "shape (edges, 2)"),
        (np.zeros((4, 2)), "float64"),
        (np.zeros((0, 2), int), "holds no edges"),
        (np.array([[0, -1]]), "-1"),
        (np.array([[0, 2**31]]), "0 to 2147483647 are possible"),
        (np.array([[5, 5]]), "no edge between two vertices"),
    ],
)
def test_edges_that_are_none_are_refused(refused, tmp_path, array, message):
    assert message in refused(*APP, "--edges", saved(tmp_path, array), "-n", "2")


@pytest.mark.parametrize(
    ("edges", "message"),
    [
        ([[0, 2**31 - 1]], "of vertices 0 to 2147483647, takes about 80.0 GiB"),
        ([[0, 1]] * 100_000, "of vertices 0 to 1, takes about 5.3 MiB"),
    ],
    ids=["vertices", "edges"],
)
def test_edges_that_memory_cannot_hold_are_refused(monkeypatch, tmp_path, edges, message):
    machine = types.SimpleNamespace(memory_bytes=2**22)
    core = types.SimpleNamespace(inspect_machine=lambda: machine)
    monkeypatch.setattr(job, "_core", core)
    options = types.SimpleNamespace(scale=None, edgefactor=None, partition="1x1")
    options.edges = str(saved(tmp_path, np.array(edges)))
    with pytest.raises(UsageError, match=message):
        graph_search_input.check(options)
    machine.memory_bytes = 2**37
    graph_search_input.check(options)


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (APP, "give --scale"),
        (
            (*APP, "--scale", "1", "--edgefactor", "1", "--seed", "5", "-n", "3"),
            "nothing to search",
        ),
        ((*SMALL, "--edges", "x.npy"), "--scale for a generated graph, or --edges"),
        ((*APP, "--edges", "nowhere.npy"), "cannot read nowhere.npy"),
        ((*APP, "--edges", __file__), "it is not an .npy file"),
        ((*APP, "--edges", "x.npy", "--edgefactor", "3"), "--edgefactor is for generated graphs"),
        ((*APP, "--scale", "32"), "the most is 31"),
        ((*APP, "--scale", "31", "--edgefactor", "1024"), "takes about"),
        ((*SMALL, "--variant", "prund"), "did you mean pruned?"),
        ((*SMALL, "--roots", "0"), "--roots"),
        ((*SMALL, "--partition", "3d"), "1d, 2d or rows and columns as 2x3 are needed"),
        ((*SMALL, "--partition", "2x2", "-n", "3"), "is for 4 ranks, and --ranks is 3"),
        ((*SMALL, "--memory", "device"), "add --transport virtual:PLATFORM"),
        ((*SMALL, "--levels", "a.npy", "--parents", "a.npy"), "would overwrite"),
        ((*SMALL, "--plot", "e.txt"), "must end in .png, .pdf or .svg"),
    ],
)
def test_bad_use_is_one_line_that_says_what_to_do(refused, words, message):
    assert message in refused(*words)


def test_other_files_are_not_taken_for_pickled_objects(refused):
    assert refused(*APP, "--edges", __file__).endswith("it is not an .npy file")


def test_a_header_that_cannot_be_parsed_is_one_line(refused, tmp_path):
    name = tmp_path / "edges.npy"
    np.save(name, np.zeros((4, 2), np.int64))
    name.write_bytes(name.read_bytes().replace(b"'shape': (4, 2)", b"'shape': (4, 2 "))
    assert "its array cannot be read" in refused(*APP, "--edges", name)


def test_program_runs_under_the_launcher_with_the_same_searches(onehop, alone):
    program = Path(onehop_package.__file__).parent / "bin" / "graph_search"
    ended = onehop("run", "-n", "2", "--", program, "9", "16", "5", "3", "pruned")
    assert (ended.status, ended.err) == (0, "")
    words = [line.split() for line in ended.out.splitlines()]
    found = [(int(w[0]), int(w[1]), int(w[3])) for w in words]
    assert found == [
        (s["root"], len(s["vertices_by_level"]), s["edges"]) for s in alone[0]["samples"]
    ]
