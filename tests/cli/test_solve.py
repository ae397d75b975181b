"""`onehop solve` is tested from outside: its options, the record and its determinism."""

from __future__ import annotations

import contextlib
import fcntl
import json
import math
import os
import pty
import re
import struct
import subprocess
import termios

import numpy as np
import pytest
from conftest import ONEHOP

from onehop import _core
from onehop.time_split import PARTS, share

KEYS = """schema command version machine options samples check timing plaquette iterations
residual_iterated residual_true converged correlator effective_mass flops time_to_solution_s
time_per_iteration_us time_halo_wait_us rhs setup_s transport grid ranks conventions"""
TIMES = (
    "date",
    "timing",
    "setup_s",
    "time_to_solution_s",
    "time_per_iteration_us",
    "time_halo_wait_us",
)


def without_times(record: dict) -> dict:
    kept = {k: v for k, v in record.items() if k not in TIMES}
    samples = [{k: v for k, v in s.items() if k != "time_s"} for s in record["samples"]]
    return kept | {"samples": samples}


def test_record_has_the_promised_keys(solve, configurations):
    record = solve(configurations["nersc"], "--kappa", "0.12", "--ranks", "2", "--rhs", "5")
    assert set(KEYS.split()) <= set(record)
    assert record["grid"] == [1, 1, 1, 2] and record["ranks"] == 2
    assert record["transport"] == "shm"
    assert len(record["samples"]) == 12 and len(record["correlator"]) == 8
    assert record["iterations"] == max(s["iterations"] for s in record["samples"])
    assert record["residual_true"] == max(s["residual_true"] for s in record["samples"])
    assert record["converged"] and record["check"]["passed"]
    assert record["residual_true"] <= 1e-10
    assert record["options"]["kappa"] == 0.12
    assert record["setup_s"] > 0 and record["rhs"] == 5
    assert record["flops"] > 1e6


def test_more_threads_than_cores_are_warned_of(onehop):
    """A solve of a tenth of a second took half a minute so, and said nothing."""
    cores = _core.inspect_machine().usable_cores
    words = ("solve", "--lattice", "2x2x2x4", "--start", "cold", "--mass", "1", "--tol", "0.1")
    ended = onehop(*words, "--threads", cores + 1)
    assert ended.status == 0
    assert f"{cores + 1} threads on {cores} usable core" in ended.err
    assert f"give at most --threads {cores}" in ended.err
    assert onehop(*words, "--threads", cores).err == ""


@pytest.mark.parametrize(("prec", "tol"), [("mixed", 1e-12), ("single", 2e-6), ("half", 2e-6)])
def test_fewer_digits_meet_the_tolerance_with_any_threads(solve, configurations, prec, tol):
    words = (configurations["nersc"], "--kappa", "0.12", "--prec", prec, "--tol", str(tol))
    one = solve(*words, "--recon", "18" if prec == "single" else "12", "--source", "random:3")
    two = solve(*one_more_thread(words, prec))
    assert one["converged"] and one["residual_true"] <= 1.001 * tol
    assert (one["iterations"], one["residual_true"]) == (two["iterations"], two["residual_true"])
    timing = one["timing"]
    assert set(timing) == {"total_s", *PARTS}
    assert sum(share(timing, part) for part in PARTS) == pytest.approx(1, rel=0.02)


def one_more_thread(words: tuple, prec: str) -> tuple:
    recon = "18" if prec == "single" else "12"
    return (*words, "--recon", recon, "--source", "random:3", "--threads", "2")


def test_same_run_twice_gives_the_same_bits(solve, configurations):
    words = (configurations["nersc"], "--kappa", "0.12", "--ranks", "2")
    assert without_times(solve(*words)) == without_times(solve(*words))


def test_transports_give_the_same_bits(solve, configurations):
    words = (configurations["nersc"], "--kappa", "0.12", "--transport")
    by_self, by_shm = (solve(*words, wire) for wire in ("self", "shm"))
    assert by_self["correlator"] == by_shm["correlator"]
    assert by_self["samples"][0]["residual_true"] == by_shm["samples"][0]["residual_true"]


def test_formats_give_the_same_bits(solve, configurations):
    by_format = [solve(configurations[f], "--mass", "0.5") for f in ("nersc", "ildg")]
    assert by_format[0]["correlator"] == by_format[1]["correlator"]
    assert by_format[0]["plaquette"] == by_format[1]["plaquette"]


def test_extents_may_be_four_words_or_one(solve, configurations):
    words = (configurations["nersc"], "--mass", "0.5", "--ranks", "2", "--grid")
    assert solve(*words, "1", "2", "1", "1")["grid"] == solve(*words, "1x2x1x1")["grid"]


def test_negative_mass_in_any_notation(solve):
    words = ("--lattice", "4", "4", "4", "4", "--start", "cold", "--mass")
    assert solve(*words, "0.3")["mass"] == 0.3
    assert solve(*words, "-1e-3", "--boundary", "antiperiodic")["mass"] == -0.001


