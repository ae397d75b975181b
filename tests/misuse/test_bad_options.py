"""Wrong options give one line that says what is wrong and exit status 2, and leave nothing
behind."""

from __future__ import annotations

import click
import pytest

from onehop.cli._shared.values import Extents

MASS = ("--mass", "0.5")


def test_no_command(refused):
    assert "a command is needed" in refused()


def test_unknown_command_names_the_nearest(refused):
    assert refused("slove") == "unknown command 'slove'; did you mean solve?"


def test_unknown_option_names_the_nearest(solve):
    assert solve("--kapa", "0.13") == "unknown option --kapa of onehop solve; did you mean --kappa?"


def test_an_argument_is_no_option_that_was_meant(refused):
    assert "did you mean" not in refused("convert", "a.nersc", "b.ildg", "--quiet")


def test_options_are_not_abbreviated(solve):
    assert "unknown option --kap" in solve("--kap", "0.13")


def test_unknown_choice_names_the_nearest(solve):
    assert solve(*MASS, "--solver", "bicgstb").endswith("did you mean bicgstab?")
    assert solve(*MASS, "--dslash", "wislon").endswith("did you mean wilson?")


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (("--max-iter", "10us"), "Give up a source after so many iterations"),
        (("--tol", "1e-9s"), "Goal for |b - M x| / |b|"),
        (("--threads", "4KiB"), "Threads that share a rank's work"),
    ],
)
def test_a_unit_is_told_from_a_number(solve, words, said):
    """Options have the unit that their help says, and take none."""
    line = solve(*MASS, *words)
    assert line.startswith(f"{words[0]}: {words[1]!r}: a ")
    assert f"number is needed; write it without a unit, in that of the option: {said}" in line


def test_no_number_is_told_in_plain_words(solve):
    for option, wanted in (("--max-iter", "a whole number"), ("--kappa", "a number")):
        assert solve(option, "two") == f"{option}: 'two': {wanted} is needed"


def test_a_list_with_a_unit(refused):
    line = refused("scale", "--lattice", "8x8x8x8", "--nodes", "16,2KiB")
    assert "whole numbers above 0 are needed, as 2,4,8; write it without a unit" in line


def test_option_of_a_later_version_is_unknown(solve):
    assert "unknown option --deflate" in solve(*MASS, "--deflate", "10")


def test_kappa_and_mass(solve):
    line = solve("--kappa", "0.13", *MASS)
    assert "--kappa 0.13" in line and "--mass 0.5" in line and "one of them" in line


def test_neither_kappa_nor_mass(solve):
    missing = "the quark mass is missing; give --mass, or --kappa of wilson and clover"
    assert solve() == missing
    assert solve("--dslash", "hisq", "--naik-epsilon", "tree") == missing


def test_staggered_with_kappa(solve):
    line = solve("--dslash", "staggered", "--kappa", "0.13")
    assert "--kappa 0.13 is for wilson and clover; staggered quarks have a mass" in line


def test_staggered_with_bicgstab(solve):
    assert "use --solver cg" in solve("--dslash", "staggered", *MASS, "--solver", "bicgstab")


@pytest.mark.parametrize("words", [(), ("--dslash", "staggered")])
def test_csw_without_clover(solve, words):
    assert "--csw 1.5 is for clover" in solve(*words, *MASS, "--csw", "1.5")


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
    assert "fat links take --recon 18" in solve(*words, "--recon", "12")
    assert "cg" in solve(*words, "--solver", "bicgstab")
    assert "tadpole factor u0 0; use a number above 0" in solve(*words, "--u0", "0")
    assert "--u0 0.9 is for asqtad; hisq has no tadpole factor" in solve(
        "--dslash", "hisq", *MASS, "--u0", "0.9"
    )
    assert "hops 3 sites" in solve(*words, "--ranks", "2", "--grid", "1x1x2x1")


def test_naik_epsilon_that_is_none(solve):
    words = ("--dslash", "hisq", "--naik-epsilon")
    assert "--naik-epsilon -0.2 is for hisq" in solve(
        "--dslash", "asqtad", *MASS, "--naik-epsilon", "-0.2"
    )
    assert "--naik-epsilon tree is for hisq; wilson has no Naik term" in solve(
        "--kappa", "0.12", "--naik-epsilon", "tree"
    )
    assert "--naik-epsilon: 'forest': " in solve(*words, "forest", *MASS)
    assert "beyond the series" in solve(*words, "tree", "--mass", "1.6")
    assert "needs a single --mass" in solve(*words, "tree", "--masses", "0.1,0.2")


