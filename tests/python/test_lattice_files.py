"""Files of fields are converted from one format to another, and verified."""

from __future__ import annotations

import dataclasses
import itertools
import subprocess
import sys

import numpy as np
import pytest
from support.damaged_files import expect_one_line

from onehop import _core, cold_gauge, hot_gauge, inspect_gauge, join, read_gauge
from onehop.lattice_files.contents import kind_of, open_fields
from onehop.lattice_files.conversion import Conversion, convert
from onehop.lattice_files.formats import GAUGE, PROPAGATOR, formats
from onehop.lattice_files.gauge import open_gauge
from onehop.lattice_files.verification import ROUNDING, Comparison, verify

LATTICE = (4, 2, 6, 8)
DOUBLE = ("ildg", "scidac", "nersc", "openqcd", "hdf5", "npy")
SINGLE = ("ildg", "scidac", "nersc", "milc", "hdf5", "npy")


def links_of(path) -> np.ndarray:
    """Returns (T, Z, Y, X, 4, 3, 3)."""
    file = open_gauge(str(path))
    links = np.array([file.read(t) for t in range(file.lattice[3])])
    file.close()
    return links


def damaged(path, copy, at: int):
    content = bytearray(path.read_bytes())
    content[at] ^= 4
    copy.write_bytes(content)
    return copy


@pytest.fixture(scope="module")
def double(tmp_path_factory):
    """Makes the same random links in every format that keeps doubles."""
    folder = tmp_path_factory.mktemp("double")
    hot_gauge(LATTICE, 7, context=join("self")).write(folder / "links.ildg", "ildg")
    for form in DOUBLE[1:]:
        convert(str(folder / "links.ildg"), str(folder / f"links.{form}"), format=form)
    return {form: folder / f"links.{form}" for form in DOUBLE}


@pytest.fixture(scope="module")
def single(double, tmp_path_factory):
    folder = tmp_path_factory.mktemp("single")
    source = str(double["ildg"])
    convert(source, str(folder / "links.ildg"), format="ildg", precision="single")
    for form in SINGLE[1:]:
        convert(str(folder / "links.ildg"), str(folder / f"links.{form}"), format=form)
    return {form: folder / f"links.{form}" for form in SINGLE}


@pytest.fixture(scope="module")
def propagator(tmp_path_factory):
    """Makes 12 sources with numbers of all sizes, as onehop solve --out writes them."""
    random = np.random.default_rng(3)
    shape = (12, 6, 4, 2, 4, 4, 3)
    numbers = random.normal(size=shape) + 1j * random.normal(size=shape)
    numbers *= 10.0 ** random.integers(-20, 3, shape)
    path = tmp_path_factory.mktemp("propagator") / "prop.npy"
    np.save(path, numbers)
    return path


