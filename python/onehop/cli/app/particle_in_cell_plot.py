"""The picture of `onehop app particle-in-cell`."""

from __future__ import annotations

import types
from typing import TYPE_CHECKING

import numpy as np

from onehop.cli.app import particle_in_cell_figures as figures
from onehop.cli.app import particle_in_cell_wake as wakes
from onehop.figures import new_figure, save

if TYPE_CHECKING:
    from pathlib import Path

    from matplotlib.axes import Axes

_BLUE = "#1f5a92"


def plot_plasma(record: dict, fields: np.ndarray, particles: np.ndarray | None, path: Path) -> None:
    """Draws two panels: a field in a plane of the lattice from E, B and density (7, z, y, x), or
    particles (n, 7), of gyration by sample (samples, n, 7); and beside it the setup's figure."""
    figure, (left, right) = new_figure(1, 2, figsize=(9.6, 4.4))
    options = types.SimpleNamespace(**record["options"])
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
        if options.setup == "thermal":
            _draw_energies(right, record, options)
        else:
            _draw_oscillation(right, record, options)
    size = "x".join(map(str, options.lattice))
    left.set_title(f"{options.setup}, {size}, step {options.steps}", fontsize=10)
    right.grid(alpha=0.25)
    save(figure, path)


def _draw_field(axes: Axes, fields: np.ndarray) -> None:
    image = fields[0, 0]
    most = float(np.abs(image).max()) or 1.0
    drawn = axes.imshow(image, origin="lower", cmap="RdBu_r", vmin=-most, vmax=most, aspect="auto")
    axes.figure.colorbar(drawn, ax=axes, label="$E_x$ at z = 0", shrink=0.85)
    axes.set_xlabel("$x$ in cells")
    axes.set_ylabel("$y$ in cells")


