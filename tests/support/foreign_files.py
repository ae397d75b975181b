"""Writes files as other programs do, from the descriptions of their formats: with struct, zlib and
NumPy alone, so that what reads them is not checked against itself."""

from __future__ import annotations

import dataclasses
import itertools
import re
import struct
import zlib

import numpy as np

XML = '<?xml version="1.0" encoding="UTF-8"?>'


def random_links(lattice: tuple[int, ...], seed: int) -> np.ndarray:
    """Returns links in SU(3), complex128 (4, T, Z, Y, X, 3, 3)."""
    random = np.random.default_rng(seed)
    shape = (4, *reversed(lattice), 3, 3)
    links, _ = np.linalg.qr(random.normal(size=shape) + 1j * random.normal(size=shape))
    return links / (np.linalg.det(links) ** (1 / 3))[..., None, None]


def plaquette(links: np.ndarray) -> float:
    """Returns the mean of Re tr P / 3 over all sites and planes."""
    total = 0.0
    for mu, nu in itertools.combinations(range(4), 2):
        # Axis 3 is x, axis 0 is t.
        at_mu = np.roll(links[nu], -1, axis=3 - mu)
        at_nu = np.roll(links[mu], -1, axis=3 - nu)
        corner = links[mu] @ at_mu @ (links[nu] @ at_nu).conj().swapaxes(-1, -2)
        total += np.trace(corner, axis1=-2, axis2=-1).real.mean()
    return total / 18


def link_trace(links: np.ndarray) -> float:
    return float(np.trace(links, axis1=-2, axis2=-1).real.mean() / 3)


def by_sites(links: np.ndarray) -> np.ndarray:
    """Returns (T, Z, Y, X, 4, 3, 3)."""
    return np.moveaxis(links, 0, 4)


def lime(records: list[tuple[str, bytes, int]]) -> bytes:
    """Joins records; the number is 2 for the first of a message, 1 for the last."""
    out = b""
    for kind, content, flags in records:
        out += struct.pack(">IHHQ", 0x456789AB, 1, flags << 14, len(content))
        out += kind.encode().ljust(128, b"\0") + content + bytes(-len(content) % 8)
    return out


