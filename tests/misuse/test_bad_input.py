"""Wrong use: one line that says what is wrong, exit status 2, nothing left behind."""

from __future__ import annotations

import os
import shutil

import numpy as np
import pytest

MASS = ("--mass", "0.5")


@pytest.fixture
def solve(refused, configurations):
    """`onehop solve` on a good configuration with words that make it wrong."""
    return lambda *words, **job: refused("solve", configurations["nersc"], *words, **job)


def flip(path, copy, offset_from_end=100):
    shutil.copy(path, copy)
    with copy.open("r+b") as file:
        file.seek(-offset_from_end, 2)
        byte = file.read(1)[0]
        file.seek(-offset_from_end, 2)
        file.write(bytes([byte ^ 1]))
    return copy


def test_no_command(refused):
    assert "a command is needed" in refused()


def test_unknown_command_names_the_nearest(refused):
    assert refused("slove") == "unknown command 'slove'; did you mean solve?"


def test_unknown_option_names_the_nearest(solve):
    assert solve("--kapa", "0.13") == "unknown option --kapa of onehop solve; did you mean --kappa?"


def test_options_are_not_abbreviated(solve):
    assert "unknown option --kap" in solve("--kap", "0.13")


def test_unknown_choice_names_the_nearest(solve):
    assert solve(*MASS, "--solver", "bicgstb").endswith("did you mean bicgstab?")
    assert solve(*MASS, "--dslash", "wislon").endswith("did you mean wilson?")


def test_option_of_a_later_version_is_unknown(solve):
    assert "unknown option --deflate" in solve(*MASS, "--deflate", "10")


def test_kappa_and_mass(solve):
    line = solve("--kappa", "0.13", *MASS)
    assert "--kappa 0.13" in line and "--mass 0.5" in line and "one of them" in line


def test_neither_kappa_nor_mass(solve):
    assert "quark mass is missing" in solve()


def test_staggered_with_kappa(solve):
    assert "--mass" in solve("--dslash", "staggered", "--kappa", "0.13")


def test_staggered_with_bicgstab(solve):
    assert "cg" in solve("--dslash", "staggered", *MASS, "--solver", "bicgstab")


@pytest.mark.parametrize("words", [(), ("--dslash", "staggered")])
def test_csw_without_clover(solve, words):
    assert "--csw 1.5 is for --dslash clover" in solve(*words, *MASS, "--csw", "1.5")


def test_twisted_mass_of_staggered_quarks(solve):
    assert "--mu 0.1 is for wilson and clover" in solve(
        "--dslash", "staggered", *MASS, "--mu", "0.1"
    )


def test_clover_block_without_inverse(refused):
    words = ("solve", "--lattice", "4x4x4x4", "--start", "cold", "--dslash", "clover")
    line = refused(*words, "--mass", "-4", "--ranks", "2")
    assert "clover block of spins 0, 1 at site (0,0,0,0) has no inverse" in line


def test_improved_staggered_with_what_is_not_for_it(solve):
    words = ("--dslash", "asqtad", *MASS)
    assert "fat links take 18" in solve(*words, "--recon", "12")
    assert "cg" in solve(*words, "--solver", "bicgstab")
    assert "--u0 0: " in solve(*words, "--u0", "0")
    assert "--u0 0.9 is for --dslash asqtad" in solve("--dslash", "hisq", *MASS, "--u0", "0.9")
    assert "hops 3 sites" in solve(*words, "--ranks", "2", "--grid", "1x1x2x1")


@pytest.mark.parametrize(
    ("words", "part"),
    [
        ((*MASS, "--shifts", "0.1,-0.2"), "0 or more"),
        ((*MASS, "--shifts", "0.1,"), "a number is needed"),
        ((*MASS, "--shifts", "0.1", "--solver", "bicgstab"), "leave --solver at cg"),
        ((*MASS, "--shifts", "0.1", "--rhs", "2"), "leave it or --shifts out"),
        (("--masses", "0.1,0.2"), "staggered"),
        (("--dslash", "staggered", "--masses", "0,0.2"), "above 0"),
        (("--dslash", "staggered", *MASS, "--masses", "0.2"), "both given"),
        ((*MASS, "--rhs", "0"), "the least is 1"),
        ((*MASS, "--solver", "pipelined-cg", "--prec", "half"), "16 bits"),
    ],
)
def test_solvers_that_do_not_go_together(solve, words, part):
    assert part in solve(*words)


