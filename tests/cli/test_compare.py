"""`onehop compare` tells slower from noise."""

from __future__ import annotations

import copy
import json
import subprocess

import numpy as np
import pytest

from onehop import UsageError
from onehop.cli.compare.cells import compare_records, differences


def record(seed: int, factors=(1.0, 1.0, 1.0), spread=0.02, blocks=40) -> dict:
    """Makes three sizes of a latency, each `factors` times what it should be."""
    rng = np.random.default_rng(seed)
    samples = []
    for size, factor in zip((8, 1024, 65536), factors, strict=True):
        raw = factor * (1 + size / 1000) * (1 + spread * rng.standard_normal(blocks))
        samples.append(
            {
                "method": "onehop",
                "faces": None,
                "size_bytes": size,
                "channels": 1,
                "value": float(np.median(raw)),
                "unit": "us",
                "least": float(raw.min()),
                "most": float(raw.max()),
                "raw": raw.tolist(),
                "disturbed": [False] * blocks,
            }
        )
    machine = {"host": "a", "cpu_model": "b", "system": "c"}
    found = {"command": "bench", "pattern": "latency", "samples": samples, "machine": machine}
    return found | {"transport": "shm", "ranks": 2}


def verdicts(old, new, tolerance=1.1):
    return [cell.verdict for cell in compare_records(old, new, tolerance)]


def test_each_verdict_has_its_case():
    old = record(1)
    assert verdicts(old, record(2)) == ["SAME"] * 3
    assert verdicts(old, record(3, (1.3, 1.0, 0.7))) == ["SLOW", "SAME", "FAST"]
    assert verdicts(old, record(4, (1.1, 1.1, 1.1), 0.1)) == ["AMBIGUOUS"] * 3
    assert verdicts(record(1, blocks=5), record(2, (2, 2, 2), blocks=5)) == ["AMBIGUOUS"] * 3


def test_a_rise_shows_as_slow_in_one_cell_of_many_runs():
    slow = sum("SLOW" in verdicts(record(s), record(100 + s), 1.02) for s in range(20))
    assert slow == 0
    assert all(
        "SLOW" in verdicts(record(s), record(100 + s, (1, 1.05, 1)), 1.02) for s in range(20)
    )


def test_disturbed_blocks_do_not_count():
    new = record(2)
    for k in range(15):
        new["samples"][0]["raw"][k] *= 50
        new["samples"][0]["disturbed"][k] = True
    assert verdicts(record(1), new) == ["SAME"] * 3


def test_a_contender_that_was_left_out_is_compared_by_its_rounds(onehop, files):
    both = record(1), record(2)
    for one in both:
        sample = one["samples"][1]
        sample["followed"], sample["raw"] = False, sample["raw"][:7]
    assert verdicts(*both) == ["SAME"] * 3
    names = [files(f"{seed}.json", one) for seed, one in enumerate(both)]
    ended = onehop("compare", *names)
    assert (ended.status, ended.err) == (0, "")


def test_what_else_changed_is_said():
    old, new = record(1), copy.deepcopy(record(2))
    new["machine"]["host"] = "z"
    new["transport"] = "mpi_p2p"
    del new["samples"][0]
    assert differences(old, new) == [
        "transport shm and mpi_p2p",
        "machine's host 'a' and 'z'",
        "1 cell is in one record only",
    ]


def of_messages(record: dict, messages: int | None) -> dict:
    """Returns the record of steps with this number of messages."""
    return record | {"samples": [s | {"messages": messages} for s in record["samples"]]}


def test_cells_of_other_messages_are_others():
    one, eight = of_messages(record(1), 1), of_messages(record(2), 8)
    both = one | {"samples": one["samples"] + eight["samples"]}
    assert [cell.messages for cell in compare_records(one, both, 1.1)] == [1] * 3
    assert [cell.messages for cell in compare_records(both, eight, 1.1)] == [8] * 3
    assert verdicts(both, both) == ["SAME"] * 6
    assert differences(one, both) == ["3 cells are in one record only"]
    with pytest.raises(UsageError, match="no cell in common; give records of the same sizes, face"):
        compare_records(one, eight, 1.1)
    # A record of an older version does not say how many messages a step had: it was one.
    assert verdicts(record(1), of_messages(record(2), 1)) == ["SAME"] * 3


@pytest.mark.parametrize(
    ("name", "one", "other"),
    [
        ("memory", None, "device"),
        ("messages", None, 1),
        ("pack", "buffer", "direct"),
        ("check", "outside", "inside"),
        ("rows", 1, 8),
        ("schedule", "pairwise", "staged"),
        ("order", "fixed", "fast"),
        ("rotate", 0, 64),
    ],
)
def test_options_that_make_another_step_are_told(name, one, other):
    old, new = (record(1) | {"options": {name: value}} for value in (one, other))
    assert differences(old, new) == [f"option {name} {one!r} and {other!r}"]
    assert differences(old, record(2) | {"options": {}}) == []
    simulated = {"transport": "virtual:apenet-v4"}
    assert differences(old | simulated, new | simulated) == differences(old, new)


@pytest.fixture
def files(tmp_path):
    def write(name: str, content: dict):
        path = tmp_path / name
        path.write_text(json.dumps(content))
        return path

    return write


