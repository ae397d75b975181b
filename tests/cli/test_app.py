"""`onehop app` is tested from outside."""

from __future__ import annotations

import json
import math
from pathlib import Path

import pytest
from conftest import ONEHOP, ROOT

import onehop as onehop_package
from onehop.cli.app import APPS

SMALL = ("app", "spin-glass", "--lattice", "8", "8", "12", "--beta", "1.2", "--sweeps", "5")


def record_of(onehop, *words):
    ended = onehop(*SMALL, *words, "--json", "-")
    assert (ended.status, ended.err) == (0, "")
    return json.loads(ended.out)


@pytest.fixture(scope="module")
def alone(onehop_once):
    return record_of(onehop_once)


def test_applications_are_listed(onehop):
    ended = onehop("app")
    assert ended.status == 0
    assert {line.split()[0] for line in ended.out.splitlines()} == set(APPS)


@pytest.mark.parametrize("name", APPS)
def test_help_is_as_documented(onehop, name):
    ended = onehop("app", name, "--help", COLUMNS="100")
    assert (ended.status, ended.err) == (0, "")
    page = (ROOT / "docs/reference/command_line.md").read_text()
    assert f"### onehop app {name}\n\n```\n{ended.out}```" in page


# What is written beside a record is larger than the room that it has here, and the record is not.
# Shared memory counts as a file, but not that of ranks of a virtual machine.
VIRTUAL = ("--transport", "virtual:apenet-v4")
ROOM = 20000
BESIDE_THE_RECORD = [
    ("echo", (*VIRTUAL, "--sizes", "64", "--rounds", "20"), "--plot"),
    ("event-stream", (*VIRTUAL, "--seconds", "0.001"), "--plot"),
    ("graph-search", ("--scale", "12", "--roots", "2"), "--plot"),
    ("graph-search", ("--scale", "12", "--roots", "2"), "--levels"),
    ("graph-search", ("--scale", "12", "--roots", "2"), "--parents"),
    ("lattice-boltzmann", ("--setup", "taylor-green", "--lattice", "16x16x4"), "--plot"),
    ("lattice-boltzmann", ("--setup", "taylor-green", "--lattice", "16x16x4"), "--fields"),
    (
        "particle-in-cell",
        ("--setup", "plasma-oscillation", "--lattice", "32x32", "--steps", "4"),
        "--plot",
    ),
    (
        "particle-in-cell",
        ("--setup", "plasma-oscillation", "--lattice", "32x32", "--steps", "4"),
        "--fields",
    ),
    ("particle-offload", (*VIRTUAL, "--chunk", "1000"), "--plot"),
    ("spiking-network", ("--columns", "2x2", "--synapses", "100", "--ms", "1000"), "--plot"),
    ("spiking-network", ("--columns", "2x2", "--synapses", "100", "--ms", "1000"), "--spikes"),
    ("spin-glass", ("--lattice", "8x8x8", "--beta", "1", "--sweeps", "10"), "--plot"),
]
ENDINGS = {"--plot": "png", "--fields": "h5"}


def test_all_applications_are_tried_without_room():
    assert {name for name, *_ in BESIDE_THE_RECORD} == set(APPS)


@pytest.mark.parametrize(("name", "words", "beside"), BESIDE_THE_RECORD)
def test_a_record_is_whole_where_other_files_have_no_room(onehop, tmp_path, name, words, beside):
    record, other = tmp_path / "a.json", tmp_path / f"a.{ENDINGS.get(beside, 'npy')}"
    ended = onehop(
        *("app", name, *words, "--json", record, beside, other),
        prefix=("prlimit", f"--fsize={ROOM}"),
    )
    assert ended.status == 2
    assert ended.err.startswith(f"onehop: cannot write {other}: ") and ended.err.count("\n") == 1
    assert json.loads(record.read_text())["check"]["passed"]
    assert list(tmp_path.iterdir()) == [record]


def test_record_has_the_keys_of_an_application(alone):
    assert (alone["schema"], alone["command"], alone["app"]) == (
        "onehop.app/1",
        "app",
        "spin-glass",
    )
    assert alone["options"]["overrelax"] == 10
    assert set(alone["result"]["energy_per_spin"]) == {"mean", "error"}
    assert alone["result"]["ns_per_spin_update"] > 0
    check = alone["check"]
    assert check["passed"] and 0 < check["value"] == alone["result"]["drift"] < check["limit"]
    assert [sample["sweep"] for sample in alone["samples"]] == [1, 2, 3, 4, 5]