@pytest.mark.parametrize("value", ["0", "-0.1", "nan", "inf", "one"])
def test_kappa_that_is_no_kappa(solve, value):
    assert f"--kappa {value}: " in solve("--kappa", value)


HUGE = "99999999999999999999999"


@pytest.mark.parametrize("option", ["--max-iter", "--ranks"])
def test_value_beyond_every_machine(solve, option):
    assert f"{option} {HUGE}: the most is" in solve(*MASS, option, HUGE)


def test_seed_beyond_64_bits(refused, solve):
    words = ("solve", "--lattice", "4x4x4x4", *MASS)
    assert "the most is" in refused(*words, "--seed", HUGE)
    assert "2^64" in solve(*MASS, "--source", f"random:{HUGE}")
    assert "2^64" in solve(*MASS, "--source", "random:-1")


@pytest.mark.parametrize("extent", [HUGE, "²"])
def test_extent_that_is_no_extent(refused, extent):
    assert f"--lattice 4x4x4x{extent}: " in refused("solve", "--lattice", f"4x4x4x{extent}", *MASS)


def test_odd_extent(refused, tmp_path):
    words = ("--lattice", "4x4x3x4")
    assert "odd z extent" in refused("solve", *words, *MASS)
    assert "odd z extent" in refused("generate", *words, "--beta", "6", "-o", tmp_path / "g")


def test_option_that_is_far_from_all_gets_no_suggestion(solve):
    assert solve(*MASS, "--xyzzy", "1") == "unknown option --xyzzy of onehop solve; see --help"


def test_help_with_a_value(solve):
    assert "takes no value" in solve("--help=1")


@pytest.mark.parametrize("variable", ["ONEHOP_RANK", "ONEHOP_SIZE"])
def test_launcher_s_variable_with_rubbish(solve, variable):
    job = {"ONEHOP_RANK": "0", "ONEHOP_SIZE": "1", variable: "x"}
    assert f"{variable} has the value 'x'" in solve(*MASS, **job)


def test_error_is_told_where_the_launcher_cannot_be(solve):
    job = {"ONEHOP_RANK": "0", "ONEHOP_SIZE": "1", "ONEHOP_REPORT_FD": "x"}
    assert "wall" in solve(*MASS, "--source", "wall", **job)


@pytest.mark.parametrize("option", ["--tol", "--max-iter", "--ranks", "--seed", "--grid"])
def test_value_missing_or_wrong(solve, option):
    assert option in solve(*MASS, option)
    assert option in solve(*MASS, option, "-1x")


def test_grid_with_too_few_numbers(solve):
    assert "four numbers" in solve(*MASS, "--grid", "1", "1", "2")


@pytest.mark.parametrize("source", ["point:0,0,0", "point:a,b,c,d", "random:", "wall", "point"])
def test_source_that_is_no_source(solve, source):
    assert "point:x,y,z,t" in solve(*MASS, "--source", source)


def test_source_outside_the_lattice(solve):
    assert "outside the lattice 4x4x4x8" in solve(*MASS, "--source", "point:0,0,0,8")


def test_grid_that_does_not_divide(solve):
    line = solve(*MASS, "--grid", "3x1x1x1")
    assert "3x1x1x1" in line and "4x4x4x8" in line


def test_grid_and_ranks_that_disagree(solve):
    assert "2x1x1x1" in solve(*MASS, "--grid", "2x1x1x1", "--ranks", "4")


def test_more_ranks_than_the_machine_can_start(refused):
    words = ("solve", "--lattice", "16x16x16x16", "--start", "cold", *MASS)
    assert "usable cores" in refused(*words, "--ranks", "65536")
    assert "usable cores" in refused("run", "-n", "65536", "true")


def test_more_ranks_than_the_lattice_allows(solve):
    line = solve(*MASS, "--ranks", "4096")
    assert "4096" in line and "4x4x4x8" in line


def test_self_with_two_ranks(solve):
    assert "self" in solve(*MASS, "--ranks", "2", "--transport", "self")


def test_no_configuration(refused):
    assert "CONFIG" in refused("solve", *MASS)


def test_configuration_and_lattice(solve):
    assert "one of them" in solve("--lattice", "4x4x4x4", *MASS)