def _draw_wake(axes: Axes, fields: np.ndarray, record: dict) -> None:
    """The colours are for the wake; E_x of the light, which is larger, saturates them."""
    options, result = record["options"], record["result"]
    image = fields[0, fields.shape[1] // 2] / options["cell"]
    most = 1.5 * result["expected_wake_amplitude"]
    x, height = result["window_moved"], image.shape[0]
    drawn = axes.imshow(
        image,
        origin="lower",
        cmap="RdBu_r",
        vmin=-most,
        vmax=most,
        aspect="auto",
        extent=(x, x + image.shape[1], -height / 2, height / 2),
    )
    axes.figure.colorbar(drawn, ax=axes, label=r"$E_x$ in $m c\,\omega_p / e$", shrink=0.85)
    axes.set_xlabel("$x$ in cells")
    axes.set_ylabel("distance to the axis in cells")


def _draw_axis(
    axes: Axes, fields: np.ndarray, record: dict, options: types.SimpleNamespace
) -> None:
    result = record["result"]
    dt = figures.time_step(options)
    theory, time = wakes.LinearWake(options, dt), options.steps * dt
    x = wakes.places(fields.shape[3], result["window_moved"])
    axes.plot(x, wakes.on_axis(options, fields), color=_BLUE, linewidth=2, label="measured")
    wake = x[(x > theory.begins) & (x < theory.behind_pulse(time))]
    axes.plot(wake, theory.field(wake, time), "k--", linewidth=1, label="linear theory")
    pulse = theory.pulse_at(time)
    axes.axvline(pulse, color="grey", linewidth=0.8, linestyle=":", label="pulse")
    axes.set_xlabel("$x$ in cells")
    axes.set_ylabel(r"$E_x$ on the axis in $m c\,\omega_p / e$")
    _legend_above(axes, theory.amplitude)
    if result["wake_amplitude"] is not None:
        amplitude, wavelength = (
            100 * result[f"wake_{name}_error"] for name in ("amplitude", "wavelength")
        )
        title = f"amplitude {amplitude:+.1f} %, wavelength {wavelength:+.1f} % from theory"
        axes.set_title(title, fontsize=10)


def _draw_phase_space(axes: Axes, particles: np.ndarray) -> None:
    begins_right = particles[:, 6].astype(int) % 2 == 0
    for beam, colour in ((begins_right, _BLUE), (~begins_right, "#b5432a")):
        axes.plot(particles[beam, 0], particles[beam, 3], ".", markersize=1.5, color=colour)
    axes.set_xlabel("$x$ in cells")
    axes.set_ylabel("$u_x$")


def _draw_orbits(axes: Axes, track: np.ndarray, options: types.SimpleNamespace) -> None:
    size = np.array(options.lattice[:2])
    ways = np.diff(track[:, :, :2], axis=0)
    ways -= size * np.round(ways / size)
    places = np.concatenate([track[:1, :, :2], track[:1, :, :2] + np.cumsum(ways, axis=0)])
    axes.plot(places[:, :, 0], places[:, :, 1], linewidth=0.8)
    axes.set_aspect("equal")
    axes.set_xlabel("$x$ in cells")
    axes.set_ylabel("$y$ in cells")


def _times(record: dict, options: types.SimpleNamespace) -> np.ndarray:
    """Returns those of the samples in cells over c, or times the plasma frequency."""
    times = np.array([sample["step"] for sample in record["samples"]], dtype=float)
    times *= figures.time_step(options)
    return times if options.setup == "vacuum-wave" else times * options.cell


def _label_time(axes: Axes, options: types.SimpleNamespace) -> None:
    vacuum = options.setup == "vacuum-wave"
    axes.set_xlabel("time in cells over $c$" if vacuum else r"time $\omega_p t$")


def _legend_above(axes: Axes, most: float) -> None:
    """Leaves room for a legend above what lies between -most and most."""
    if most > 0:
        axes.set_ylim(-1.15 * most, 1.4 * most)
    axes.legend(frameon=False, loc="upper center", ncols=3)


def _draw_oscillation(axes: Axes, record: dict, options: types.SimpleNamespace) -> None:
    times = _times(record, options)
    amplitudes = np.array([sample["amplitude"] for sample in record["samples"]])
    result = record["result"]
    axes.plot(times, amplitudes, "o", markersize=3, color=_BLUE, label="measured")
    if options.setup == "vacuum-wave":
        expected = np.cos(times * result["expected_frequency"])
        label = r"$\cos\,\omega t$, $\omega$ of Yee's grid"
    else:
        expected = options.cell * options.velocity * np.sin(times)
        label = r"$\sin\,\omega_p t$"
    axes.plot(times, expected, color="grey", linewidth=0.8, label=label)
    _label_time(axes, options)
    axes.set_ylabel("amplitude of $E$")
    _legend_above(axes, float(np.abs(amplitudes).max()))
    error = result["frequency_error"]
    if error is not None:
        axes.set_title(f"frequency: {error:+.1e} of it off", fontsize=10)


def _draw_growth(axes: Axes, record: dict, options: types.SimpleNamespace) -> None:
    times, samples = _times(record, options), record["samples"]
    amplitudes = np.abs([sample["amplitude"] for sample in samples])
    axes.semilogy(times[1:], amplitudes[1:], "o", markersize=3, color=_BLUE, label="measured")
    linear = figures.growing(options, samples)
    result = record["result"]
    if linear:
        when = np.array([sample["step"] for sample in linear]) * figures.time_step(options)
        middle = len(linear) // 2
        growth = np.exp(result["expected_growth_rate"] * (when - when[middle]))
        line = abs(linear[middle]["amplitude"]) * growth
        axes.semilogy(when * options.cell, line, color="black", linewidth=1, label="linear theory")
    _label_time(axes, options)
    axes.set_ylabel("amplitude of $E_x$")
    axes.legend(frameon=False, loc="lower right")
    error = result["growth_rate_error"]
    if error is not None:
        axes.set_title(f"growth rate {100 * error:+.2f} % from linear theory", fontsize=10)


def _draw_frequencies(axes: Axes, record: dict, options: types.SimpleNamespace) -> None:
    found = record["result"]["orbits"]
    measured, scheme, exact = (
        np.array(found[name]) for name in ("frequency", "scheme_frequency", "exact_frequency")
    )
    turn = exact * figures.time_step(options)
    axes.plot(turn, 100 * (measured / exact - 1), "o", markersize=4, color=_BLUE, label="measured")
    axes.plot(turn, 100 * (scheme / exact - 1), color="grey", linewidth=0.8, label=options.pusher)
    axes.set_xlabel(r"$\omega_c \Delta t / \gamma$")
    axes.set_ylabel("frequency, % from that without steps")
    axes.legend(frameon=False)
    error = record["result"]["frequency_error"]
    axes.set_title(f"largest difference to the scheme {error:.1e}", fontsize=10)


def _draw_energies(axes: Axes, record: dict, options: types.SimpleNamespace) -> None:
    times, samples = _times(record, options), record["samples"]
    names = ("electric_energy", "magnetic_energy", "kinetic_energy")
    electric, magnetic, kinetic = (np.array([s[name] for s in samples]) for name in names)
    first = electric[0] + magnetic[0] + kinetic[0]
    for values, label, colour in (
        (electric + magnetic, "field", "#b5432a"),
        (kinetic - first, "electrons", _BLUE),
        (electric + magnetic + kinetic - first, "all", "black"),
    ):
        axes.plot(times, 100 * values / first, label=label, color=colour, linewidth=1)
    _label_time(axes, options)
    axes.set_ylabel("change of the energy in %")
    _legend_above(axes, 100 * float(np.abs(kinetic / first - kinetic[0] / first).max()))
    drift = 100 * record["result"]["energy_drift"]
    axes.set_title(f"energy kept to {drift:.2g} %", fontsize=10)
