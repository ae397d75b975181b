"""Damages files as disks and transfers do, and sees what conversion says."""

from __future__ import annotations

import itertools
from typing import TYPE_CHECKING

import numpy as np

from onehop import _core
from onehop.lattice_files.conversion import convert

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path


def mutated(content: bytes, random: np.random.Generator) -> bytes:
    """Returns bytes that were changed, mostly in the header, or cut, put in or left out."""
    found = bytearray(content)
    way, at = random.integers(5), int(random.integers(len(content)))
    if way < 3:
        for place in random.integers(min(len(content), 3000), size=1 + random.integers(4)):
            found[place] = random.integers(256)
    elif way == 3:
        del found[at:]
    else:
        found[at : at + int(random.integers(2) * 20)] = bytes(int(random.integers(20)))
    return bytes(found)


def expect_one_line(sources: Sequence[Path], folder: Path) -> None:
    """Damages every source 25 times and converts it in an empty folder. The line is clear whatever
    the libraries say that read HDF5 and .npy, and nothing is left."""
    random = np.random.default_rng(11)
    bad, made, refused = folder / "bad", folder / "new.h5", 0
    for seed, _ in itertools.product([path.read_bytes() for path in sources], range(25)):
        bad.write_bytes(mutated(seed, random))
        try:
            convert(str(bad), str(made), allow_non_unitary=True)
            made.unlink()
        except _core.Error as error:
            refused += 1
            assert str(bad) in str(error) and "\n" not in str(error)
        assert [path.name for path in folder.iterdir()] == ["bad"]
    # Numbers without a checksum may change unseen.
    assert refused > 10
