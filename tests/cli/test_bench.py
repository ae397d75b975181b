"""`onehop bench` is tested from outside: table, record, refusals, and what happens when bytes are
wrong."""

from __future__ import annotations

import csv
import io
import json
import types
from pathlib import Path

import pytest

from onehop.cli._shared.lists import size
from onehop.cli.bench import operator as bench_operator
from onehop.cli.bench import record as bench_record
from onehop.cli.bench import run as bench_run
from onehop.cli.bench.cells import lattice_faces
from onehop.cli.bench.sizes import sizes
from onehop.cli.bench.table import BenchTable

QUICK = ("--min-time", "0.01", "--max-time", "0.05", "--block-time", "50", "--warmup", "1")
ON_QPACE = ("--transport", "virtual:qpace")
TABLE = Path(__file__).with_name("bench_table.txt")


def sample(**changes) -> dict:
    usual = {
        "method": "onehop",
        "peer": None,
        "followed": True,
        "size_bytes": 96,
        "faces": 2,
        "value": 0.2894,
        "least": 0.286,
        "most": 0.301,
        "spread": 0.0123,
        "unit": "us",
        "wrong": 0,
        "met": True,
        "why": "spread 1.2% met the goal of 2%",
        "line_latency_ns": 140.0,
    }
    return usual | changes


def fixed_record() -> dict:
    peer = sample(method="plain", value=0.28, wrong=3, size_bytes=1048576)
    record = {
        "pattern": "halo",
        "version": "1.2.3",
        "transport": "shm",
        "ranks": 2,
        "cores": [0, 1],
        "pinning": "none",
        "channel_choice": "built in",
        "warnings": ["2 ranks share 1 core: times contain the waits for a turn"],
        "samples": [sample(), peer],
        "comparison": [
            {
                "faces": 2,
                "size_bytes": 96,
                "ours_us": 0.2894,
                "best_peer_us": 0.28,
                "best_peer": "plain",
                "ratio": 1.034,
                "ratio_low": 1.01,
                "ratio_high": 1.06,
                "verdict": "SAME",
            }
        ],
    }
    bench_record.finish(record, 0.0)
    return record


def test_table_is_as_agreed():
    out, talk = io.StringIO(), io.StringIO()
    table = BenchTable(fixed_record(), True, out, talk)
    table.begin()
    table.add()
    assert table.end(types.SimpleNamespace(csv=None, json=None)) == 1
    assert out.getvalue() == TABLE.read_text()
    assert talk.getvalue().startswith("onehop: warning: 2 ranks share 1 core:")


@pytest.mark.parametrize(("unit", "shown"), [("us", "MPI low"), ("MB/s", "MPI high")])
def test_of_each_peer_the_fastest_is_shown(unit, shown):
    record = fixed_record()
    record["samples"] = [sample(unit=unit)] + [
        sample(method=method, peer="MPI", unit=unit, value=value)
        for method, value in (("MPI high", 9000.0), ("MPI low", 50.0))
    ]
    out = io.StringIO()
    BenchTable(record, True, out, io.StringIO()).add()
    ours, peer = out.getvalue().splitlines()
    assert "onehop" in ours and shown in peer


def test_wrong_bytes_fail_the_check():
    record = fixed_record()
    assert record["check"]["passed"] is False and record["check"]["why"] == "3 bytes wrong"
    record["samples"][1]["wrong"] = 0
    bench_record.finish(record, 0.0)
    assert record["check"]["passed"] is True


@pytest.mark.parametrize(
    ("latency", "cores", "name"),
    [(45.0, 2, "near"), (250.0, 2, "far"), (0.0, 2, None), (1e6, 1, None)],
)
def test_regime_is_named_by_the_line_latency_between_cores(latency, cores, name):
    record = fixed_record() | {"cores": list(range(cores))}
    for one in record["samples"]:
        one["line_latency_ns"] = latency
    bench_record.finish(record, 0.0)
    assert record["regime"] == name


def test_cores_that_were_moved_are_told():
    record = fixed_record()
    record["samples"].append(sample(size_bytes=8, line_latency_ns=45.0))
    bench_record.finish(record, 0.0)
    out = io.StringIO()
    BenchTable(record, True, out, io.StringIO()).end(types.SimpleNamespace(csv=None, json=None))
    assert "cores are far: 140 ns for a line; in 1 of 3 cells they were near" in out.getvalue()


def test_undisturbed_rounds_are_kept_where_there_are_enough():
    assert bench_record.kept_rounds([True] + [False] * 6) == [1, 2, 3, 4, 5, 6]
    assert bench_record.kept_rounds([True, False, True]) == [0, 1, 2]


