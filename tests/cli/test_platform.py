"""`onehop platform`: what it writes runs, what is wrong is told, and what is shipped is shown."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from onehop import netsim
from onehop.netsim.platform_file import find
from onehop.netsim.template import TOPOLOGIES

ROOT = Path(__file__).resolve().parents[2]


@pytest.fixture
def new(onehop, tmp_path):
    """Writes a platform file as a newcomer does, and returns its path."""

    def write(*words) -> Path:
        path = tmp_path / "mine.toml"
        ended = onehop("platform", "new", "mine", "-o", path, *words)
        assert (ended.status, ended.out, ended.err) == (0, "", f"onehop: wrote {path}\n")
        return path

    return write


@pytest.mark.parametrize("topology", TOPOLOGIES)
def test_a_new_machine_passes_its_check_and_runs_at_once(onehop, new, topology):
    mine = new("--topology", topology)
    checked = onehop("platform", "check", mine)
    assert (checked.status, checked.err) == (0, "")
    assert checked.out.endswith("assumed), none unusual\n")
    nodes = "8" if topology == "ring" else "4x2"
    for workload in (["halo"], ["cg", "--nodes", nodes, "--lattice", "16x8x8x8"]):
        ran = onehop("simulate", mine, *workload, "--json", "-")
        assert (ran.status, ran.err) == (0, "")
        assert 0 < json.loads(ran.out)["bounded_by"]["share"] <= 1
    solved = onehop(
        *("solve", "--lattice", "4x4x4x4", "--start", "hot", "--kappa", "0.1", "--ranks", "4"),
        *("--transport", f"virtual:{mine}", "--json", "-"),
    )
    assert (solved.status, solved.err) == (0, "")
    assert json.loads(solved.out)["time_to_solution_s"] > 0


def test_a_new_machine_without_a_file_goes_to_standard_output(onehop, new):
    ended = onehop("platform", "new", "mine")
    assert (ended.status, ended.err) == (0, "")
    assert ended.out == new().read_text()
    assert len(ended.out.splitlines()) < 40


def test_a_machine_like_another_has_all_its_numbers(onehop, new):
    mine, theirs = netsim.load(new("--like", "tca-peach2")), netsim.load("tca-peach2")
    assert mine.name == "mine"
    assert list(map(str, mine.numbers())) == list(map(str, theirs.numbers()))


def test_work_of_hours_is_not_written_over(refused, new):
    mine = new()
    mine.write_text("precious")
    assert "is there already" in refused("platform", "new", "mine", "-o", mine)
    assert mine.read_text() == "precious"


@pytest.mark.parametrize(
    ("words", "says"),
    [
        (["new", 'a"b'], "letters, digits"),
        (["new", "mine", "--topology", "tours"], "did you mean torus"),
        (["new", "mine", "--like", "tca-peach"], "did you mean tca-peach2"),
        (["new", "mine", "--like", "qpace", "--topology", "ring"], "one of them"),
        (["nwe"], "did you mean new"),
        (["check", "nothing.toml"], "no such file"),
        (["show", "apenet-v9"], "did you mean"),
    ],
)
def test_wrong_words_are_one_line(refused, words, says):
    assert says in refused("platform", *words)


def test_a_cable_that_is_too_long_fails_the_check(onehop, new):
    mine = new()
    cable = 'latency = { value = 150, unit = "ns"'
    assert cable in mine.read_text()
    mine.write_text(mine.read_text().replace(cable, 'latency = { value = 100, unit = "us"'))
    ended = onehop("platform", "check", mine)
    assert ended.status == 1
    first, second, _ = ended.out.splitlines()
    assert "wire.latency of 100 us is unusually large for a cable, by a factor of 10" in first
    assert "wire.credits of 8 let a link carry" in second


def test_an_engine_whose_data_come_too_late_fails_the_check(onehop, new):
    mine = new()
    text = mine.read_text()
    reads, late = 'kind = "dma",', 'value = 20, unit = "us", state = "assumed", source = "a slip"'
    assert reads in text
    mine.write_text(text.replace(reads, f"{reads} head = {{ {late} }},"))
    ended = onehop("platform", "check", mine)
    assert ended.status == 1
    assert "stage.read.head makes the engine ask for" in ended.out


def test_choices_that_are_not_taken_are_checked_too(onehop, new):
    mine = new()
    slow = 'value = 1, unit = "Mb/s", state = "assumed", source = "a slip"'
    choice = f"""
[option.link]
about = "rate of the network"
default = "fast"
[option.link.choice.fast]
[option.link.choice.slow]
"wire.rate" = {{ {slow} }}
"""
    mine.write_text(mine.read_text() + choice)
    ended = onehop("platform", "check", mine, "--json", "-")
    record = json.loads(ended.out)
    assert (ended.status, record["check"]["passed"]) == (1, False)
    (found,) = record["samples"]
    assert found["choice"] == "link=slow"
    assert "wire.rate of 1 Mb/s is unusually small" in found["words"]


def test_a_mistake_is_one_line_with_its_key(refused, new):
    mine = new()
    mine.write_text(mine.read_text().replace("router =", "routr ="))
    assert "wire.routr: unknown key; did you mean router?" in refused("platform", "check", mine)


@pytest.mark.parametrize("name", netsim.shipped())
def test_shipped_machines_have_no_unusual_numbers(onehop, name):
    ended = onehop("platform", "check", name)
    assert (ended.status, ended.out.splitlines()[:-1]) == (0, [])


def test_list_has_every_shipped_machine(onehop):
    lines = onehop("platform", "list").out.splitlines()[1:]
    assert [line.split()[0] for line in lines] == netsim.shipped()
    assert all(netsim.load(line.split()[0]).title in line for line in lines)


def test_show_draws_the_machine(onehop, tmp_path):
    picture = tmp_path / "machine.svg"
    ended = onehop("platform", "show", "apenet-v4", "--plot", picture)
    assert (ended.status, ended.err) == (0, "")
    assert "host-read" in ended.out
    assert str(find("apenet-v4")) in ended.out
    assert "<svg" in picture.read_text()


def test_show_lists_what_may_be_chosen(onehop):
    """Every option of every machine with its choices, so that each variant can be reached."""
    for name in netsim.shipped():
        machine = netsim.load(name)
        lines = onehop("platform", "show", name).out.splitlines()
        for key, option in machine.options.items():
            line = next(line for line in lines if line.startswith(f"  {key}="))
            assert option.about in line
            assert all(choice in line for choice in option.choice)
        shown = next(line for line in lines if line.startswith("  variant="))
        assert all(variant in shown for variant in machine.variants())


def test_show_writes_every_number_with_its_source(onehop):
    ended = onehop("platform", "show", "nanet", "--platform-set", "wire.rate=8", "--json", "-")
    numbers = {sample["key"]: sample for sample in json.loads(ended.out)["samples"]}
    assert len(numbers) == len(list(netsim.load("nanet").numbers()))
    assert numbers["wire.rate"] == {
        "key": "wire.rate", "value": 8, "unit": "Gb/s",
        "state": "assumed", "source": "set by the user",
    }  # fmt: skip


def test_shipped_schema_is_current(onehop, tmp_path):
    shipped = (ROOT / "platforms" / "platform.schema.json").read_text()
    assert onehop("platform", "schema").out == shipped, "run `make docs`"
    assert find("qpace").with_name("platform.schema.json").read_text() == shipped
    onehop("platform", "schema", "-o", tmp_path / "schema.json")
    assert (tmp_path / "schema.json").read_text() == shipped