def test_start_with_a_configuration(solve):
    assert "--start" in solve(*MASS, "--start", "hot")


def test_second_configuration(solve):
    assert "unexpected argument 'other'" in solve("other", *MASS)


@pytest.mark.parametrize("ranks", [1, 2])
class TestFiles:
    """The same line whether one rank reads or several."""

    def test_missing(self, refused, tmp_path, ranks):
        line = refused("solve", tmp_path / "none", *MASS, "--ranks", ranks)
        assert str(tmp_path / "none") in line and "No such file" in line

    def test_folder(self, refused, tmp_path, ranks):
        assert str(tmp_path) in refused("solve", tmp_path, *MASS, "--ranks", ranks)

    def test_something_else(self, refused, tmp_path, ranks):
        path = tmp_path / "letter"
        path.write_text("dear reader " * 1000)
        assert str(path) in refused("solve", path, *MASS, "--ranks", ranks)

    @pytest.mark.parametrize("form", ["nersc", "ildg"])
    def test_truncated(self, refused, configurations, tmp_path, form, ranks):
        path = tmp_path / "short"
        path.write_bytes(configurations[form].read_bytes()[:-5000])
        assert str(path) in refused("solve", path, *MASS, "--ranks", ranks)

    @pytest.mark.parametrize("form", ["nersc", "ildg"])
    def test_flipped_byte(self, refused, configurations, tmp_path, form, ranks):
        path = flip(configurations[form], tmp_path / "flipped", 2000)
        line = refused("solve", path, *MASS, "--ranks", ranks)
        assert str(path) in line and "checksum" in line

    def test_header_that_is_no_text(self, refused, configurations, tmp_path, ranks):
        """A message quotes bytes that are no UTF-8."""
        path = tmp_path / "damaged"
        bytes_ = configurations["nersc"].read_bytes()
        path.write_bytes(bytes_.replace(b"IEEE64BIG", b"IEEE64B\xffG", 1))
        line = refused("solve", path, *MASS, "--ranks", ranks)
        assert str(path) in line and "IEEE64B\\xffG" in line

    def test_flipped_byte_is_seen_by_info_too(self, refused, configurations, tmp_path, ranks):
        path = flip(configurations["nersc"], tmp_path / "flipped", 2000)
        assert "checksum" in refused("info", path)


@pytest.mark.parametrize("option", ["--json", "--plot", "--trace", "--out"])
class TestOutput:
    """A path that cannot be written is refused before the work starts."""

    def test_in_no_folder(self, solve, tmp_path, option):
        path = tmp_path / "no" / "such.png"
        line = solve(*MASS, "--max-iter", "1", option, path)
        assert str(path) in line and "No such file" in line

    def test_below_a_file(self, solve, configurations, option):
        path = configurations["nersc"] / "x.png"
        assert "Not a directory" in solve(*MASS, option, path)

    def test_on_a_pipe(self, solve, tmp_path, option):
        """What is no regular file is not replaced by one, whoever is asking."""
        path = tmp_path / "pipe.png"
        os.mkfifo(path)
        assert "not a regular file" in solve(*MASS, option, path)
        assert path.is_fifo()

    def test_on_a_protected_file(self, solve, tmp_path, option):
        path = tmp_path / "kept.png"
        path.write_text("precious")
        path.chmod(0o444)
        assert "write-protected" in solve(*MASS, option, path)
        assert path.read_text() == "precious"

    def test_through_a_link(self, solve, tmp_path, option):
        (tmp_path / "kept").write_text("precious")
        (tmp_path / "kept").chmod(0o444)
        (tmp_path / "link.png").symlink_to(tmp_path / "kept")
        assert "write-protected" in solve(*MASS, option, tmp_path / "link.png")
        assert (tmp_path / "link.png").is_symlink()

    def test_without_a_name(self, solve, option):
        assert "file name" in solve(*MASS, option, "")

    def test_with_a_name_that_no_temporary_can_take(self, solve, tmp_path, option):
        assert "too long" in solve(*MASS, option, tmp_path / f"{'x' * 246}.png")
        assert list(tmp_path.iterdir()) == []

    def test_as_a_folder_to_be(self, solve, tmp_path, option):
        assert "folder" in solve(*MASS, option, f"{tmp_path}/new.png/")

    def test_on_a_folder(self, solve, tmp_path, option):
        assert "folder" in solve(*MASS, option, tmp_path)


