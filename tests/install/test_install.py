"""A stranger's project finds, builds and runs with what was installed."""

from __future__ import annotations

import os
import re
import shlex
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
TOOLS = Path(sys.executable).parent
CONSUMER = Path(__file__).parent / "consumer"
HEADERS = sorted((ROOT / "include" / "onehop").glob("*.hpp"))


def call(*words) -> str:
    environment = {**os.environ, "PATH": f"{TOOLS}:{os.environ['PATH']}"}
    words = [str(word) for word in words]
    done = subprocess.run(words, capture_output=True, text=True, env=environment, timeout=240)
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


def build(source: Path, folder: Path, package: Path | None, *definitions: str) -> None:
    """Builds without optimisation: what is tested is whether a project finds its parts and runs.
    Without `package` it is found as in an activated environment."""
    where = (f"-Donehop_DIR={package}",) if package is not None else ()
    kind = ("-DCMAKE_BUILD_TYPE=Debug", "-DCMAKE_CXX_FLAGS_DEBUG=-O0")
    call("cmake", "-S", source, "-B", folder, "-G", "Ninja", *where, *kind, *definitions)
    call("cmake", "--build", folder)


def package_of_wheel(folder: Path) -> Path:
    return Path(call("onehop", "info", "--cmake-dir").strip())


def package_of_install(folder: Path) -> Path:
    tree = ROOT / "build" / "dev"
    if not (tree / "src" / "solver" / "libonehop_solver.a").exists():
        pytest.skip("build/dev is not built; `make test` builds it")
    call("cmake", "--install", tree, "--prefix", folder)
    return next(folder.glob("lib*/cmake/onehop"))


@pytest.mark.timeout(300)
@pytest.mark.parametrize("install", [package_of_wheel, package_of_install])
def test_project_finds_builds_and_runs(install, onehop, tmp_path):
    package = install(tmp_path / "prefix")
    headers = package.parents[2] / "include"
    assert {file.name for file in (headers / "onehop").glob("*.hpp")} == {h.name for h in HEADERS}
    alone = [f"-DONEHOP_INCLUDE_DIR={headers}"] if install is package_of_wheel else []
    build(CONSUMER, tmp_path / "build", package, *alone)
    ended = onehop("run", "-n", "2", "--", tmp_path / "build" / "halos")
    assert (ended.status, ended.out) == (0, "2 ranks\n")
    ended = onehop("run", "-n", "2", "--mpi", "--", tmp_path / "build" / "nodes")
    assert (ended.status, ended.out) == (0, "2 nodes, sum 3\n")
    ended = onehop("run", "-n", "2", "--", tmp_path / "build" / "quarks")
    assert (ended.status, ended.out) == (0, "8 time slices\n")


@pytest.mark.timeout(300)
def test_applications_build_as_a_project_of_their_own(onehop, tmp_path):
    together = "-DCMAKE_UNITY_BUILD=ON"
    build(ROOT / "apps", tmp_path / "build", package_of_wheel(tmp_path), together)
    for lines, *words in (
        (3, "spin_glass", "4", "4", "4", "1.0", "3"),
        (3, "graph_search", "6", "16", "3"),
        (1, "event_stream", "10000", "0.01"),
        (1, "echo", "32", "10"),
        (3, "lattice_boltzmann", "taylor-green", "6", "4", "3", "0.8", "3"),
        (3, "particle_in_cell", "thermal", "6", "4", "3", "0.1", "0.1", "3"),
        (5, "spiking_network", "2", "1", "5", "50"),
    ):
        program = tmp_path / "build" / words[0] / words[0]
        ended = onehop("run", "-n", "2", "--", program, *words[1:])
        assert (ended.status, len(ended.out.splitlines())) == (0, lines)


def other_cmake() -> str | None:
    """Returns the system's CMake, which may be older than nvcc."""
    names = (shutil.which("cmake", path=path) for path in ("/usr/bin", "/usr/local/bin"))
    return next((name for name in names if name and _version_of(name) >= (3, 24)), None)


def _version_of(cmake: str) -> tuple[int, ...]:
    found = re.search(r"version (\d+)\.(\d+)", call(cmake, "--version"))
    return tuple(int(part) for part in found.groups())


@pytest.mark.skipif(other_cmake() is None, reason="no cmake of version 3.24 or newer beside .venv")
@pytest.mark.timeout(300)
def test_the_systems_cmake_configures_with_cuda_or_says_why_not(tmp_path):
    options = ("-DONEHOP_CUDA=AUTO", "-DONEHOP_BUILD_TESTS=OFF", "-DONEHOP_BUILD_EXAMPLES=OFF")
    environment = {**os.environ, "PATH": f"{TOOLS}:{os.environ['PATH']}"}
    words = [other_cmake(), "-S", str(ROOT), "-B", str(tmp_path), *options]
    done = subprocess.run(words, capture_output=True, text=True, env=environment, timeout=240)
    assert done.returncode == 0, done.stdout + done.stderr
    said = [line for line in (done.stdout + done.stderr).splitlines() if "CUDA module" in line]
    assert len(said) == 1
    assert " for " in said[0] or "not built: " in said[0]


