"""The table at the end of `onehop solve`."""

from __future__ import annotations

from typing import TYPE_CHECKING

from rich import box
from rich.console import Console
from rich.table import Table

from onehop.time_split import PARTS, share

if TYPE_CHECKING:
    from collections.abc import Sequence


def print_table(record: dict) -> None:
    """Everything a reader wants to see, on standard output."""
    for line in _render(record):
        print(line.rstrip())


def _render(record: dict) -> list[str]:
    console = Console(width=100, highlight=False, color_system=None)
    with console.capture() as captured:
        console.print(_facts(record))
        console.print(_sources(record))
        for one in record.get("masses", [record]):
            if one["correlator"] is None:
                continue
            if one is not record:
                console.print(f"mass {one['mass']:g}")
            console.print(_time_slices(one["correlator"], one["effective_mass"]))
        if "mesons" in record:
            console.print(_mesons(record))
        console.print(_times(record))
    check = record["check"]
    verdict = f"{'converged' if check['passed'] else 'NOT CONVERGED'}: {check['why']}"
    return [*captured.get().splitlines(), verdict]


def _grid_of(rows: Sequence[tuple[str, str]]) -> Table:
    table = Table.grid(padding=(0, 2))
    for row in rows:
        table.add_row(*row)
    return table


def _facts(record: dict) -> Table:
    options = record["options"]
    where = options["config"] or f"{options['start']} start"
    if options["start"] == "hot":
        where += f", seed {options['seed']}"
    header = record["plaquette_header"]
    named = f"{header:.10g} in the file's header" if header is not None else "none in a header"
    kappa = "" if options["kappa"] is None else f"kappa {options['kappa']:.10g}, "
    return _grid_of(
        [
            ("configuration", where),
            ("lattice", f"{_by(record['lattice'])} on grid {_by(record['grid'])}"),
            ("ranks", f"{record['ranks']}, transport {record['transport']}"),
            ("kernels", f"{record['kernels']}"),
            ("plaquette", f"{record['plaquette']:.10f}, {named}"),
            ("operator", f"{_operator(options)}, {kappa}mass {record['mass']:.10g}"),
            ("boundary", f"{options['boundary']} in time"),
            ("solver", f"{options['solver']}, tolerance {options['tol']:g}"),
            ("at a time", _sources_of(record["rhs"])),
            (
                "numbers",
                f"{options['prec']}, links of {options['recon']} reals, "
                f"{options['threads']} thread{'s' if options['threads'] > 1 else ''} per rank",
            ),
        ]
    )


def _sources_of(count: int | None) -> str:
    return "-" if count is None else f"{count} source{'s' if count > 1 else ''}"


def _operator(options: dict) -> str:
    terms = [f"{name} {options[name]:g}" for name in ("csw", "mu") if options[name]]
    return ", ".join([options["dslash"], *terms])


def _sources(record: dict) -> Table:
    table = Table(box=box.SIMPLE_HEAD, pad_edge=False)
    for name in ("source", "iterations", "residual", "true residual", "seconds"):
        table.add_column(name, justify="left" if name == "source" else "right")
    for sample in record["samples"]:
        spin, colour = sample["spin"], sample["colour"]
        name = record["options"]["source"] if colour is None else f"colour {colour}"
        name = name if spin is None else f"spin {spin} {name}"
        name += "".join(f", {key} {sample[key]:g}" for key in ("shift", "mass") if key in sample)
        table.add_row(
            name,
            str(sample["iterations"]),
            _short(sample["residual_iterated"]),
            _short(sample["residual_true"]),
            f"{sample['time_s']:.3f}",
        )
    return table


def _time_slices(correlator: Sequence[float], effective: Sequence[float | None]) -> Table:
    table = Table(box=box.SIMPLE_HEAD, pad_edge=False)
    for name in ("t", "correlator", "effective mass"):
        table.add_column(name, justify="right")
    for t, (c, m) in enumerate(zip(correlator, effective, strict=True)):
        table.add_row(str(t), f"{c:.10e}", "-" if m is None else f"{m:.6f}")
    return table


def _mesons(record: dict) -> Table:
    """Effective masses in the middle between source and half the lattice, at rest."""
    extent = len(record["correlator"])
    times = sorted({max(1, extent // 8), max(1, extent // 4), max(1, 3 * extent // 8)})
    table = Table(box=box.SIMPLE_HEAD, pad_edge=False)
    table.add_column("meson at rest")
    table.add_column("couples to")
    for t in times:
        table.add_column(f"m_eff({t})", justify="right")
    for meson in record["mesons"]:
        if not any(meson["momentum"]):
            masses = (meson["effective_mass"][t] for t in times)
            shown = ("-" if m is None else f"{m:.6f}" for m in masses)
            table.add_row(meson["structure"], meson["couples_to"], *shown)
    return table


def _times(record: dict) -> Table:
    timing, total = record["timing"], record["timing"]["total_s"]
    rate = record["flops"] / total / 1e9 if total > 0 else 0.0
    return _grid_of(
        [
            ("time to get ready", f"{record['setup_s']:.3f} s: links, memory; not in what follows"),
            *(
                (f"time in {name}", f"{timing[part]:.3f} s  {share(timing, part):4.0%}")
                for part, name in PARTS.items()
            ),
            ("time in all", f"{total:.3f} s, {record['time_per_iteration_us']:.1f} us/iteration"),
            ("speed", f"{rate:.2f} GFlop/s by the stated count of {record['flops']:.4g} flop"),
        ]
    )


def _short(residual: float | None) -> str:
    return "nan" if residual is None else f"{residual:.2e}"


def _by(extents: Sequence[int]) -> str:
    return "x".join(str(n) for n in extents)
