"""Halo exchanges of NumPy arrays are tested by what ghosts hold, over jobs of several ranks."""

from __future__ import annotations

import sys

import numpy as np
import pytest
from support.device_arrays import CONSUMING, ByDlpack, ByInterface

import onehop
from onehop import UsageError, _core

# Every job knows these: lattices, numbers for all of their sites, and what the ghosts should hold.
COMMON = """
import itertools, numpy as np, onehop
context = onehop.join()
n = context.size
UNTOUCHED = -7

def whole(ranks, dtype, components, step):
    "The field of the whole lattice after so many steps."
    count = int(np.prod(ranks.extents) * np.prod(components, dtype=int))
    numbers = np.arange(count).reshape(*ranks.extents, *components) + 1000 * step
    field = np.zeros(numbers.shape, dtype)
    if field.dtype.names:
        for k, name in enumerate(field.dtype.names):
            field[name] = numbers + k
    else:
        field[...] = numbers
    return field

def where(ranks, sides):
    "For each axis: coordinates in the whole lattice, and which are past the block or past its end."
    axes = []
    for axis, (below, above) in enumerate(sides):
        x = ranks.origin[axis] + np.arange(-below, ranks.local[axis] + above)
        past = (x < ranks.origin[axis]) | (x >= ranks.origin[axis] + ranks.local[axis])
        outside = (x < 0) | (x >= ranks.extents[axis])
        axes.append((x % ranks.extents[axis], past, outside & (not ranks.periodic[axis])))
    return axes

def untouched(shape, dtype):
    return np.full(shape, UNTOUCHED).astype(dtype) if not dtype.names else np.array(
        [(UNTOUCHED,) * len(dtype.names)], dtype).repeat(np.prod(shape)).reshape(shape)

def expected(field, step, corners=False):
    axes = where(field.ranks, field.sides)
    lattice = whole(field.ranks, field.dtype, field.components, step)
    array = lattice[np.ix_(*[x for x, _, _ in axes])]
    past = sum(np.ix_(*[p.astype(int) for _, p, _ in axes]))
    outside = sum(np.ix_(*[o.astype(int) for _, _, o in axes])) > 0
    array[((past > 1) & (not corners)) | outside] = untouched((), field.dtype)
    return array

def fill(field, step):
    field.array[...] = untouched(field.array.shape, field.dtype)
    lattice = whole(field.ranks, field.dtype, field.components, step)
    field.interior[...] = lattice[field.ranks.slices]

def check(field, step, corners=False):
    assert np.array_equal(field.array, expected(field, step, corners)), (field, step)
"""

GHOSTS = """
site = np.dtype([("spin", "<i2"), ("weight", "<f8")])
lattices = [
    (17, {}, {}),
    (9, {"periodic": False}, {"width": 2}),
    ((9, 8), {}, {"width": 2, "dtype": np.complex64}),
    ((12, 7), {"periodic": (False, True)}, {"sides": [(0, 2), (1, 0)], "components": 3}),
    ((11, 4, 6), {}, {"dtype": site}),
    ((8, 6, 5), {"periodic": (True, True, False)}, {"sides": [(2, 0), (1, 1), (0, 1)]}),
    ((8, 4, 4, 4), {}, {"dtype": np.complex128, "components": (2, 3)}),
    ((5, 2, 4, 3), {"grid": (n, 1, 1, 1), "periodic": (True, True, False, True)}, {}),
    ((3, n + 1), {"grid": (1, n)}, {"dtype": np.uint8, "components": (3,)}),
]
for (extents, how, sites), corners in itertools.product(lattices, (False, True)):
    ranks = onehop.Cartesian(context, extents, **how)
    field = onehop.HaloField(ranks, **{"dtype": np.float64, **sites})
    assert field.interior.shape == (*ranks.local, *field.components)
    assert not field.array.view(np.uint8).any() and np.shares_memory(field.array, field.interior)
    halo = onehop.HaloExchange(field, corners=corners)
    for step in range(3):
        fill(field, step)
        halo.start()
        halo.wait()
        check(field, step, corners)
"""

TOGETHER = """
ranks = onehop.Cartesian(context, (11, 4, 6))
one = onehop.HaloField(ranks, np.uint8, components=3)
two = onehop.HaloField(ranks, np.complex128, sides=[(2, 1), (0, 0), (2, 0)], components=(2, 2))
three = onehop.HaloField(ranks, np.int32)
halo = onehop.HaloExchange([one, two, three])
for step in range(3):
    fill(two, step + 1)
    fill(three, step + 2)
    fill(one, 0)
    halo.exchange()
    check(one, 0)
    check(two, step + 1)
    check(three, step + 2)
assert len(halo.describe().splitlines()) == len(onehop.HaloExchange(three).describe().splitlines())
"""

