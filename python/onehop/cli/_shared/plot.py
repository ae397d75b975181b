"""Draws the results of solve, ensemble and measure for `--plot`, without a display."""

from onehop.correlator_plot import Curve, draw_correlator, draw_correlators
from onehop.counted import by_x
from onehop.estimate_display import with_error
from onehop.figures import stacked
from onehop.flow_plot import draw_flow


def plot_correlators(record: dict, name: str) -> None:
    """Draws two panels over t: C(t) on a logarithmic scale, the effective mass below; of baryons
    too, at rest and with positive parity, where the record has them. Means have their errors."""
    hadrons = [(record, "pseudoscalar")] if record.get("correlator") else []
    for baryon in record.get("baryons", ()):
        if baryon["parity"] == 1 and not any(baryon["momentum"]):
            hadrons.append((baryon, baryon["baryon"]))
    curves = []
    for hadron, label in hadrons:
        values, masses, *errors = _points(hadron)
        curves.append(Curve(values, masses, label, *errors))
    with stacked(name) as (above, below):
        if len(curves) == 1 and curves[0].error is None:
            draw_correlator(above, below, curves[0].correlator, curves[0].masses)
        else:
            draw_correlators(above, below, curves)
        above.set_title(_title(record), fontsize=10)


def plot_flow(record: dict, name: str) -> None:
    """Draws two panels over the flow time: t^2 E of clover and plaquette, the topological
    charge."""
    with stacked(name) as (above, below):
        draw_flow(above, below, record["samples"], record["t0"])
        size = by_x(record["lattice"])
        title = f"Wilson flow, {size}, plaquette {record['plaquette']:.5f} at the end"
        above.set_title(title, fontsize=10)


def _points(hadron: dict) -> tuple:
    """Returns correlator, effective mass, and the errors of both if they are means."""
    both = hadron["correlator"], hadron["effective_mass"]
    if isinstance(both[0], dict):
        return *(found["value"] for found in both), *(found["error"] for found in both)
    return *both, None, None


def _title(record: dict) -> str:
    options = record["options"]
    if record["command"] == "ensemble":
        where = f"mean of {record['configurations']} configurations"
        mass, plaquette = options["mass"], with_error(**record["plaquette"])
    else:
        where = by_x(record["lattice"])
        where = where if "baryons" in record else f"pseudoscalar correlator, {where}"
        mass, plaquette = record["mass"], f"{record['plaquette']:.5f}"
    quark = f"mass {mass:.6g}" if options["kappa"] is None else f"kappa {options['kappa']:g}"
    return f"{where}, {options['dslash']} {quark}, plaquette {plaquette}"
