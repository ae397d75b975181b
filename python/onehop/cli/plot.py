"""`--plot`: correlator and effective mass, drawn without a display."""

from __future__ import annotations

from typing import TYPE_CHECKING

from onehop._core import UsageError

if TYPE_CHECKING:
    from pathlib import Path

_FORMATS = ("png", "pdf", "svg")


def check_format(name: str) -> None:
    ending = name.rpartition(".")[2].lower()
    if ending not in _FORMATS:
        raise UsageError(f"--plot {name}: the name must end in .png, .pdf or .svg")


def plot_correlator(record: dict, path: Path) -> None:
    """Two panels over t: C(t) on a logarithmic scale, the effective mass below."""
    import matplotlib

    matplotlib.use("Agg")
    matplotlib.rcParams["svg.hashsalt"] = "onehop"
    from matplotlib import pyplot

    figure, (above, below) = pyplot.subplots(
        2, 1, sharex=True, figsize=(6.4, 5.6), height_ratios=(3, 2), layout="constrained"
    )
    times = range(len(record["correlator"]))
    above.semilogy(times, record["correlator"], "o-", markersize=4, linewidth=1, color="#1f5a92")
    above.set_ylabel(r"$C(t)$")
    above.set_title(_title(record), fontsize=10)
    masses = [(t, m) for t, m in enumerate(record["effective_mass"]) if m is not None]
    if masses:
        below.plot(*zip(*masses, strict=True), "s", markersize=4, color="#a8441f")
        below.set_ylim(0, 1.1 * max(m for _, m in masses))
    below.set_ylabel(r"$m_{\mathrm{eff}}(t)$")
    below.set_xlabel(r"$t$")
    for axes in (above, below):
        axes.grid(alpha=0.25)
    figure.savefig(path, dpi=130, metadata=_no_date(path))
    pyplot.close(figure)


def _title(record: dict) -> str:
    options = record["options"]
    size = "x".join(map(str, record["lattice"]))
    quark = f"mass {record['mass']:.6g}"
    if options["kappa"] is not None:
        quark = f"kappa {options['kappa']:g}"
    return (
        f"pseudoscalar correlator, {size}, {options['dslash']} {quark}, "
        f"plaquette {record['plaquette']:.5f}"
    )


def _no_date(path: Path) -> dict:
    """The same run gives the same bytes."""
    return {".png": {}, ".svg": {"Date": None}, ".pdf": {"CreationDate": None}}[path.suffix.lower()]
