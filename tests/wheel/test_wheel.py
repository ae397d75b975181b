"""`make wheel`: a stranger installs the wheel where there is no compiler, and it works at once."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
import time
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
MOST_MB = 60


def runs(python: str) -> bool:
    """Managers of versions put commands on the path that run only where a version is chosen."""
    return subprocess.run([python, "-c", ""], capture_output=True, check=False).returncode == 0


# Another Python on the path, as python3.13, must run the same wheel.
FOUND = (shutil.which(f"python3.{minor}") for minor in range(10, 20))
PYTHONS = [python for python in FOUND if python and runs(python)]
SOLVE = ("solve", "b6.0.nersc", "--kappa", "0.12", "--ranks", "2", "--json", "-")

pytestmark = pytest.mark.timeout(300)


class Stranger:
    """An environment of its own in a bare directory; nothing else is on PATH."""

    def __init__(self, folder: Path, python: str = sys.executable):
        self.home = folder / "home"
        self.home.mkdir()
        self.bin = folder / "venv" / "bin"
        subprocess.run([python, "-m", "venv", folder / "venv"], check=True, timeout=100)

    def call(self, *words, **environment) -> subprocess.CompletedProcess:
        program, *rest = map(str, words)
        return subprocess.run(
            [self.bin / program, *rest],
            capture_output=True,
            text=True,
            timeout=250,
            cwd=self.home,
            env={"PATH": str(self.bin), "HOME": str(self.home), **environment},
        )

    def out(self, *words, **environment) -> str:
        ended = self.call(*words, **environment)
        assert ended.returncode == 0, ended.stdout + ended.stderr
        return ended.stdout

    def install(self, *words) -> None:
        # Where packages come from is a matter of the machine.
        pip = {k: v for k, v in os.environ.items() if k.startswith("PIP_") or "PROXY" in k.upper()}
        self.out("python", "-m", "pip", "install", "--quiet", *words, **pip)

    def package(self) -> Path:
        return Path(self.out("python", "-c", "import onehop; print(onehop.__path__[0])").strip())


@pytest.fixture(scope="module")
def wheel() -> Path:
    found = list(ROOT.glob("build/dist/onehop-*.whl"))
    assert len(found) == 1, "make wheel builds the one wheel that these tests install"
    return found[0]


@pytest.fixture(scope="module")
def stranger(wheel, tmp_path_factory) -> Stranger:
    one = Stranger(tmp_path_factory.mktemp("stranger"))
    begin = time.monotonic()
    one.install(wheel)
    print(f"pip install: {time.monotonic() - begin:.1f} s")
    return one


@pytest.fixture(scope="module")
def solved(stranger) -> dict:
    """Generates a configuration and solves on it over shared memory."""
    lattice = ("--lattice", "4x4x4x8", "--beta", "6.0", "--sweeps", "3", "--seed", "1")
    stranger.out("onehop", "generate", *lattice, "-o", "b6.0.nersc")
    return json.loads(stranger.out("onehop", *SOLVE))


def test_the_wheel_is_a_manylinux_and_small(wheel, stranger):
    assert "-abi3-manylinux_" in wheel.name
    files = [path for path in stranger.package().rglob("*") if path.suffix != ".pyc"]
    size = sum(path.stat().st_size for path in files if path.is_file()) / 1e6
    print(f"{wheel.name}: {wheel.stat().st_size / 1e6:.1f} MB, installed {size:.1f} MB")
    assert size <= MOST_MB


def test_selftest_doctor_and_a_solve_work_at_once(stranger, solved):
    stranger.out("onehop", "selftest")
    assert "MPI" in stranger.out("onehop", "doctor")
    assert solved["converged"] and solved["check"]["passed"]


@pytest.mark.parametrize("python", PYTHONS, ids=lambda found: Path(found).name)
def test_one_wheel_serves_every_python(python, wheel, tmp_path):
    one = Stranger(tmp_path, python)
    one.install(wheel)
    one.out("onehop", "selftest")


def test_import_loads_little_and_is_timed(stranger):
    script = (
        "import sys, time; t = time.perf_counter(); import onehop; print(time.perf_counter() - t);"
        "sys.exit('numpy' in sys.modules)"
    )
    seconds = [float(stranger.out("python", "-c", script)) for _ in range(5)]
    print(f"import onehop: {1000 * min(seconds):.0f} to {1000 * max(seconds):.0f} ms")


def test_kernels_are_chosen_at_run_time_and_agree(stranger, solved):
    facts = json.loads(stranger.out("onehop", "info", "--json", "-"))
    plain = json.loads(stranger.out("onehop", *SOLVE, ONEHOP_SIMD="plain"))
    assert plain["kernels"].startswith("plain")
    if facts["machine"]["isa"] != "plain":
        assert not facts["kernels"].startswith("plain")
    for one, other in zip(plain["correlator"], solved["correlator"], strict=True):
        assert one == pytest.approx(other, rel=1e-8)
    refused = stranger.call("onehop", *SOLVE, ONEHOP_SIMD="neon")
    assert refused.returncode == 2 and refused.stderr.count("\n") == 1
    assert "this build has avx512, avx2, plain" in refused.stderr


def test_pip_install_mpich_is_enough_for_jobs_of_mpiexec(stranger, solved):
    words = [*SOLVE]
    words[words.index("--json") : words.index("--json")] = ["--transport", "mpi_p2p"]
    missing = stranger.call("onehop", *words)
    assert missing.returncode == 2 and "pip install mpich" in missing.stderr
    stranger.install("mpich>=5")
    for wire in ("mixed", "mpi_p2p", "mpi_rma"):
        words[words.index("--transport") + 1] = wire
        theirs = json.loads(stranger.out("mpiexec", "-n", "2", "onehop", *words))
        assert (theirs["transport"], theirs["correlator"]) == (wire, solved["correlator"])
    by_launcher = stranger.out("onehop", *words)
    assert json.loads(by_launcher)["correlator"] == solved["correlator"]


CUDA_SOLVE = ("solve", "--lattice", "4x4x4x4", "--start", "hot", "--mass", "1", "--device", "cuda")


def test_who_has_no_cuda_module_is_told_which_wheel_has_it(stranger):
    refused = stranger.call("onehop", *CUDA_SOLVE)
    assert (refused.returncode, refused.stderr.count("\n")) == (2, 1)
    assert "the wheel onehop-cuda" in refused.stderr


def test_the_extra_brings_the_cuda_module_and_takes_it_away(wheel, tmp_path):
    """The module is found, whether there is a driver or not, and taken as of the same sources."""
    cuda = list(wheel.parent.glob("onehop_cuda-*.whl"))
    if not cuda:
        pytest.skip("make wheel ONEHOP_CUDA=ON builds the wheel of the module, with nvcc")
    one = Stranger(tmp_path)
    one.install("--find-links", wheel.parent, f"{wheel}[cuda]")
    module = one.package() / "lib" / "libonehop_cuda.so"
    size, packed = module.stat().st_size / 1e6, cuda[0].stat().st_size / 1e6
    print(f"{cuda[0].name}: {packed:.1f} MB, installed {size:.1f} MB")
    ended = one.call("onehop", *CUDA_SOLVE)
    assert ended.returncode == 0 or "CUDA driver" in ended.stderr, ended.stderr
    one.out("python", "-m", "pip", "uninstall", "--quiet", "--yes", "onehop-cuda")
    assert not module.exists()
    assert "the wheel onehop-cuda" in one.call("onehop", *CUDA_SOLVE).stderr
    one.out("onehop", "selftest")