@pytest.mark.parametrize(
    "words",
    [
        ("-n", "2"),
        ("--grid", "2", "2", "1"),
        ("-n", "2", "--overlap", "none"),
        ("-n", "2", "--transport", "mpi_p2p"),
        ("-n", "2", "--transport", "mpi_rma"),
        ("-n", "2", "--transport", "virtual:apenet-v4"),
        ("-n", "4", "--transport", "virtual:apenet-v4", "--memory", "device"),
    ],
    ids=" ".join,
)
def test_energies_are_the_same_bits_on_any_wire(onehop, alone, words):
    if "mpi" in " ".join(words) and not Path(ONEHOP).with_name("mpicxx").exists():
        pytest.skip("no MPI")
    assert record_of(onehop, *words)["samples"] == alone["samples"]


TEMPERING = ("app", "spin-glass", "--lattice", "6x4x4", "--betas", "0.8,1.1,1.5,2,2.6")
SHORT = (*TEMPERING, "--sweeps", "30", "--overrelax", "2")


def tempering_of(onehop, *words):
    ended = onehop(*words, "--json", "-")
    assert (ended.status, ended.err) == (0, "")
    return json.loads(ended.out)


@pytest.fixture(scope="module")
def tempered_alone(onehop_once):
    return tempering_of(onehop_once, *SHORT)


def test_replicas_exchange_temperatures_and_each_has_one(tempered_alone):
    places = [sample["place"] for sample in tempered_alone["samples"]]
    assert all(sorted(place) == [0, 1, 2, 3, 4] for place in places)
    found = tempered_alone["result"]["tempering"]
    assert found["exchanges_tried"] == [15] * 4
    changes = [
        sum(
            before.index(pair) == after.index(pair + 1)
            for before, after in zip(places, places[1:], strict=False)
        )
        for pair in range(4)
    ]
    # The last sweep's exchange leaves no trace in the samples.
    for rate, seen in zip(found["exchange_rate"], changes, strict=True):
        assert 0 <= rate * 15 - seen <= 1 + 1e-9
    assert sum(changes) > 0


@pytest.mark.parametrize(
    "words",
    [
        ("-n", "2"),
        ("--grid", "1", "2", "2"),
        ("-n", "2", "--transport", "mpi_p2p"),
        ("-n", "2", "--transport", "mpi_rma"),
        ("-n", "4", "--transport", "virtual:apenet-v4", "--memory", "device"),
    ],
    ids=" ".join,
)
def test_exchanges_are_the_same_on_any_wire(onehop, tempered_alone, words):
    if "mpi" in " ".join(words) and not Path(ONEHOP).with_name("mpicxx").exists():
        pytest.skip("no MPI")
    found = tempering_of(onehop, *SHORT, *words)
    assert found["samples"] == tempered_alone["samples"]
    assert found["result"]["tempering"] == tempered_alone["result"]["tempering"]


@pytest.mark.parametrize("disorder", ["ferromagnet", "gaussian"])
def test_averages_with_tempering_are_those_without(onehop, disorder):
    """Energies, whose errors come from blocks of sweeps, agree within four errors of both."""
    words = (*TEMPERING[:4], "--betas", "0.3,0.4,0.5", "--disorder", disorder, "--sweeps", "3000")
    words = (*words, "--overrelax", "1", "--prec", "double")
    mixed, apart = (
        tempering_of(onehop, *words, "--exchange-every", often)["result"]["tempering"]
        for often in ("1", "0")
    )
    assert min(mixed["exchange_rate"]) > 0.05 and apart["exchange_rate"] == [None, None]
    for one, other in zip(mixed["energy_per_spin"], apart["energy_per_spin"], strict=True):
        assert abs(one["mean"] - other["mean"]) < 4 * math.hypot(one["error"], other["error"])


def test_replicas_that_are_never_exchanged_are_those_of_runs_of_their_own(onehop):
    words = (*TEMPERING[:4], "--sweeps", "8")
    apart = tempering_of(onehop, *words, "--betas", "0.8:3.2:3", "--exchange-every", "0")
    alone = tempering_of(onehop, *words, "--beta", "0.8")
    assert apart["options"]["betas"] == pytest.approx([0.8, 1.6, 3.2])
    assert [s["energy_per_spin"][0] for s in apart["samples"]] == [
        s["energy_per_spin"][0] for s in alone["samples"]
    ]


def test_a_grid_is_chosen_whose_blocks_are_even_in_x(onehop):
    lattice = ("--lattice", "6x4x4", "--sweeps", "2")
    chosen, given = (
        record_of(onehop, *lattice, *words) for words in (("-n", "2"), ("--grid", "1x1x2"))
    )
    assert chosen["options"]["grid"] in ([1, 2, 1], [1, 1, 2])
    assert chosen["samples"] == given["samples"]


def test_another_seed_gives_other_energies(onehop, alone):
    assert record_of(onehop, "--seed", "2")["samples"] != alone["samples"]


