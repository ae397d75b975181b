"""Reads the graph that `onehop app graph-search` searches, from the options."""

from pathlib import Path

import numpy as np

from onehop import _apps, _core
from onehop._core import FileError, UsageError
from onehop.cli._shared import job
from onehop.cli._shared.option import Options
from onehop.cli.app import graph_search_partition

_MOST_VERTICES = 2**31
_MAGIC = b"\x93NUMPY"
# The list takes 8 bytes an edge, its two directions 16 each as they come and as they are sorted,
# and rows 4 for each, with what vectors hold in reserve.
_BYTES_OF_EDGE = 56
# While a search is validated the list and the rows are there, and of each vertex 4 bytes of its
# degree, 8 of parent and level, and 8 of each of three trees: the last one, and the new one in
# parts and whole. Each row of ranks has 4 bytes of where the vertex's neighbours begin.
_BYTES_OF_EDGE_IN_SEARCH, _BYTES_OF_VERTEX_IN_SEARCH, _BYTES_IN_EACH_ROW = 16, 36, 4


def check(options: Options) -> None:
    """Checks the options and fills in `edgefactor`; raises UsageError and FileError."""
    if (options.scale is None) == (options.edges is None):
        raise UsageError("give --scale for a generated graph, or --edges for one of your own")
    if options.edges is not None:
        if options.edgefactor is not None:
            raise UsageError("--edgefactor is for generated graphs; it goes with --scale")
        vertices = check_edges(options.edges)
        what = f"the graph of {options.edges}, of vertices 0 to {vertices - 1},"
        _check_memory(what, options, vertices, len(_mapped(options.edges)))
        return
    options.edgefactor = options.edgefactor or 16
    vertices = 2**options.scale
    what = f"--scale {options.scale} with --edgefactor {options.edgefactor}"
    _check_memory(what, options, vertices, options.edgefactor * vertices)


def _check_memory(what: str, options: Options, vertices: int, edges: int) -> None:
    of_vertex = _BYTES_OF_VERTEX_IN_SEARCH + _BYTES_IN_EACH_ROW * graph_search_partition.rows(
        options
    )
    searched = _BYTES_OF_EDGE_IN_SEARCH * edges + of_vertex * vertices
    needed = max(_BYTES_OF_EDGE * edges, searched)
    job.check_memory(needed, f"{what} takes")


def _mapped(name: str) -> np.ndarray:
    try:
        array = np.load(name, mmap_mode="r", allow_pickle=False)
    except OSError as error:
        raise FileError(f"cannot read {name}: {error.strerror or error}") from None
    except MemoryError:
        raise
    except Exception as error:
        # The parser of headers raises what it likes, and NumPy takes a file of anything else for
        # pickled objects, which it advises to load.
        with Path(name).open("rb") as file:
            is_npy = file.read(len(_MAGIC)) == _MAGIC
        why = f"its array cannot be read: {error}" if is_npy else "it is not an .npy file"
        raise FileError(f"cannot read {name}: {why}") from None
    if not isinstance(array, np.ndarray):
        raise FileError(f"cannot read {name}: it is not an .npy file of one array")
    return array


def check_edges(name: str) -> int:
    """Returns the number of vertices of the graph."""
    edges = _mapped(name)
    if edges.ndim != 2 or edges.shape[1] != 2 or edges.dtype.kind not in "iu":
        raise FileError(
            f"{name} has {edges.dtype} of shape {edges.shape}; edges are whole numbers of shape "
            "(edges, 2)"
        )
    if not len(edges):
        raise FileError(f"{name} holds no edges")
    if edges.min() < 0 or edges.max() >= _MOST_VERTICES:
        raise FileError(
            f"{name} has vertices from {edges.min()} to {edges.max()}; 0 to {_MOST_VERTICES - 1} "
            "are possible"
        )
    if (edges[:, 0] == edges[:, 1]).all():
        raise FileError(f"{name} has no edge between two vertices, so nothing to search")
    return int(edges.max()) + 1


def part_of_rank(context: _core.Context, options: Options) -> tuple[int, np.ndarray]:
    """Returns the number of vertices, and this rank's part of the edges."""
    if options.edges is None:
        edges = _apps.kronecker_edges(context, options.scale, options.edgefactor, options.seed)
        return 2**options.scale, edges
    vertices, edges = check_edges(options.edges), _mapped(options.edges)
    first, end = (len(edges) * rank // context.size for rank in (context.rank, context.rank + 1))
    return vertices, np.ascontiguousarray(edges[first:end], dtype=np.uint32)
