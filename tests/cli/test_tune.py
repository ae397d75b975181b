"""What `onehop tune` and `info --chains` measure is kept, read again, and refused if wrong."""

from __future__ import annotations

import json
import shutil
import stat
import types
from pathlib import Path

import pytest
from conftest import ONEHOP, Started

from onehop import SolveOptions, UsageError, Wilson, _core, tuning
from onehop.cli.tune import device
from onehop.cli.tune.device import samples
from onehop.cli.tune.run import choose, in_words
from onehop.gauge import cold_gauge

NAMES = ("plain", "prefetch", "streaming")


def onehop(*words, **environment):
    return Started([ONEHOP, *words], **environment).end()


def medians(*rows) -> dict[int, dict[str, float]]:
    return {100 * 2**k: dict(zip(NAMES, row, strict=True)) for k, row in enumerate(rows)}


@pytest.fixture(scope="module")
def found(tmp_path_factory) -> Path:
    """Gives the file after a tune that was too short to mean anything."""
    file = tmp_path_factory.mktemp("tune") / "private" / "tuning.json"
    ended = onehop("tune", "--max-time", "0.001", ONEHOP_TUNING=str(file))
    assert (ended.status, ended.err) == (0, "")
    return file


@pytest.fixture
def file(found, tmp_path) -> Path:
    return Path(shutil.copy(found, tmp_path))


@pytest.fixture
def tuned(file) -> dict[str, str]:
    return {"ONEHOP_TUNING": str(file)}


def test_the_fastest_channel_is_taken_where_it_is_faster():
    found = choose(medians((2, 1, 3), (2, 1, 3), (1, 2, 3), (3, 2, 1)), NAMES)
    assert found == [("prefetch", 200), ("plain", 400), ("streaming", 800)]


def test_a_channel_stays_where_another_is_hardly_faster():
    assert choose(medians((1, 2, 3), (1.02, 1, 3), (1.2, 1, 3)), NAMES) == [
        ("plain", 200),
        ("prefetch", 400),
    ]


@pytest.fixture
def named(file, monkeypatch):
    monkeypatch.setenv("ONEHOP_TUNING", str(file))
    return file


def test_blocks_of_a_device_are_kept_beside_channels(named):
    channels = tuning.choice().channels
    tuning.save_blocks("NVIDIA A", "wilson/single/12=64")
    tuning.save_blocks("NVIDIA B", "vectors=256")
    assert _core.read_tuning().blocks == {
        "NVIDIA A": "wilson/single/12=64",
        "NVIDIA B": "vectors=256",
    }
    assert tuning.choice().channels == channels
    tuning.save({"channels": "plain"})
    assert tuning.choice().channels == "plain"
    assert set(_core.read_tuning().blocks) == {"NVIDIA A", "NVIDIA B"}


def test_blocks_may_stand_alone(named):
    named.unlink()
    tuning.save_blocks("NVIDIA A", "vectors=256")
    assert tuning.choice().channels == ""
    assert _core.read_tuning().blocks == {"NVIDIA A": "vectors=256"}


def test_blocks_of_another_machine_are_not_taken(named):
    tuning.save_blocks("NVIDIA A", "vectors=256")
    content = json.loads(named.read_text())
    content["identity"]["host"] += "x"
    named.write_text(json.dumps(content))
    assert _core.read_tuning().blocks == {}


def test_damaged_blocks_are_refused(named):
    content = json.loads(named.read_text()) | {"blocks": {"NVIDIA A": "vectors=100"}}
    named.write_text(json.dumps(content))
    with pytest.raises(UsageError, match="is damaged") as caught:
        _core.read_tuning()
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize("content", ['{"schema": "theirs/1"}', "[]", "notes", "\xff"])
def test_a_file_that_is_not_of_tune_is_kept(named, content):
    named.write_text(content, encoding="latin-1")
    before = named.read_bytes()
    ended = onehop("tune", "--max-time", "0.001", ONEHOP_TUNING=str(named))
    assert (ended.status, ended.out) == (2, "")
    line = f"{named} is not of onehop tune; name another file with ONEHOP_TUNING"
    assert ended.err == f"onehop: {line}\n"
    assert named.read_bytes() == before


