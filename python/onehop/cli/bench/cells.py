"""Chooses the cells of a benchmark's table."""

import math

from onehop import _bench
from onehop._core import UsageError
from onehop.cli._shared.option import Options
from onehop.cli.bench import memory, patterns
from onehop.cli.bench.patterns import AGAINST_HAND, PAIRED, SUMMING
from onehop.cli.bench.sizes import DEFAULT, RefinedSizes, sizes

_DEFAULT_FACES = (2, 4, 8)
_LEAST_OF_DOUBLES = 8
_MOST_SIZES = 48
# A commit takes as long for puts of any size. A site of three dimensions has 26 neighbours.
_COMMITTED_BYTES = 64
_COMMITTED_PUTS = 26


def check(options: Options) -> None:
    """Refuses options that contradict each other, and fills in the defaults that depend on the
    pattern."""
    pattern = options.pattern
    if pattern is None:
        known = ", ".join(patterns.ALL)
        raise UsageError(f"onehop bench needs PATTERN: what to measure, one of {known}")
    if options.lattice and options.sizes:
        raise UsageError(
            "--sizes and --lattice both given; a lattice sets the sizes of its "
            "faces: leave --sizes out"
        )
    on_devices = memory.on_devices(options)
    options.pack = options.pack or ("direct" if pattern == "halo" and not on_devices else "buffer")
    if pattern == "pingping" and options.pack == "direct":
        options.check = "inside"
    if options.against == "hand" and pattern not in AGAINST_HAND:
        known = ", ".join(AGAINST_HAND)
        raise UsageError(f"--against hand is for {known}, not {pattern}; give --against mpi")
    for name, value in (("peers", options.peers), ("methods", options.methods)):
        if value is not None and options.against != "mpi":
            raise UsageError(f"--{name} is for --against mpi")
    if options.early and options.against != "none":
        raise UsageError("--early compares with the same step without it; leave --against out")
    if pattern in (*PAIRED, "stream") and options.ranks > 1 and options.ranks % 2:
        raise UsageError(f"{pattern} works with pairs of ranks; --ranks {options.ranks} is odd")
    options.block_time = options.block_time or (1000.0 if options.against == "mpi" else 200.0)
    options.max_time = options.max_time or (3.0 if options.against == "mpi" else 1.0)
    if options.min_time > options.max_time:
        limits = f"--min-time {options.min_time:g} is above --max-time {options.max_time:g}"
        raise UsageError(f"{limits}; give a larger --max-time")
    for size in (options.sizes or ()) if options.rows > 1 else ():
        if size % options.rows:
            raise UsageError(f"--rows {options.rows} does not divide --sizes {size}")
    if options.rows > 1 and options.pack == "direct":
        raise UsageError(
            "--rows is for messages that a chain copies; --pack direct writes them "
            "where they are sent from: leave one out"
        )
    if pattern == "barrier":
        options.sizes = [0]
    if pattern == "commit":
        options.sizes = options.sizes or [_COMMITTED_BYTES]
        options.messages = options.messages or _COMMITTED_PUTS
    options.sizes = options.sizes or (None if options.lattice else sizes(DEFAULT))
    if pattern == "halo" and options.faces is None:
        options.faces = list(_DEFAULT_FACES)
    if options.lattice and not set(options.faces) <= {2, 4, 6, 8}:
        raise UsageError("a lattice has 2, 4, 6 or 8 faces; choose --faces among them")
    for size in options.sizes or ():
        if pattern in SUMMING and size % _LEAST_OF_DOUBLES:
            raise UsageError(f"{pattern} sums doubles; --sizes {size} is not a multiple of 8")


def cells(options: Options) -> list[_bench.BenchCell]:
    if options.pattern != "halo":
        return [_cell(options, [size]) for size in options.sizes]
    if options.lattice:
        return [_cell(options, lattice_faces(options, count)) for count in options.faces]
    return [_cell(options, [size] * count) for count in options.faces for size in options.sizes]


def finer(options: Options, samples: list[dict]) -> list[_bench.BenchCell]:
    """Returns, with --sizes auto, cells at the bends of what has been measured, until there are
    enough."""
    if not isinstance(options.sizes, RefinedSizes):
        return []
    from onehop.perfmodel.refine import finer_sizes

    curves: dict[int | None, dict[int, float]] = {}
    for sample in samples:
        if sample["method"] == "onehop":
            curves.setdefault(sample["faces"], {})[sample["size_bytes"]] = sample["value"]
    room = _MOST_SIZES - len(options.sizes)
    found = {size for curve in curves.values() for size in finer_sizes(curve, room)}
    fresh = sorted(found - set(options.sizes))[:room]
    options.sizes += fresh
    if options.pattern != "halo":
        return [_cell(options, [size]) for size in fresh]
    return [_cell(options, [size] * count) for count in options.faces for size in fresh]


def lattice_faces(options: Options, count: int) -> list[int]:
    """Returns the bytes of each face of a local lattice: two of t, then of z, y, x."""
    volume = math.prod(options.lattice)
    directions = list(reversed(options.lattice))[: count // 2]
    return [volume // extent * options.site_bytes for extent in directions for _ in range(2)]


def _cell(options: Options, face_bytes: list[int]) -> _bench.BenchCell:
    cell = _bench.BenchCell()
    cell.pattern = options.pattern
    cell.face_bytes = face_bytes
    cell.channels = options.channels
    cell.messages = options.messages or 0
    cell.rows = options.rows
    cell.schedule = options.schedule
    cell.fast_order = options.order == "fast"
    cell.packed = options.pack == "direct"
    cell.early_beside = options.early
    cell.check_inside = options.check == "inside"
    cell.against_hand = options.against == "hand"
    cell.methods = options.methods or []
    cell.rotate_bytes = options.rotate << 20
    memory.place(cell, options)
    return cell
