"""`onehop info FILE` says what is in a file of several fields, by its header alone."""

import math

from onehop._core import FileError
from onehop.counted import by_x
from onehop.lattice_files.contents import kind_of, open_fields
from onehop.lattice_files.fields import MEMBER
from onehop.lattice_files.formats import CORRELATORS, GAUGE
from onehop.record import finite

# So many eigenvalues are listed at each end.
_LISTED = 3


def description(path: str) -> dict | None:
    """Returns None for a file of links, or of nothing that is known. Raises FileError."""
    kind = kind_of(path)
    if kind == GAUGE:
        return None
    if kind == CORRELATORS:
        raise FileError(
            f"{path}: holds a record or correlators, not a field; onehop verify checks "
            "correlators, onehop report shows records"
        )
    file = open_fields(path, kind, allow_non_unitary=True)
    file.close()
    kept = file.companions
    return {
        "file": path,
        "contents": kind,
        "format": file.format,
        "lattice": list(file.lattice),
        "precision_bits": file.precision_bits,
        "count": file.count,
        "member": MEMBER[kind],
        "site_shape": list(file.site_shape),
        "has_checksum": file.has_checksum,
        "type": kept.file_type,
        "source_fields": [list(times) for times in kept.times],
        "eigenvalues": kept.eigenvalues,
        "residuals": [finite(residual) for residual in kept.residuals],
        "warnings": file.warnings,
    }


def lines(found: dict) -> list[tuple[str, str]]:
    size = by_x(found["lattice"])
    shape = by_x(found["site_shape"])
    checksum = "stated, of each field; onehop verify compares" if found["has_checksum"] else "none"
    rows = [
        ("file", found["file"]),
        ("format", f"{found['format']}, {found['precision_bits']} bit"),
        ("lattice", f"{size}, {math.prod(found['lattice'])} sites"),
        ("holds", f"{found['count']} {found['member']}s of {shape} numbers a site"),
        ("checksum", checksum),
    ]
    if found["type"]:
        rows.append(("type", found["type"]))
    if found["source_fields"]:
        times = ", ".join(
            f"{first}" if first == last else f"{first} to {last}"
            for first, last in found["source_fields"]
        )
        rows.append(("source fields", f"{len(found['source_fields'])}, on time slices {times}"))
    if found["eigenvalues"]:
        rows.append(("eigenvalues", _listed(found["eigenvalues"])))
    known = [residual for residual in found["residuals"] if residual is not None]
    if known:
        rows.append(("residuals", f"largest stated {max(known):.3g}"))
    return rows


def _listed(values: list[float]) -> str:
    words = [f"{value:.10g}" for value in values]
    if len(words) > 2 * _LISTED:
        words[_LISTED:-_LISTED] = ["..."]
    return ", ".join(words)