class TestLinks:
    @pytest.mark.parametrize(("one", "other"), [*itertools.product(DOUBLE, DOUBLE)])
    def test_doubles_go_from_each_format_to_each_bit_by_bit(self, double, tmp_path, one, other):
        done = convert(str(double[one]), str(tmp_path / "new"), format=other)
        assert done.is_exact and done.precision_bits == (64, 64)
        np.testing.assert_array_equal(links_of(tmp_path / "new"), links_of(double["ildg"]))
        if other != "hdf5":
            assert (tmp_path / "new").read_bytes() == double[other].read_bytes()

    @pytest.mark.parametrize(("one", "other"), [*itertools.product(SINGLE, SINGLE)])
    def test_singles_go_from_each_format_to_each_bit_by_bit(self, single, tmp_path, one, other):
        done = convert(str(single[one]), str(tmp_path / "new"), format=other)
        assert done.is_exact and done.precision_bits == (32, 32)
        np.testing.assert_array_equal(links_of(tmp_path / "new"), links_of(single["ildg"]))

    @pytest.mark.parametrize("form", SINGLE)
    def test_singles_made_double_come_back(self, single, tmp_path, form):
        convert(str(single[form]), str(tmp_path / "wide"), format="openqcd")
        convert(str(tmp_path / "wide"), str(tmp_path / "new"), format=form, precision="single")
        np.testing.assert_array_equal(links_of(tmp_path / "new"), links_of(single["ildg"]))

    def test_the_library_reads_what_was_written(self, double):
        links = hot_gauge(LATTICE, 7, context=join("self")).links
        for form in ("ildg", "scidac", "nersc", "openqcd"):
            read = read_gauge(double[form], context=join("self"), warn=lambda line: None)
            np.testing.assert_array_equal(read.links, links)
        np.testing.assert_array_equal(np.load(double["npy"]), links)

    def test_hdf5_holds_the_links_and_says_what_they_are(self, double):
        h5py = pytest.importorskip("h5py")
        with h5py.File(double["hdf5"]) as file:
            np.testing.assert_array_equal(file["links"][...], np.load(double["npy"]))
            said = file["links"].attrs
            assert "row, column" in said["conventions"] and "periodic" in said["conventions"]
            assert said["plaquette"] == verify(str(double["ildg"])).summary.plaquette.mean

    @pytest.mark.parametrize("precision", ["single", "double"])
    def test_two_rows_give_the_same_file_again(self, double, tmp_path, precision):
        two = tmp_path / "two.nersc"
        convert(str(double["ildg"]), str(two), rows=2, precision=precision)
        assert inspect_gauge(two).stored_rows == 2
        assert two.stat().st_size < 0.7 * double["nersc"].stat().st_size
        convert(str(two), str(tmp_path / "three.nersc"))
        again = tmp_path / "again.nersc"
        convert(str(tmp_path / "three.nersc"), str(again), rows=2)
        # Rounding and a made row may change the last digits of the stated plaquette.
        data = [path.read_bytes().partition(b"END_HEADER")[2] for path in (two, again)]
        assert data[0] == data[1] and len(data[0]) > 1000

    def test_checksums_of_two_formats_with_the_same_one_agree(self, double, single):
        for files in (double, single):
            ildg, scidac = (verify(str(files[f])).findings[0].words for f in ("ildg", "scidac"))
            assert ildg.partition(": ")[2] == scidac.partition(": ")[2] != ""

    @pytest.mark.parametrize("form", [*DOUBLE, "milc"])
    def test_damage_is_refused_and_nothing_is_left(self, double, single, tmp_path, form):
        good = single[form] if form == "milc" else double[form]
        # This is the exponent of a number in the second half of the data.
        at = good.stat().st_size // 2 // 8 * 8 + (7 if form in ("openqcd", "npy", "hdf5") else 0)
        bad = damaged(good, tmp_path / "bad", at + (good.stat().st_size - 24) % 8)
        with pytest.raises((_core.FileError, _core.NumericError), match="bad"):
            convert(str(bad), str(tmp_path / "new.ildg"))
        bad.write_bytes(good.read_bytes()[:-1000])
        with pytest.raises(_core.FileError, match="bad"):
            convert(str(bad), str(tmp_path / "new.ildg"))
        assert [path.name for path in tmp_path.iterdir()] == ["bad"]

    @pytest.mark.parametrize("form", ["ildg", "scidac", "nersc", "hdf5"])
    def test_the_last_bit_of_a_number_is_protected(self, double, tmp_path, form):
        """Only the checksum can tell."""
        content = bytearray(double[form].read_bytes())
        number = np.load(double["npy"])[2, 4, 3, 1, 2, 1, 0].real
        order = "<f8" if form == "hdf5" else ">f8"
        at = content.index(np.array(number, order).tobytes()) + (0 if form == "hdf5" else 7)
        content[at] ^= 1
        (tmp_path / "bad").write_bytes(content)
        with pytest.raises(_core.ChecksumError, match="bad"):
            convert(str(tmp_path / "bad"), str(tmp_path / "new.npy"))
        assert not verify(str(tmp_path / "bad")).passed

    @pytest.mark.parametrize("form", ["nersc", "openqcd", "hdf5"])
    def test_a_plaquette_that_is_not_the_links_is_refused(self, double, tmp_path, form):
        bad = tmp_path / "bad"
        content = bytearray(double[form].read_bytes())
        if form == "nersc":
            at = content.index(b"PLAQUETTE =") + 11
            content[at : at + 20] = b"0.5937".rjust(20)
            bad.write_bytes(content)
        elif form == "openqcd":
            content[16:24] = np.array(1.5, "<f8").tobytes()
            bad.write_bytes(content)
        else:
            h5py = pytest.importorskip("h5py")
            bad.write_bytes(content)
            with h5py.File(bad, "r+") as file:
                file["links"].attrs["plaquette"] = 0.5
        with pytest.raises(_core.FileError, match="bad.*plaquette"):
            convert(str(bad), str(tmp_path / "new.npy"))
        assert [one.name for one in verify(str(bad)).findings if one.passed is False] == [
            "plaquette"
        ]

    def test_memory_is_that_of_slices(self, tmp_path):
        """A lattice of 32 times as many slices takes no more memory to speak of."""
        for t in (8, 256):
            cold_gauge((8, 8, 8, t), context=join("self")).write(tmp_path / f"{t}.ildg", "ildg")

        def needed(t: int, form: str) -> int:
            program = (
                "import sys; from onehop import convert;"
                "convert(*sys.argv[1:3], format=sys.argv[3]);"
                "status = open('/proc/self/status').read();"
                "print(status.partition('VmHWM:')[2].split()[0])"
            )
            words = [tmp_path / f"{t}.ildg", tmp_path / f"{t}.{form}", form]
            ended = subprocess.run(
                [sys.executable, "-c", program, *map(str, words)],
                capture_output=True,
                check=True,
                text=True,
                timeout=60,
            )
            return int(ended.stdout) * 1024

        whole = 8**3 * 256 * 4 * 18 * 8
        for form in ("nersc", "openqcd", "npy", "hdf5"):
            assert needed(256, form) - needed(8, form) < whole / 8, form