def test_correlator_of_zeros_warns_of_nothing(onehop):
    ended = onehop("solve", "--lattice", "4x4x4x4", "--start", "hot", "--mass", "1e300")
    assert (ended.status, ended.err) == (0, "")


def test_kappa_is_the_mass_it_stands_for(solve, configurations):
    by_kappa = solve(configurations["nersc"], "--kappa", "0.125")
    by_mass = solve(configurations["nersc"], "--mass", "0")
    assert by_kappa["mass"] == 0.0
    assert by_kappa["correlator"] == by_mass["correlator"]


def test_source_may_be_anywhere(solve):
    """On unit links every point is the same, away from the boundary's sign too."""
    words = ("--lattice", "4x4x4x8", "--start", "cold", "--mass", "0.4", "--tol", "1e-12")
    here = solve(*words)["correlator"]
    there = solve(*words, "--source", "point:1,2,3,5", "--ranks", "2")["correlator"]
    assert np.allclose(here, there, rtol=1e-9, atol=0)


def test_random_source(solve, configurations):
    record = solve(configurations["nersc"], "--mass", "0.5", "--source", "random:7")
    assert len(record["samples"]) == 1
    assert record["correlator"] is None and record["effective_mass"] is None
    again = solve(configurations["nersc"], "--mass", "0.5", "--source", "random:7", "--ranks", "4")
    assert again["converged"]


def test_effective_mass_solves_the_cosh(solve, configurations):
    record = solve(configurations["nersc"], "--mass", "0.5")
    c, m = record["correlator"], record["effective_mass"]
    for t in range(2, 6):
        assert math.isclose(c[t - 1] + c[t + 1], 2 * c[t] * math.cosh(m[t]), rel_tol=1e-12)


def test_not_converged_is_status_1_with_a_record(onehop, configurations):
    words = ("--kappa", "0.12", "--max-iter", "3", "--json", "-", "--ranks", "2")
    ended = onehop("solve", configurations["nersc"], *words)
    assert (ended.status, ended.err) == (1, "")
    record = json.loads(ended.out)
    assert not record["converged"] and not record["check"]["passed"]
    assert record["iterations"] == 3
    assert "converge in 3 iterations" in record["check"]["why"]


def test_too_few_digits_are_told_from_too_few_iterations(onehop, configurations):
    words = ("--kappa", "0.12", "--prec", "single", "--tol", "1e-9", "--json", "-")
    ended = onehop("solve", configurations["nersc"], *words)
    assert (ended.status, ended.err) == (1, "")
    assert "use a larger --tol or --prec mixed" in json.loads(ended.out)["check"]["why"]


def test_table_shows_what_the_record_holds(onehop, configurations, tmp_path):
    words = ("--kappa", "0.12", "--ranks", "2", "--json", tmp_path / "r.json")
    ended = onehop("solve", configurations["nersc"], *words)
    assert (ended.status, ended.err) == (0, "")
    record = json.loads((tmp_path / "r.json").read_text())
    assert all(f"{c:.10e}" in ended.out for c in record["correlator"])
    assert f"{record['plaquette']:.10f}" in ended.out
    for word in ("operator", "halo wait", "reductions", "GFlop/s", "true residual", "converged"):
        assert word in ended.out


def test_progress_is_written_only_when_wanted(onehop, configurations):
    words = ("solve", configurations["nersc"], "--kappa", "0.12")
    assert onehop(*words).err == ""
    assert "/12, iteration 1, residual" in onehop(*words, "--verbose").err
    by_noise = onehop(*words, "--source", "noise-wall:0,1", "--verbose")
    assert "/4, iteration 1, residual" in by_noise.err


def test_plot_is_a_picture(onehop, configurations, tmp_path):
    for form, start in (("png", b"\x89PNG"), ("svg", b"<?xml"), ("pdf", b"%PDF")):
        path = tmp_path / f"pion.{form}"
        ended = onehop("solve", configurations["nersc"], "--mass", "0.5", "--plot", path)
        assert (ended.status, ended.err) == (0, "")
        assert path.read_bytes().startswith(start)


@pytest.mark.parametrize("ranks", [1, 4])
def test_out_is_the_propagator(solve, configurations, tmp_path, ranks):
    path = tmp_path / "s.npy"
    record = solve(configurations["nersc"], "--mass", "0.5", "--out", path, "--ranks", ranks)
    propagator = np.load(path)
    assert propagator.shape == (12, 8, 4, 4, 4, 4, 3)
    by_time = (np.abs(propagator) ** 2).sum(axis=(0, 2, 3, 4, 5, 6))
    assert np.allclose(by_time, record["correlator"], rtol=1e-12, atol=0)
    assert [p.name for p in tmp_path.iterdir()] == ["s.npy"]


def test_a_record_is_whole_where_hdf5_has_no_room(onehop, configurations, tmp_path):
    """The library ends the process where it cannot write what it has in its caches."""
    names = [tmp_path / name for name in ("solve.json", "solve.h5")]
    words = ("--kappa", "0.12", "--mesons", "--json", names[0], "--hdf5", names[1])
    ended = onehop("solve", configurations["nersc"], *words, prefix=("prlimit", "--fsize=28000"))
    assert (ended.status, ended.err) == (2, f"onehop: cannot write {names[1]}: File too large\n")
    assert json.loads(names[0].read_text())["check"]["passed"]
    assert list(tmp_path.iterdir()) == [names[0]]


