"""Staggered propagators, colour vectors and eigenvectors go between the files of MILC and arrays.
The files are made here by a writer of their own."""

from __future__ import annotations

import subprocess
import sys

import numpy as np
import pytest
from support import foreign_files as foreign
from support.damaged_files import expect_one_line

import onehop
from onehop import _core
from onehop.lattice_files.contents import kind_of, open_fields
from onehop.lattice_files.conversion import convert
from onehop.lattice_files.formats import EIGENVECTORS, PROPAGATOR
from onehop.lattice_files.scidac_fields import SCALAR_PAIRS, SHARED_SCALAR, VECTOR_PAIRS
from onehop.lattice_files.verification import verify

LATTICE = (2, 4, 6, 4)
SPACE = tuple(reversed(LATTICE))
SOURCES = {SHARED_SCALAR: (1, 1), SCALAR_PAIRS: (3, 1), VECTOR_PAIRS: (3, 3)}


def random_numbers(*shape: int, seed: int = 2) -> np.ndarray:
    """Returns numbers of all sizes that single precision keeps."""
    random = np.random.default_rng(seed)
    numbers = random.normal(size=shape) + 1j * random.normal(size=shape)
    numbers *= 10.0 ** random.integers(-12, 3, shape)
    return numbers.astype(np.complex64).astype(np.complex128)


@pytest.fixture(params=[(k, b, t) for k in SOURCES for b in (32, 64) for t in (None, 2)])
def milc(request, tmp_path):
    """Makes a propagator of each type, with sources everywhere or on one time slice."""
    kind, bits, time = request.param
    count, numbers = SOURCES[kind]
    solutions = random_numbers(3, *SPACE, 3)
    sources = random_numbers(count, *SPACE, numbers, seed=3)
    if time is not None:
        sources[:, np.arange(SPACE[0]) != time] = 0
    path = tmp_path / "ks.scidac"
    path.write_bytes(foreign.staggered_file(kind, list(sources), solutions, bits, time))
    return solutions, sources, path


class TestPropagators:
    def test_what_milc_wrote_is_read(self, milc):
        solutions, sources, path = milc
        assert kind_of(str(path)) == PROPAGATOR
        file = open_fields(str(path), PROPAGATOR)
        for t in (3, 1, 2, 0):
            np.testing.assert_array_equal(file.read(t), solutions[:, t])
            np.testing.assert_array_equal(file.read_sources(t), sources[:, t])
        file.verify_checksum()
        found = verify(str(path))
        assert found.passed and found.findings[0].passed and found.shape == LATTICE

    @pytest.mark.parametrize("form", ["h5", "scidac"])
    def test_it_comes_back_bit_by_bit_with_its_sources(self, milc, tmp_path, form):
        _, sources, path = milc
        done = convert(str(path), str(tmp_path / f"there.{form}"))
        assert done.is_exact and not done.warnings and all(done.checksums)
        convert(str(tmp_path / f"there.{form}"), str(tmp_path / "back.scidac"))
        content, back = path.read_bytes(), (tmp_path / "back.scidac").read_bytes()
        assert (
            foreign.sums_in(back) == foreign.sums_in(content)
            and len(foreign.sums_in(back)) == len(sources) + 3
        )
        assert foreign.numbers_in(back) == foreign.numbers_in(content)
        stated = content.partition(b"<type>")[2].partition(b"<")[0]
        assert stated in back and back.count(b"<recordtype>2") == content.count(b"<recordtype>2")

    def test_npy_has_the_solutions_alone_and_says_so(self, milc, tmp_path):
        solutions, sources, path = milc
        done = convert(str(path), str(tmp_path / "there.npy"))
        assert f"the {len(sources)} source fields" in done.warnings[-1]
        np.testing.assert_array_equal(np.load(tmp_path / "there.npy"), solutions)
        convert(str(tmp_path / "there.npy"), str(tmp_path / "back.scidac"))
        found = verify(str(tmp_path / "back.scidac"), str(path))
        assert found.passed and found.comparison.is_identical

    def test_one_of_onehop_gets_a_source_of_zeros(self, tmp_path):
        """MILC reads no propagator without a source, and writes such a one itself."""
        np.save(tmp_path / "prop.npy", random_numbers(3, *SPACE, 3))
        convert(str(tmp_path / "prop.npy"), str(tmp_path / "prop.scidac"))
        reader = _core.ScidacSliceReader(str(tmp_path / "prop.scidac"))
        assert [f.datatype for f in reader.fields] == ["QLA_D_Complex"] + 3 * [
            "USQCD_D3_ColorVector"
        ]
        assert SHARED_SCALAR.encode() in reader.xml and b"no source" in reader.fields[0].xml
        assert [f"<color>{c}<".encode() in reader.fields[1 + c].xml for c in range(3)] == 3 * [True]
        # QIO has room for 512 bytes of these.
        assert all(len(xml) < 500 for xml in (reader.xml, *(f.xml for f in reader.fields)))

    def test_single_precision_rounds_sources_too(self, milc, tmp_path):
        _, sources, path = milc
        new = tmp_path / "new.scidac"
        convert(str(path), str(new), precision="single")
        file = open_fields(str(new), PROPAGATOR)
        assert file.precision_bits == 32
        np.testing.assert_array_equal(file.read_sources(2), sources[:, 2].astype(np.complex64))

    def test_a_deviation_is_named_by_its_source(self, milc, tmp_path):
        solutions, _, path = milc
        solutions[2, 3, 5, 1, 0] *= 1.5
        np.save(tmp_path / "other.npy", solutions)
        apart = verify(str(path), str(tmp_path / "other.npy")).comparison
        assert apart.first == "source 2 at site (0,1,5,3)" and apart.deviating == 1


