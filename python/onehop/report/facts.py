"""Makes the top of the page: which machine, when, with what, and how loaded it was."""

from collections.abc import Callable, Iterable

from onehop.counted import counted
from onehop.report.section import RECORDS, Answer, Source


def facts(sources: list[Source]) -> list[Answer]:
    """Returns the facts that the records hold."""
    return [fact for ask in _FACTS if (fact := ask(sources)) is not None]


def _machine(sources: list[Source]) -> Answer:
    machines = _unique(_words_of(source.record.get("machine", {})) for source in sources)
    return Answer("Machine", "; ".join(machines) + ".", RECORDS)


def _words_of(machine: dict) -> str:
    memory = machine.get("memory_bytes")
    parts = (
        machine.get("cpu_model"),
        machine.get("isa"),
        counted(machine["usable_cores"], "core") if "usable_cores" in machine else None,
        f"{memory / 2**30:.0f} GiB" if memory else None,
        machine.get("system"),
    )
    return f"{machine.get('host', 'unknown')}: " + ", ".join(str(p) for p in parts if p)


def _dates(sources: list[Source]) -> Answer:
    """Tells when the records were made; those of one day name it once."""
    words = counted(len(sources), "record")
    dates = sorted(str(d) for source in sources if (d := source.record.get("date")))
    if dates:
        first, last = (
            date.replace("T", " ").removesuffix("Z")[:16] for date in (dates[0], dates[-1])
        )
        last = last.removeprefix(f"{first[:10]} ")
        words += f", made {first}" + (f" to {last}" if first[-5:] != last else "") + " UTC"
    undated = len(sources) - len(dates)
    return Answer("Records", words + (f", {undated} without a date." if undated else "."), RECORDS)


def _versions(sources: list[Source]) -> Answer:
    onehop = _unique(str(source.record.get("version", "-")) for source in sources)
    python = _unique(str(s.record.get("machine", {}).get("python", "-")) for s in sources)
    words = f"onehop {' and '.join(onehop)}, Python {' and '.join(python)}."
    return Answer("Versions", words, RECORDS)


def _load(sources: list[Source]) -> Answer | None:
    """Tells how loaded the machine was, and how much is to be read with care."""
    loads = [s.record["load_average"][0] for s in sources if s.record.get("load_average")]
    warned = sum(bool(s.record.get("warnings")) for s in sources)
    failed = sum(not s.record.get("check", {}).get("passed") for s in sources)
    unsettled = sum(s.record.get("check", {}).get("criterion_not_met", 0) for s in sources)
    if not loads and not (warned or failed or unsettled):
        return None
    parts = []
    if loads:
        machines = [s.record.get("machine", {}) for s in sources]
        cores = min((m["usable_cores"] for m in machines if "usable_cores" in m), default=None)
        on = "" if cores is None else f" on {cores} cores"
        parts.append(f"load average {min(loads):.1f} to {max(loads):.1f}{on}")
    parts.append(f"of {len(sources)} records {warned} carry warnings and {failed} failed")
    parts.append(f"{unsettled} cells did not settle")
    return Answer("While measuring", ", ".join(parts) + ".", RECORDS)


def _unique(words: Iterable[str]) -> list[str]:
    return list(dict.fromkeys(words))


_FACTS: tuple[Callable[[list[Source]], Answer | None], ...] = (_machine, _dates, _versions, _load)