def test_sizes_are_a_list_or_double():
    assert sizes("8,24,8") == [8, 24, 8]
    assert sizes("8:100") == [8, 16, 32, 64]
    assert sizes("96,24KiB,1MiB") == [96, 24576, 1048576]
    assert sizes("2KiB:8KiB") == [2048, 4096, 8192]
    for bad in ("", "8,", "0", "8:4", "-8", "8:16:32", "1.5", "1KiB2", "KiB", "1.5KiB"):
        with pytest.raises(ValueError, match="units are KiB, MiB and GiB"):
            sizes(bad)


def test_the_size_of_a_message_has_a_unit_or_none():
    assert [size(text) for text in ("0", "24576", "24KiB", "1024GiB")] == [0, 24576, 24576, 2**40]
    for bad in ("", "-1", "1M", "1MB", "1.5KiB", "2000GiB", "8,8", "8:16"):
        with pytest.raises(ValueError, match="a whole number of bytes .* units are KiB"):
            size(bad)


def test_faces_of_a_lattice_have_its_sizes():
    class options:  # noqa: N801
        lattice, site_bytes = [2, 4, 8, 16], 10

    assert lattice_faces(options, 2) == [640, 640]
    assert lattice_faces(options, 8) == [640] * 2 + [1280] * 2 + [2560] * 2 + [5120] * 2


OF_BYTES = "latency bandwidth bibandwidth pingping put get allreduce broadcast allgather alltoall"


@pytest.mark.parametrize("pattern", OF_BYTES.split())
def test_record_has_checked_samples(onehop, pattern):
    ended = onehop("bench", pattern, "--sizes", "8,64", *QUICK, "--json", "-")
    assert ended.status == 0, ended.err
    record = json.loads(ended.out)
    assert record["schema"] == "onehop.bench/1" and record["check"]["passed"]
    assert [s["size_bytes"] for s in record["samples"]] == [8, 64]
    for one in record["samples"]:
        assert one["wrong"] == 0 and one["value"] > 0 and len(one["raw"]) == len(one["disturbed"])
        assert one["unit"] == ("MB/s" if "bandwidth" in pattern else "us")
        low, high = one["quartiles"]
        assert one["least"] <= low <= one["value"] <= high <= one["most"]
    assert record["line_latency_ns"] > 0 and record["regime"] in ("near", "far")
    assert record["pinning"] and record["cores"]


def test_comparison_names_the_best_peer(onehop):
    words = ("--faces", "2,4", "--sizes", "96", "--against", "hand", "--check", "inside")
    ended = onehop("bench", "halo", *words, *QUICK, "--json", "-", ONEHOP_CHANNELS="plain")
    record = json.loads(ended.out)
    assert record["channel_choice"] == "plain, ONEHOP_CHANNELS says so"
    methods = [s["method"] for s in record["samples"] if s["faces"] == 2]
    assert ended.status == 0 and methods[0] == "onehop" and "plain" in methods
    assert [c["faces"] for c in record["comparison"]] == [2, 4]
    for found in record["comparison"]:
        assert found["best_peer"] in methods[1:]
        assert found["ratio_low"] <= found["ratio"] <= found["ratio_high"]
        assert found["verdict"] in ("SAME", "FAST", "SLOW", "AMBIGUOUS")


def test_early_faces_are_compared_with_those_that_leave_together(onehop):
    words = ("halo", "--sizes", "96,4096", "--faces", "2,4", "--channels", "2", "--early")
    ended = onehop("bench", *words, *QUICK, "--json", "-")
    assert ended.status == 0, ended.err
    record = json.loads(ended.out)
    assert record["check"]["passed"] and {s["wrong"] for s in record["samples"]} == {0}
    assert [s["method"] for s in record["samples"]] == ["onehop early", "onehop"] * 4
    assert all(found["best_peer"] == "onehop" for found in record["comparison"])


def test_a_comparison_says_how_long_it_takes_at_most():
    options = types.SimpleNamespace(max_time=3.0, sizes=[8, 16])
    told = bench_run._promise(options, 24, {"peers": [{}, {}]})
    assert told.startswith("24 cells of 3 programs in turn, at most 3 s each: 1 min 12 s;")
    options.sizes = sizes("auto")
    assert "and again for those that --sizes auto adds" in bench_run._promise(
        options, 1, {"peers": []}
    )


