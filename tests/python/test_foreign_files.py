"""Links that other programs have written, in every format that is read: the files are made here by
a writer of their own."""

from __future__ import annotations

import numpy as np
import pytest
from support import foreign_files as foreign
from support.damaged_files import expect_one_line

from onehop import _core, inspect_gauge, join, read_gauge
from onehop.lattice_files.contents import kind_of
from onehop.lattice_files.conversion import convert
from onehop.lattice_files.formats import LINK_FIELDS
from onehop.lattice_files.verification import verify

LATTICE = (2, 4, 6, 4)
LINKS = foreign.random_links(LATTICE, 5)
SINGLE = np.ascontiguousarray(LINKS.astype(np.complex64).astype(np.complex128))

# Each has its format, the links that were written, and the content.
FILES = {
    "openqcd": ("openqcd", LINKS, foreign.openqcd_file(LINKS)),
    "chroma double": ("scidac", LINKS, foreign.qdp_links_file(LINKS, 64)),
    "chroma single": ("scidac", SINGLE, foreign.qdp_links_file(SINGLE, 32)),
    "grid nersc": ("nersc", LINKS, foreign.nersc_file(LINKS, more=foreign.GRID_LINES)),
    "grid little": (
        "nersc",
        SINGLE,
        foreign.nersc_file(SINGLE, bits=32, little=True, more=foreign.GRID_LINES),
    ),
    "nersc two rows": ("nersc", LINKS, foreign.nersc_file(LINKS, rows=2)),
    "nersc two rows single": ("nersc", SINGLE, foreign.nersc_file(SINGLE, bits=32, rows=2)),
}


@pytest.fixture(params=FILES)
def file(request, tmp_path):
    form, links, content = FILES[request.param]
    path = tmp_path / "foreign"
    path.write_bytes(content)
    return form, links, path


def data_of(form: str, content: bytes) -> bytes:
    """Returns the part of a file that holds its numbers."""
    if form == "openqcd":
        return content[24:]
    if form == "nersc":
        return content.partition(b"END_HEADER\n")[2]
    return foreign.numbers_in(content)


def test_links_plaquette_and_trace_are_those_that_were_written(file):
    form, links, path = file
    read = read_gauge(path, context=join("self"), warn=lambda line: None)
    stored = inspect_gauge(path).stored_rows
    assert stored == (2 if b"GAUGE\n" in path.read_bytes()[:200] else 3)
    np.testing.assert_array_equal(read.links[..., :stored, :], links[..., :stored, :])
    np.testing.assert_allclose(read.links, links, atol=1e-15 if links is LINKS else 3e-7)
    # The mean of single links differs by the made rows of theirs.
    wide = links is LINKS or stored == 3
    assert read.plaquette == pytest.approx(foreign.plaquette(links), abs=1e-13 if wide else 1e-7)
    found = verify(str(path))
    assert found.passed and [one.name for one in found.findings] == [
        "checksum",
        "plaquette",
        "links",
    ]
    assert found.findings[0].passed is (None if form == "openqcd" else True)
    assert found.findings[1].passed is (None if form == "scidac" else True)
    assert found.summary.link_trace == pytest.approx(
        foreign.link_trace(links), abs=1e-13 if wide else 1e-7
    )


def test_they_come_back_bit_by_bit(file, tmp_path):
    form, links, path = file
    rows = inspect_gauge(path).stored_rows
    convert(str(path), str(tmp_path / "between.npy"))
    precision = "single" if links is SINGLE else "double"
    again = tmp_path / "again"
    convert(
        str(tmp_path / "between.npy"),
        str(again),
        format=form,
        precision=precision,
        rows=2 if rows == 2 else None,
    )
    found, wanted = data_of(form, again.read_bytes()), data_of(form, path.read_bytes())
    if inspect_gauge(path).endianness == "little" and form == "nersc":
        wanted = np.frombuffer(wanted, "<f4").astype(">f4").tobytes()
    assert len(wanted) >= links.size * rows // 3 * 8 and found == wanted


def test_stated_sums_are_compared(file, tmp_path):
    """A number is changed in its last bit, and a stated value in its last digits."""
    form, links, path = file
    content = path.read_bytes()
    at = content.index(data_of(form, content)) + (7 if links is LINKS else 3)
    at = at - 7 if form == "openqcd" else at
    bad = tmp_path / "bad"
    bad.write_bytes(content[:at] + bytes([content[at] ^ 1]) + content[at + 1 :])
    if form == "openqcd":
        bad.write_bytes(content[:16] + np.array(1.2345, "<f8").tobytes() + content[24:])
    with pytest.raises(_core.FileError, match="plaquette" if form == "openqcd" else "checksum"):
        convert(str(bad), str(tmp_path / "new.npy"))
    if form == "nersc":
        bad.write_bytes(content.replace(b"LINK_TRACE = -0.16", b"LINK_TRACE = -0.15"))
        with pytest.raises(_core.FileError, match="trace"):
            convert(str(bad), str(tmp_path / "new.npy"))


