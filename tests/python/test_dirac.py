"""The Dirac operator is applied to fields, and compared with its definition in NumPy and with what
solve inverts."""

from __future__ import annotations

import numpy as np
import pytest
from support import fermions
from support.blocks import run_on_ranks, whole

import onehop

LATTICE = (4, 6, 4, 8)
OPERATORS = [
    onehop.Wilson(mass=0.3),
    onehop.Wilson(kappa=0.12, mu=0.2),
    onehop.Clover(mass=0.4, csw=1.3, mu=0.1),
    onehop.Staggered(mass=0.3),
    onehop.Asqtad(mass=0.3, u0=0.9),
    onehop.Hisq(mass=0.3, naik_epsilon=-0.1),
]
NAMES = [f"{operator!r}" for operator in OPERATORS]
every_operator = pytest.mark.parametrize("kind", OPERATORS, ids=NAMES)


@pytest.fixture(scope="module")
def gauge():
    return onehop.hot_gauge(LATTICE, seed=3)


def noise(shape, seed=1):
    numbers = np.random.default_rng(seed)
    return numbers.normal(size=shape) + 1j * numbers.normal(size=shape)


def in_numpy(kind, links, x):
    return {
        "wilson": lambda: fermions.wilson(links, x, kind.mass, kind.mu),
        "clover": lambda: fermions.clover(links, x, kind.mass, kind.csw, kind.mu),
        "staggered": lambda: fermions.staggered(links, x, kind.mass),
    }[kind.dslash]()


@pytest.mark.parametrize("boundary", ["antiperiodic", "periodic"])
@pytest.mark.parametrize("kind", OPERATORS[:4], ids=NAMES[:4])
def test_is_the_definition_in_numpy(gauge, kind, boundary):
    operator = onehop.Dirac(gauge, kind, boundary=boundary)
    links = fermions.with_boundary(gauge.links, antiperiodic=boundary == "antiperiodic")
    x = noise(operator.shape)
    assert np.allclose(operator.apply(x), in_numpy(kind, links, x), rtol=0, atol=1e-13)


@every_operator
def test_is_what_solve_inverts(gauge, kind):
    operator = onehop.Dirac(gauge, kind)
    b = noise(operator.shape)
    result = onehop.solve(gauge, kind, source=b, tol=1e-11)
    rest = np.linalg.norm(operator.apply(result.propagator[0]) - b) / np.linalg.norm(b)
    assert rest == pytest.approx(result.reports[0].residual_true, rel=1e-3) and rest < 1.001e-11


@every_operator
def test_dagger_is_the_adjoint(gauge, kind):
    operator = onehop.Dirac(gauge, kind)
    x, y = noise(operator.shape), noise(operator.shape, 2)
    left, right = np.vdot(y, operator.apply(x)), np.vdot(operator.apply(y, dagger=True), x)
    assert left == pytest.approx(right, rel=1e-13)


def test_dagger_of_twisted_quarks_is_the_other_flavour(gauge):
    x, g5 = noise(onehop.Dirac(gauge, mass=0.5).shape), np.diag(fermions.GAMMA5)[:, None]
    up, down = (onehop.Dirac(gauge, onehop.Clover(mass=0.3, mu=mu)) for mu in (0.2, -0.2))
    assert np.allclose(up.apply(x, dagger=True), g5 * down.apply(g5 * x), rtol=0, atol=1e-13)


def test_a_plane_wave_of_unit_links_is_an_eigenvector():
    """The eigenvalue is that of free Wilson quarks, M = m + sum_mu (1 - cos p_mu) + i gamma.sin
    p."""
    operator = onehop.Dirac(onehop.cold_gauge(LATTICE), mass=0.3)
    n = (1, -2, 3, 1)
    p = [2 * np.pi * (n[d] + (0.5 if d == 3 else 0)) / LATTICE[d] for d in range(4)]
    t, z, y, x = np.meshgrid(*(np.arange(e) for e in reversed(LATTICE)), indexing="ij")
    wave = np.exp(1j * (p[0] * x + p[1] * y + p[2] * z + p[3] * t))[..., None, None]
    spinor = noise((4, 3))
    diagonal = 0.3 + sum(1 - np.cos(k) for k in p)
    slashed = sum(np.sin(k) * fermions.GAMMA[d] for d, k in enumerate(p))
    expected = wave * (diagonal * spinor + 1j * slashed @ spinor)
    assert np.allclose(operator.apply(wave * spinor), expected, rtol=0, atol=1e-13)