TURNS = """
ranks = onehop.Cartesian(context, (9, 5))
now, then = (onehop.HaloField(ranks, np.float32) for _ in range(2))
halo = onehop.HaloExchange(now)
for step in range(8):
    fill(now, step)
    halo.start(now)
    then.array[...] = 0
    if step % 2:
        halo.wait()
    else:
        while not halo.test():
            pass
    check(now, step)
    now, then = then, now
del now, then
halo.exchange()
"""

FACES = """
ranks = onehop.Cartesian(context, (12, 4))
field = onehop.HaloField(ranks, np.int64)
halo = onehop.HaloExchange(field)
ghosts = {
    (0, 0): np.s_[0, 1:-1],
    (0, 1): np.s_[-1, 1:-1],
    (1, 0): np.s_[1:-1, 0],
    (1, 1): np.s_[1:-1, -1],
}
for step in range(6):
    fill(field, step)
    halo.start()
    for face in itertools.islice(itertools.cycle(ghosts), step, step + 4):
        if step % 2:
            halo.wait(face)
        else:
            while not halo.test(face):
                pass
        assert np.array_equal(field.array[ghosts[face]], expected(field, step)[ghosts[face]])
    halo.wait()
    check(field, step)
"""

ONE_BY_ONE = """
ranks = onehop.Cartesian(context, (12, 5))
field = onehop.HaloField(ranks, np.int64)
halo = onehop.HaloExchange(field, corners=True)
sides = {(0, 0): np.s_[:1], (0, 1): np.s_[-1:], (1, 0): np.s_[:, :1], (1, 1): np.s_[:, -1:]}
for step in range(4):
    field.array[...] = UNTOUCHED
    mine = whole(ranks, field.dtype, field.components, step)[ranks.slices]
    halo.start_partial()
    for face in list(sides)[step:] + list(sides)[:step]:
        field.interior[sides[face]] = mine[sides[face]]
        halo.ready(face)
    field.interior[...] = mine
    halo.wait()
    check(field, step, corners=True)
"""

IN_PLACE = """
for own_memory, periodic in itertools.product((False, True), (True, (False, True, True))):
    ranks = onehop.Cartesian(context, (11, 4, 6), periodic=periodic)
    dense = {"sides": [(2, 1), (1, 1), (0, 1)], "padded": False}
    one = onehop.HaloField(ranks, np.int32, components=2, **dense)
    two = onehop.HaloField(ranks, np.complex64, **dense)
    size = onehop.HaloExchange.ghost_bytes([one, two], corners=True)
    memory = np.empty(size, np.uint8) if own_memory else None
    halo = onehop.HaloExchange([one, two], corners=True, ghosts=memory)
    for step in range(3):
        fill(one, step)
        fill(two, step + 1)
        halo.exchange()
        for number, field in enumerate((one, two)):
            around = expected(field, step + number, corners=True)
            for steps in itertools.product((-1, 0, 1), repeat=3):
                if not any(steps):
                    continue
                cut, ended = [], False
                for axis, (d, (below, above)) in enumerate(zip(steps, field.sides)):
                    end = below + ranks.local[axis]
                    cut.append(slice(0, below) if d < 0 else slice(end, end + above) if d else
                               slice(below, end))
                    single = [0, 0, 0]
                    single[axis] = d
                    ended |= ranks.neighbour(single) is None
                wanted = around[tuple(cut)]
                ghost = halo.ghost_at(steps, number)
                assert ghost.dtype == field.dtype and not (ghost.size and ghost.flags.writeable)
                if ended or 0 in wanted.shape:
                    assert ghost.size == 0 and ghost.ndim == wanted.ndim
                else:
                    assert np.array_equal(ghost, wanted), (steps, number)
                    assert not own_memory or np.shares_memory(ghost, memory)
        face = halo.ghost((0, 1))
        assert np.array_equal(face, halo.ghost_at((1, 0, 0)))
"""

BLOCKS = """
ranks = onehop.Cartesian(context, (5, 7, 3), periodic=(True, False, True))
owners = onehop.allgather(context, np.array([*ranks.origin, *ranks.local, *ranks.position]))
seen = np.zeros(ranks.extents, int)
for rank, row in enumerate(owners):
    first, sites, position = row[:3], row[3:6], row[6:]
    seen[tuple(slice(a, a + m) for a, m in zip(first, sites))] += 1
    assert ranks.rank_at(position) == rank == np.ravel_multi_index(position, ranks.grid)
assert (seen == 1).all()
ends = ranks.position[1] == 0, ranks.position[1] == ranks.grid[1] - 1
assert [ranks.neighbour((0, d, 0)) is None for d in (-1, 1)] == list(ends)
assert ranks == onehop.Cartesian(context, (5, 7, 3), ranks.grid, (True, False, True))
assert ranks != onehop.Cartesian(context, (5, 7, 3), ranks.grid)
"""


