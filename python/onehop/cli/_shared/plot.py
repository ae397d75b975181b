"""`--plot` draws what solve and measure found, without a display."""

from onehop.correlator_plot import draw_correlator
from onehop.figures import stacked
from onehop.flow_plot import draw_flow


def plot_correlator(record: dict, name: str) -> None:
    """Draws two panels over t: C(t) on a logarithmic scale, the effective mass below."""
    with stacked(name) as (above, below):
        draw_correlator(above, below, record["correlator"], record["effective_mass"])
        above.set_title(_title(record), fontsize=10)


def plot_flow(record: dict, name: str) -> None:
    """Draws two panels over the flow time: t^2 E of clover and plaquette, the topological
    charge."""
    with stacked(name) as (above, below):
        draw_flow(above, below, record["samples"], record["t0"])
        size = "x".join(map(str, record["lattice"]))
        title = f"Wilson flow, {size}, plaquette {record['plaquette']:.5f} at the end"
        above.set_title(title, fontsize=10)


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
