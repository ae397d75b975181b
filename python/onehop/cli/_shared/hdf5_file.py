"""Writes a record as an HDF5 file."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from onehop.output import new_hdf5

if TYPE_CHECKING:
    import h5py


def write_hdf5(record: dict, name: str) -> None:
    """Groups are the record's objects, datasets its lists of numbers (null is NaN), attributes its
    single values (null is absent). A list of equal objects is one group with a dataset per key, the
    list's index first."""
    with new_hdf5(name) as file:
        _fill(file, record)


def _fill(group: h5py.Group, content: dict) -> None:
    for key, value in content.items():
        if isinstance(value, dict):
            _fill(group.create_group(key), value)
        elif isinstance(value, list) and value and isinstance(value[0], dict):
            rows = {name: [row.get(name) for row in value] for name in value[0]}
            _fill(group.create_group(key), rows)
        elif isinstance(value, list):
            _dataset(group, key, value)
        elif value is not None:
            group.attrs[key] = value


def _dataset(group: h5py.Group, key: str, values: list) -> None:
    if any(isinstance(v, str) for v in values):
        group.create_dataset(key, data=["" if v is None else v for v in values])
    else:
        numbers = np.array(values)
        group[key] = numbers.astype(np.float64) if numbers.dtype == object else numbers