def test_one_sample_of_each_kernel_is_the_chosen_one():
    blocks = [
        types.SimpleNamespace(kernel=kernel, threads=64, times={32: [2e-6], 64: [1e-6, 3e-6]})
        for kernel in ("wilson", "vectors")
    ]
    found = samples(types.SimpleNamespace(blocks=blocks))
    assert len(found) == 4
    chosen = [sample for sample in found if sample["chosen"]]
    assert [(one["kernel"], one["threads"]) for one in chosen] == [("wilson", 64), ("vectors", 64)]


def test_blocks_are_timed_and_their_record_claims_no_more(named, monkeypatch, capsys):
    block = types.SimpleNamespace(kernel="vectors", threads=64, times={64: [1e-6], 128: [2e-6]})
    found = types.SimpleNamespace(device="cuda 0: NVIDIA A", words="vectors=64", blocks=[block])
    timed = types.SimpleNamespace(OperatorCell=lambda *_: None, tune_device=lambda *_: found)
    monkeypatch.setattr(device, "_bench", timed)
    options = types.SimpleNamespace(device="cuda", lattice=[4, 4, 4, 4], json="-")
    assert device.on_rank(cold_gauge((4, 4, 4, 4)).context, options) == 0
    check = json.loads(capsys.readouterr().out)["check"]
    assert check == {"passed": True, "why": "timed only; results of blocks are not compared"}
    assert _core.read_tuning().blocks == {"NVIDIA A": "vectors=64"}


def test_a_device_that_is_missing_is_one_clear_line():
    problem = _core.inspect_cuda().problem
    if not problem:
        pytest.skip("this machine has a CUDA device")
    ended = onehop("tune", "--device", "cuda")
    assert (ended.status, ended.out) == (2, "")
    assert problem in ended.err
    assert len(ended.err.splitlines()) == 1


HOP = ("tune", "dslash", "--lattice", "4x4x4x8", "--json", "-")


def test_hops_are_tuned_and_done_so(tmp_path):
    file = tmp_path / "tuning.json"
    ended = onehop(*HOP, "--threads", "2", ONEHOP_TUNING=str(file))
    assert (ended.status, ended.err) == (0, "")
    record = json.loads(ended.out)
    assert record["hop"] == "wilson/single/18/4x4x4x8/1x1x1x1/2"
    assert record["check"]["passed"] and set(record["ways"]) == {"1", "3", "4", "6", "12"}
    assert record["together"] in (1, 3, 4, 6, 12)
    tried = {sample["way"] for sample in record["samples"]}
    assert {"by size", "order:1x2x1", "write:past"} <= tried
    kept = json.loads(file.read_text())["hops"][record["hop"]]
    assert kept == {"ways": record["ways"], "together": record["together"]}
    shown = onehop("info", ONEHOP_TUNING=str(file)).out
    assert record["hop"] in shown


def together(gauge, **how):
    return _core.default_rhs(gauge.geometry, Wilson(mass=1), SolveOptions(**how))


def test_a_tuned_way_changes_no_bit_but_is_taken(named):
    tuning.save_hop("wilson/double/18/4x4x4x8/1x1x1x1/1", {"3": "order:2x2x2,write:past"}, 3)
    [tuned_hop] = tuning.tuned_hops().values()
    assert tuned_hop == {"ways": {"3": "order:2x2x2,write:past"}, "together": 3}
    words = ("--lattice", "4x4x4x8", "--start", "hot", "--mass", "0.5", "--json", "-")
    tuned = json.loads(onehop("solve", *words, ONEHOP_TUNING=str(named)).out)
    usual = json.loads(onehop("solve", *words, "--rhs", "4").out)
    assert tuned["correlator"] == usual["correlator"]
    gauge = cold_gauge((4, 4, 4, 8))
    assert together(gauge) == 3
    assert together(gauge, solver="block-cg") == 12
    assert together(gauge, device="cuda") == 4


