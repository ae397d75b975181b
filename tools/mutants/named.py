"""Mutants that have names: each is made in the copy, and its tests are built and run on it."""

from __future__ import annotations

import sys
from dataclasses import dataclass
from pathlib import Path

import tomlkit
from changes import ROOT
from trials import Case, Tree

SECONDS_OF_A_TEST = 120


@dataclass(frozen=True)
class NamedMutant:
    name: str
    file: str
    before: str
    after: str
    tests: list[str]  # program/case

    def programs(self) -> set[str]:
        return {test.split("/")[0] for test in self.tests}

    def applied(self) -> str:
        """The text of the file with the change, which has one place."""
        text = (ROOT / self.file).read_text()
        if text.count(self.before) != 1:
            sys.exit(f"make mutants: {self.file} has not one '{self.before}', for '{self.name}'")
        return text.replace(self.before, self.after)


def listed(path: Path) -> list[NamedMutant]:
    return [NamedMutant(**one) for one in tomlkit.parse(path.read_text()).unwrap()["mutant"]]


def case_of(tree: Tree, test: str) -> Case:
    program, case = test.split("/")
    where = tree.programs[program]
    return Case(Path(where["cwd"]) / program, case, where, "")


def try_one(tree: Tree, mutant: NamedMutant) -> str:
    """The test that fails on the mutant, "survived", or "stillborn"."""
    changed = tree.folder / mutant.file
    changed.write_text(mutant.applied())
    try:
        if tree.compile(mutant.programs()) is not None:
            return "stillborn"
        for test in mutant.tests:
            if not tree.passes(case_of(tree, test), SECONDS_OF_A_TEST):
                return test
        return "survived"
    finally:
        changed.write_text((ROOT / mutant.file).read_text())


def run(tree: Tree, mutants: list[NamedMutant]) -> int:
    """Tries all; the end is 1 where one survives or does not compile."""
    tree.write()
    tree.configure()
    if (said := tree.compile(set().union(*(one.programs() for one in mutants)))) is not None:
        sys.exit(f"make mutants: what has no mutant does not compile:\n{said[-3000:]}")
    for test in sorted({test for one in mutants for test in one.tests}):
        if not tree.passes(case_of(tree, test), SECONDS_OF_A_TEST):
            sys.exit(f"make mutants: {test} fails before anything is broken")
    ends = []
    for one in mutants:
        ends.append(try_one(tree, one))
        print(f"{ends[-1]:24} {one.name}", flush=True)
    killed = sum(end not in ("survived", "stillborn") for end in ends)
    print(f"{killed} of {len(ends)} killed")
    return 0 if killed == len(ends) else 1