@pytest.mark.parametrize("ranks", [1, 2, 4])
@pytest.mark.parametrize(
    "program",
    [GHOSTS, TOGETHER, TURNS, FACES, ONE_BY_ONE, IN_PLACE, BLOCKS],
    ids=["ghosts", "together", "turns", "faces", "one_by_one", "in_place", "blocks"],
)
def test_every_ghost_is_the_site_that_it_stands_for(onehop, program, ranks):
    ended = onehop("run", "-n", ranks, "--", sys.executable, "-c", COMMON + program)
    assert (ended.status, ended.err) == (0, "")


def test_axes_are_those_of_numpy():
    ranks = onehop.Cartesian(onehop.join("self"), (3, 4, 5))
    field = onehop.HaloField(ranks, np.float32, sides=[(1, 0), (0, 2), (3, 3)], components=(4, 3))
    assert ranks.local == ranks.extents == (3, 4, 5)
    assert field.array.shape == (4, 6, 11, 4, 3)
    assert field.interior.shape == (3, 4, 5, 4, 3)
    assert field.array.flags.c_contiguous


def test_a_type_of_arrays_is_one_of_components():
    ranks = onehop.Cartesian(onehop.join("self"), 4)
    field = onehop.HaloField(ranks, np.dtype((np.float64, (2, 3))))
    assert (field.components, field.dtype) == ((2, 3), np.float64)


def test_a_field_over_an_array_is_that_array():
    ranks = onehop.Cartesian(onehop.join("self"), (3, 4))
    array = np.zeros((5, 6, 2))
    field = onehop.HaloField.register(ranks, array)
    assert field.array is array
    field.interior[...] = np.arange(24).reshape(3, 4, 2)
    onehop.HaloExchange(field).exchange()
    assert np.array_equal(array[0, 1:-1], array[-2, 1:-1])


def test_an_exchange_keeps_its_fields():
    ranks = onehop.Cartesian(onehop.join("self"), 6)
    halo = onehop.HaloExchange(onehop.HaloField(ranks, np.int64, padded=False))
    other = [np.ones(6, np.int64) for _ in range(50)]
    halo.exchange()
    assert halo.ghost((0, 0)).tolist() == [0]
    assert len(other) == 50


class TestOnADevice:
    """There is no device here: the test sees what reaches the library, and fields are the
    host's."""

    @pytest.fixture
    def seen(self, monkeypatch):
        calls = []

        class Exchange:
            ghost_bytes = staticmethod(_core.HaloExchange.ghost_bytes)

            def __init__(self, fields, *how):
                calls.append(how)

            def ghost_address(self, steps, field):
                calls.append((steps, field))
                return 4096

        monkeypatch.setattr(_core, "HaloExchange", Exchange)
        return calls

    @pytest.mark.parametrize("kind", [ByDlpack, ByInterface])
    def test_fields_and_ghosts_of_any_library(self, device, seen, kind):
        ranks = onehop.Cartesian(onehop.join("self"), (3, 4))
        array = kind(device)
        field = onehop.HaloField.register(ranks, array, padded=False, stream=CONSUMING)
        assert field.array is array
        assert field.on_device
        device.synchronise(CONSUMING)
        assert array.is_right
        size = onehop.HaloExchange.ghost_bytes(field)
        ghosts = kind(device, (size // 8,))
        halo = onehop.HaloExchange(field, ghosts=ghosts, stream=CONSUMING, wait_on_stream=True)
        assert seen == [(False, ghosts.memory.ctypes.data, size, CONSUMING, True)]
        arrived = halo.ghost((0, 1))
        assert seen[1:] == [([0, 1, 0, 0], 0)]
        assert (arrived.address, arrived.shape, arrived.strides) == (4096, (1, 4), (32, 8))
        interface = arrived.__cuda_array_interface__
        assert (interface["data"], interface["stream"]) == ((4096, True), CONSUMING)

    def test_a_padded_one_is_refused(self, device):
        ranks = onehop.Cartesian(onehop.join("self"), (1, 2))
        with pytest.raises(UsageError, match="which the host cannot pack"):
            onehop.HaloField.register(ranks, ByDlpack(device))
