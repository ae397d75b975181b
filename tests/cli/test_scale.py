"""`onehop scale` is tested from outside."""

from __future__ import annotations

import json

import pytest

from onehop.netsim import platform_file

LATTICE = ("--lattice", 32, 32, 32, 64)


def test_record_has_every_platform_and_count(onehop, tmp_path):
    words = ("--platforms", "apenet-v5,infiniband-qdr", "--nodes", "16:64")
    picture = tmp_path / "scale.png"
    ended = onehop("scale", *LATTICE, *words, "--json", "-", "--plot", picture)
    assert ended.status == 0, ended.err
    record = json.loads(ended.out)
    found = [(s["platform"], s["nodes"]) for s in record["samples"]]
    assert found == [(p, n) for p in ("apenet-v5", "infiniband-qdr") for n in (16, 32, 64)]
    assert all(s["iteration_us"] > 0 and s["grid"] for s in record["samples"])
    assert picture.read_bytes().startswith(b"\x89PNG")


def test_a_platform_ends_where_its_file_says(onehop):
    ended = onehop("scale", *LATTICE, "--platforms", "tca-peach2", "--nodes", "8:64")
    assert ended.status == 0 and "tca-peach2 has at most 16 nodes" in ended.err
    shown = [line.split()[0] for line in ended.out.splitlines() if not line.startswith("#")]
    assert shown == ["8", "16"]


def test_numbers_after_one_that_cuts_nothing_are_shown(onehop):
    """A lattice of powers of two is not cut into 24 parts, but into 32."""
    words = ("--platforms", "apenet-v4,apenet-v5", "--nodes", "16,24,32,64")
    ended = onehop("scale", *LATTICE, *words)
    assert ended.status == 0
    assert ended.err.count("cannot be cut into 24 equal parts") == 1
    shown = [line.split()[0] for line in ended.out.splitlines() if not line.startswith("#")]
    assert shown == 2 * ["16", "32", "64"]


def test_two_files_of_one_name_are_refused(refused, tmp_path):
    files = [tmp_path / "first.toml", tmp_path / "second.toml"]
    for file in files:
        file.write_text(platform_file.find("apenet-v4").read_text())
    said = refused("scale", *LATTICE, "--platforms", ",".join(map(str, files)))
    assert "both called apenet-v4" in said and all(str(file) in said for file in files)


def test_the_table_fits_a_hundred_columns(onehop):
    """The rows of a platform follow the line that says where it stops."""
    words = ("--platforms", "apenet-v4,infiniband-qdr", "--nodes", "16:32768")
    lines = onehop("scale", "--lattice", "64x64x64x128", *words).out.splitlines()
    assert max(map(len, lines)) <= 100
    assert "Bisec." in lines[1] and "(us)" in lines[2]
    first, second = (n for n, line in enumerate(lines) if "fastest on" in line)
    assert lines[first].startswith("# apenet-v4: ") and lines[second].startswith("# infiniband")
    numbers = [int(line.split()[0]) for line in lines[first + 1 : second]]
    assert numbers == [16 << k for k in range(12)]


def test_links_of_pairs_have_no_bisection(onehop):
    """A fitted machine has such links, of a rate that stands for none."""
    words = ("--platforms", "nanet", "--nodes", "2", "--node-gflops", "100")
    heads, row = (onehop("scale", *LATTICE, *words).out.splitlines()[n] for n in (1, -1))
    assert heads.split()[-3:] == ["Bisec.", "ns", "node"] and row.split()[-2] == "-"
    record = json.loads(onehop("scale", *LATTICE, *words, "--json", "-").out)
    assert record["samples"][0]["bisection_gbs"] is None


def test_a_platform_without_gpus_computes_on_its_host(onehop, tmp_path):
    words = ("--platforms", "qpace", "--nodes", "16,256", "--json", "-")
    samples = json.loads(onehop("scale", *LATTICE, *words).out)["samples"]
    assert samples[0]["iteration_us"] > 5 * samples[1]["iteration_us"]


@pytest.fixture
def without_host(tmp_path):
    """Gives QPACE with nothing said of what its nodes compute with."""
    text = platform_file.find("qpace").read_text()
    before, _, after = text.partition("[host]\n")
    name = tmp_path / "mute.toml"
    name.write_text(before + after[after.index("\n[") :])
    return name


def test_nodes_that_compute_in_no_time_are_said(onehop, refused, without_host):
    assert "give --node-gflops" in refused("scale", *LATTICE, "--platforms", without_host)
    cg = onehop("simulate", without_host, "cg", "--lattice", "16x16x16x16", "--nodes", "2x2x2")
    solve = onehop(
        *("solve", "--lattice", "4x4x4x4", "--start", "cold", "--kappa", "0.1"),
        *("--ranks", "2", "--transport", f"virtual:{without_host}"),
    )
    for ended in (cg, solve):
        assert ended.status == 0, ended.err
        assert "has no [host]: its nodes compute in no time" in ended.err
    with_host = onehop("simulate", "qpace", "cg", "--lattice", "16x16x16x16", "--nodes", "2x2x2")
    assert (with_host.status, with_host.err) == (0, "")


def test_refusals(refused):
    assert "needs --lattice" in refused("scale")
    assert "must be even" in refused("scale", "--lattice", 5, 4, 4, 4)
    assert "whole numbers above 0 are needed" in refused("scale", *LATTICE, "--nodes", "many")
    assert "unknown platform" in refused("scale", *LATTICE, "--platforms", "nowhere")
    lost = refused("scale", "--lattice", 4, 4, 4, 4, "--nodes", "7")
    assert "cannot be cut into 7 equal parts" in lost


def test_simulation_stands_beside_the_closed_form(onehop):
    words = ("--platforms", "apenet-v5,tca-peach2", "--nodes", "2,16", "--simulate", "--verbose")
    ended = onehop("scale", *LATTICE, *words, "--json", "-")
    assert ended.status == 0 and "simulate apenet-v5, 16 nodes, " in ended.err
    assert ended.err.splitlines()[-1].endswith("4/4")
    samples = json.loads(ended.out)["samples"]
    assert len(samples) == 4 and "not simulated" not in ended.err
    for sample in samples:
        # Packets take no less than the closed form; on rings that two axes share, up to the detours
        # of ranks whose neighbours are not next to them.
        most = 1.1 if sample["platform"] == "apenet-v5" else 3
        assert 0.99 < sample["simulated_us"] / sample["iteration_us"] < most, sample
