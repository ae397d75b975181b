"""The picture of `onehop app particle-in-cell`."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from onehop.cli._shared.option import Options
from onehop.cli.app import particle_in_cell_figures as figures
from onehop.cli.app import particle_in_cell_wake as wakes
from onehop.cli.app.panels import BLUE, RED, beside, draw_image, draw_measured

if TYPE_CHECKING:
    from matplotlib.axes import Axes

_X_AND_Y = ("$x$ in cells", "$y$ in cells")


def plot_plasma(record: dict, fields: np.ndarray, particles: np.ndarray | None, name: str) -> None:
    """Draws two panels: a field in a plane of the lattice from E, B and density (7, z, y, x), or
    particles (n, 7), of gyration by sample (samples, n, 7); and beside it the setup's figure."""
    with beside(record, name) as (left, right, options):
        if options.setup == "gyration":
            _draw_orbits(left, particles, options)
            _draw_frequencies(right, record, options)
        elif options.setup == "two-stream":
            _draw_phase_space(left, particles)
            _draw_growth(right, record, options)
        elif options.setup == "wakefield":
            _draw_wake(left, fields, record)
            _draw_axis(right, fields, record, options)
        else:
            _draw_field(left, fields)
            draw = _draw_energies if options.setup == "thermal" else _draw_oscillation
            draw(right, record, options)


def _draw_field(axes: Axes, fields: np.ndarray) -> None:
    image = fields[0, 0]
    most = float(np.abs(image).max()) or 1.0
    settings = {"cmap": "RdBu_r", "vmin": -most, "vmax": most, "aspect": "auto"}
    draw_image(axes, image, "$E_x$ at z = 0", _X_AND_Y, **settings)


