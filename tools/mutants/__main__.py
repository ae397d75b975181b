"""`make mutants` breaks the library in small ways, one at a time, and lists what no test notices.

A mutant is a line of the sources, changed. All are compiled into one copy behind switches, and each
is turned on in turn for the tests that execute its line. It is killed when a test fails, crashes or
runs out of time, and stillborn when it does not compile. survivors.toml names survivors that no
test can kill, each with the reason. What has been found is kept, so that a later call goes on where
this one was ended, with mutants that were not tried and tests that are new. The end is 1 where one
survives without a reason. named.toml has mutants by name, each with the tests that must notice it.
"""

from __future__ import annotations

import argparse
import hashlib
import json
import os
import sys
import threading
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import named
import tomlkit
from changes import ROOMS, ROOT, Mutant, all_mutants, numbered
from trials import Tree


def excused(path: Path) -> dict[tuple[str, str, str], str]:
    """The reasons of those survivors that no test can kill."""
    return {
        (one["file"], one["before"].strip(), one["after"].strip()): one["why"]
        for one in tomlkit.parse(path.read_text()).unwrap().get("survivor", [])
    }


def tell(mutant: Mutant, end: str) -> None:
    change = f"{mutant.before.strip()}  ->  {mutant.after.strip()}"
    print(f"{end:24} {mutant.file}:{mutant.line}: {change}", flush=True)


class Results:
    """What became of each mutant, kept in a file as long as its source stays as it is."""

    def __init__(self, path: Path) -> None:
        self.path, self.lock = path, threading.Lock()
        self.all = json.loads(path.read_text()) if path.is_file() else {}

    def of(self, mutant: Mutant) -> dict:
        digest = hashlib.sha256((ROOT / mutant.file).read_bytes()).hexdigest()[:16]
        known = self.all.get(f"{mutant.hashed(0):x}", {})
        if known.get("source") != digest:
            known = {"source": digest, "end": "", "passed": []}
        return known

    def keep(self, mutant: Mutant, found: dict) -> None:
        with self.lock:
            place = {"place": f"{mutant.file}:{mutant.line}", "after": mutant.after.strip()}
            self.all[f"{mutant.hashed(0):x}"] = place | found
            self.path.write_text(json.dumps(self.all, indent=1))


def run(tree: Tree, results: Results, seconds: float) -> None:
    """Tries all that were not killed in an earlier call, those with a build of their own last."""
    begun = time.monotonic()
    over: set[int] = set()

    def try_one(number: int, most: float, own: bool = False) -> None:
        mutant = tree.numbers[number]
        found = results.of(mutant)
        is_known = number in over or found["end"] not in ("", "survived")
        if is_known or time.monotonic() - begun > seconds:
            return
        if own and not tree.build_with(number):
            found["end"] = "stillborn"
        else:
            found["end"] = tree.try_one(number, found["passed"], most, own)
        results.keep(mutant, found)
        if found["end"]:
            over.add(number)
            tell(mutant, found["end"])

    # Most are killed by a quick case, so that the slow ones are left for the few that are not.
    for most in (10, 60, float("inf")):
        with ThreadPoolExecutor(tree.jobs) as pool:
            switched = [n for n in tree.numbers if n not in tree.refused]
            list(pool.map(lambda n: try_one(n, most), switched))  # noqa: B023
    for number in [n for n in tree.numbers if n in tree.refused]:
        try_one(number, float("inf"), own=True)


def report(tree: Tree, results: Results, reasons: dict, seed: int) -> int:
    ends = [(m, results.of(m)) for m in tree.numbers.values()]
    tried = [(m, found["end"]) for m, found in ends if found["end"]]
    survivors = [m for m, end in tried if end == "survived" and m.key() not in reasons]
    equivalent = [m for m, end in tried if end == "survived" and m.key() in reasons]
    stillborn = sum(end == "stillborn" for _, end in tried)
    counted = len(tried) - stillborn - len(equivalent)
    print(f"\nseed {seed}: {counted - len(survivors)} of {counted} killed,", end=" ")
    print(f"{stillborn} did not compile, {len(equivalent)} cannot be noticed,", end=" ")
    print(f"{len(ends) - len(tried)} not tried")
    for mutant in equivalent:
        print(f"  {mutant.file}:{mutant.line}: {reasons[mutant.key()]}")
    for mutant, found in ends:
        if found["end"] not in ("", "survived") and mutant.key() in reasons:
            print(f"  {mutant.file}:{mutant.line} has a reason and was noticed: {found['end']}")
    unreached = {id(m) for n, m in tree.numbers.items() if not tree.is_reached(n)}
    for mutant in survivors:
        tell(mutant, "survived unreached" if id(mutant) in unreached else "survived")
    return 1 if survivors else 0


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
    parser.add_argument("--named", action="store_true", help="those of named.toml, and no others")
    options = parser.parse_args()
    if options.named:
        tree = Tree(options.folder.resolve() / "named", options.jobs, {})
        return named.run(tree, named.listed(Path(__file__).parent / "named.toml"))

    chosen = all_mutants(options.room or list(ROOMS), options.seed)[: options.count]
    if options.list:
        for mutant in chosen:
            tell(mutant, mutant.change)
        return 0
    options.folder.mkdir(parents=True, exist_ok=True)
    reasons = excused(Path(__file__).parent / "survivors.toml")
    tree = Tree(options.folder.resolve(), options.jobs, numbered(chosen))
    results = Results(options.folder / "results.json")
    tree.prepare()
    tree.record()
    run(tree, results, options.seconds)
    return report(tree, results, reasons, options.seed)


if __name__ == "__main__":
    sys.exit(main())
