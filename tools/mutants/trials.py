"""The copy that is built once with all switches, and the tests that try its mutants."""

from __future__ import annotations

import contextlib
import hashlib
import json
import os
import re
import signal
import subprocess
import sys
import tempfile
import time
from collections import Counter, defaultdict
from collections.abc import Iterable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from pathlib import Path

import nlohmann_json
from changes import ROOT, Mutant, Source, switched

HERE = "tools/mutants"
# The labels of the tests (tests/CMakeLists.txt) that are to notice.
LABELS = {"unit", "model", "conformance", "c", "fuzz", "netsim", "physics", "fake_device"}
# A mutant that allocates without end is not to take the machine with it.
LIMITED = ["sh", "-c", 'ulimit -c 0; ulimit -d 16000000; exec "$@"', "sh"]


@dataclass
class Case:
    """One property of a test program, with its time and the mutants that it reaches."""

    program: Path
    name: str
    where: dict
    digest: str
    seconds: float = 0
    reached: set[int] = field(default_factory=set)

    def __str__(self) -> str:
        return f"{self.program.name}/{self.name}"

    def key(self) -> str:
        return f"{self}@{self.digest}"


class Tree:
    """A copy of the sources with a switch for each mutant, its build and its tests."""

    def __init__(self, folder: Path, jobs: int, numbers: dict[int, Mutant]) -> None:
        self.folder, self.jobs, self.numbers = folder / "tree", jobs, numbers
        self.build = self.folder / "build" / "dev"
        self.recorded = folder / "reached.json"
        self.refused_at = folder / "unswitched.json"
        # These do not compile with a switch.
        known = json.loads(self.refused_at.read_text()) if self.refused_at.is_file() else []
        self.refused = set(known) & set(numbers)
        self.kills: dict[str, Counter] = defaultdict(Counter)
        self.cases: list[Case] = []

    def write(self, plain: int | None = None) -> None:
        """Writes what differs from the copy; `plain` is changed for good."""
        of_file: dict[str, dict[int, Mutant]] = defaultdict(dict)
        for number, one in self.numbers.items():
            if number not in self.refused or number == plain:
                of_file[one.file][number] = one
        listed = ["git", "ls-files", "-co", "--exclude-standard"]
        for name in subprocess.check_output(listed, cwd=ROOT, text=True).splitlines():
            if not (ROOT / name).is_file():
                continue
            wanted = (ROOT / name).read_bytes()
            if name in of_file:
                header = self.folder / HERE / "switch.hpp"
                wanted = switched(wanted.decode(), of_file[name], header, plain).encode()
            target = self.folder / name
            if not target.is_file() or target.read_bytes() != wanted:
                target.parent.mkdir(parents=True, exist_ok=True)
                target.write_bytes(wanted)
                target.chmod((ROOT / name).stat().st_mode)

    def configure(self) -> None:
        """Makes the build and finds the test programs."""
        data = ROOT.parent / "shared" / "data"
        options = [f"-DONEHOP_BOOST_INCLUDE={ROOT / '.venv' / 'boost'}"]
        options += [f"-DONEHOP_JSON_INCLUDE={Path(nlohmann_json.__path__[0]) / 'include'}"]
        options += ["-DONEHOP_BUILD_EXAMPLES=OFF", "-DONEHOP_WERROR=OFF", "-DONEHOP_PRECOMPILE=ON"]
        options += ["-DCMAKE_UNITY_BUILD=ON", "-DCMAKE_UNITY_BUILD_BATCH_SIZE=10"]
        options += ["-DCMAKE_CXX_FLAGS_RELWITHDEBINFO=-O2"]
        options += [f"-DONEHOP_TEST_DATA={data}"] if data.is_dir() else []
        words = ["cmake", "--preset", "dev", *options]
        done = subprocess.run(words, cwd=self.folder, capture_output=True, text=True)
        if done.returncode:
            sys.exit(f"make mutants: cmake --preset dev failed:\n{done.stderr[-2000:]}")
        self._find()

    def prepare(self) -> None:
        """Builds, and takes out what does not compile with a switch, until the rest compiles."""
        self.write()
        self.configure()
        while (said := self.compile(self.programs)) is not None:
            culprits = self._culprits(said)
            if not culprits:
                sys.exit(f"make mutants: what has no mutant does not compile:\n{said[-3000:]}")
            self.refused |= culprits
            self.refused_at.write_text(json.dumps(sorted(self.refused)))
            print(f"{len(culprits)} more need a build of their own", flush=True)
            self.write()

    def _find(self) -> None:
        """The test programs, as ctest starts them."""
        shown = subprocess.check_output(["ctest", "--show-only=json-v1"], cwd=self.build, text=True)
        asked = ["ninja", "-t", "targets", "all"]
        known = subprocess.check_output(asked, cwd=self.build, text=True)
        targets = {line.split(":")[0] for line in known.splitlines()}
        self.programs: dict[str, dict] = {}
        for test in json.loads(shown)["tests"]:
            of = {p["name"]: p["value"] for p in test.get("properties", [])}
            # Those that a launcher starts are not their target's namesakes, and stay out.
            if LABELS & set(of.get("LABELS", [])) and test["name"] in targets:
                variables = dict(v.split("=", 1) for v in of.get("ENVIRONMENT", []))
                self.programs[test["name"]] = {"cwd": of["WORKING_DIRECTORY"], "env": variables}

    def compile(self, programs: Iterable[str]) -> str | None:
        """What the compiler said, or None where these are built."""
        words = ["cmake", "--build", "--preset", "dev", "--parallel", str(self.jobs)]
        words += ["--target", *programs, "--", "-k", "0"]
        done = subprocess.run(
            words, cwd=self.folder, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True
        )
        return done.stdout if done.returncode else None

    def _culprits(self, said: str) -> set[int]:
        """The mutants on the lines of errors, or else on any line that is named beside them."""
        lines: dict[tuple[str, int], set[int]] = defaultdict(set)
        files = {m.file for m in self.numbers.values()}
        sources = {f: Source((ROOT / f).read_text()) for f in files}
        for number in set(self.numbers) - self.refused:
            one = self.numbers[number]
            text = sources[one.file].text
            begin, end = (text.count("\n", 0, at) + 1 for at in sources[one.file].span(one))
            for line in range(begin, end + 1):
                lines[one.file, line].add(number)
        for pattern in (r"(\S+?):(\d+):\d+: error", r"(\S+?):(\d+):\d+: (?:note|  required)"):
            found: set[int] = set()
            for path, line in re.findall(pattern, said):
                name = os.path.relpath(os.path.join(self.build, path), self.folder)  # noqa: PTH118
                found |= lines.get((name, int(line)), set())
            if found:
                return found
        return set()

    def record(self) -> None:
        """Runs each case once with all switches off and keeps which mutants' places it reaches."""
        sources = [p for p in sorted((self.folder / "src").rglob("*")) if p.is_file()]
        state = hashlib.sha256(b"".join(p.read_bytes() for p in sources)).hexdigest()
        known = json.loads(self.recorded.read_text()) if self.recorded.is_file() else {}
        known = known["cases"] if known.get("state") == state else {}
        for name, where in self.programs.items():
            program = Path(where["cwd"]) / name
            source = next((self.folder / "tests").rglob(f"{name}.cpp"))
            digest = hashlib.sha256(source.read_bytes()).hexdigest()[:8]
            said = subprocess.run([program, "--list_content"], capture_output=True, text=True)
            names = re.findall(r"^(\w+)\*", said.stdout + said.stderr, re.MULTILINE)
            self.cases += [Case(program, one, where, digest) for one in names]
        with ThreadPoolExecutor(self.jobs) as pool:
            failed = list(pool.map(lambda case: self._record(case, known), self.cases))
        for case in (c for c, bad in zip(self.cases, failed, strict=True) if bad):
            print(f"{case} fails before anything is broken, and is left out", flush=True)
        self.cases = [c for c, bad in zip(self.cases, failed, strict=True) if not bad]
        kept = {c.key(): [c.seconds, sorted(c.reached)] for c in self.cases}
        self.recorded.write_text(json.dumps({"state": state, "cases": kept}))

    def _record(self, case: Case, known: dict) -> bool:
        if case.key() in known:
            case.seconds, case.reached = known[case.key()][0], set(known[case.key()][1])
            return False
        with tempfile.TemporaryDirectory() as folder:
            places = Path(folder) / "places"
            for _ in range(2):
                begun = time.monotonic()
                passed = self.passes(case, 300, MUTANTS_REACHED=str(places))
                case.seconds = time.monotonic() - begun
                if passed:
                    break
            if places.is_file():
                every = places.read_bytes()
                case.reached = {n for n in self.numbers if every[n]}
        return not passed

    def passes(self, case: Case, seconds: float, **variables: str) -> bool:
        """Runs a case, and ends whatever it leaves."""
        words = [*LIMITED, str(case.program), f"--run_test={case.name}"]
        running = subprocess.Popen(
            words,
            cwd=case.where["cwd"],
            env=os.environ | case.where["env"] | variables,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
            start_new_session=True,
        )
        try:
            return running.wait(seconds) in (0, 77)
        except subprocess.TimeoutExpired:
            return False
        finally:
            with contextlib.suppress(ProcessLookupError):
                os.killpg(running.pid, signal.SIGKILL)
            running.wait()

    def try_one(self, number: int, passed: list[str], seconds: float, own: bool = False) -> str:
        """The case that kills a mutant, "survived", or "" where cases of these seconds did not.

        Cases go first that take little time or have killed others of the same file; `passed` gets
        those that did not notice. One that runs much longer than with nothing broken has noticed.
        """
        one = self.numbers[number]
        near, switch = {number}, {"MUTANT": str(number)}
        if own:
            switch = {}
            folder = one.file.rsplit("/", 1)[0]
            near = {n for n, other in self.numbers.items() if other.file.startswith(folder)}
        cases = [c for c in self.cases if near & c.reached and c.key() not in passed]
        cases.sort(key=lambda c: c.seconds / (1 + self.kills[one.file][str(c)]))
        for case in cases:
            if seconds < 0:
                return ""
            seconds -= case.seconds
            # One that fails on a busy machine for once does not fail again.
            if not any(self.passes(case, 10 + 5 * case.seconds, **switch) for _ in range(2)):
                self.kills[one.file][str(case)] += 1
                return str(case)
            passed.append(case.key())
        return "survived"

    def build_with(self, number: int | None) -> bool:
        self.write(plain=number)
        return self.compile(self.programs) is None

    def is_reached(self, number: int) -> bool:
        return any(number in case.reached for case in self.cases)
