"""The options of `onehop app event-stream`."""

from onehop.cli._shared.option import option
from onehop.cli._shared.values import MOST_SEED, POSITIVE, Real, Whole
from onehop.cli.app.application import application

COMMAND = application(
    "event-stream",
    [
        option(
            "--setup",
            "Experiment that sets the options not given here: nanet-1, nanet-10, km3net, "
            "adaptive-optics, camera, or your own .toml file.",
            value="NAME|FILE",
        ),
        option(
            "--sources", "Number of read-out boards, one rank each (default: 1).", Whole(1, 1024)
        ),
        option("--consumers", "Number of ranks that decide (default: 1).", Whole(1, 1024), "M"),
        option(
            "--events-per-s",
            "Events per second, each seen by every source (default: 1e6).",
            # Between events of far lower rates there are more nanoseconds than 64 bits can count.
            Real(min=1e-6, max=1e9),
            "R",
        ),
        option(
            "--arrivals",
            "Events come independently, at equal intervals, or eight at once (default: poisson).",
            ("poisson", "constant", "bunches"),
        ),
        option(
            "--deadline-us",
            "Later decisions, in us, are misses (default: 1000).",
            POSITIVE,
            "D",
        ),
        option(
            "--seconds", "Time for which events happen, in seconds.", POSITIVE, "T", default=1.0
        ),
        option(
            "--wire",
            "put: the library's stream; udp: sockets of the loopback interface; both: one after "
            "the other.",
            ("put", "udp", "both"),
            default="put",
        ),
        option(
            "--hits",
            "Events have hits of at most one ring, of up to three rings, or no hits (default: "
            "rings).",
            ("rings", "several", "none"),
        ),
        option(
            "--payload-bytes",
            "Bytes of other content in each fragment, a multiple of 8 (default: 0).",
            Whole(0),
            "B",
        ),
        option(
            "--datagram-bytes", "Bytes of the longest datagram (default: 1472).", Whole(48), "B"
        ),
        option(
            "--gather-us",
            "A datagram leaves when it is full, or this many microseconds after its first event "
            "(default: 200).",
            Real(min=0),
            "US",
        ),
        option(
            "--buffers",
            "Over put: buffers for each source at each consumer, 32 KiB each (default: 16).",
            Whole(2, 1024),
            "K",
        ),
        option("--batch", "Most events to decide together.", Whole(1, 65536), default=16),
        option(
            "--service-us",
            "Microseconds that a consumer adds to each event's computation.",
            Real(min=0),
            "US",
            default=0.0,
        ),
        option(
            "--stall-ms",
            "Milliseconds for which the first consumer stops at half of the time.",
            Real(min=0),
            "MS",
            default=0.0,
        ),
        option(
            "--share",
            "Events go to the consumers in turn, or, from one source over put, to one that has "
            "room.",
            ("turn", "load"),
            default="turn",
        ),
        option("--seed", "Seed of events and arrivals.", Whole(0, MOST_SEED), "S", default=1),
    ],
    plot="the distribution of decision times",
    usage="[--setup NAME] [options]",
    notes="Sources see events and send fragments of them in datagrams; consumers join fragments, "
    "fit rings to hits, and send decisions back to the first source, which measures the "
    "time from an event's time stamp to its decision. Over put, a source that finds no "
    "room waits, so events are late but not lost; over udp, the kernel drops what its "
    "buffer has no room for, and losses are counted. The check: every event arrives once, "
    "in order and complete, none is lost over put, and centres and radii have no bias and "
    "pulls of width 1.",
    examples=(
        "onehop app event-stream --events-per-s 3e6 --wire both --plot latencies.png",
        "onehop app event-stream --setup nanet-10 --events-per-s 1e6 --seconds 2",
        "onehop app event-stream --events-per-s 1e6 --seconds 0.01 --transport virtual:apenet-v4",
    ),
)