class TestRefusals:
    def test_what_a_format_lacks(self, double, tmp_path):
        source, new = str(double["ildg"]), str(tmp_path / "new")
        cases = [
            ({"format": "milc", "precision": "double"}, "MILC files have no double"),
            (
                {"format": "openqcd", "precision": "single"},
                r"openQCD files have no single precision; leave precision \(--prec\)",
            ),
            (
                {"format": "ildg", "rows": 2},
                r"all three rows of each link; leave rows \(--rows\) out",
            ),
            ({"format": "hdf6"}, "hdf5"),
            ({}, "does not tell a format"),
        ]
        for words, why in cases:
            with pytest.raises(_core.UsageError, match=why):
                convert(source, new, **words)
        assert list(tmp_path.iterdir()) == []

    def test_odd_extents_in_openqcd(self, tmp_path):
        cold_gauge((3, 4, 4, 4), context=join("self")).write(tmp_path / "odd.ildg", "ildg")
        with pytest.raises(_core.UsageError, match="even extents only, not 3x4x4x4"):
            convert(str(tmp_path / "odd.ildg"), str(tmp_path / "new.openqcd"))

    def test_links_outside_su3(self, tmp_path):
        gauge = cold_gauge((4, 4, 4, 4), context=join("self"))
        gauge.links[2, 3, 0, 1, 2] *= 1.5
        gauge.field.exchange_ghosts()
        gauge.write(tmp_path / "outside.ildg", "ildg")
        words = r"direction z at site \(2,1,0,3\).*--allow-non-unitary"
        with pytest.raises(_core.NumericError, match=words):
            convert(str(tmp_path / "outside.ildg"), str(tmp_path / "new.scidac"))
        assert [path.name for path in tmp_path.iterdir()] == ["outside.ildg"]
        done = convert(
            str(tmp_path / "outside.ildg"), str(tmp_path / "new.scidac"), allow_non_unitary=True
        )
        assert len(done.warnings) == 1
        np.testing.assert_array_equal(
            links_of(tmp_path / "new.scidac"), links_of(tmp_path / "outside.ildg")
        )

    def test_arrays_that_are_no_field(self, tmp_path):
        for name, array in {
            "shape": np.zeros((4, 4, 4, 4), complex),
            "real": np.zeros((4, 2, 2, 2, 2, 3, 3)),
            "order": np.asfortranarray(np.zeros((4, 2, 2, 2, 2, 3, 3), complex)),
        }.items():
            np.save(tmp_path / f"{name}.npy", array)
            with pytest.raises(_core.FileError, match=name):
                convert(str(tmp_path / f"{name}.npy"), str(tmp_path / "new.ildg"))
        (tmp_path / "letter").write_bytes(b"\x93NUMPY dear reader")
        with pytest.raises(_core.FileError, match="letter: its header"):
            kind_of(str(tmp_path / "letter"))


