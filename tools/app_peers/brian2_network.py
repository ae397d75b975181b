"""brian2_network.py MS DISCARD SEED

Simulates a column of neurons with brian2, the model of `onehop app spiking-network --columns 1 1`
with random numbers of its own, and prints seconds of the network per second, rates and CV of
intervals.
"""

from __future__ import annotations

import json
import sys
import time

import brian2 as b2
import numpy as np

NEURONS, EXCITATORY, SYNAPSES = 1000, 800, 100
LONGEST_DELAY, LOCAL = 20, 0.76
FEWEST_INTERVALS = 3
STEP = """
v = clip(v + 0.5 * ((0.04 * v + 5) * v + 140 - u + current), -1e9, 30)
v = clip(v + 0.5 * ((0.04 * v + 5) * v + 140 - u + current), -1e9, 30)
u = u + pace * (0.2 * v - u)
current = 0
"""


def _neurons(stimuli: b2.TimedArray) -> b2.NeuronGroup:
    """A step is made behind the stimulus and before thresholds, synapses and resets."""
    group = b2.NeuronGroup(
        NEURONS,
        "v : 1\nu : 1\ncurrent : 1\npace : 1 (constant)\nafter : 1 (constant)",
        threshold="v >= 30",
        reset="v = -65; u += after",
        namespace={"stimuli": stimuli},
    )
    group.v, group.u = -65, -13
    group.pace = np.where(np.arange(NEURONS) < EXCITATORY, 0.02, 0.1)
    group.after = np.where(np.arange(NEURONS) < EXCITATORY, 8, 2)
    group.run_regularly("current += 20 * int(i == stimuli(t))", when="start")
    group.run_regularly(STEP, when="groups")
    return group


def _synapses(group: b2.NeuronGroup, numbers: np.random.Generator) -> b2.Synapses:
    """What is delivered behind a step is added to the next one, so that delays are a step less."""
    made = b2.Synapses(group, group, "weight : 1", on_pre="current_post += weight")
    source = np.repeat(np.arange(NEURONS), SYNAPSES)
    exciting = source < EXCITATORY
    target = numbers.integers(0, EXCITATORY, source.size)
    others = numbers.integers(0, NEURONS - 1, source.size)
    others += others >= source
    anywhere = numbers.integers(0, NEURONS, source.size)
    local = numbers.random(source.size) < LOCAL
    target[exciting] = np.where(local, others, anywhere)[exciting]
    made.connect(i=source, j=target)
    made.weight = np.where(exciting, 6, -5)
    steps = np.where(exciting, numbers.integers(0, LONGEST_DELAY, source.size), 0)
    made.delay = steps * b2.ms
    return made


def _variation(step: np.ndarray, neuron: np.ndarray) -> float:
    """Returns the mean CV of the intervals of neurons that have enough of them."""
    found = []
    for one in np.unique(neuron):
        intervals = np.diff(np.sort(step[neuron == one]))
        if intervals.size >= FEWEST_INTERVALS:
            found.append(intervals.std(ddof=1) / intervals.mean())
    return float(np.mean(found))


def main() -> None:
    duration, discard, seed = (int(word) for word in sys.argv[1:4])
    b2.defaultclock.dt = 1 * b2.ms
    b2.prefs.codegen.target = "cython"
    numbers = np.random.default_rng(seed)
    stimuli = b2.TimedArray(numbers.integers(0, NEURONS, duration + 1), dt=1 * b2.ms)
    group = _neurons(stimuli)
    monitor = b2.SpikeMonitor(group)
    network = b2.Network(group, monitor, _synapses(group, numbers))
    network.run(1 * b2.ms)  # The first step compiles.
    begun = time.perf_counter()
    network.run((duration - 1) * b2.ms)
    took = time.perf_counter() - begun
    step = np.round(np.asarray(monitor.t / b2.ms)).astype(int)
    neuron = np.asarray(monitor.i)
    counted = step >= discard
    step, neuron = step[counted], neuron[counted]
    result = {"rate": 1e-3 * (duration - 1) / took, "rate_hz": {}, "interval_cv": {}}
    for kind, of, count in (
        ("excitatory", neuron < EXCITATORY, EXCITATORY),
        ("inhibitory", neuron >= EXCITATORY, NEURONS - EXCITATORY),
    ):
        result["rate_hz"][kind] = 1e3 * int(of.sum()) / count / (duration - discard)
        result["interval_cv"][kind] = _variation(step[of], neuron[of])
    print(json.dumps(result))


main()