def test_several_fields_and_other_numbers(gauge):
    operator = onehop.Dirac(gauge, mass=0.3)
    x = noise((3, *operator.shape))
    together = operator.apply(x)
    assert together.shape == x.shape and together.dtype == np.complex128
    assert all(np.array_equal(operator.apply(x[k]), together[k]) for k in range(3))
    assert np.array_equal(operator.apply(x.real), operator.apply(x.real.astype(complex)))
    strided = np.asfortranarray(x[0])
    assert np.array_equal(operator.apply(strided), together[0])
    single = onehop.Dirac(gauge, mass=0.3, prec="single").apply(x[0])
    assert 1e-9 < np.abs(single - together[0]).max() < 1e-5


def test_takes_links_as_they_were(gauge):
    own = gauge.copy()
    operator, x = onehop.Dirac(own, mass=0.3), noise((*reversed(LATTICE), 4, 3))
    before = operator.apply(x)
    own.links[...] = np.eye(3)
    assert np.array_equal(operator.apply(x), before)
    assert not np.allclose(onehop.Dirac(own, mass=0.3).apply(x), before)


def test_what_no_operator_takes(gauge):
    operator = onehop.Dirac(gauge, mass=0.3)
    for shape in [(8, 4, 6, 4, 3), (8, 4, 6, 4, 3, 4), (1, 2, *operator.shape), (3,)]:
        with pytest.raises(onehop.UsageError, match=r"takes \(8, 4, 6, 4, 4, 3\), or several"):
            operator.apply(np.zeros(shape))
    with pytest.raises(onehop.UsageError, match="both given"):
        onehop.Dirac(gauge, onehop.Wilson(mass=0.3), kappa=0.1)
    with pytest.raises(onehop.UsageError, match="mass"):
        onehop.Dirac(gauge, dslash="staggered")


APPLY = """
kinds = [onehop.Clover(mass=0.4, csw=1.3, mu=0.1), onehop.Hisq(mass=0.3)]
gauge = onehop.hot_gauge((4, 4, 8, 12), seed=3)
images = {}
for kind in kinds:
    operator = onehop.Dirac(gauge, kind)
    x = np.zeros(operator.shape, complex)
    onehop._core.random_source(gauge.geometry, 5, kind.components, x)
    images[kind.dslash] = operator.apply(x)
    images[kind.dslash + "_dagger"] = operator.apply(x, dagger=True)
save(gauge, **images)
"""


def test_the_same_bits_on_every_grid(start, tmp_path):
    one, *others = (run_on_ranks(start, tmp_path, ranks, APPLY) for ranks in (1, 2, 4))
    for parts in others:
        for name in ("clover", "clover_dagger", "hisq", "hisq_dagger"):
            assert np.array_equal(whole(parts, name, (4, 4, 8, 12)), one[0][name]), name


DIFFERENT = """
gauge = onehop.hot_gauge((4, 4, 4, 8), seed=3)
rank = gauge.context.rank
operator = onehop.Dirac(gauge, mass=0.3)
calls = {
    "mass 0.5": lambda: onehop.Dirac(gauge, mass=0.5 + rank),
    "fields 1 on rank 0 and fields 2 on rank 1": lambda: operator.apply(
        np.zeros((1 + rank, *operator.shape))
    ),
    "dagger False on rank 0 and dagger True on rank 1": lambda: operator.apply(
        np.zeros(operator.shape), dagger=rank == 1
    ),
}
for part, call in calls.items():
    try:
        call()
    except onehop.UsageError as told:
        assert part in str(told), told
    else:
        raise AssertionError(part)
save(gauge)
"""


def test_ranks_that_apply_different_things_are_told_both(start, tmp_path):
    run_on_ranks(start, tmp_path, 2, DIFFERENT)
