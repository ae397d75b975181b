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
            "Edges of it for each vertex (default: 16).",
            Whole(1, 2**20),
        ),
        option(
            "--edges",
            "Search the graph with these edges instead: an array (edges, 2) of whole numbers, the "
            "vertices, from 0 on.",
            INPUT,
            "FILE.npy",
        ),
        option("--roots", "Searches, each from another vertex.", Whole(1), default=64),
        option("--seed", "Of graph and roots.", Whole(0, MOST_SEED), "S", default=1),
        option(
            "--variant",
            "top-down tells other ranks of every edge to their vertices, pruned of each vertex "
            "once; direction-optimising lets vertices look for parents where a level is large.",
            ("top-down", "pruned", "direction-optimising"),
            default="direction-optimising",
        ),
        option(
            "--partition",
            "How ranks share the edges: 1d, by the vertex they lead from; RxC, by that and the "
            "vertex they lead to, in R rows and C columns, of which a rank tells no other than its "
            "own; 2d, in as many rows as columns or, where that is not possible, fewer.",
            Parsed(partition),
            "1d|2d|RxC",
            default="1d",
        ),
        option(
            "--levels",
            "Write the level of each vertex in each search, an array (searches, vertices), -1 for "
            "not reached.",
            OUTPUT,
            "FILE.npy",
        ),
        option("--parents", "Write its parent, likewise.", OUTPUT, "FILE.npy"),
        option("-n --ranks", "Processes that share the vertices (default: 1).", Whole(1)),
    ],
    plot="rates and levels of the searches",
    usage="--scale S [options]",
    notes="The Graph500 benchmark: a Kronecker graph is generated, constructed (kernel 1) and "
    "searched (kernel 2); the rate is input edges of the root's component over the time of a "
    "search. Of all parents that a vertex could have it takes the smallest, so that trees are the "
    "same on any number of ranks and any wire. The check: the five rules of the benchmark, for "
    "every search.",
    examples=(
        "onehop app graph-search --scale 18 -n 2 --plot searches.png",
        "onehop app graph-search --scale 16 --roots 8 -n 4 --transport virtual:apenet-v4 "
        "--memory device",
        "onehop app graph-search --scale 16 --roots 8 --partition 2x3 --variant pruned",
        "onehop app graph-search --edges mine.npy --roots 1 --levels levels.npy",
    ),
)