@pytest.fixture
def fat_and_long(tmp_path):
    """Makes links that are far from SU(3), as sums over paths are."""
    random = np.random.default_rng(8)
    shape = (2, 4, *reversed(LATTICE), 3, 3)
    fields = random.normal(size=shape) + 1j * random.normal(size=shape)
    path = tmp_path / "fat_and_long.scidac"
    path.write_bytes(foreign.link_fields_file(fields, 64))
    return fields, path


@pytest.mark.parametrize("bits", [32, 64])
def test_a_propagator_of_chroma_comes_back_bit_by_bit(tmp_path, bits):
    random = np.random.default_rng(6)
    shape = (*reversed(LATTICE), 4, 4, 3, 3)
    field = random.normal(size=shape) + 1j * random.normal(size=shape)
    field = field.astype(np.complex64).astype(np.complex128)
    path = tmp_path / "chroma.lime"
    path.write_bytes(foreign.qdp_propagator_file(field, bits))
    convert(str(path), str(tmp_path / "prop.npy"))
    numbers = np.load(tmp_path / "prop.npy")
    # The axes are source spin and colour, site, sink spin and colour.
    wanted = field.transpose(5, 7, 0, 1, 2, 3, 4, 6).reshape(numbers.shape)
    np.testing.assert_array_equal(numbers, wanted)
    convert(str(tmp_path / "prop.npy"), str(tmp_path / "back.scidac"))
    back, content = (tmp_path / "back.scidac").read_bytes(), path.read_bytes()
    assert foreign.numbers_in(back) == foreign.numbers_in(content)
    assert foreign.sums_in(back) == foreign.sums_in(content) and verify(str(path)).passed


def test_any_damage_is_a_line(tmp_path, tmp_path_factory):
    folder = tmp_path_factory.mktemp("whole")
    for number, (_, _, content) in enumerate(FILES.values()):
        (folder / str(number)).write_bytes(content)
    expect_one_line(sorted(folder.iterdir()), tmp_path)


class TestLinksOutsideSu3:
    def test_fat_links_alone_are_kept_bit_by_bit(self, fat_and_long, tmp_path):
        fields, _ = fat_and_long
        fat = tmp_path / "fat.scidac"
        fat.write_bytes(foreign.link_fields_file(fields[:1], 64))
        with pytest.raises(_core.NumericError, match=r"fat.scidac.*--allow-non-unitary"):
            convert(str(fat), str(tmp_path / "new.npy"))
        for form in ("npy", "h5", "scidac", "ildg", "nersc"):
            new, back = tmp_path / f"new.{form}", tmp_path / "back.scidac"
            convert(str(fat), str(new), allow_non_unitary=True)
            convert(str(new), str(back), allow_non_unitary=True)
            assert data_of("scidac", back.read_bytes()) == data_of("scidac", fat.read_bytes())
        np.testing.assert_array_equal(np.load(tmp_path / "new.npy"), fields[0])

    def test_several_fields_need_a_word(self, fat_and_long, tmp_path):
        _, path = fat_and_long
        assert kind_of(str(path)) == LINK_FIELDS
        for call in (
            lambda: convert(str(path), str(tmp_path / "new.npy")),
            lambda: verify(str(path)),
        ):
            with pytest.raises(_core.FileError, match=r"several fields.*--allow-non-unitary"):
                call()
        with pytest.raises(_core.FileError, match="file of 2 fields"):
            read_gauge(path, context=join("self"))
        with pytest.raises(_core.UsageError, match="set of link fields cannot be written as nersc"):
            convert(str(path), str(tmp_path / "x"), format="nersc", allow_non_unitary=True)

    @pytest.mark.parametrize("form", ["npy", "h5", "scidac"])
    def test_several_fields_are_kept_bit_by_bit(self, fat_and_long, tmp_path, form):
        fields, path = fat_and_long
        new, back = tmp_path / f"new.{form}", tmp_path / "back.scidac"
        convert(str(path), str(new), allow_non_unitary=True)
        convert(str(new), str(back), allow_non_unitary=True)
        sums = [foreign.sums_in(content) for content in (path.read_bytes(), back.read_bytes())]
        assert sums[0] == sums[1] and len(sums[0]) == 2
        found = verify(str(back), str(path), allow_non_unitary=True)
        assert found.passed and found.comparison.is_identical
        if form == "npy":
            np.testing.assert_array_equal(np.load(new), np.moveaxis(fields, 1, 5))

    def test_a_field_that_differs_is_named(self, fat_and_long, tmp_path):
        fields, path = fat_and_long
        fields[1, 2, 3, 4, 2, 1, 0, 2] *= 1 + 1e-9
        other = tmp_path / "other.scidac"
        other.write_bytes(foreign.link_fields_file(fields, 64))
        apart = verify(str(path), str(other), allow_non_unitary=True).comparison
        assert not apart.passed and apart.first == "link field 1 at site (1,2,4,3)"
