"""Writes fields and electrons of one step of `onehop app particle-in-cell` as openPMD (HDF5).

openPMD 1.1.0 (https://github.com/openPMD/openPMD-standard, doi:10.5281/zenodo.1167843) says how
programs name meshes and particles and what units they have, so that other programs read them."""

from __future__ import annotations

import datetime
import math
from typing import TYPE_CHECKING

import numpy as np

import onehop
from onehop import output
from onehop.cli._shared.option import Options

if TYPE_CHECKING:
    import h5py

_AXES = "zyx"
# SI, CODATA 2018: light's speed in m/s, charge in C and mass in kg of an electron, F/m of vacuum.
_C, _CHARGE, _MASS = 299792458.0, 1.602176634e-19, 9.1093837015e-31
_VACUUM = 8.8541878128e-12
# Powers of length, mass, time, current, temperature, amount and luminous intensity.
_LENGTH, _NONE = (1, 0, 0, 0, 0, 0, 0), (0,) * 7
_ELECTRIC, _MAGNETIC = (1, 1, -3, -1, 0, 0, 0), (0, 1, -2, -1, 0, 0, 0)
_PER_VOLUME, _MOMENTUM = (-3, 0, 0, 0, 0, 0, 0), (1, 1, -1, 0, 0, 0, 0)
_COULOMB, _KILOGRAM = (0, 0, 1, 1, 0, 0, 0), (0, 1, 0, 0, 0, 0, 0)


def cell_metres(options: Options) -> float:
    """Returns the length of a cell, which is `cell` of c over the plasma frequency, where the
    density is options.density electrons in cm^3."""
    per_cubic_metre = 1e6 * options.density
    plasma = math.sqrt(per_cubic_metre * _CHARGE**2 / (_VACUUM * _MASS))
    return options.cell * _C / plasma


def write(
    options: Options, dt: float, fields: np.ndarray, particles: np.ndarray, first_cell: int
) -> None:
    """Writes options.fields, complete or not at all. `fields` has E, B and the density over the
    mean one, (7, z, y, x), and `particles` place, u and id in rows, (n, 7), by cells and c;
    `first_cell` is how far a window has moved along x."""
    metres = cell_metres(options)
    name = options.fields
    with output.new_hdf5(name) as file:
        _say_what_it_is(file)
        step = file.create_group(f"data/{options.steps}")
        _attributes(step, time=options.steps * dt, dt=dt, timeUnitSI=metres / _C)
        _write_meshes(step.create_group("fields"), options, fields, metres, first_cell)
        if len(particles):
            electrons = step.create_group("particles/electrons")
            _write_electrons(electrons, options, dt, particles, metres)


def _attributes(of: h5py.Group | h5py.Dataset, **values: object) -> None:
    """Sets attributes, texts as ones of fixed length, which all readers take."""
    for key, value in values.items():
        text = isinstance(value, str) or (isinstance(value, list) and isinstance(value[0], str))
        of.attrs[key] = np.array(value, dtype="S") if text else value


def _say_what_it_is(file: h5py.File) -> None:
    _attributes(
        file,
        openPMD="1.1.0",
        openPMDextension=np.uint32(0),
        basePath="/data/%T/",
        meshesPath="fields/",
        particlesPath="particles/",
        iterationEncoding="groupBased",
        iterationFormat="/data/%T/",
        software="onehop app particle-in-cell",
        softwareVersion=onehop.__version__,
        date=datetime.datetime.now().astimezone().strftime("%Y-%m-%d %H:%M:%S %z"),
    )


def _write_meshes(
    group: h5py.Group, options: Options, fields: np.ndarray, metres: float, first_cell: int
) -> None:
    axes = _AXES[-len(options.lattice) :]

    def grid(mesh: h5py.Group | h5py.Dataset, dimension: tuple[int, ...]) -> None:
        _attributes(
            mesh,
            geometry="cartesian",
            dataOrder="C",
            axisLabels=list(axes),
            gridSpacing=np.ones(len(axes)),
            gridGlobalOffset=np.array([float(first_cell) * (axis == "x") for axis in axes]),
            gridUnitSI=metres,
            unitDimension=np.array(dimension, dtype=float),
            timeOffset=0.0,
        )

    def place(data: h5py.Dataset, halves: str, unit: float) -> None:
        position = np.array([0.5 * (axis in halves) for axis in axes])
        _attributes(data, position=position, unitSI=unit)

    field_unit = _MASS * _C / (_CHARGE * metres)
    for name, of, dimension, unit in (
        ("E", fields[:3], _ELECTRIC, field_unit * _C),
        ("B", fields[3:6], _MAGNETIC, field_unit),
    ):
        mesh = group.create_group(name)
        grid(mesh, dimension)
        for axis, values in zip("xyz", of, strict=True):
            mesh[axis] = _planes(options, values)
            place(mesh[axis], axis if name == "E" else "xyz".replace(axis, ""), unit)
    group["density"] = _planes(options, fields[6])
    grid(group["density"], _PER_VOLUME)
    place(group["density"], "", 1e6 * options.density)


def _planes(options: Options, values: np.ndarray) -> np.ndarray:
    """Leaves z out of (z, y, x) where the lattice has none."""
    return values[0] if len(options.lattice) == 2 else values


def _write_electrons(
    group: h5py.Group, options: Options, dt: float, particles: np.ndarray, metres: float
) -> None:
    """Electrons lie by id, so that the file does not depend on the ranks. Their momenta are of half
    a step before the fields, as of any leapfrog."""
    particles = particles[np.argsort(particles[:, 6])]
    axes = "xyz"[: len(options.lattice)]
    # A lattice of two dimensions is one cell thick.
    weight = 1e6 * options.density * metres**3 / options.particles

    def record(
        dimension: tuple[int, ...], weighted: int, power: float, time: float = 0.0
    ) -> dict[str, object]:
        return {
            "unitDimension": np.array(dimension, dtype=float),
            "timeOffset": time,
            "macroWeighted": np.uint32(weighted),
            "weightingPower": power,
        }

    for name, kind, names, first, unit in (
        ("position", record(_LENGTH, 0, 0.0), axes, 0, metres),
        ("momentum", record(_MOMENTUM, 0, 1.0, -dt / 2), "xyz", 3, _MASS * _C),
    ):
        made = group.create_group(name)
        _attributes(made, **kind)
        for number, axis in enumerate(names):
            made[axis] = particles[:, first + number]
            _attributes(made[axis], unitSI=unit)
    offset = group.create_group("positionOffset")
    _attributes(offset, **record(_LENGTH, 0, 0.0))
    for axis in axes:
        _constant(offset.create_group(axis), 0.0, metres, len(particles))
    for name, value, unit, kind in (
        ("charge", -1.0, _CHARGE, record(_COULOMB, 0, 1.0)),
        ("mass", 1.0, _MASS, record(_KILOGRAM, 0, 1.0)),
        ("weighting", weight, 1.0, record(_NONE, 1, 1.0)),
    ):
        made = group.create_group(name)
        _attributes(made, **kind)
        _constant(made, value, unit, len(particles))
    group["id"] = particles[:, 6].astype(np.uint64)
    _attributes(group["id"], unitSI=1.0, **record(_NONE, 0, 0.0))


def _constant(of: h5py.Group, value: float, unit: float, count: int) -> None:
    """A component that is the same for all particles has its value as an attribute."""
    _attributes(of, value=value, shape=np.array([count], dtype=np.uint64), unitSI=unit)