class TestPropagators:
    @pytest.mark.parametrize("form", ["scidac", "hdf5"])
    def test_there_and_back_bit_by_bit(self, propagator, tmp_path, form):
        convert(str(propagator), str(tmp_path / "there"), format=form)
        assert kind_of(str(tmp_path / "there")) == PROPAGATOR
        convert(str(tmp_path / "there"), str(tmp_path / "back.npy"))
        np.testing.assert_array_equal(np.load(tmp_path / "back.npy"), np.load(propagator))

    def test_scidac_has_spins_then_colours_rows_of_the_sink(self, propagator, tmp_path):
        """The order is that of LatticePropagator in QDP++."""
        path = tmp_path / "prop.scidac"
        convert(str(propagator), str(path))
        reader = _core.ScidacSliceReader(str(path))
        assert reader.fields[0].datatype == "QDP_D3_DiracPropagator"
        field = np.empty((4, 2, 4, 4, 4, 3, 3), complex)
        reader.read(0, 5, field)
        numbers = np.load(propagator)
        for sink, source, row, column in ((0, 3, 2, 1), (2, 1, 0, 2)):
            found = field[3, 1, 2, sink, source, row, column]
            assert found == numbers[3 * source + column, 5, 3, 1, 2, sink, row]

    def test_single_precision_rounds_each_number(self, propagator, tmp_path):
        convert(str(propagator), str(tmp_path / "single.h5"), precision="single")
        found = verify(str(propagator), str(tmp_path / "single.h5"))
        assert found.passed and not found.comparison.is_identical
        assert 0 < found.comparison.largest <= ROUNDING[32]

    def test_wilson_ones_have_twelve_sources_in_scidac(self, tmp_path):
        np.save(tmp_path / "two.npy", np.ones((2, 4, 2, 2, 2, 4, 3), complex))
        with pytest.raises(_core.UsageError, match="12 sources, not 2"):
            convert(str(tmp_path / "two.npy"), str(tmp_path / "two.scidac"))
        assert len(list(tmp_path.iterdir())) == 1

    def test_what_is_no_number_is_named(self, tmp_path):
        numbers = np.ones((12, 4, 2, 2, 2, 4, 3), complex)
        numbers[7, 3, 1, 0, 1, 2, 1] = np.nan
        np.save(tmp_path / "prop.npy", numbers)
        with pytest.raises(_core.NumericError, match=r"prop.npy: source 7 at site \(1,0,1,3\)"):
            convert(str(tmp_path / "prop.npy"), str(tmp_path / "new.h5"))
        assert len(list(tmp_path.iterdir())) == 1

    def test_a_scidac_file_of_links_is_none(self, double):
        with pytest.raises(_core.FileError, match="holds a gauge field, no propagator"):
            open_fields(str(double["scidac"]), PROPAGATOR)


class TestVerification:
    @pytest.mark.parametrize("form", DOUBLE)
    def test_formats_hold_the_same_links(self, double, single, form):
        found = verify(str(double[form]), str(double["ildg"]))
        assert found.passed and found.comparison.is_identical
        rounded = verify(str(double[form]), str(single["milc"]))
        assert rounded.passed and not rounded.comparison.is_identical
        assert 0 < rounded.comparison.largest <= rounded.comparison.tolerance < 1e-7
        assert "single precision" in rounded.comparison.why

    def test_the_largest_and_the_first_deviation_are_named(self, double, tmp_path):
        links = np.load(double["npy"])
        links[3, 5, 2, 1, 3, 0, 2] += 3e-12
        links[0, 5, 2, 1, 3, 0, 2] += 4e-12
        links[1, 5, 3, 0, 0, 2, 2] += 4.5e-12
        links[1, 7, 0, 0, 2, 1, 1] += 5e-12
        np.save(tmp_path / "other.npy", links)
        found = verify(str(double["ildg"]), str(tmp_path / "other.npy"))
        apart = found.comparison
        assert not found.passed and not apart.passed
        assert apart.first == "the link in direction x at site (3,1,2,5)"
        assert apart.largest_place == "the link in direction y at site (2,0,0,7)"
        assert apart.largest == pytest.approx(5e-12, rel=1e-3)
        assert (apart.deviating, apart.places) == (4, 4 * np.prod(LATTICE))
        assert verify(str(double["ildg"]), str(tmp_path / "other.npy"), tolerance=1e-11).passed

    def test_a_source_that_deviates_is_named(self, propagator, tmp_path):
        numbers = np.load(propagator)
        size = np.abs(numbers[4, 2, 3, 1, 0]).max()
        numbers[4, 2, 3, 1, 0, 2, 2] += 1e-9 * size
        np.save(tmp_path / "other.npy", numbers)
        apart = verify(str(propagator), str(tmp_path / "other.npy")).comparison
        assert apart.first == apart.largest_place == "source 4 at site (0,1,3,2)"
        assert apart.largest == pytest.approx(1e-9, rel=1e-3)

    def test_every_fault_of_a_file_is_found(self, double, tmp_path):
        content = double["nersc"].read_bytes()
        bad = tmp_path / "bad.nersc"
        at = content.index(b"END_HEADER\n") + 11 + 4000
        bad.write_bytes(content[:at] + bytes([content[at] ^ 1]) + content[at + 1 :])
        found = {one.name: one.passed for one in verify(str(bad)).findings}
        assert found == {"checksum": False, "plaquette": False, "links": False}

    def test_fields_that_cannot_be_compared_are_refused(self, double, propagator, tmp_path):
        with pytest.raises(_core.UsageError, match="holds a gauge field"):
            verify(str(double["ildg"]), str(propagator))
        cold_gauge((4, 4, 4, 4), context=join("self")).write(tmp_path / "small.ildg", "ildg")
        with pytest.raises(_core.UsageError, match="4x2x6x8 against 4x4x4x4"):
            verify(str(double["ildg"]), str(tmp_path / "small.ildg"))


