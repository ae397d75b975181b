"""`make mutants` breaks the library in small ways, one at a time, and lists what no test notices.

A mutant is a copy of the sources with one line changed. It is killed when a C++ test fails, crashes
or runs out of time, and stillborn when it does not compile. tools/mutants.toml names survivors that
no test can kill, each with the reason. The end is 1 where another survives.
"""

from __future__ import annotations

import argparse
import json
import os
import random
import re
import shutil
import subprocess
import sys
import time
from collections.abc import Iterator
from dataclasses import asdict, dataclass
from pathlib import Path

import nlohmann_json
import tomlkit

ROOT = Path(__file__).resolve().parent.parent
# The labels of the tests (tests/CMakeLists.txt) that are to notice what is broken in a folder.
ROOMS = {
    "src/rma": ("unit", "model", "conformance", "c"),
    "src/transport": ("unit", "model", "conformance", "c"),
    "src/io": ("unit", "fuzz"),
    "src/netsim": ("netsim", "conformance"),
    "src/solver": ("unit", "physics"),
}
# What is not compiled here, or only a description of something.
LEFT_OUT = re.compile(
    r"/(mpi|mpi_p2p|mpi_rma|device)/|/(mpi_\w+|\w*_on_devices|\w*device\w*)\.[ch]pp$"
)
# Each change has a pattern and what takes its place. They are slips that reviews do not
# see: in signs, comparisons, numbers, the order of memory, and calls left out.
CHANGES = (
    ("sum", re.compile(r"(?<=[\w)\]] )\+(?= [\w(])"), "-"),
    ("difference", re.compile(r"(?<=[\w)\]] )-(?= [\w(])"), "+"),
    ("less", re.compile(r"(?<= )<(?= )"), "<="),
    ("at most", re.compile(r"(?<= )<=(?= )"), "<"),
    ("greater", re.compile(r"(?<= )>(?= )"), ">="),
    ("at least", re.compile(r"(?<= )>=(?= )"), ">"),
    ("equal", re.compile(r"(?<= )==(?= )"), "!="),
    ("unequal", re.compile(r"(?<= )!=(?= )"), "=="),
    ("and", re.compile(r"(?<= )&&(?= )"), "||"),
    ("or", re.compile(r"(?<= )\|\|(?= )"), "&&"),
    ("not", re.compile(r"(?<=[( ])!(?=[a-z(])"), ""),
    ("true", re.compile(r"(?<=return )true(?=;)"), "false"),
    ("false", re.compile(r"(?<=return )false(?=;)"), "true"),
    ("zero", re.compile(r"(?<=[ (])0(?=[;,)])"), "1"),
    ("one", re.compile(r"(?<=[ (])1(?=[;,)])"), "2"),
    ("acquire", re.compile(r"memory_order_acquire"), "memory_order_relaxed"),
    ("release", re.compile(r"memory_order_release"), "memory_order_relaxed"),
    ("call", re.compile(r"(?<=^)( {2,})[a-z_]\w*(?:[.(]|->)[^=]*\);$"), r"\1;"),
)
# Words in quotes are messages, and lines of these kinds state what the compiler checks.
NOT_CODE = re.compile(r'^\s*(//|#|static_assert|using |template|namespace|throw |friend |\[\[)|"')


@dataclass(frozen=True)
class Mutant:
    file: str
    line: int
    change: str
    before: str
    after: str

    def key(self) -> tuple[str, str, str]:
        """What names it however lines move."""
        return self.file, self.before.strip(), self.after.strip()


def mutants_of(file: str, text: str) -> Iterator[Mutant]:
    """All changes of a file, in the order of its lines."""
    for number, line in enumerate(text.splitlines(), 1):
        if NOT_CODE.search(line):
            continue
        code = line.split("//")[0].rstrip()
        for name, pattern, new in ((n, p, r) for n, p, r in CHANGES):
            for found in pattern.finditer(code):
                after = code[: found.start()] + found.expand(new) + code[found.end() :]
                yield Mutant(file, number, name, code, after)


def all_mutants(rooms: list[str]) -> list[Mutant]:
    files = [
        p
        for room in rooms
        for p in sorted((ROOT / room).rglob("*"))
        if p.suffix in (".cpp", ".hpp")
    ]
    names = [(p, p.relative_to(ROOT).as_posix()) for p in files]
    return [
        m for p, name in names if not LEFT_OUT.search(name) for m in mutants_of(name, p.read_text())
    ]