@pytest.mark.timeout(300)
@pytest.mark.skipif(shutil.which("cc") is None, reason="no C compiler")
def test_a_project_in_c_alone_finds_builds_and_runs(onehop, tmp_path):
    example = ROOT / "examples" / "07_from_c" / "07_from_c.c"
    project = tmp_path / "CMakeLists.txt"
    project.write_text(
        "cmake_minimum_required(VERSION 3.24)\nproject(mine LANGUAGES C)\n"
        f"find_package(onehop 0.1 REQUIRED)\nadd_executable(mine {example})\n"
        "target_link_libraries(mine PRIVATE onehop::c)\n"
    )
    build(tmp_path, tmp_path / "build", None)
    ended = onehop("run", "-n", "2", "--", tmp_path / "build" / "mine")
    assert (ended.status, ended.out) == (0, "sum of squares after 200 steps: 1591.621158\n")


@pytest.mark.skipif(shutil.which("pkg-config") is None, reason="no pkg-config")
@pytest.mark.parametrize(
    ("compiler", "example", "said"),
    [
        ("cc", "07_from_c.c", "sum of squares after 200 steps: 1591.621158\n"),
        ("gfortran", "08_from_fortran.f90", "every row is home again\n"),
    ],
)
def test_a_build_without_cmake_finds_it_by_pkg_config(onehop, tmp_path, compiler, example, said):
    if shutil.which(compiler) is None:
        pytest.skip(f"no {compiler}")
    folder = package_of_wheel(tmp_path).parents[1] / "pkgconfig"
    ask = f"env PKG_CONFIG_PATH={shlex.quote(str(folder))} pkg-config onehop"
    module = f"$({ask} --variable=fortran_module)" if compiler == "gfortran" else ""
    source = ROOT / "examples" / Path(example).stem / example
    words = f"$({ask} --cflags) {module} {source} $({ask} --libs)"
    call("sh", "-c", f"cd {shlex.quote(str(tmp_path))} && {compiler} -o mine {words}")
    ended = onehop("run", "-n", "2", "--", tmp_path / "mine")
    assert (ended.status, ended.out) == (0, said)


@pytest.mark.parametrize("header", HEADERS, ids=lambda header: header.stem)
def test_an_older_standard_is_told_in_the_first_error_and_ends_the_compilation(header, tmp_path):
    """A compiler that went on would bury it under hundreds of errors that follow from it."""
    compiler = os.environ.get("CXX") or shutil.which("c++") or "g++"
    source = tmp_path / "old.cpp"
    source.write_text(f"#include <onehop/{header.name}>\n")
    words = [*shlex.split(compiler), "-std=c++17", "-fsyntax-only", f"-I{ROOT / 'include'}"]
    done = subprocess.run([*words, source], capture_output=True, text=True, timeout=60)
    errors = [line for line in done.stderr.splitlines() if "error:" in line]
    assert done.returncode != 0 and len(errors) == 2
    assert "onehop needs C++20: compile with -std=c++20" in errors[0]
    assert "onehop/needs_cpp20" in errors[1]


@pytest.mark.timeout(300)
@pytest.mark.parametrize(("wrapper", "family"), [("mpicxx", "mpich"), ("mpicxx_abi", "standard")])
def test_a_program_that_has_mpi_joins_a_communicator(tmp_path, allow_containers, wrapper, family):
    """The project of the page about such programs, for an MPI's own ABI and for the standard one,
    where onehop has a module for it."""
    module = package_of_wheel(tmp_path).parents[1] / f"libonehop_mpi_{family}.so"
    if not (module.exists() and (TOOLS / wrapper).exists()):
        pytest.skip(f"no {wrapper} in the environment, or onehop was built without its MPI")
    page = (ROOT / "docs" / "how_to" / "README.md").read_text()
    section = page[page.index("## Use onehop in a program that has MPI") :]
    project = re.search(r"```cmake\n(.*?)```", section, re.DOTALL).group(1)
    (tmp_path / "CMakeLists.txt").write_text(project)
    shutil.copy(CONSUMER / "embedded.cpp", tmp_path / "mine.cpp")
    build(tmp_path, tmp_path / "build", None, f"-DMPI_CXX_COMPILER={TOOLS / wrapper}")
    said = call(TOOLS / "mpiexec", "-n", "4", tmp_path / "build" / "mine")
    assert said == "ranks 1 and 3 by mixed\n"