def test_memory_is_that_of_slices(tmp_path):
    """A lattice of 192 more slices takes no more memory to speak of, once HDF5 has filled the
    8 MB that it keeps of a dataset."""
    for t in (64, 256):
        np.save(tmp_path / f"{t}.npy", np.ones((3, t, 12, 12, 12, 3), complex))
        convert(tmp_path / f"{t}.npy", tmp_path / f"{t}.scidac")

    def needed(t: int, form: str) -> int:
        program = (
            "import sys; from onehop import convert; convert(*sys.argv[1:]);"
            "status = open('/proc/self/status').read();"
            "print(status.partition('VmHWM:')[2].split()[0])"
        )
        words = [tmp_path / f"{t}.scidac", tmp_path / f"{t}-new.{form}"]
        ended = subprocess.run(
            [sys.executable, "-c", program, *map(str, words)],
            capture_output=True,
            check=True,
            text=True,
            timeout=60,
        )
        return int(ended.stdout) * 1024

    more = 3 * 192 * 12**3 * 3 * 16
    for form in ("scidac", "h5", "npy"):
        assert needed(256, form) - needed(64, form) < more / 5, form


class TestColourVectors:
    @pytest.mark.parametrize("bits", [32, 64])
    @pytest.mark.parametrize("together", [1, 5])
    def test_any_number_of_them_in_one_field_or_in_several(self, tmp_path, bits, together):
        vectors = random_numbers(5, *SPACE, 3)
        groups = np.split(vectors, 5 // together)
        fields = [
            foreign.Field(np.moveaxis(g, 0, 4), "USQCD_*3_ColorVector", 3, objects=together)
            for g in groups
        ]
        path = tmp_path / "vectors.scidac"
        path.write_bytes(foreign.scidac_file(fields, bits))
        for form in ("npy", "h5", "scidac"):
            convert(str(path), str(tmp_path / f"there.{form}"))
            convert(str(tmp_path / f"there.{form}"), str(tmp_path / "back.scidac"))
            found = verify(str(tmp_path / "back.scidac"), str(path))
            assert found.passed and found.comparison.is_identical and found.precision_bits == bits
        np.testing.assert_array_equal(np.load(tmp_path / "there.npy"), vectors)


class TestEigenvectors:
    @pytest.fixture(params=[32, 64])
    def file(self, request, tmp_path):
        vectors = random_numbers(4, *SPACE, 3)
        values = np.array([1e-7 / 3, 0.1, np.pi, 4.0 + 2.0**-50])
        path = tmp_path / "eig.scidac"
        path.write_bytes(foreign.eigenvector_file(values, vectors, request.param))
        return values, vectors, path

    def test_values_and_vectors_are_read(self, file):
        values, vectors, path = file
        assert kind_of(str(path)) == EIGENVECTORS
        found = onehop.read_eigenvectors(path)
        np.testing.assert_array_equal(found.eigenvalues, values)
        np.testing.assert_array_equal(found.vectors, vectors)
        np.testing.assert_array_equal(found.stated_residuals, 1e-9)
        assert found.lattice == LATTICE and verify(str(path)).passed

    @pytest.mark.parametrize("form", ["h5", "scidac"])
    def test_they_come_back_bit_by_bit(self, file, tmp_path, form):
        values, _, path = file
        convert(str(path), str(tmp_path / f"there.{form}"))
        convert(str(tmp_path / f"there.{form}"), str(tmp_path / "back.scidac"))
        back = tmp_path / "back.scidac"
        assert foreign.sums_in(back.read_bytes()) == foreign.sums_in(path.read_bytes())
        assert foreign.numbers_in(back.read_bytes()) == foreign.numbers_in(path.read_bytes())
        np.testing.assert_array_equal(onehop.read_eigenvectors(back).eigenvalues, values)
        found = verify(str(back), str(path))
        assert found.passed and found.findings[-1].name == "eigenvalues"

    def test_there_is_no_room_for_eigenvalues_in_npy(self, file, tmp_path):
        with pytest.raises(_core.UsageError, match="set of eigenvectors cannot be written as npy"):
            convert(str(file[2]), str(tmp_path / "new"), format="npy")

    def test_other_eigenvalues_are_found(self, file, tmp_path):
        values, vectors, path = file
        values[2] *= 1 + 1e-6
        other = tmp_path / "other.scidac"
        other.write_bytes(foreign.eigenvector_file(values, vectors, 64))
        found = verify(str(path), str(other))
        assert not found.passed and found.findings[-1].passed is False
        assert "number 2" in found.findings[-1].words

    @pytest.mark.parametrize("form", ["h5", "scidac"])
    @pytest.mark.parametrize("precision", ["single", "double"])
    def test_what_python_made_is_written(self, tmp_path, form, precision):
        made = onehop.Eigenvectors(
            np.array([0.25, 1 / 3]), random_numbers(2, *SPACE, 3), np.array([1e-7, np.nan])
        )
        made.write(tmp_path / f"made.{form}", precision=precision)
        found = onehop.read_eigenvectors(tmp_path / f"made.{form}")
        for name in ("eigenvalues", "vectors", "stated_residuals"):
            np.testing.assert_array_equal(getattr(found, name), getattr(made, name))
        made.stated_residuals[:] = np.nan
        made.write(tmp_path / "unknown.scidac")
        assert b"resid" not in (tmp_path / "unknown.scidac").read_bytes()
        with pytest.raises(_core.UsageError, match="as many finite eigenvalues"):
            onehop.Eigenvectors(np.array([1.0]), made.vectors, made.stated_residuals).write("x.h5")
        with pytest.raises(_core.UsageError, match="neither single nor double"):
            made.write(tmp_path / "x.h5", precision="half")


def replaced(content: bytes, old: bytes, new: bytes, count: int = 1) -> bytes:
    assert old in content and len(old) == len(new)
    return content.replace(old, new, count)


class TestDamage:
    """Each is a line that names the file."""

    def refuse(self, tmp_path, content, match, kind=_core.FileError):
        bad = tmp_path / "bad"
        bad.write_bytes(content)
        with pytest.raises(kind, match=match) as caught:
            convert(str(bad), str(tmp_path / "new.h5"))
        assert str(bad) in str(caught.value) and "\n" not in str(caught.value)
        assert [path.name for path in tmp_path.iterdir()] == ["bad"]

    @pytest.fixture
    def staggered(self):
        solutions, sources = random_numbers(3, *SPACE, 3), random_numbers(1, *SPACE, 1)
        return foreign.staggered_file(SHARED_SCALAR, list(sources), solutions, 64)

    @pytest.fixture
    def eigen(self):
        return foreign.eigenvector_file(np.arange(3) + 0.5, random_numbers(3, *SPACE, 3), 64)

    def test_a_record_that_is_cut(self, tmp_path, staggered, eigen):
        for whole in (staggered, eigen):
            self.refuse(tmp_path, whole[:-3000], "truncated")
            for kind in (b"scidac-binary-data", b"scidac-checksum"):
                at = whole.rindex(kind) - 16
                self.refuse(tmp_path, whole[:at], "ends before|truncated")

    def test_a_wrong_checksum_of_any_field(self, tmp_path, staggered, eigen):
        for whole in (staggered, eigen):
            at = -1
            while (at := whole.find(b"scidac-binary-data", at + 1)) >= 0:
                bad = bytearray(whole)
                bad[at + 1117] ^= 1
                self.refuse(tmp_path, bytes(bad), "SciDAC checksum", _core.ChecksumError)

    def test_a_wrong_number_of_fields(self, tmp_path, staggered, eigen):
        last = staggered.rindex(b"scidac-private-record-xml") - 16
        self.refuse(tmp_path, staggered[:last], "has 3 fields, but its type .* needs 4")
        self.refuse(tmp_path, staggered + staggered[last:], "has 5 fields")
        last = eigen.rindex(b"scidac-private-record-xml") - 16
        self.refuse(tmp_path, eigen[:last], "says that it has 3 eigenvectors, but it has 2")
        solutions, sources = random_numbers(3, *SPACE, 3), random_numbers(3, *SPACE, 3)
        pairs = foreign.staggered_file(VECTOR_PAIRS, list(sources), solutions, 64)
        last = pairs.rindex(b"scidac-private-record-xml") - 16
        self.refuse(tmp_path, pairs[:last], "has 5 fields, .* an even number")

    def test_fields_that_are_not_those_of_the_type(self, tmp_path, staggered):
        solutions, source = random_numbers(3, *SPACE, 3), [random_numbers(*SPACE, 1)]
        vector = [random_numbers(*SPACE, 3)]
        make = foreign.staggered_file
        self.refuse(tmp_path, make(SHARED_SCALAR, vector, solutions, 64), "sources of type .* 1;")
        self.refuse(tmp_path, make("USQCD_Other", source, solutions, 64), "'USQCD_Other'")
        mixed = make(SHARED_SCALAR, source, solutions, 64, colours=(0, 2, 1))
        self.refuse(tmp_path, mixed, "colour '2', but colour 1 comes there")
        twelve = [foreign.Field(random_numbers(*SPACE, 4, 3), "USQCD_*3_DiracFermion", 3, 4)] * 12
        self.refuse(tmp_path, foreign.scidac_file(twelve, 64), "12 fields, the first with 12")

    def test_absurd_extents(self, tmp_path, staggered):
        dims = b"<dims>2 4 6 4 </dims>"
        for stated in (b"0 4 6 4 ", b"2 4 6 -1", b"99999999", b"2 4 6 4x", b"2 9 9 4 "):
            self.refuse(tmp_path, replaced(staggered, dims, b"<dims>" + stated + b"</dims>"), "bad")

    def test_eigenvalues_that_are_none(self, tmp_path, eigen):
        self.refuse(tmp_path, replaced(eigen, b"<eigVal>1", b"<eigVal>x"), "states <eigVal> as 'x")
        self.refuse(tmp_path, replaced(eigen, b"<eigVal>1", b"<eigXal>1"), "<eigVal> as None")
        self.refuse(tmp_path, replaced(eigen, b"0e+00</eigVal>", b"0e+999</eigVal"), "not a number")
        packed = foreign.eigenvector_file(
            np.ones(1), random_numbers(1, *SPACE, 3), 64, more="<format>Packed</format>"
        )
        self.refuse(tmp_path, packed, "packed")

    def test_numbers_that_are_none(self, tmp_path):
        solutions, source = random_numbers(3, *SPACE, 3), random_numbers(*SPACE, 1)
        source[1, 2, 3, 1] = np.nan
        content = foreign.staggered_file(SHARED_SCALAR, [source], solutions, 64)
        words = r"source field 0 at site \(1,3,2,1\)"
        self.refuse(tmp_path, content, words, _core.NumericError)

    def test_datasets_that_do_not_belong_together(self, tmp_path, staggered, eigen):
        h5py = pytest.importorskip("h5py")
        for whole, name in ((staggered, "source_fields"), (eigen, "eigenvalues")):
            (tmp_path / "whole").write_bytes(whole)
            convert(str(tmp_path / "whole"), str(tmp_path / "bad.h5"))
            with h5py.File(tmp_path / "bad.h5", "r+") as file:
                del file[name]
                file[name] = np.zeros(2)
            with pytest.raises(_core.FileError, match=rf"bad.h5.*{name}"):
                convert(str(tmp_path / "bad.h5"), str(tmp_path / "new.scidac"))

    @pytest.mark.parametrize(
        "times", [[[0, 9]], [[-1, 0]], [[2, 1]], [[0, 1], [0, 1]], [[0.5, 1.5]], 0]
    )
    def test_time_slices_of_sources_that_are_none(self, tmp_path, staggered, times):
        h5py = pytest.importorskip("h5py")
        (tmp_path / "whole").write_bytes(staggered)
        convert(str(tmp_path / "whole"), str(tmp_path / "bad.h5"))
        with h5py.File(tmp_path / "bad.h5", "r+") as file:
            file["source_fields"].attrs["times"] = times
        with pytest.raises(_core.FileError, match=r"bad.h5.*source_fields' does not belong to its"):
            convert(str(tmp_path / "bad.h5"), str(tmp_path / "new.scidac"))

    def test_a_type_that_is_no_text_is_kept_escaped(self, tmp_path, staggered):
        h5py = pytest.importorskip("h5py")
        (tmp_path / "whole").write_bytes(staggered)
        convert(str(tmp_path / "whole"), str(tmp_path / "whole.h5"))
        content = (tmp_path / "whole.h5").read_bytes()
        with h5py.File(tmp_path / "whole.h5") as file:
            (name,) = {
                data.attrs["file_type"] for data in file.values() if "file_type" in data.attrs
            }
        assert content.count(name.encode()) == 1
        (tmp_path / "bad.h5").write_bytes(
            content.replace(name.encode(), b"\xe8" + name.encode()[1:])
        )
        convert(str(tmp_path / "bad.h5"), str(tmp_path / "new.h5"))
        with pytest.raises(_core.FileError, match="unknown type .*xe8"):
            convert(str(tmp_path / "new.h5"), str(tmp_path / "new.scidac"))

    def test_any_damage_is_a_line(self, tmp_path, tmp_path_factory, staggered, eigen):
        whole = tmp_path_factory.mktemp("whole")
        (whole / "one").write_bytes(staggered)
        (whole / "two").write_bytes(eigen)
        convert(str(whole / "one"), str(whole / "one.h5"))
        convert(str(whole / "two"), str(whole / "two.h5"))
        expect_one_line(sorted(whole.iterdir()), tmp_path)