def _draw_wake(axes: Axes, fields: np.ndarray, record: dict) -> None:
    """The colours are for the wake; E_x of the light, which is larger, saturates them."""
    options, result = record["options"], record["result"]
    image = fields[0, fields.shape[1] // 2] / options["cell"]
    most = 1.5 * result["expected_wake_amplitude"]
    x, height = result["window_moved"], image.shape[0]
    settings = {"cmap": "RdBu_r", "vmin": -most, "vmax": most, "aspect": "auto"}
    settings["extent"] = (x, x + image.shape[1], -height / 2, height / 2)
    labels = ("$x$ in cells", "distance to the axis in cells")
    draw_image(axes, image, r"$E_x$ in $m c\,\omega_p / e$", labels, **settings)


def _draw_axis(axes: Axes, fields: np.ndarray, record: dict, options: Options) -> None:
    result = record["result"]
    dt = figures.time_step(options)
    theory, time = wakes.LinearWake(options, dt), options.steps * dt
    x = wakes.places(fields.shape[3], result["window_moved"])
    axes.plot(x, wakes.on_axis(options, fields), color=BLUE, linewidth=2, label="measured")
    wake = x[(x > theory.begins) & (x < theory.behind_pulse(time))]
    axes.plot(wake, theory.field(wake, time), "k--", linewidth=1, label="linear theory")
    pulse = theory.pulse_at(time)
    axes.axvline(pulse, color="grey", linewidth=0.8, linestyle=":", label="pulse")
    axes.axvspan(
        x[0], x[0] + theory.layer, color="grey", alpha=0.2, linewidth=0, label="absorbing layer"
    )
    axes.set_xlim(x[0], x[-1])
    axes.set(xlabel="$x$ in cells", ylabel=r"$E_x$ on the axis in $m c\,\omega_p / e$")
    _legend_above(axes, theory.amplitude)
    if result["wake_amplitude"] is not None:
        amplitude, wavelength = (
            100 * result[f"wake_{name}_error"] for name in ("amplitude", "wavelength")
        )
        title = f"amplitude {amplitude:+.1f} %, wavelength {wavelength:+.2f} % from theory"
        axes.set_title(title, fontsize=10)


def _draw_phase_space(axes: Axes, particles: np.ndarray) -> None:
    begins_right = particles[:, 6].astype(int) % 2 == 0
    beams = ((begins_right, BLUE, "began to the right"), (~begins_right, RED, "began to the left"))
    for beam, colour, label in beams:
        places, momenta = particles[beam, 0], particles[beam, 3]
        axes.plot(places, momenta, ".", markersize=1.5, color=colour, label=label)
    axes.set(xlabel="$x$ in cells", ylabel="$u_x = \\gamma v_x / c$")
    axes.legend(frameon=False, fontsize=8, markerscale=4, loc="upper left")


def _draw_orbits(axes: Axes, track: np.ndarray, options: Options) -> None:
    size = np.array(options.lattice[:2])
    ways = np.diff(track[:, :, :2], axis=0)
    ways -= size * np.round(ways / size)
    places = np.concatenate([track[:1, :, :2], track[:1, :, :2] + np.cumsum(ways, axis=0)])
    axes.plot(places[:, :, 0], places[:, :, 1], linewidth=0.8)
    axes.set(aspect="equal", xlabel=_X_AND_Y[0], ylabel=_X_AND_Y[1])


def _times(record: dict, options: Options) -> np.ndarray:
    """Returns those of the samples in cells over c, or times the plasma frequency."""
    times = np.array([sample["step"] for sample in record["samples"]], dtype=float)
    times *= figures.time_step(options)
    return times if options.setup == "vacuum-wave" else times * options.cell


def _time_label(options: Options) -> str:
    vacuum = options.setup == "vacuum-wave"
    return "time in cells over $c$" if vacuum else r"time $\omega_p t$"


def _legend_above(axes: Axes, most: float) -> None:
    """Leaves room for a legend above what lies between -most and most."""
    if most > 0:
        axes.set_ylim(-1.15 * most, 1.4 * most)
    few = len(axes.get_legend_handles_labels()[0]) <= 3
    axes.legend(frameon=False, loc="upper center", ncols=3 if few else 2, fontsize=10 if few else 8)


def _draw_oscillation(axes: Axes, record: dict, options: Options) -> None:
    times = _times(record, options)
    amplitudes = np.array([sample["amplitude"] for sample in record["samples"]])
    result = record["result"]
    if options.setup == "vacuum-wave":
        expected = np.cos(times * result["expected_frequency"])
        label = r"$\cos\,\omega t$, $\omega$ of Yee's grid"
    else:
        expected = options.cell * options.velocity * np.sin(times)
        label = r"$\sin\,\omega_p t$"
    error = result["frequency_error"]
    draw_measured(
        axes,
        (times, amplitudes),
        (_time_label(options), "amplitude of $E$"),
        theory=(times, expected, label),
        title="" if error is None else f"frequency: {error:+.1e} of it off",
        markersize=3,
    )
    _legend_above(axes, float(np.abs(amplitudes).max()))


def _draw_growth(axes: Axes, record: dict, options: Options) -> None:
    times, samples = _times(record, options), record["samples"]
    amplitudes = np.abs([sample["amplitude"] for sample in samples])
    linear = figures.growing(options, samples)
    result, theory = record["result"], None
    if linear:
        when = np.array([sample["step"] for sample in linear]) * figures.time_step(options)
        middle = len(linear) // 2
        growth = np.exp(result["expected_growth_rate"] * (when - when[middle]))
        line = abs(linear[middle]["amplitude"]) * growth
        theory = (when * options.cell, line, "linear theory")
    error = result["growth_rate_error"]
    draw_measured(
        axes,
        (times[1:], amplitudes[1:]),
        (_time_label(options), "amplitude of $E_x$"),
        theory=theory,
        title="" if error is None else f"growth rate {100 * error:+.2f} % from linear theory",
        markersize=3,
    )
    axes.set_yscale("log")
    axes.legend(frameon=False, loc="lower right")


def _draw_frequencies(axes: Axes, record: dict, options: Options) -> None:
    found = record["result"]["orbits"]
    measured, scheme, exact = (
        np.array(found[name]) for name in ("frequency", "scheme_frequency", "exact_frequency")
    )
    turn = exact * figures.time_step(options)
    draw_measured(
        axes,
        (turn, 100 * (measured / exact - 1)),
        (r"$\omega_c \Delta t / \gamma$", "frequency, % from that without steps"),
        theory=(turn, 100 * (scheme / exact - 1), options.pusher),
        title=f"largest difference to the scheme {record['result']['frequency_error']:.1e}",
    )


def _draw_energies(axes: Axes, record: dict, options: Options) -> None:
    times, samples = _times(record, options), record["samples"]
    names = ("electric_energy", "magnetic_energy", "kinetic_energy")
    electric, magnetic, kinetic = (np.array([s[name] for s in samples]) for name in names)
    first = electric[0] + magnetic[0] + kinetic[0]
    for values, label, colour in (
        (electric + magnetic, "field", RED),
        (kinetic - first, "electrons", BLUE),
        (electric + magnetic + kinetic - first, "all", "black"),
    ):
        axes.plot(times, 100 * values / first, label=label, color=colour, linewidth=1)
    axes.set(xlabel=_time_label(options), ylabel="change of the energy in %")
    _legend_above(axes, 100 * float(np.abs(kinetic / first - kinetic[0] / first).max()))
    drift = 100 * record["result"]["energy_drift"]
    axes.set_title(f"energy kept to {drift:.2g} %", fontsize=10)
