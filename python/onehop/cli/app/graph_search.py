"""The options of `onehop app graph-search`."""

from onehop.cli._shared.option import option
from onehop.cli._shared.values import INPUT, MOST_SEED, OUTPUT, Parsed, Whole
from onehop.cli.app.application import application
from onehop.cli.app.graph_search_partition import partition

COMMAND = application(
    "graph-search",
    [
        option("--scale", "The generated graph has 2^S vertices.", Whole(1, 31), "S"),
        option(
            "--edgefactor",
            "Edges generated per vertex (default: 16).",
            Whole(1, 2**20),
        ),
        option(
            "--edges",
            "Search the graph with these edges instead: an array (edges, 2) of vertices, whole "
            "numbers from 0.",
            INPUT,
            "FILE.npy",
        ),
        option("--roots", "Searches, each from a different vertex.", Whole(1), default=64),
        option("--seed", "Seed of graph and roots.", Whole(0, MOST_SEED), "S", default=1),
        option(
            "--variant",
            "top-down sends other ranks every edge to their vertices, pruned each vertex once; "
            "direction-optimising lets vertices look for parents if a level is large.",
            ("top-down", "pruned", "direction-optimising"),
            default="direction-optimising",
        ),
        option(
            "--partition",
            "How ranks share the edges: 1d, by their start vertex; RxC, by start and end vertex, "
            "in R rows and C columns, where a rank sends only within its own row and column; 2d, "
            "with as many rows as columns or, if that is impossible, fewer.",
            Parsed(partition),
            "1d|2d|RxC",
            default="1d",
        ),
        option(
            "--levels",
            "Write the level of each vertex in each search, an array (searches, vertices), -1 if "
            "not reached.",
            OUTPUT,
            "FILE.npy",
        ),
        option("--parents", "Write the parent of each vertex, likewise.", OUTPUT, "FILE.npy"),
        option("-n --ranks", "Processes that share the vertices (default: 1).", Whole(1)),
    ],
    plot="rates and levels of the searches",
    usage="--scale S [options]",
    notes="The Graph500 benchmark: a Kronecker graph is generated, constructed (kernel 1) and "
    "searched (kernel 2); the rate is the input edges of the root's component over the "
    "time of a search. A vertex takes the smallest of its possible parents, so trees are "
    "the same on any number of ranks and any wire. The check: the five rules of the "
    "benchmark, for every search.",
    examples=(
        "onehop app graph-search --scale 18 -n 2 --plot searches.png",
        "onehop app graph-search --scale 16 --roots 8 -n 4 --transport virtual:apenet-v4 "
        "--memory device",
        "onehop app graph-search --scale 16 --roots 8 --partition 2x3 --variant pruned",
        "onehop app graph-search --edges mine.npy --roots 1 --levels levels.npy",
    ),
)