def test_table_csv_and_record_are_of_one_run(onehop, tmp_path):
    files = ("--csv", tmp_path / "t.csv", "--json", tmp_path / "t.json")
    words = ("halo", "--lattice", "4x4x4x8", "--faces", "8", *QUICK, *files)
    ended = onehop("bench", *words, XDG_CACHE_HOME=str(tmp_path))
    assert "# channels: built in; onehop tune measures them" in ended.out
    lines = [line for line in ended.out.splitlines() if not line.startswith("#")]
    record = json.loads((tmp_path / "t.json").read_text())
    with (tmp_path / "t.csv").open() as file:
        (row,) = csv.DictReader(file)
    assert len(lines) == 1 and lines[0].split()[:2] == ["24576", "8"] and lines[0].endswith(" 0")
    assert float(row["value"]) == record["samples"][0]["value"]


def test_one_rank_on_self(onehop):
    record = json.loads(
        onehop("bench", "latency", "--transport", "self", "--sizes", "8", *QUICK, "--json", "-").out
    )
    assert (record["ranks"], record["transport"]) == (1, "self")
    assert record["regime"] is None


def test_barrier_has_no_bytes_and_one_message_waits_for_each(onehop):
    record = json.loads(onehop("bench", "barrier", *QUICK, "--json", "-").out)
    assert [s["size_bytes"] for s in record["samples"]] == [0] and record["check"]["passed"]
    words = ("bandwidth", "--sizes", "64", *QUICK, "--json", "-")
    many, one = (
        json.loads(onehop("bench", *words, *more).out)["samples"][0]["value"]
        for more in ((), ("--messages", "1"))
    )
    assert one < many


def test_committed_chains_bring_every_byte(onehop):
    words = ("commit", *QUICK, "--json", "-")
    record = json.loads(onehop("bench", *words).out)
    few = record["samples"][0]
    assert record["check"]["passed"] and few["messages"] == 26
    many = json.loads(onehop("bench", *words, "--messages", "520").out)["samples"][0]
    assert many["value"] > few["value"]


def test_packed_ping_ping_is_read_in_every_step(onehop):
    words = ("pingping", "--pack", "direct", "--messages", "4", "--sizes", "96", *QUICK)
    record = json.loads(onehop("bench", *words, "--json", "-").out)
    assert record["options"]["check"] == "inside" and record["check"]["passed"]
    assert record["samples"][0]["messages"] == 4


@pytest.mark.parametrize(
    ("words", "part"),
    [
        ((), "needs PATTERN"),
        (("barrier", "--sizes", "8"), "not barrier"),
        (("put", "--messages", "2"), "--messages is for bandwidth"),
        (("put", "--pack", "direct"), "--pack is for halo and pingping"),
        (("put", "--schedule", "dissemination"), "--schedule is for alltoall"),
        (("halo", "--peers", "."), "--peers is for --against mpi"),
        (("halo", "--against", "mpi", "--peers", "/nowhere"), "no such folder"),
        (("halo", "--against", "mpi", "--peers", "/proc/sys"), "--install-peers"),
        (("latncy",), "did you mean latency?"),
        (("latency", "--sizes", "8,x"), "whole numbers above 0 are needed"),
        (("latency", "--faces", "2"), "--faces is for halo"),
        (("latency", "--against", "hand"), "--against is for halo, stream, allreduce"),
        (("latency", "--early"), "--early is for halo"),
        (("halo", "--early", "--against", "hand"), "leave --against out"),
        (("halo", "--against", "hand", *ON_QPACE), "on this machine, not on virtual:qpace"),
        (("allreduce", "--against", "mpi", *ON_QPACE), "on this machine, not on virtual:qpace"),
        (("latency", "--ranks", "3"), "works with pairs"),
        (("allreduce", "--sizes", "12"), "not a multiple of 8"),
        (("reduce_scatter", "--sizes", "12"), "--sizes 12 is not a multiple of 8"),
        (("allgather", "--channels", "2"), "--channels is for latency"),
        (
            ("latency", "--pin", "cores", "--transport", "virtual:pax"),
            "--pin cores is for ranks on",
        ),
        (("halo", "--lattice", "4x4x4x4", "--sizes", "8"), "both given"),
        (("halo", "--site-bytes", "96"), "--site-bytes is for --lattice"),
        (("put", "--site-bytes", "96"), "--site-bytes is for halo, not put"),
        (("halo", "--lattice", "4x4x4x4", "--faces", "3"), "2, 4, 6 or 8 faces"),
        (("halo", "--min-time", "2"), "above --max-time"),
        (("halo", "--recon", "12"), "--recon is for dslash and solve"),
        (("dslash", "--sizes", "8"), "--sizes is for latency"),
        (("dslash", "--lattice", "4x4x4x5"), "odd t extent"),
        (("dslash", "--dslash", "hisq", "--recon", "12"), "fat links take --recon 18"),
        (("dslash", "--dslash", "asqtad", "--lattice", "4x4x4x4", "--ranks", "2"), "3 sites"),
        (("dslash", "--dslash", "staggered", "--csw", "1"), "--csw 1 is for clover"),
        (("dslash", "--csw", "0"), "wilson has no clover term"),
        (("solve", "--dslash", "hisq", "--mu", "0.1"), "--mu 0.1 is for wilson and clover"),
        (("halo", "--mu", "0"), "--mu is for dslash and solve"),
        (("dslash", "--sweep", "--lattice", "4x4x4x8"), "--lattice is what --sweep varies"),
        (("solve", "--sweep", "--prec", "single"), "--prec is what --sweep varies"),
        (("dslash", "--solver", "bicgstab"), "--solver is for solve, not dslash"),
        (("solve", "--dslash", "staggered", "--solver", "bicgstab"), "cg"),
        (("halo", "--json", "-", "--csv", "-"), "standard output"),
        (("halo", "--csv", "/nowhere/t.csv"), "cannot write"),
    ],
)
def test_refusals_say_what_to_do(refused, words, part):
    assert part in refused("bench", *words)


