"""The options of `onehop app spiking-network`."""

from onehop.cli._shared import options as shared
from onehop.cli._shared.option import flag, option
from onehop.cli._shared.values import MOST_SEED, OUTPUT, Extents, Real, Whole
from onehop.cli.app.application import application

COMMAND = application(
    "spiking-network",
    [
        option(
            "--columns",
            "Columns of neurons in x, y, on a grid closed in both, as 4 4 or 4x4.",
            Extents(2, 2),
            "X Y",
            required=True,
        ),
        option(
            "--neurons",
            "Neurons of each column; the first four fifths are excitatory.",
            Whole(5),
            default=1000,
        ),
        option("--synapses", "Synapses that leave each neuron.", Whole(1), "M", default=100),
        option(
            "--ms", "Milliseconds to simulate, one step each.", Whole(1, 10**9), "T", default=1000
        ),
        option(
            "--discard",
            "Initial milliseconds to leave out of averages (default: a fifth of --ms).",
            Whole(0),
            "MS",
        ),
        option(
            "--delay",
            "Longest delay of a synapse, in ms; the shortest is 1.",
            Whole(1, 255),
            "MS",
            default=20,
        ),
        option(
            "--local",
            "Share of an excitatory neuron's synapses that stay in its column; the others end one "
            "to three columns away.",
            Real(min=0, max=1),
            "SHARE",
            default=0.76,
        ),
        option(
            "--excitation",
            "Current that a spike initially adds to a neuron, in mV/ms.",
            Real(min=0, max=1000),
            "W",
            default=6.0,
        ),
        option(
            "--inhibition",
            "Current that a spike of an inhibitory neuron takes away, in mV/ms.",
            Real(min=0, max=1000),
            "W",
            default=5.0,
        ),
        option(
            "--stimuli",
            "Mean rate at which a neuron gets 20 mV/ms from outside, at random.",
            Real(min=0, max=1000),
            "HZ",
            default=1.0,
        ),
        flag("--stdp", "Spike times change excitatory weights, once a second."),
        option("--seed", "Seed of synapses and stimuli.", Whole(0, MOST_SEED), "S", default=1),
        option("--samples", "Samples during the run, evenly spaced.", Whole(1), default=20),
        shared.RANKS(help="Processes that share the columns (default: 1, or as --grid says)."),
        shared.GRID(
            help="Ranks in x, y, as 2 1 or 2x1 (default: smallest faces).",
            type=Extents(2, 2),
            value="NX NY",
        ),
    ],
    [
        option(
            "--spikes",
            "Write the spikes, an array (spikes, 2) of millisecond and neuron, sorted by both.",
            OUTPUT,
            "FILE.npy",
        ),
    ],
    plot="the spikes of the last second and their rate",
    usage="--columns X Y [options]",
    notes="Izhikevich neurons: regular spiking excitatory ones and fast spiking inhibitory ones. "
    "The same seed gives the same spikes, bit for bit, on any number of ranks and any wire. The "
    "check: every spike that is sent is received, and becomes as many events at synapses as it "
    "should.",
    examples=(
        "onehop app spiking-network --columns 4 4 -n 2 --plot spikes.png",
        "onehop app spiking-network --columns 2 2 --ms 10000 --stdp --spikes spikes.npy",
        "onehop app spiking-network --columns 8 8 --ms 200 -n 16 --transport virtual:apenet-v4",
    ),
)