def test_naik_epsilon_of_the_mass_is_recorded(solve):
    words = ("--lattice", "4x4x4x8", "--start", "hot", "--dslash", "hisq", "--mass", "0.5")
    plain, tree, given = (
        solve(*words, "--source", "random:1", *epsilon)
        for epsilon in ((), ("--naik-epsilon", "tree"), ("--naik-epsilon", "-0.15"))
    )
    assert plain["options"]["naik_epsilon"] == 0.0
    assert tree["options"]["naik_epsilon"] == pytest.approx(-0.1515, abs=1e-4)
    assert len({record["residual_true"] for record in (plain, tree, given)}) == 3


def test_tadpole_factor_of_one_is_none(solve):
    words = ("--lattice", "4x4x4x8", "--start", "hot", "--seed", "3", "--dslash", "asqtad")
    plain, one, other = (
        solve(*words, "--mass", "0.5", "--source", "random:1", *u0)
        for u0 in ((), ("--u0", "1"), ("--u0", "0.9"))
    )
    assert plain["residual_true"] == one["residual_true"] != other["residual_true"]


def test_shifts_are_in_the_record(solve, configurations):
    words = ("--kappa", "0.12", "--shifts", "0,0.1,1", "--source", "random:2", "--ranks", "2")
    record = solve(configurations["nersc"], *words)
    assert [s["shift"] for s in record["shifts"]] == [0, 0.1, 1]
    assert all(s["converged"] and s["residual_true"] <= 1e-10 for s in record["shifts"])
    counts = [s["iterations"] for s in record["shifts"]]
    assert counts == sorted(counts, reverse=True) and counts[2] < counts[0]
    assert record["correlator"] is None


def test_right_hand_sides_at_once_change_no_bit(solve, configurations):
    words = (configurations["nersc"], "--kappa", "0.12", "--prec", "mixed", "--rhs")
    alone, together = (without_times(solve(*words, rhs)) for rhs in ("1", "5"))
    assert alone["correlator"] == together["correlator"]
    for a, b in zip(alone["samples"], together["samples"], strict=True):
        assert (a["iterations"], a["residual_true"]) == (b["iterations"], b["residual_true"])


@pytest.mark.parametrize("dslash", ["wilson", "clover"])
def test_sum_of_the_correlator_is_the_same_for_both_flavours(solve, configurations, dslash):
    """The sum is the source's diagonal entry of 1/(H^2 + mu^2), with H = g5 M(0) hermitian."""
    words = (configurations["nersc"], "--dslash", dslash, "--mass", "0.2", "--tol", "1e-12")
    none, plus, minus = (
        sum(solve(*words, "--mu", mu, "--ranks", "2")["correlator"]) for mu in ("0", "0.3", "-0.3")
    )
    assert none == sum(solve(*words)["correlator"])
    assert plus < 0.99 * none and math.isclose(plus, minus, rel_tol=1e-10)


def test_trace_shows_every_rank_and_changes_no_bit(solve, configurations, tmp_path):
    words = (configurations["nersc"], "--kappa", "0.12", "--ranks", "2")
    timeline = tmp_path / "trace.json"
    traced = solve(*words, "--trace", str(timeline))
    events = json.loads(timeline.read_text())["traceEvents"]
    for rank in range(2):
        mine = [e for e in events if e.get("tid") == rank]
        names = [e["name"] for e in mine]
        assert "thread_name" in names and "hop in the interior" in names
        assert names.count("start") == names.count("wait") > 100
        assert all(e["dur"] >= 0 for e in mine if e["ph"] == "X")
        arrivals = [e for e in mine if e["name"] == "arrival"]
        assert {e["args"]["from_rank"] for e in arrivals} >= {1 - rank}
    assert traced["correlator"] == solve(*words)["correlator"]


@pytest.mark.parametrize(("columns", "has_bar"), [(40, False), (100, True)])
def test_a_narrow_terminal_shows_the_numbers_and_no_bar(columns, has_bar):
    master, slave = pty.openpty()
    fcntl.ioctl(slave, termios.TIOCSWINSZ, struct.pack("HHHH", 24, columns, 0, 0))
    words = ("solve", "--lattice", "8x8x8x8", "--kappa", "0.12", "--tol", "1e-13")
    own = {k: v for k, v in os.environ.items() if k != "COLUMNS"}
    child = subprocess.Popen([ONEHOP, *words], stdout=subprocess.DEVNULL, stderr=slave, env=own)
    os.close(slave)
    shown = b""
    # Reading from a terminal whose program has ended is an error on Linux.
    with contextlib.suppress(OSError):
        while part := os.read(master, 4096):
            shown += part
    os.close(master)
    assert child.wait() == 0
    assert re.search(rb"source \d+/12", shown) and b"residual" in shown
    assert ("\u2501".encode() in shown) == has_bar
