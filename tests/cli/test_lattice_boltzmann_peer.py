"""`onehop app lattice-boltzmann` beside lbmpy, which generates kernels of its own."""

from __future__ import annotations

import pytest
from support.app_peers import compared

pytest.importorskip("lbmpy", reason="no lbmpy")


@pytest.mark.timeout(300)
@pytest.mark.parametrize("collision", ["bgk", "trt"])
def test_density_and_velocity_are_those_of_lbmpy(collision):
    words = ("--lattice", "12", "8", "6", "--pairs", "1", "--collision", collision)
    ended = compared("lbmpy", *words)
    assert ended.returncode == 0, ended.stderr
    for name in ("density", "velocity"):
        assert f"\n{name}: " in ended.stdout and "below 1e-12" in ended.stdout
