"""Writes the page of the documentation about the cost of faults to an iteration of conjugate
gradient."""

import sys
from collections.abc import Mapping, Sequence
from pathlib import Path

from onehop import netsim
from onehop._core import UsageError
from onehop.counted import by_x
from onehop.netsim import cg_workload, faults, load_map, platform_file
from onehop.netsim.run_reading import reading

_HEAD = """# What faults cost an iteration of conjugate gradient

Written by `make docs`; edit `experiments/faults/study.toml`. Times are virtual, of an iteration of
conjugate gradient on the Wilson operator in double precision without data (`onehop simulate
PLATFORM cg`), the faces in GPU memory. A damaged packet is sent again by the link, with all that
followed it; a cut cable is gone round the long way or, in a fat tree, by another rail; a slow node
takes so many times as long in all stages and kernels. What cannot be gone round is refused.

Here the surface of a block travels while its interior is computed, and the card or the adapter is
busier than any cable: damage and detours hide behind it on TCA and InfiniBand. A slow node holds up
all.

On APEnet+ a cut cable costs more than the bytes that go round it. Of all faces only the two that
used the cable take the long way, three links for one, and each link of their ring then carries two
faces for one, for which there is time. But firmware looks up the address of each packet that comes,
so that an adapter takes longer to receive a packet than a link to bring it. Packets for such a one
fill the buffers of the links to it, and a face that only passes the node stands behind them: it
gets through when the nodes on its way have received nearly all of theirs, and the last node then
receives it alone. Where the look-up takes as long as that of host memory, by hardware, adapters
keep up with links, and the same detour, like damage, costs next to nothing.

![A torus with a cut cable](../images/dead_link.svg)
"""
_COLUMNS = "| fault | iteration us | more | wait for faces us | sent again | most busy |"


def write(path: Path) -> None:
    """Writes the page, and `dead_link.svg` among the images beside its folder."""
    folder = Path(__file__).parent.parent / "experiments"
    study = platform_file.read(folder / "faults" / "study.toml")
    parts = [_HEAD, *(_section(case, study["fault"]) for case in study["case"])]
    _draw_cut(path.parent.parent / "images" / "dead_link.svg")
    path.write_text("\n".join(parts))


def _draw_cut(path: Path) -> None:
    grid = (4, 4, 2)
    machine = faults.machine(netsim.load("apenet-v4", {}), grid, dead_link=(0, 0))
    times = cg_workload.run(machine, "direct", grid, (16, 16, 16, 32), "device")
    shares = load_map.busy_shares(machine, times.accounts.links(), times.total_ps)
    load_map.write(path, "cg on apenet-v4, 4x4x2 nodes, the cable from node 0 to 1 cut", shares)


def _section(case: Mapping[str, object], kinds: Sequence[Mapping[str, object]]) -> str:
    changed = dict(case.get("set", {}))
    platform = netsim.load(str(case["platform"]), changed)
    grid, lattice = case["nodes"], case["lattice"]
    sets = ",".join(f"{key}={value}" for key, value in changed.items())
    shape, sites = (by_x(extents) for extents in (grid, lattice))
    lines = [
        f"## {platform.title}" + (f", {sets}" if sets else ""),
        "",
        f"`onehop simulate {platform.name} cg --nodes {shape} --lattice {sites} --memory device"
        f" --steps {case['iterations']}" + (f" --platform-set {sets}`" if sets else "`"),
        "",
        _COLUMNS,
        "| --- |" + " ---: |" * 4 + " --- |",
    ]
    whole = None
    for kind in kinds:
        asked = {k: v for k, v in kind.items() if k != "name"}
        try:
            found = _measure(platform, case, asked)
        except UsageError as error:
            lines.append(f"| {kind['name']} | refused: {error} | | | | |")
            continue
        whole = whole or found["iteration_us"]
        more = found["iteration_us"] / whole - 1
        lines.append(
            f"| {kind['name']} | {found['iteration_us']:.1f} | {more:+.1%} |"
            f" {found['wait_us']:.1f} | {found['again']} | {found['busiest']} |"
        )
    return "\n".join([*lines, ""])


def _measure(
    platform: netsim.Platform, case: Mapping[str, object], asked: Mapping[str, object]
) -> dict[str, object]:
    iterations = int(case["iterations"])
    machine = faults.machine(platform, case["nodes"], **asked)
    times = cg_workload.run(
        machine, platform.variant, case["nodes"], case["lattice"], "device", iterations
    )
    found = reading(times.accounts, times.total_ps)
    bound = found["bounded_by"]
    return {
        "iteration_us": times.total_ps / iterations * 1e-6,
        "wait_us": times.halo_wait_ps / iterations * 1e-6,
        "again": found["retransmissions"],
        "busiest": f"{bound['what']}, {bound['share']:.0%}",
    }


if __name__ == "__main__":
    write(Path(sys.argv[1]))