def test_comparisons_are_refused_also_where_the_launcher_has_the_machine(onehop):
    bench = ("onehop", "bench", "halo", "--against", "hand", "--sizes", "8")
    ended = onehop("run", "-n", "2", *ON_QPACE, "--", *bench)
    assert ended.status == 2 and ended.out == ""
    assert "compares on this machine, not on virtual:qpace" in ended.err


@pytest.mark.parametrize(
    "words",
    [
        ("dslash", "--recon", "8", "--threads", "2", "--rhs", "2"),
        ("dslash", "--dslash", "staggered", "--prec", "half", "--recon", "12", "--ranks", "2"),
        ("dslash", "--dslash", "clover", "--prec", "half", "--rhs", "2", "--ranks", "2"),
        ("solve", "--prec", "double"),
        ("solve", "--dslash", "clover"),
        ("dslash", "--mu", "0.3", "--ranks", "2"),
        ("dslash", "--dslash", "clover", "--csw", "1.8", "--mu", "-0.2", "--prec", "double"),
        ("solve", "--mu", "0.3", "--solver", "bicgstab"),
        ("solve", "--dslash", "clover", "--csw", "0", "--prec", "double"),
        ("solve", "--dslash", "clover", "--csw", "0.5", "--mu", "0.1", "--threads", "2"),
        ("dslash", "--dslash", "asqtad", "--threads", "2", "--ranks", "2"),
        ("solve", "--dslash", "hisq"),
        ("solve", "--solver", "bicgstab", "--rhs", "3"),
        ("solve", "--solver", "pipelined-cg", "--ranks", "2"),
        ("solve", "--solver", "block-cg", "--rhs", "4", "--threads", "2"),
    ],
)
def test_operator_is_right_and_beside_its_roofline(onehop, words):
    ended = onehop("bench", *words, "--lattice", "4", "4", "4", "8", *QUICK, "--json", "-")
    told = ended.err.splitlines()
    assert ended.status == 0 and all(line.startswith("onehop: warning: ") for line in told), told
    record = json.loads(ended.out)
    assert record["check"]["passed"] and 0 < record["check"]["error"] <= record["check"]["limit"]
    by_memory = record["memory_gbs"] * record["flops_per_site"] / record["bytes_per_site"]
    assert record["roofline_gflops"] == min(record["fma_peak_gflops"], by_memory)
    assert record["gflops"]["median"] == pytest.approx(
        record["fraction_of_roofline"] * record["roofline_gflops"]
    )
    assert len(record["raw"]["gflops"]) == len(record["raw"]["memory_gbs"])
    (sample,) = record["samples"]
    assert (sample["value"], sample["unit"]) == (sample["gflops"]["median"], "GFlop/s")
    assert sample["size_bytes"] > 0 and sample["wrong"] == 0


def test_a_rate_above_the_roof_says_why(onehop):
    words = ("--lattice", "4x4x4x8", *QUICK, "--json", "-")
    sample = json.loads(onehop("bench", "dslash", *words).out)["samples"][0]
    plain = sample | {"fraction_of_roofline": 0.9, "fraction_of_fma_peak": 0.4}
    assert "above 100%" not in bench_operator._line(plain)
    for name in ("fraction_of_roofline", "fraction_of_fma_peak"):
        assert "; above 100% because" in bench_operator._line(plain | {name: 1.1})