class Copy:
    """A copy of the sources, its build, and the tests in it."""

    def __init__(self, folder: Path, jobs: int) -> None:
        self.folder, self.jobs = folder, jobs
        self.build = folder / "build" / "dev"

    def prepare(self, labels: set[str]) -> None:
        """Copies, builds and runs the tests once, which must pass before anything is broken."""
        names = subprocess.check_output(
            ["git", "ls-files", "-co", "--exclude-standard"], cwd=ROOT, text=True
        )
        for name in names.splitlines():
            source, target = ROOT / name, self.folder / name
            if not source.is_file() or (
                target.is_file() and target.read_bytes() == source.read_bytes()
            ):
                continue
            target.parent.mkdir(parents=True, exist_ok=True)
            shutil.copy2(source, target)
        boost = ROOT / ".venv" / "boost"
        data = ROOT.parent / "shared" / "data"
        json_headers = Path(nlohmann_json.__path__[0]) / "include"
        options = [f"-DONEHOP_BOOST_INCLUDE={boost}", f"-DONEHOP_JSON_INCLUDE={json_headers}"]
        options += ["-DONEHOP_BUILD_EXAMPLES=OFF"]
        options += [f"-DONEHOP_TEST_DATA={data}"] if data.is_dir() else []
        self._call(["cmake", "--preset", "dev", *options])
        self._find(labels)
        self._call(
            [
                "cmake",
                "--build",
                "--preset",
                "dev",
                "--parallel",
                str(self.jobs),
                "--target",
                *self.targets,
            ]
        )
        if self.run(labels) is not None:
            sys.exit(
                "make mutants: a test fails before anything is broken; run make test-cpp first"
            )

    def _call(self, words: list[str]) -> None:
        done = subprocess.run(
            words, cwd=self.folder, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True
        )
        if done.returncode:
            sys.exit(f"make mutants: {' '.join(words[:3])} failed:\n{done.stdout[-2000:]}")

    def _find(self, labels: set[str]) -> None:
        shown = subprocess.check_output(["ctest", "--show-only=json-v1"], cwd=self.build, text=True)
        wanted = set()
        for test in json.loads(shown)["tests"]:
            of = {p["name"]: p["value"] for p in test.get("properties", [])}
            if labels & set(of.get("LABELS", [])) and test.get("command"):
                wanted.add(Path(test["command"][0]).name)
        known = subprocess.check_output(
            ["ninja", "-t", "targets", "all"], cwd=self.build, text=True
        )
        self.targets = sorted(wanted & {line.split(":")[0] for line in known.splitlines()})

    def built(self) -> bool:
        words = [
            "cmake",
            "--build",
            "--preset",
            "dev",
            "--parallel",
            str(self.jobs),
            "--target",
            *self.targets,
        ]
        return subprocess.run(words, cwd=self.folder, capture_output=True).returncode == 0

    def run(self, labels: set[str]) -> str | None:
        """The test that failed, or None."""
        words = ["ctest", "--stop-on-failure", "--timeout", "120", "-j", str(self.jobs)]
        words += ["-L", f"^({'|'.join(sorted(labels))})$", "--schedule-random"]
        done = subprocess.run(words, cwd=self.build, capture_output=True, text=True)
        if done.returncode == 0:
            return None
        failed = re.search(r"Test\s+#\d+: (\S+) \.*\s*(?:\*\*\*|Subprocess)", done.stdout)
        return failed.group(1) if failed else "a test"

    def try_one(self, mutant: Mutant) -> str:
        """Returns the test that kills it, "stillborn" or "survived"."""
        path = self.folder / mutant.file
        text = path.read_text()
        lines = text.splitlines(keepends=True)
        lines[mutant.line - 1] = mutant.after + "\n"
        labels = set(next(tests for room, tests in ROOMS.items() if mutant.file.startswith(room)))
        try:
            path.write_text("".join(lines))
            return (self.run(labels) or "survived") if self.built() else "stillborn"
        finally:
            path.write_text(text)


def excused(path: Path) -> dict[tuple[str, str, str], str]:
    """The reasons of those survivors that no test can kill."""
    return {
        (one["file"], one["before"].strip(), one["after"].strip()): one["why"]
        for one in tomlkit.parse(path.read_text()).unwrap().get("survivor", [])
    }


def tell(mutant: Mutant, end: str) -> None:
    change = f"{mutant.before.strip()}  ->  {mutant.after.strip()}"
    print(f"{end:24} {mutant.file}:{mutant.line}: {change}", flush=True)


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument(
        "--seconds", type=float, default=3600, help="begin no mutant later than this"
    )
    parser.add_argument("--count", type=int, default=300, help="at most so many")
    parser.add_argument("--seed", type=int, default=1, help="which ones, in which order")
    parser.add_argument("--room", action="append", choices=ROOMS, help="these folders alone")
    parser.add_argument("--jobs", type=int, default=os.cpu_count() or 2)
    parser.add_argument("--folder", type=Path, default=ROOT / "build" / "mutants")
    parser.add_argument("--list", action="store_true", help="show the mutants and run nothing")
    options = parser.parse_args()

    rooms = options.room or list(ROOMS)
    chosen = all_mutants(rooms)
    random.Random(options.seed).shuffle(chosen)
    chosen = chosen[: options.count]
    if options.list:
        for mutant in chosen:
            tell(mutant, mutant.change)
        return 0
    reasons = excused(Path(__file__).with_suffix(".toml"))
    copy = Copy(options.folder / "tree", options.jobs)
    copy.prepare({label for room in rooms for label in ROOMS[room]})
    begun = time.monotonic()
    ends: list[tuple[Mutant, str]] = []
    for mutant in chosen:
        if time.monotonic() - begun > options.seconds:
            break
        end = copy.try_one(mutant)
        if end == "survived" and mutant.key() in reasons:
            end = "equivalent"
        ends.append((mutant, end))
        tell(mutant, end)
    return report(ends, reasons, options)


def report(ends: list[tuple[Mutant, str]], reasons: dict, options: argparse.Namespace) -> int:
    survivors = [m for m, end in ends if end == "survived"]
    equivalent = [m for m, end in ends if end == "equivalent"]
    stillborn = sum(end == "stillborn" for _, end in ends)
    counted = len(ends) - stillborn - len(equivalent)
    record = [asdict(m) | {"end": end} for m, end in ends]
    (options.folder / "mutants.json").write_text(
        json.dumps({"seed": options.seed, "mutants": record}, indent=1)
    )
    print(f"\nseed {options.seed}: {counted - len(survivors)} of {counted} killed,", end=" ")
    print(f"{stillborn} did not compile, {len(equivalent)} cannot be noticed")
    for mutant in equivalent:
        print(f"  {mutant.file}:{mutant.line}: {reasons[mutant.key()]}")
    for mutant in survivors:
        tell(mutant, "survived")
    return 1 if survivors else 0


if __name__ == "__main__":
    sys.exit(main())
