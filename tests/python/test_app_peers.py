"""The tool that runs applications and other programs in turns is tested without these."""

from __future__ import annotations

import importlib.util
import sys

import pytest
from support.app_peers import TOOL, compared


@pytest.fixture(scope="module")
def tool():
    spec = importlib.util.spec_from_file_location("app_peers", TOOL / "__main__.py")
    module = sys.modules["app_peers"] = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    yield module
    del sys.modules["app_peers"]


def test_a_peer_that_is_not_there_is_not_compared(tmp_path):
    python = tmp_path / "python"
    python.write_text("#!/bin/sh\nexit 1\n")
    python.chmod(0o755)
    ended = compared("fbpic", "--python", str(python))
    assert (ended.returncode, ended.stderr) == (0, "")
    assert ended.stdout == f"no fbpic in {python}; nothing is compared\n"


@pytest.mark.parametrize(("apart", "right"), [(1.02, True), (1.04, False)], ids=str)
def test_rates_of_neurons_may_be_three_percent_apart(tool, capsys, apart, right):
    names = {
        "rate_hz": {"excitatory": 6.0, "inhibitory": 30.0},
        "interval_cv": {"excitatory": 0.5, "inhibitory": 0.6},
    }
    theirs = {"rate": 5.0, **names, "rate_hz": {"excitatory": 6.0 * apart, "inhibitory": 30.0}}
    pairs = [tool.Pair({"rate": 20.0, **names}, theirs)]
    assert tool._tell("brian2", tool._neurons(1000), pairs) == right
    shown = capsys.readouterr().out
    assert "| onehop over it, pair by pair | 4 | 4 | 4 |" in shown
    assert shown.count("NOT below") == (0 if right else 1)


@pytest.mark.parametrize(("ahead", "right"), [(6.2, True), (0.5, False)], ids=str)
def test_phases_of_wakes_are_compared_around_the_circle(tool, ahead, right):
    pairs = [
        tool.Pair(
            {"rate": 1.0, "amplitude": 1.0, "phase": ahead},
            {"rate": 1.0, "amplitude": 1.0, "phase": 0.0},
        )
    ]
    assert tool._tell("fbpic", tool._wake([512, 320]), pairs) == right
