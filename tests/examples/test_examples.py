"""The course: every program prints what its README promises, on any number of ranks."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

EXAMPLES = Path(__file__).resolve().parents[2] / "examples"
STEPS = sorted(folder.name for folder in EXAMPLES.iterdir() if folder.is_dir())
TOOLS = Path(sys.executable).parent
COMPILED = (".cpp", ".c", ".f90")


def promised(step: str) -> str:
    """Returns the block under 'Expected output' of a README."""
    text = (EXAMPLES / step / "README.md").read_text()
    return re.search(r"\*\*Expected output\*\*.*?```\n(.*?)```", text, re.DOTALL).group(1)


@pytest.fixture(scope="module")
def built(tmp_path_factory) -> Path:
    """Builds the C++ programs as a user would, against the installed package."""
    folder = tmp_path_factory.mktemp("examples")
    package = subprocess.check_output([TOOLS / "onehop", "info", "--cmake-dir"], text=True).strip()
    environment = {**os.environ, "PATH": f"{TOOLS}:{os.environ['PATH']}"}
    configure = ["cmake", "-S", EXAMPLES, "-B", folder, "-G", "Ninja", f"-Donehop_DIR={package}"]
    for words in ([*configure, "-DCMAKE_BUILD_TYPE=Release"], ["cmake", "--build", folder]):
        done = subprocess.run(words, capture_output=True, text=True, env=environment, timeout=240)
        assert done.returncode == 0, done.stdout + done.stderr
    return folder


def ranks_of(step: str) -> list[int]:
    return [3] if step == "01_hello_put" else [1, 2, 4]


def steps_in(*suffixes: str) -> list[str]:
    """Those that have a program in a language of these."""
    return [s for s in STEPS if any((EXAMPLES / s / f"{s}{x}").exists() for x in suffixes)]


def cases(*suffixes: str) -> list[tuple[str, int]]:
    return [(step, ranks) for step in steps_in(*suffixes) for ranks in ranks_of(step)]


def executable(built: Path, step: str) -> Path:
    program = built / step
    if not program.exists() and (EXAMPLES / step / f"{step}.f90").exists():
        pytest.skip("no Fortran compiler was found")
    return program


@pytest.mark.parametrize(("step", "ranks"), cases(".py"))
def test_python_prints_what_is_promised(onehop, tmp_path, step, ranks):
    program = EXAMPLES / step / f"{step}.py"
    ended = onehop("run", "-n", ranks, "--", sys.executable, program, cwd=tmp_path)
    assert (ended.status, ended.err) == (0, "")
    assert ended.out == promised(step)


@pytest.mark.timeout(300)
@pytest.mark.parametrize(("step", "ranks"), cases(*COMPILED))
def test_compiled_program_prints_the_same(onehop, built, tmp_path, step, ranks):
    ended = onehop("run", "-n", ranks, "--", executable(built, step), cwd=tmp_path)
    assert (ended.status, ended.err) == (0, "")
    assert ended.out == promised(step)


@pytest.mark.timeout(300)
@pytest.mark.parametrize("step", STEPS)
def test_all_print_the_same_on_a_virtual_machine(onehop, built, tmp_path, step):
    words = ("run", "-n", max(ranks_of(step)), "--transport", "virtual:apenet-v4", "--")
    programs = []
    if step in steps_in(*COMPILED):
        programs.append((executable(built, step),))
    if step in steps_in(".py"):
        programs.append((sys.executable, EXAMPLES / step / f"{step}.py"))
    for program in programs:
        ended = onehop(*words, *program, cwd=tmp_path)
        assert (ended.status, ended.err) == (0, "")
        assert ended.out == promised(step)