def test_replicas_share_couplings_but_not_spins(onehop, alone):
    both = record_of(onehop, "--replicas", "2")["samples"][-1]["energy_per_spin"]
    assert both[0] == alone["samples"][-1]["energy_per_spin"][0] != both[1]
    assert abs(both[0] - both[1]) < 0.2


def test_pairs_of_replicas_are_compared(onehop):
    words = ("--lattice", "6x6x6", "--replicas", "5", "--sweeps", "40", "--overrelax", "1")
    record = record_of(onehop, *words, "-n", "2")
    assert [len(sample["susceptibility"]) for sample in record["samples"]] == [2] * 40
    overlap, length = (
        record["result"][key] for key in ("overlap_square", "correlation_length_over_extent")
    )
    assert 0 < overlap["error"] < overlap["mean"] < 1
    assert 0 < length["error"] < length["mean"] < 1


def test_drift_in_double_precision_is_that_of_double_precision(onehop):
    assert record_of(onehop, "--prec", "double")["check"]["value"] < 1e-14


def test_a_virtual_machine_is_charged_for_what_kernels_do(onehop):
    """The charge is for an over-relaxation of both colours of n spins of 60 bytes each, on one
    rank: two launches of 7 us and 60 n bytes at 150 GB/s of the platform's GPU."""
    lattice = ("--lattice", "32", "32", "32")
    wire = ("--transport", "virtual:apenet-v4", "--memory", "device")
    spent = record_of(onehop, *lattice, "--sweeps", "2", *wire)["timing"]
    expected = 2 * 10 * (2 * 7e-6 + 60 * 32**3 / 150e9)
    assert math.isclose(spent["overrelaxation_s"], expected, rel_tol=1e-3)


def test_picture_and_table(onehop, tmp_path):
    ended = onehop(*SMALL, "--plot", tmp_path / "e.svg")
    assert ended.status == 0
    assert "energy per spin" in ended.out and "kept: over-relaxation" in ended.out
    assert (tmp_path / "e.svg").stat().st_size > 1000
    tempered = onehop(*SHORT, "--plot", tmp_path / "t.svg")
    assert tempered.status == 0 and "exchange rate with the next beta" in tempered.out
    assert (tmp_path / "t.svg").stat().st_size > 1000


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (("app", "spin-glas"), "unknown application 'spin-glas'; did you mean spin-glass?"),
        ((*SMALL, "--lattice", "8x7x8"), "odd y extent"),
        ((*SMALL, "--lattice", "8x8"), "three numbers x y z"),
        ((*SMALL, "--lattice", "6x6x6", "--grid", "2x1x1"), "blocks of 3 in x"),
        ((*SMALL, "--lattice", "6x2x2", "-n", "8"), "another number of --ranks"),
        ((*SMALL, "--lattice", "20000x20000x20000"), "takes about 178813.9 GiB"),
        ((*SMALL, "--grid", "1x1x5"), "does not divide"),
        ((*SMALL, "--thermalise", "5"), "leaves nothing of --sweeps 5"),
        ((*SMALL, "--disorder", "gausian"), "did you mean gaussian?"),
        ((*SMALL, "--beta", "-1"), "--beta"),
        ((*SMALL, "--betas", "1,2"), "give --beta, or --betas"),
        (SMALL[:6], "give --beta, or --betas"),
        ((*SMALL, "--exchange-every", "2"), "it goes with --betas"),
        ((*TEMPERING, "--replicas", "2"), "--betas has 5 and --replicas is 2"),
        ((*TEMPERING[:4], "--betas", "2,1"), "betas must be ascending"),
        ((*TEMPERING[:4], "--betas", "1,x"), "a number is needed"),
        ((*TEMPERING[:4], "--betas", "1:2"), "lowest, highest and how many are needed"),
        ((*TEMPERING[:4], "--betas", "0:2:3"), "equal ratios need a lowest beta above 0"),
        ((*SMALL, "--memory", "device"), "add --transport virtual:PLATFORM"),
        ((*SMALL, "--transport", "virtual:apenet-v9"), "apenet-v9"),
        ((*SMALL, "--plot", "e.txt"), "must end in .png, .pdf or .svg"),
    ],
)
def test_bad_use_is_one_line_that_says_what_to_do(onehop, words, message):
    ended = onehop(*words)
    assert (ended.status, ended.out) == (2, "")
    assert message in ended.err and ended.err.count("\n") == 1


def test_program_runs_under_the_launcher_with_the_same_energies(onehop, alone):
    program = Path(onehop_package.__file__).parent / "bin" / "spin_glass"
    ended = onehop("run", "-n", "2", "--", program, "8", "8", "12", "1.2", "5")
    assert (ended.status, ended.err) == (0, "")
    energies = [float(line.split()[1]) for line in ended.out.splitlines()]
    expected = [sample["energy_per_spin"][0] for sample in alone["samples"]]
    assert energies == pytest.approx(expected, abs=1e-10)