def scidac_sums(data: bytes, site_bytes: int, first_site: int) -> tuple[int, int]:
    sums = [0, 0]
    for n in range(len(data) // site_bytes):
        crc = zlib.crc32(data[n * site_bytes : (n + 1) * site_bytes])
        for which, modulus in enumerate((29, 31)):
            turn = (first_site + n) % modulus
            sums[which] ^= (crc << turn | crc >> (32 - turn)) & 0xFFFFFFFF
    return sums[0], sums[1]


def checksum_record(data: bytes, site_bytes: int, first_site: int = 0) -> bytes:
    a, b = scidac_sums(data, site_bytes, first_site)
    return (
        f"{XML}<scidacChecksum><version>1.0</version><suma>{a:x}</suma><sumb>{b:x}</sumb>"
        "</scidacChecksum>"
    ).encode()


@dataclasses.dataclass
class Field:
    """values (T, Z, Y, X, ...); `only_time` is the one time slice of a source."""

    values: np.ndarray
    datatype: str
    colours: int
    spins: int = 0
    objects: int = 1
    xml: str = ""
    only_time: int | None = None


def _precision(bits: int) -> tuple[str, str]:
    return ("F", ">f4") if bits == 32 else ("D", ">f8")


def big_endian(values: np.ndarray, bits: int) -> bytes:
    numbers = np.ascontiguousarray(values, np.complex128).view(np.float64)
    return numbers.astype(_precision(bits)[1]).tobytes()


def _field_records(field: Field, bits: int) -> list[tuple[str, bytes, int]]:
    t, z, y, x = field.values.shape[:4]
    values, first_site, slices = field.values, 0, "<recordtype>0</recordtype>"
    if field.only_time is not None:
        values, first_site = values[field.only_time], field.only_time * x * y * z
        slices = (
            "<recordtype>2</recordtype><spacetime>4</spacetime>"
            f"<hyperlower>0 0 0 {field.only_time} </hyperlower>"
            f"<hyperupper>{x - 1} {y - 1} {z - 1} {field.only_time} </hyperupper>"
        )
    letter = _precision(bits)[0]
    data = big_endian(values, bits)
    site_bytes = int(np.prod(field.values.shape[4:])) * bits // 4
    colours = f"<colors>{field.colours}</colors>" if field.colours else ""
    spins = f"<spins>{field.spins}</spins>" if field.spins else ""
    private = (
        f"{XML}<scidacRecord><version>1.1</version><date>Tue Apr 01 10:00:00 2014 UTC</date>"
        f"{slices}<datatype>{field.datatype.replace('*', letter)}</datatype>"
        f"<precision>{letter}</precision>{colours}{spins}"
        f"<typesize>{site_bytes // field.objects}</typesize>"
        f"<datacount>{field.objects}</datacount></scidacRecord>"
    )
    return [
        ("scidac-private-record-xml", private.encode(), 2),
        ("scidac-record-xml", f"{XML}{field.xml}".encode(), 0),
        ("scidac-binary-data", data, 0),
        ("scidac-checksum", checksum_record(data, site_bytes, first_site), 1),
    ]


def scidac_file(fields: list[Field], bits: int, xml: str = "<title>fields</title>") -> bytes:
    t, z, y, x = fields[0].values.shape[:4]
    private = (
        f"{XML}<scidacFile><version>1.1</version><spacetime>4</spacetime><dims>{x} {y} {z} {t} "
        "</dims><volfmt>0</volfmt></scidacFile>"
    )
    records = [
        ("scidac-private-file-xml", private.encode(), 2),
        ("scidac-file-xml", f"{XML}{xml}".encode(), 1),
    ]
    for field in fields:
        records += _field_records(field, bits)
    return lime(records)


def numbers_in(content: bytes) -> bytes:
    """Returns the numbers of all fields of a SciDAC file."""
    parts = content.split(b"scidac-binary-data")[1:]
    return b"".join(part[110:].partition(b"scidac-checksum")[0][:-16] for part in parts)


def sums_in(content: bytes) -> list[tuple[int, int]]:
    """Returns the checksums that a SciDAC file states, in their order."""
    found = re.findall(rb"<suma>(\w+)</suma><sumb>(\w+)</sumb>", content)
    return [(int(a, 16), int(b, 16)) for a, b in found]


def _vector(values: np.ndarray, xml: str, only_time: int | None = None) -> Field:
    return Field(values, "USQCD_*3_ColorVector", 3, xml=xml, only_time=only_time)


def _source(values: np.ndarray, only_time: int | None) -> Field:
    xml = "<usqcdSourceInfo><version>1.0</version><info>corner wall</info></usqcdSourceInfo>"
    if values.shape[-1] == 3:
        return _vector(values, xml, only_time)
    return Field(values, "QLA_*_Complex", 0, xml=xml, only_time=only_time)


def staggered_file(
    kind: str,
    sources: list[np.ndarray],
    solutions: np.ndarray,
    bits: int,
    only_time: int | None = None,
    colours: tuple[int, ...] = (0, 1, 2),
) -> bytes:
    """Returns a propagator as MILC writes it: `kind` is USQCD's, sources (T, Z, Y, X, 1 or 3),
    solutions (3, T, Z, Y, X, 3)."""
    fields = []
    for n, solution in enumerate(solutions):
        if n < len(sources):
            fields.append(_source(sources[n], only_time))
        about = f"<version>1.0</version><color>{colours[n]}</color><info>m 0.01</info>"
        fields.append(_vector(solution, f"<usqcdInfo>{about}</usqcdInfo>"))
    xml = f"<version>1.0</version><type>{kind}</type><info>KS propagator</info>"
    return scidac_file(fields, bits, f"<usqcdKSPropFile>{xml}</usqcdKSPropFile>")


def eigenvector_file(
    values: np.ndarray, vectors: np.ndarray, bits: int, count: int | None = None, more: str = ""
) -> bytes:
    fields = [
        _vector(vector, f"<info><eigVal>{value:.18e}</eigVal><resid>{1e-9:e}</resid></info>")
        for value, vector in zip(values, vectors, strict=True)
    ]
    count = len(values) if count is None else count
    title = f"<title>KS eigenvalues and vectors</title><Nvecs>{count}</Nvecs>{more}"
    return scidac_file(fields, bits, f"<info>{title}</info>")


def link_fields_file(fields: np.ndarray, bits: int) -> bytes:
    """Returns a file of several fields (n, 4, T, Z, Y, X, 3, 3)."""
    return scidac_file(
        [
            Field(by_sites(links), "USQCD_*3_ColorMatrix", 3, objects=4, xml=f"links {n}")
            for n, links in enumerate(fields)
        ],
        bits,
    )


def qdp_links_file(links: np.ndarray, bits: int) -> bytes:
    """Returns links as QDP++ and Chroma write them."""
    field = Field(by_sites(links), "QDP_*3_ColorMatrix", 3, objects=4, xml="<gauge></gauge>")
    return scidac_file([field], bits, "<gauge><HMC></HMC></gauge>")


def qdp_propagator_file(propagator: np.ndarray, bits: int) -> bytes:
    """Returns LatticePropagator of (T, Z, Y, X, spin, spin, colour, colour), the sink's first, with
    the long input of a program in its record, as Chroma has it there."""
    words = f"<Propagator><Input>{'<mass>0.01</mass>' * 6000}</Input></Propagator>"
    field = Field(propagator, "QDP_*3_DiracPropagator", 3, 4, xml=words)
    return scidac_file([field], bits, "<propagator></propagator>")


def nersc_file(
    links: np.ndarray, *, bits: int = 64, rows: int = 3, little: bool = False, more: str = ""
) -> bytes:
    """Returns the archive format, with `more` lines in the header."""
    order = "<" if little else ">"
    numbers = np.ascontiguousarray(by_sites(links)[..., :rows, :]).view(np.float64)
    data = numbers.astype(f"{order}f{bits // 8}").tobytes()
    words = int(np.frombuffer(data, f"{order}u4").sum(dtype=np.uint64)) & 0xFFFFFFFF
    t, z, y, x = links.shape[1:5]
    lines = [
        "BEGIN_HEADER",
        "HDR_VERSION = 1.0",
        f"DATATYPE = 4D_SU3_GAUGE{'_3x3' if rows == 3 else ''}",
        *(f"DIMENSION_{d + 1} = {extent}" for d, extent in enumerate((x, y, z, t))),
        f"CHECKSUM = {words:10x}",
        f"LINK_TRACE = {link_trace(links):.10g}",
        f"PLAQUETTE = {plaquette(links):.10g}",
        f"FLOATING_POINT = IEEE{bits}{'LITTLE' if little else 'BIG'}",
        *more.splitlines(),
        "END_HEADER",
    ]
    return "\n".join(lines).encode() + b"\n" + data


# Grid's header has these lines too.
GRID_LINES = """\
STORAGE_FORMAT =
BOUNDARY_1 = PERIODIC
BOUNDARY_2 = PERIODIC
BOUNDARY_3 = PERIODIC
BOUNDARY_4 = PERIODIC
SCIDAC_CHECKSUMA = 0
SCIDAC_CHECKSUMB = 0
ENSEMBLE_ID = UKQCD
ENSEMBLE_LABEL = DWF
SEQUENCE_NUMBER = 1
CREATOR = somebody
CREATOR_HARDWARE = node-x86_64-Linux-5.4
CREATION_DATE = Thu Jan 02 10:00:00 2020 GMT
ARCHIVE_DATE = Thu Jan 02 10:00:00 2020 GMT"""


def openqcd_file(links: np.ndarray) -> bytes:
    """Returns openQCD's format: odd sites, z fastest, then y, x, t, each with U(x, mu) and
    U(x - mu, mu) in the directions t, x, y, z."""
    t_extent, z_extent, y_extent, x_extent = links.shape[1:5]
    extents = (t_extent, x_extent, y_extent, z_extent)
    out = struct.pack("<4id", *extents, 3 * plaquette(links))
    for t, x, y, z in itertools.product(*map(range, extents)):
        if (t + x + y + z) % 2 == 0:
            continue
        for direction in range(4):
            site = [t, x, y, z]
            for step in (0, -1):
                site[direction] = ([t, x, y, z][direction] + step) % extents[direction]
                mu = (direction - 1) % 4
                matrix = links[mu, site[0], site[3], site[2], site[1]]
                out += np.ascontiguousarray(matrix).astype("<c16").tobytes()
    return out