def test_operators_say_what_disturbs_their_times(onehop):
    words = ("--lattice", "4x4x4x8", "--min-time", 0.01, "--max-time", 0.01, "--ranks", 2)
    crowded = onehop("bench", "dslash", *words, "--threads", 64)
    assert crowded.status == 0, crowded.err
    assert "onehop: warning: 128 " in crowded.err and "cores" in crowded.err


def test_fat_and_naik_links_are_all_read(onehop):
    words = ("--dslash", "asqtad", "--lattice", "8", "8", "8", "8", *QUICK)
    record = json.loads(onehop("bench", "dslash", *words, "--json", "-").out)
    assert record["bytes_per_site"] == 4 * (16 * 18 + 6 + 6)
    assert record["flops_per_site"] == 16 * 66 + 15 * 6


def test_bytes_per_site_are_those_of_links_and_spinors(onehop):
    for recon, expected in ((18, 768), (12, 576), (8, 448)):
        words = ("--recon", str(recon), "--lattice", "4", "4", "4", "4")
        # This runs without QUICK, with the defaults of every other option.
        record = json.loads(onehop("bench", "dslash", *words, "--json", "-").out)
        assert record["bytes_per_site"] == expected


# The bytes are links, three spinors and two hermitian 6x6 blocks; the flops are hops, blocks, a
# twist, scaling and adding.
@pytest.mark.parametrize(
    ("terms", "blocks", "flops"),
    [
        (("--dslash", "clover"), 2 * 36, 504 + 2 * 24),
        (("--dslash", "clover", "--csw", "1.5", "--mu", "0.2"), 2 * 36, 504 + 48 + 2 * 24),
        (("--dslash", "clover", "--csw", "0"), 0, 3 * 24),
        (("--mu", "0.2"), 0, 72 + 2 * 24),
    ],
)
def test_site_terms_are_counted(onehop, terms, blocks, flops):
    words = (*terms, "--lattice", "4", "4", "4", "4", *QUICK, "--json", "-")
    record = json.loads(onehop("bench", "dslash", *words).out)
    assert record["check"]["passed"]
    assert record["bytes_per_site"] == 4 * (8 * 18 + 3 * 24 + blocks)
    assert record["flops_per_site"] == 1320 + flops
    given = dict(zip(terms[::2], terms[1::2], strict=True))
    assert record.get("mu") == (float(given["--mu"]) if "--mu" in given else None)
    assert record.get("csw") == (float(given.get("--csw", 1)) if "--dslash" in given else None)


# The blocks of the inverse with a twist are general: 72 reals for 36, and 48 flop more.
def test_an_iteration_counts_its_site_terms(onehop):
    words = ("solve", "--dslash", "clover", "--lattice", "4", "4", "4", "4", *QUICK, "--json", "-")
    plain, twisted = (json.loads(onehop("bench", *words, *mu).out) for mu in ((), ("--mu", "0.2")))
    # CG applies S and its adjoint, each with one inverse block and one that stays hermitian.
    assert twisted["bytes_per_site"] - plain["bytes_per_site"] == 4 * 2 * 72
    assert twisted["flops_per_site"] - plain["flops_per_site"] == 2 * (48 + 48)


def test_items_of_a_stream_are_compared_with_a_ring_by_hand(onehop):
    words = ("stream", "--sizes", "8,4096", "--against", "hand", "--min-time", "0.01")
    ended = onehop("bench", *words, "--max-time", "0.2", "--block-time", "100", "--json", "-")
    assert ended.status == 0, ended.err
    record = json.loads(ended.out)
    assert record["check"]["passed"] and {s["unit"] for s in record["samples"]} == {"MB/s"}
    for found in record["comparison"]:
        assert found["best_peer"] == "stores"
        # The rate gives a time however the samples are given: bytes over MB/s.
        ours = next(
            s
            for s in record["samples"]
            if s["size_bytes"] == found["size_bytes"] and s["method"] == "onehop"
        )
        assert found["ours_us"] == ours["size_bytes"] / ours["value"]


@pytest.mark.parametrize("pattern", ["reduce_scatter", "alltoallv", "alltoall", "stream"])
@pytest.mark.parametrize("where", [("--ranks", "2"), ("--transport", "self")])
def test_every_block_of_a_collective_arrives(onehop, pattern, where):
    words = (pattern, "--sizes", "8,40,5000", "--max-time", "0.1", "--min-time", "0.01")
    ended = onehop("bench", *words, *where, "--json", "-")
    assert ended.status == 0, ended.err
    record = json.loads(ended.out)
    assert record["check"]["passed"] and len(record["samples"]) == 3
