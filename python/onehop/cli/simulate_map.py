"""The picture of `onehop simulate --map`."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from onehop.netsim import load_map

if TYPE_CHECKING:
    import types
    from collections.abc import Mapping

    import numpy as np

    from onehop import _core


def draw(
    options: types.SimpleNamespace,
    machine: _core.MachineDescription,
    links: Mapping[str, np.ndarray],
    duration_ps: int,
) -> None:
    """Of the run that took `duration_ps`."""
    shape = "x".join(map(str, options.nodes))
    shares = load_map.busy_shares(machine, links, duration_ps)
    load_map.write(
        Path(options.map), f"{options.workload} on {options.platform}, {shape} nodes", shares
    )