@pytest.mark.parametrize(
    ("words", "part"),
    [
        ((*MASS, "--shifts", "0.1,-0.2"), "give --shifts of 0 or more"),
        ((*MASS, "--shifts", "0.1,"), "a number is needed"),
        ((*MASS, "--shifts", "0.1", "--solver", "bicgstab"), "use --solver cg"),
        ((*MASS, "--shifts", "0.1", "--rhs", "2"), "leave it or --shifts out"),
        (("--masses", "0.1,0.2"), "staggered"),
        (
            ("--dslash", "staggered", "--masses", "0,0.2"),
            "mass 0 among the masses; give positive ones with --masses",
        ),
        (("--dslash", "staggered", *MASS, "--masses", "0.2"), "both given"),
        (
            (*MASS, "--source", "random:1", "--plot", "x.png"),
            "random:1 does not have; leave",
        ),
        ((*MASS, "--rhs", "0"), "right-hand sides 0 at a time; give 1 or more"),
        ((*MASS, "--solver", "pipelined-cg", "--prec", "half"), "or --prec mixed, single"),
        ((*MASS, "--solver", "block-cg", "--prec", "half"), "or --prec mixed, single"),
    ],
)
def test_solvers_that_do_not_go_together(solve, words, part):
    assert part in solve(*words)


@pytest.mark.parametrize("value", ["0", "-0.1", "nan", "inf", "one"])
def test_kappa_that_is_no_kappa(solve, value):
    line = solve("--kappa", value)
    assert line.startswith("--kappa") and value in line


HUGE = "99999999999999999999999"


@pytest.mark.parametrize("option", ["--max-iter", "--ranks"])
def test_value_beyond_every_machine(solve, option):
    line = solve(*MASS, option, HUGE)
    assert line.startswith(option) and f"{HUGE} is too large" in line


def test_seed_beyond_64_bits(refused, solve):
    words = ("solve", "--lattice", "4x4x4x4", *MASS)
    assert "is too large" in refused(*words, "--seed", HUGE)
    assert "2^64" in solve(*MASS, "--source", f"random:{HUGE}")
    assert "2^64" in solve(*MASS, "--source", "random:-1")


DIGITS = 5000 * "9"


@pytest.mark.parametrize(
    "words",
    [
        ("solve", "--lattice", f"4x4x4x{DIGITS}", *MASS),
        ("simulate", "qpace", "halo", "--nodes", DIGITS),
        ("scale", "--lattice", "8x8x8x8", "--nodes", f"16,{DIGITS}"),
        ("bench", "put", "--transport", "virtual:qpace", "--hosts", f"random:{DIGITS}"),
        ("bench", "put", "--transport", "virtual:qpace", "--hosts", f"linear:{DIGITS}"),
    ],
)
def test_number_of_thousands_of_digits(refused, words):
    assert f"{DIGITS[:100]}" in refused(*words)


@pytest.mark.parametrize("extent", [HUGE, "²"])
def test_extent_that_is_no_extent(refused, extent):
    assert f"--lattice: '4x4x4x{extent}': " in refused(
        "solve", "--lattice", f"4x4x4x{extent}", *MASS
    )


def test_odd_extent(refused, tmp_path):
    words = ("--lattice", "4x4x3x4")
    assert "odd z extent" in refused("solve", *words, *MASS)
    assert "odd z extent" in refused("generate", *words, "--beta", "6", "-o", tmp_path / "g")


def test_option_that_is_far_from_all_gets_no_suggestion(solve):
    assert solve(*MASS, "--xyzzy", "1") == "unknown option --xyzzy of onehop solve; see --help"


def test_help_with_a_value(solve):
    assert "does not take a value" in solve("--help=1")


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


def test_extents_have_points_between_them_only_where_there_are_four():
    for words in ("8x8x8x16", "8,8,8,16", "8.8.8.16"):
        assert Extents().convert(words, None, None) == [8, 8, 8, 16]
    for least, words in ((4, "8.8.8"), (1, "1.5")):
        with pytest.raises(click.BadParameter):
            Extents(least).convert(words, None, None)


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


@pytest.mark.parametrize(
    ("wire", "part"),
    [
        ("virtual", "did you mean virtual:PLATFORM?"),
        ("vitual:apenet-v4", "did you mean virtual:PLATFORM?"),
        ("sm", "did you mean shm?"),
        ("ether", "choose auto, self, shm, mixed, mpi_p2p, mpi_rma or virtual:PLATFORM"),
    ],
)
def test_unknown_transport_names_the_nearest(solve, wire, part):
    assert solve(*MASS, "--transport", wire).endswith(f"this wire is not known; {part}")


def test_no_configuration(refused):
    assert "CONFIG" in refused("solve", *MASS)


def test_configuration_and_lattice(solve):
    assert "one of them" in solve("--lattice", "4x4x4x4", *MASS)


def test_nothing_to_solve_on(refused):
    assert refused("solve").startswith("neither CONFIG nor --lattice given; give one of them")


def test_start_with_a_configuration(solve):
    assert "--start" in solve(*MASS, "--start", "hot")


def test_second_configuration(solve):
    line = solve("other", *MASS)
    assert "unexpected extra argument (other); the usage is onehop solve CONFIG" in line