@pytest.fixture(scope="module")
def in_virtual_time(tmp_path_factory):
    """Returns the record of a put in the time of APEnet+, of which each cell has one sample."""
    from conftest import ONEHOP

    path = tmp_path_factory.mktemp("virtual") / "put.json"
    put = (ONEHOP, "bench", "put", "--sizes", "64,4096", "--transport", "virtual:apenet-v4")
    subprocess.run([*put, "--json", path], check=True)
    return json.loads(path.read_text())


def slower(old: dict) -> dict:
    """Returns the record of the same cells where every step takes half as long again."""
    new = copy.deepcopy(old)
    for sample in new["samples"]:
        sample["raw"] = [1.5 * us for us in sample["raw"]]
    new["options"]["memory"] = "device"
    return new


def test_virtual_time_needs_no_second_sample(in_virtual_time):
    old, slow = in_virtual_time, slower(in_virtual_time)
    assert [len(sample["raw"]) for sample in old["samples"]] == [1, 1]
    assert verdicts(old, old) == ["SAME"] * 2
    assert verdicts(old, slow) == ["SLOW"] * 2 and verdicts(slow, old) == ["FAST"] * 2
    # Real time is never known by one sample.
    assert verdicts(old, slow | {"transport": "shm"}) == ["AMBIGUOUS"] * 2


def test_in_virtual_time_the_options_count_and_this_machine_does_not(in_virtual_time):
    other = copy.deepcopy(in_virtual_time)
    other["machine"]["host"] = "elsewhere"
    assert differences(in_virtual_time, other) == []
    other["options"]["platform_set"] = {"nic.link": "20"}
    assert differences(in_virtual_time, other) == [
        "option platform_set None and {'nic.link': '20'}"
    ]


def test_records_of_virtual_machines_have_a_verdict(onehop, files, in_virtual_time):
    old, slow = files("old.json", in_virtual_time), files("slow.json", slower(in_virtual_time))
    ended = onehop("compare", old, slow)
    assert ended.status == 1 and "2 SLOW, 0 AMBIGUOUS" in ended.out and "Old (us)" in ended.out
    assert ended.err == "onehop: not the same in both: option memory None and 'device'\n"


def test_exit_status_watches_for_slow(onehop, files):
    old = files("old.json", record(1))
    same = onehop("compare", old, files("same.json", record(2)))
    assert same.status == 0 and "3 SAME, 0 FAST, 0 SLOW" in same.out
    slow = onehop("compare", old, files("slow.json", record(3, (1.5, 1, 1))), "--json", "-")
    assert slow.status == 1
    found = json.loads(slow.out)
    assert found["verdicts"]["SLOW"] == 1 and found["samples"][0]["ratio"] == pytest.approx(
        1.5, 0.05
    )


def test_refusals(refused, files):
    old = files("old.json", record(1))
    other = files("other.json", record(1) | {"pattern": "halo"})
    assert "latency cannot be compared with halo" in refused("compare", old, other)
    empty = record(1) | {"samples": []}
    assert "no cell in common" in refused("compare", old, files("empty.json", empty))
    assert "needs NEW" in refused("compare", old)


@pytest.mark.parametrize("pattern", ["dslash", "solve"])
def test_rates_of_operators_are_no_times(onehop, refused, tmp_path, pattern):
    name = tmp_path / "rate.json"
    words = ("--lattice", "4x4x4x4", "--min-time", "0.01", "--max-time", "0.05")
    assert onehop("bench", pattern, *words, "--json", name).status == 0
    said = f"the old record is of bench {pattern}, a rate of an operator, and only times"
    assert said in refused("compare", name, name)


@pytest.mark.parametrize(
    ("key", "value", "said"),
    [
        ("method", None, "samples.1.method: missing"),
        ("raw", "many", "samples.1.raw: a list is needed"),
        ("disturbed", [False], "samples.1: has 40 raw times, 1 of disturbed"),
        ("value", 1e300, "samples.1.value: larger than anything measured"),
    ],
)
def test_a_record_that_lacks_something_is_refused(refused, files, key, value, said):
    damaged = record(1)
    damaged["samples"][1][key] = value
    if value is None:
        del damaged["samples"][1][key]
    line = refused("compare", files("old.json", record(1)), files("new.json", damaged))
    assert "new.json is not a whole record of onehop: " in line and said in line


@pytest.mark.parametrize("left", [{}, {"raw": [], "disturbed": []}])
@pytest.mark.parametrize("which", ["old", "new"])
def test_a_sample_without_blocks_is_refused(refused, files, left, which):
    records = {"old": record(1), "new": record(2)}
    sample = records[which]["samples"][1]
    del sample["raw"], sample["disturbed"]
    sample |= left
    line = refused("compare", *(files(f"{name}.json", one) for name, one in records.items()))
    assert "the sample of onehop with 1024 bytes has no blocks to compare" in line


def test_records_of_two_runs_are_compared(onehop, tmp_path):
    words = ("--sizes", "8,4096", "--min-time", "0.01", "--max-time", "0.05", "--spread", "50")
    names = [tmp_path / "old.json", tmp_path / "new.json"]
    for name in names:
        assert onehop("bench", "latency", *words, "--json", name).status == 0
    ended = onehop("compare", *names, "--json", "-")
    # Whether the second run was slower depends on the machine.
    assert ended.status in (0, 1), ended.err
    assert [cell["size_bytes"] for cell in json.loads(ended.out)["samples"]] == [8, 4096]
    near = json.loads(names[0].read_text())["regime"]
    other = json.loads(names[1].read_text()) | {"regime": "elsewhere"}
    names[1].write_text(json.dumps(other))
    assert f"cores {near} and elsewhere" in onehop("compare", *names).err
