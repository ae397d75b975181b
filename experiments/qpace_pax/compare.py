"""Compares QPACE and PAX by `onehop simulate`: prints the table of README.md, draws figure.svg."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

from onehop.figures import COLOURS, new_figure, save

GRIDS = {
    128: "8x4x4",
    256: "8x8x4",
    512: "8x8x8",
    1024: "16x8x8",
    2048: "16x16x8",
    4096: "16x16x16",
}
_LARGER = "topology.nodes_most=4096"
_WIDE = f"topology.radix=256,{_LARGER}"
# Names, and the platform with its changes.
MACHINES = {
    "QPACE": ("qpace", _LARGER),
    "PAX": ("pax", _WIDE),
    "PAX, all ports up": ("pax", f"{_WIDE},topology.up=16"),
}
FACES = (1024, 24576)
LABELS = ("halo of 24 KiB faces [us]", "bisection [GB/s]")


def simulated(platform: str, changes: str, *words: str) -> dict:
    command = ["onehop", "simulate", platform, *words, "--platform-set", changes, "--json", "-"]
    return json.loads(subprocess.run(command, check=True, stdout=subprocess.PIPE).stdout)


def halo_us(machine: str, nodes: int, face_bytes: int) -> float:
    words = ("--nodes", GRIDS[nodes], "--message-bytes", str(face_bytes), "--diagonal", "0")
    return simulated(*MACHINES[machine], "halo", *words)["step_us"]


def bisection_gbps(machine: str, nodes: int) -> float:
    """Returns the GB/s of data across the middle, both ways, of uniform traffic that saturates: one
    half of all messages crosses it."""
    words = ("--nodes", GRIDS[nodes], "--load", "2", "--warm-up", "60", "--window", "60")
    found = simulated(*MACHINES[machine], "traffic", *words)
    return found["saturation"] * found["node_gbps"] * nodes / 2


def main() -> None:
    found = {}
    for nodes in GRIDS:
        for name in MACHINES:
            times = [halo_us(name, nodes, size) for size in FACES]
            found[nodes, name] = (*times, bisection_gbps(name, nodes))
        cells = (f"{found[nodes, name][k]:.3g}" for k in range(3) for name in MACHINES)
        print(f"| {nodes} | {' | '.join(cells)} |", flush=True)
    figure, panels = new_figure(1, 2, figsize=(9, 3.6))
    for panel, k, label in zip(panels, (1, 2), LABELS, strict=True):
        for colour, name in zip(COLOURS, MACHINES, strict=False):
            values = [found[nodes, name][k] for nodes in GRIDS]
            panel.plot(list(GRIDS), values, "o-", color=colour, label=name)
        panel.set(xlabel="nodes", ylabel=label, xscale="log", yscale="log" if k == 2 else "linear")
        panel.set_xticks(list(GRIDS), [str(nodes) for nodes in GRIDS])
        panel.minorticks_off()
        panel.set_ylim(bottom=0 if k == 1 else None)
        panel.legend(frameon=False, fontsize=8)
    save(figure, Path(sys.argv[0]).parent / "figure.svg")


if __name__ == "__main__":
    main()
