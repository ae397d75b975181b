"""`onehop app spiking-network` from outside."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest
from conftest import ONEHOP

import onehop as onehop_package

APP = ("app", "spiking-network")
SIZE = ("--columns", "4", "3", "--neurons", "50", "--synapses", "40", "--seed", "3")
DRIVE = ("--stimuli", "20", "--excitation", "8")
SMALL = (*APP, *SIZE, *DRIVE, "--ms", "300")


def record_of(onehop, *words):
    ended = onehop(*words, "--json", "-")
    assert (ended.status, ended.err) == (0, "")
    return json.loads(ended.out)


def spikes_of(onehop, folder, *words):
    """Returns record and spikes."""
    record = record_of(onehop, *words, "--spikes", folder / "spikes.npy")
    return record, np.load(folder / "spikes.npy")


@pytest.fixture(scope="module")
def alone(onehop_once, tmp_path_factory):
    return spikes_of(onehop_once, tmp_path_factory.mktemp("alone"), *SMALL)


def test_record_is_that_of_the_spikes(alone):
    record, spikes = alone
    assert (record["schema"], record["app"]) == ("onehop.app/1", "spiking-network")
    result, check = record["result"], record["check"]
    assert spikes.dtype == np.uint32 and len(spikes) == result["spikes"] > 1000
    assert (np.diff(spikes[:, 0].astype(int) * 600 + spikes[:, 1]) > 0).all()
    averaged = spikes[spikes[:, 0] >= 60]
    inhibitory = averaged[:, 1] % 50 >= 40
    rates = np.array([(~inhibitory).sum() / 480, inhibitory.sum() / 120]) / 0.24
    assert list(result["rate_hz"].values()) == pytest.approx(rates.tolist())
    variations = []
    for neuron in np.unique(averaged[~inhibitory, 1]):
        intervals = np.diff(averaged[averaged[:, 1] == neuron, 0].astype(float))
        if len(intervals) >= 3:
            variations.append(intervals.std(ddof=1) / intervals.mean())
    assert result["interval_cv"]["excitatory"] == pytest.approx(np.mean(variations), rel=1e-12)
    assert (check["passed"], check["value"], check["limit"]) == (True, 0, 0)
    assert result["mean_weight"] == 8 and result["synapses"] == 600 * 40
    spikes_of_samples = sum(
        sample["excitatory_hz"] * 480 + sample["inhibitory_hz"] * 120
        for sample in record["samples"]
    )
    assert spikes_of_samples * 0.015 == pytest.approx(len(spikes))
    assert result["sent"] == 0 and result["synaptic_events"] > 30 * len(spikes)


@pytest.mark.parametrize(
    "words",
    [
        ("-n", "4", "--grid", "4", "1"),
        ("-n", "2", "--transport", "mpi_p2p"),
        ("-n", "2", "--transport", "mpi_rma"),
        ("-n", "12", "--transport", "virtual:apenet-v4"),
        ("-n", "4", "--transport", "virtual:apenet-v4", "--memory", "device"),
    ],
    ids=" ".join,
)
def test_spikes_are_the_same_on_any_wire(onehop, alone, tmp_path, words):
    if "mpi" in " ".join(words) and not Path(ONEHOP).with_name("mpicxx").exists():
        pytest.skip("no MPI")
    record, spikes = spikes_of(onehop, tmp_path, *SMALL, *words)
    expected, expected_spikes = alone
    assert np.array_equal(spikes, expected_spikes)
    assert record["samples"] == expected["samples"]
    for key in ("checksum", "spikes", "rate_hz", "interval_cv", "synaptic_events", "synapses"):
        assert record["result"][key] == expected["result"][key]
    assert record["check"]["passed"] and record["result"]["sent"] > 0


def test_learning_changes_weights_and_is_the_same_on_two_ranks(onehop, tmp_path):
    words = (*APP, *SIZE, *DRIVE, "--ms", "1500", "--stdp")
    one, spikes = spikes_of(onehop, tmp_path, *words)
    two, same_spikes = spikes_of(onehop, tmp_path, *words, "-n", "2")
    assert np.array_equal(spikes, same_spikes)
    assert one["result"]["mean_weight"] == two["result"]["mean_weight"] != 8
    still = record_of(onehop, *words[:-1])["result"]
    # Weights change after a second for the first time.
    assert still["checksum"] != one["result"]["checksum"]
    assert still["mean_weight"] == 8


def test_another_seed_gives_other_spikes(onehop, alone):
    other = record_of(onehop, *SMALL, "--seed", "4")
    assert other["result"]["checksum"] != alone[0]["result"]["checksum"]


def test_a_virtual_machine_is_charged_for_neurons_and_events(onehop):
    """A rank with one column of one GPU: three launches of 7 us a step, and of neurons and events
    the bytes at 150 GB/s; of the runs of synapses, at most 20 for each spike, at most 8 bytes."""
    wire = ("--transport", "virtual:apenet-v4", "--memory", "device")
    record = record_of(onehop, *SMALL, "--columns", "1x1", *wire)
    result, spent = record["result"], record["timing"]["steps_s"]
    least = 300 * (3 * 7e-6 + 50 * 32 / 150e9) + 16 * result["synaptic_events"] / 150e9
    assert least * 0.999 < spent < least * 1.001 + 20 * 8 * result["spikes"] / 150e9


def test_picture_and_table(onehop, tmp_path):
    ended = onehop(*SMALL, "--plot", tmp_path / "s.png", "-n", "2")
    assert ended.status == 0
    assert "ms per ms" in ended.out and "kept: all of" in ended.out
    assert (tmp_path / "s.png").stat().st_size > 10000


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (APP, "--columns"),
        ((*APP, "--columns", "4"), "two numbers x y above 0"),
        ((*SMALL, "--neurons", "4"), "--neurons"),
        ((*SMALL, "--discard", "300"), "leaves nothing of --ms 300"),
        ((*SMALL, "--local", "1.5"), "--local"),
        ((*SMALL, "--delay", "256"), "the most is 255"),
        ((*SMALL, "-n", "5"), "no grid of 5 divides"),
        ((*APP, "--columns", "3000x3000"), "neurons"),
        ((*APP, "--columns", "1000x1000"), "choose a smaller network"),
        ((*SMALL, "--memory", "device"), "add --transport virtual:PLATFORM"),
        ((*SMALL, "--plot", "e.txt"), "must end in .png, .pdf or .svg"),
    ],
)
def test_bad_use_is_one_line_that_says_what_to_do(refused, words, message):
    assert message in refused(*words)


def test_program_runs_under_the_launcher_with_the_same_spikes(onehop, tmp_path):
    record = record_of(onehop, *APP, "--columns", "4x3", "--neurons", "50", "--ms", "100")
    program = Path(onehop_package.__file__).parent / "bin" / "spiking_network"
    ended = onehop("run", "-n", "2", "--", program, "4", "3", "100", "50")
    assert (ended.status, ended.err) == (0, "")
    assert ended.out.splitlines()[-1].split()[-1] == record["result"]["checksum"]