def test_damaged_links_are_told_in_one_line(double, tmp_path):
    expect_one_line(list(double.values()), tmp_path)


def test_a_damaged_propagator_is_told_in_one_line(propagator, tmp_path_factory, tmp_path):
    other = tmp_path_factory.mktemp("whole") / "new.h5"
    convert(str(propagator), str(other))
    expect_one_line([propagator, other], tmp_path)


class TestRealFiles:
    """Other programs wrote these files."""

    def test_milc_comes_back_but_for_its_time_stamp(self, data, tmp_path):
        real = data / "milc_v5_8x8x8x8_b6.0.lat"
        for form in SINGLE:
            convert(str(real), str(tmp_path / f"between.{form}"), format=form)
            convert(str(tmp_path / f"between.{form}"), str(tmp_path / f"{form}.milc"))
            found, wanted = (p.read_bytes() for p in (tmp_path / f"{form}.milc", real))
            assert found[:20] == wanted[:20] and found[84:] == wanted[84:]

    def test_ildg_and_nersc_keep_their_data(self, data, tmp_path):
        for real, form in (
            ("ildg_8x8x8x4_hisq_b3.360.ildg", "ildg"),
            ("ildg_no_checksum_4x4x4x8.ildg", "ildg"),
            ("nersc3x3_8x8x8x4_hisq_b3.360.nersc", "nersc"),
        ):
            convert(str(data / real), str(tmp_path / "between.h5"))
            convert(str(tmp_path / "between.h5"), str(tmp_path / "back"), format=form)
            found = verify(str(tmp_path / "back"), str(data / real))
            assert found.passed and found.comparison.is_identical
            (tmp_path / "between.h5").unlink()
            (tmp_path / "back").unlink()


def test_every_format_says_what_its_numbers_are():
    for one in formats(GAUGE):
        for word in ("from x+mu to x", "SU(3)", "periodic", "checksum"):
            assert word.lower() in one.conventions.lower(), (one.name, word)
        assert any(word in one.conventions.lower() for word in ("-endian", "hdf5", "chunk"))
    for one in formats(PROPAGATOR):
        for word in ("DeGrand-Rossi", "mass normalisation", "spin", "colour"):
            assert word in one.conventions, (one.name, word)


@pytest.mark.parametrize("name", ["links.npy", "links.hdf5", "links.nersc"])
def test_the_name_of_a_file_may_be_a_path(double, tmp_path, name):
    source, target = double["ildg"], tmp_path / name
    assert convert(source, target).checksums[1] == convert(str(source), str(target)).checksums[1]
    assert verify(target, source).passed
    assert verify(target).path == str(target)


@pytest.mark.parametrize("described", [Comparison, Conversion])
def test_every_attribute_has_its_line(described):
    lines = [line.split() for line in described.__doc__.splitlines()]
    first = {words[0] for words in lines if words}
    assert {field.name for field in dataclasses.fields(described)} <= first
