"""The first lines of `onehop report` say what records say, and nothing where they say nothing."""

from __future__ import annotations

import html
import json
import re

import pytest

from onehop.report.facts import facts
from onehop.report.section import Source
from onehop.report.summary import summary

QUICK = ("--min-time", "0.005", "--max-time", "0.02")
COMMANDS = {
    "halo": ("bench", "halo", "--sizes", "96:384", "--faces", "2,4", "--against", "hand", *QUICK),
    "dslash": ("bench", "dslash", "--lattice", "4x4x4x4", *QUICK),
    "solve": ("solve", "--lattice", "4x4x4x4", "--start", "hot", "--kappa", "0.1", "--ranks", "2"),
    "scale": ("scale", "--lattice", "8x8x8x16", "--platforms", "apenet-v5", "--nodes", "2:8"),
}


@pytest.fixture(scope="module")
def records(onehop_once) -> dict[str, dict]:
    """Makes one record of each command."""
    found = {name: onehop_once(*words, "--json", "-") for name, words in COMMANDS.items()}
    return {name: json.loads(ended.out) for name, ended in found.items()}


def answers(*records: dict) -> dict[str, str]:
    sources = [Source(f"{place}.json", one) for place, one in enumerate(records)]
    return {one.question: one.words for one in summary(sources)}


def test_a_halo_is_told_by_its_fewest_faces_and_the_ends_of_its_sizes(records):
    words = answers(records["halo"])["A halo"]
    ours = [s for s in records["halo"]["samples"] if s["method"] == "onehop" and s["faces"] == 2]
    for sample in (ours[0], ours[-1]):
        rate = 2 * sample["size_bytes"] / sample["value"] / 1000
        time = f"{sample['size_bytes']} bytes {sample['value']:.3g} us"
        assert f"{time} ({rate:.3g} GB/s; 2 ranks, shm)" in words
    assert words.startswith("A step takes, for 2 faces") and words.count(" us (") == 2
    slower = records["halo"] | {"transport": "mpi_p2p"}
    slower["samples"] = [s | {"value": 2 * s["value"]} for s in records["halo"]["samples"]]
    assert answers(slower, records["halo"])["A halo"] == words
    assert answers(slower)["A halo"].count("mpi_p2p") == 2


def test_only_libraries_count_as_other_mpis_and_each_cell_once(records):
    assert "Other MPIs" not in answers(records["halo"])
    record = json.loads(json.dumps(records["halo"]))
    for place, cell in enumerate(record["comparison"]):
        cell["verdict"], cell["ratio"] = ("FAST", 0.5) if place else ("SLOW", 1.25)
    for sample in record["samples"][1:]:
        sample["peer"] = None if sample["method"] == "onehop" else "MPICH 5.0.2 (UCX_TLS=self)"
    cells, first = len(record["comparison"]), record["comparison"][0]
    assert answers(record)["Other MPIs"] == (
        f"By the fastest it can do for each size, MPICH 5.0.2 is beaten in {cells - 1} of {cells} "
        f"cells, is faster in 1 of {cells} cells; onehop is worst in halo of "
        f"{first['size_bytes']} bytes, with 1.25 times the time."
    )
    assert "Other MPIs" not in answers(record | {"transport": "virtual:apenet-v4"})


def test_the_solver_is_bound_by_the_largest_part_of_its_time(records):
    alone = answers(records["solve"])["The solver"]
    timing = dict(records["solve"]["timing"])
    total = timing.pop("total_s")
    first, second = sorted(timing.values(), reverse=True)[:2]
    assert re.findall(r"(\d+)%", alone) == [f"{100 * part / total:.0f}" for part in (first, second)]
    both = answers(records["solve"], records["dslash"])["The solver"]
    sample = records["dslash"]["samples"][0]
    bound = "memory" if sample["roofline_gflops"] < sample["fma_peak_gflops"] else "arithmetic"
    reached = f"reaches {100 * sample['fraction_of_roofline']:.0f}% of what that allows"
    assert f"its operator is bound by {bound} and {reached}" in both
    assert (
        "above 100%" not in answers(records["solve"], within(records["dslash"], 0.9))["The solver"]
    )
    assert (
        "above 100% because"
        in answers(records["solve"], within(records["dslash"], 1.1))["The solver"]
    )


def within(record: dict, share: float) -> dict:
    """Returns the record of an operator that reaches this share of its roof."""
    samples = [sample | {"fraction_of_roofline": share} for sample in record["samples"]]
    return record | {"samples": samples}


def test_a_machine_twice_as_large_is_the_last_doubling_of_a_scaling(records):
    words = answers(records["scale"])["Twice the machine"]
    half, whole = records["scale"]["samples"][-2:]
    assert (half["nodes"], whole["nodes"]) == (4, 8)
    ratio = whole["iteration_us"] / half["iteration_us"]
    assert f"take {ratio:.2f} of its time on 8 instead of 4 nodes of apenet-v5" in words
    alone = records["scale"] | {"samples": [whole]}
    assert "Twice the machine" not in answers(alone)


def told(*records: dict) -> dict[str, str]:
    sources = [Source(f"{place}.json", one) for place, one in enumerate(records)]
    return {one.question: one.words for one in facts(sources)}


def test_load_and_failures_are_counted(records):
    failed = records["halo"] | {"load_average": [3.0, 0, 0], "warnings": ["a"]}
    failed["check"] = {"passed": False, "why": "1 bytes wrong", "criterion_not_met": 2}
    cores = failed["machine"]["usable_cores"]
    assert answers(failed, records["scale"]).keys() == {"Twice the machine"}
    assert told(failed, records["scale"])["While measuring"] == (
        f"load average 3.0 to 3.0 on {cores} cores, of 2 records 1 carry warnings and 1 failed, "
        "2 cells did not settle."
    )
    assert "While measuring" not in told(records["scale"])


def test_the_page_begins_with_the_answers(records, onehop, tmp_path):
    for name, content in records.items():
        tmp_path.joinpath(f"{name}.json").write_text(json.dumps(content))
    page = tmp_path / "page.html"
    assert onehop("report", *sorted(tmp_path.glob("*.json")), "-o", page).status == 0
    text = html.unescape(page.read_text())
    said = re.findall(r'<dt><a href="#[^"]*">(.*?)</a></dt>\n<dd>(.*?)</dd>', text)
    given = [records[name] for name in sorted(records)]
    assert dict(said) == told(*given) | answers(*given)
    assert text.rindex("</dl>") < text.index("<h2>")