def test_plot_of_unknown_format(solve, tmp_path):
    assert ".png" in solve(*MASS, "--plot", tmp_path / "pion.txt")


@pytest.mark.parametrize("option", ["--json", "--plot", "--trace", "--out"])
def test_output_over_the_configuration(refused, configurations, tmp_path, option):
    """Also by way of a link; the configuration stays as it was."""
    config = tmp_path / "conf.png"
    shutil.copy(configurations["nersc"], config)
    (tmp_path / "link.png").symlink_to(config)
    before = config.read_bytes()
    for name in (config, tmp_path / "link.png", tmp_path / "." / "conf.png"):
        line = refused("solve", config, *MASS, option, name)
        assert line.endswith("would overwrite the configuration that is read; give another name")
    assert config.read_bytes() == before


def test_two_outputs_in_one_file(solve, tmp_path):
    line = solve(*MASS, "--json", tmp_path / "a.png", "--plot", tmp_path / "a.png")
    assert "would overwrite the file of --json" in line


@pytest.mark.parametrize("option", ["--plot", "--trace", "--out"])
def test_only_records_go_to_standard_output(solve, option):
    assert "standard output" in solve(*MASS, option, "-")


def test_generate_onto_a_pipe(refused, tmp_path):
    os.mkfifo(tmp_path / "pipe")
    words = ("--lattice", "4x4x4x4", "--beta", "6")
    assert "not a regular file" in refused("generate", *words, "-o", tmp_path / "pipe")
    assert (tmp_path / "pipe").is_fifo()


def test_record_of_info_onto_the_configuration(refused, configurations, tmp_path):
    shutil.copy(configurations["nersc"], tmp_path / "g")
    assert "would overwrite" in refused("info", tmp_path / "g", "--json", tmp_path / "g")


def test_generate_into_no_folder(refused, tmp_path):
    words = ("--lattice", "4x4x4x4", "--beta", "6")
    assert "No such file" in refused("generate", *words, "-o", tmp_path / "no" / "file")


def test_generate_without_beta(refused, tmp_path):
    assert "--beta" in refused("generate", "--lattice", "4x4x4x4", "-o", tmp_path / "file")


def test_continue_without_a_beginning(refused, tmp_path):
    words = ("--lattice", "4x4x4x4", "--beta", "6", "--continue")
    assert "cannot continue" in refused("generate", *words, "-o", tmp_path / "file")


def test_continue_with_another_beta(onehop, refused, tmp_path):
    words = ("generate", "--lattice", "4x4x4x4", "-o", tmp_path / "file", "--sweeps", "1")
    assert onehop(*words, "--beta", "6").status == 0
    line = refused(*words, "--beta", "5.7", "--continue")
    assert "beta 6.0" in line and "5.7" in line


def test_run_without_a_program(refused):
    assert "program is missing" in refused("run", "-n", "2")


def test_run_without_a_number(refused):
    assert "--ranks" in refused("run", "true")


def test_run_of_no_program(refused):
    assert "cannot start /no/such/program" in refused("run", "-n", "2", "--", "/no/such/program")


def write_openqcd(path, links):
    """A format without checksum: extents, plaquette, eight links at every odd site."""
    with path.open("wb") as file:
        np.array([4, 4, 4, 4], "<i4").tofile(file)
        np.array([3.0], "<f8").tofile(file)
        links.astype("<c16").tofile(file)
    return path


@pytest.mark.parametrize("ranks", [1, 2])
@pytest.mark.parametrize("value", [np.nan, np.inf])
def test_link_that_is_no_number(refused, tmp_path, ranks, value):
    """Nothing but the number itself can tell."""
    links = np.tile(np.eye(3, dtype=complex), (128, 8, 1, 1))
    links[100, 3, 1, 2] = value
    line = refused("solve", write_openqcd(tmp_path / "bad", links), *MASS, "--ranks", ranks)
    assert "not a finite number" in line and "direction" in line and "site" in line


def test_the_same_file_with_numbers_is_fine(onehop, tmp_path):
    links = np.tile(np.eye(3, dtype=complex), (128, 8, 1, 1))
    path = write_openqcd(tmp_path / "good", links)
    assert onehop("solve", path, *MASS).status == 0