@pytest.mark.parametrize("lattice", [(4, 4, 4, 8), (8, 8, 8, 64)])
def test_one_number_of_sources_serves_where_nothing_was_tuned(named, lattice):
    gauge = cold_gauge(lattice)
    assert together(gauge, prec="mixed", threads=2) == 4
    assert together(gauge, prec="mixed", solver="block-cg") == 12


@pytest.mark.parametrize("words", ["order:2x2", "order:0x1x1", "write:twice", "fast", "ahead"])
def test_ways_that_no_hop_knows_are_refused(named, words):
    tuning.save_hop("wilson/single/18/4x4x4x4/1x1x1x1/1", {"1": words}, 4)
    with pytest.raises(UsageError, match="is damaged") as caught:
        _core.read_tuning()
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize(
    ("words", "part"),
    [
        (("tune", "--prec", "double"), "--prec is for dslash"),
        (("tune", "dslash", "--dslash", "hisq", "--recon", "12"), "fat links take --recon 18"),
        (("tune", "dslash", "--device", "cuda"), "leave out dslash"),
        (("tune", "lines", "--device", "cuda"), "leave out lines"),
        (("tune", "hops"), "WHAT: 'hops' is not known"),
    ],
)
def test_tuning_what_cannot_be_is_one_line(words, part):
    ended = onehop(*words)
    assert (ended.status, ended.out, ended.err.count("\n")) == (2, "", 1)
    assert part in ended.err


def test_what_was_chosen_fits_the_environment():
    words = in_words([("prefetch", 200), ("plain", 400), ("streaming", 800)])
    assert words == "prefetch<=283,plain<=566,streaming"
    _core.check_channels(words)


def test_what_was_found_is_private_and_holds_for_ranks(found, file, tuned):
    assert stat.S_IMODE(found.stat().st_mode) == 0o600
    assert stat.S_IMODE(found.parent.stat().st_mode) == 0o700
    kept = json.loads(file.read_text())
    ended = onehop("info", "--chains", "--json", "-", **tuned)
    chains = json.loads(ended.out)["chains"]
    assert chains["channels"] == kept["channels"]
    assert str(file) in chains["why"]
    assert len(chains["puts"]) == 2


def test_another_machines_file_is_not_used(tuned, file):
    kept = json.loads(file.read_text())
    kept["identity"]["cpu_model"] = "another"
    file.write_text(json.dumps(kept | {"channels": "streaming"}))
    ended = onehop("info", "--chains", **tuned)
    assert ended.status == 0
    assert "the built-in table" in ended.out
    assert "streaming" not in ended.out


@pytest.mark.parametrize("content", ["", "[1]", '{"schema": "onehop.solve/1"}', "damaged"])
def test_a_damaged_file_is_one_line_that_names_it(tuned, file, content):
    if content == "damaged":
        content = json.dumps(json.loads(file.read_text()) | {"channels": "fast"})
    file.write_text(content)
    ended = onehop("info", "--chains", **tuned)
    assert ended.status == 2
    assert str(file) in ended.err
    assert "onehop tune" in ended.err
    assert ended.err.count("\n") == 1


def test_a_file_that_was_named_must_be_there(tmp_path):
    ended = onehop("info", "--chains", ONEHOP_TUNING=str(tmp_path / "none.json"))
    assert ended.status == 2
    assert "does not exist" in ended.err


def test_a_variable_beats_the_file(tuned):
    ended = onehop("info", "--chains", ONEHOP_CHANNELS="streaming", **tuned)
    assert "channel streaming" in ended.out and "in turns with what it puts back" in ended.out
    assert "ONEHOP_CHANNELS says so" in ended.out
    ended = onehop("info", "--chains", ONEHOP_CHANNELS="fast", **tuned)
    assert (ended.status, ended.err.count("\n")) == (2, 1)


def test_every_cut_direction_has_two_puts():
    words = ("--lattice", "4", "4", "8", "8", "--grid", "1", "1", "2", "2", "--json", "-")
    chains = json.loads(onehop("info", "--chains", *words).out)["chains"]
    assert len(chains["puts"]) == 4
    assert all("12288 bytes" in put for put in chains["puts"])
