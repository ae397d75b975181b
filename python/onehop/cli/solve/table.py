"""Prints the table at the end of `onehop solve`."""

from collections.abc import Callable, Sequence

from onehop.counted import by_x, counted
from onehop.text_table import aligned
from onehop.time_split import PARTS, share


def show(record: dict) -> None:
    """Prints the table."""
    print(f"{_facts(record)}\n\n{_sources(record)}\n")
    for one in record.get("masses", [record]):
        if one["correlator"] is None:
            continue
        if one is not record:
            print(f"mass {one['mass']:g}")
        print(_time_slices(one["correlator"], one["effective_mass"]), end="\n\n")
    if "mesons" in record:
        print(mesons_at_rest(record["mesons"], _mass), end="\n\n")
    if "baryons" in record:
        print(_baryons(record["baryons"]), end="\n\n")
    print(_times(record))
    check = record["check"]
    print(f"{'converged' if check['passed'] else 'NOT CONVERGED'}: {check['why']}")


def _facts(record: dict) -> str:
    options = record["options"]
    where = options["config"] or f"{options['start']} start"
    if options["start"] == "hot":
        where += f", seed {options['seed']}"
    header = record["plaquette_header"]
    named = f"{header:.10g} in the file's header" if header is not None else "none in a header"
    kappa = "" if options["kappa"] is None else f"kappa {options['kappa']:.10g}, "
    return aligned(
        [
            ("configuration", where),
            ("lattice", f"{by_x(record['lattice'])} on grid {by_x(record['grid'])}"),
            ("ranks", f"{record['ranks']}, transport {record['transport']}"),
            ("kernels", f"{record['kernels']}"),
            ("plaquette", f"{record['plaquette']:.10f}, {named}"),
            ("operator", f"{_operator(options)}, {kappa}mass {record['mass']:.10g}"),
            *_smeared(options),
            ("boundary", f"{options['boundary']} in time"),
            ("solver", f"{options['solver']}, tolerance {options['tol']:g}"),
            ("at a time", _sources_of(record["rhs"])),
            (
                "numbers",
                f"{options['prec']}, links of {options['recon']} reals, "
                f"{counted(options['threads'], 'thread')} per rank",
            ),
        ]
    )


def _smeared(options: dict) -> list[tuple[str, str]]:
    ends = [
        f"{end} {options[f'smear_{end}']}"
        for end in ("source", "sink")
        if options[f"smear_{end}"] is not None
    ]
    links = options["smear_links"]
    on = [] if links is None else [f"links in space {links}"]
    return [("smearing", ", ".join(ends + on))] if ends else []


def _sources_of(count: int | None) -> str:
    return "-" if count is None else counted(count, "source")


def _operator(options: dict) -> str:
    terms = [f"{name} {options[name]:g}" for name in ("csw", "mu") if options[name]]
    return ", ".join([options["dslash"], *terms])


def _sources(record: dict) -> str:
    heads = ("source", "iterations", "residual", "true residual", "seconds")
    rows = []
    for sample in record["samples"]:
        spin, colour = sample["spin"], sample["colour"]
        name = record["options"]["source"] if colour is None else f"colour {colour}"
        name = name if spin is None else f"spin {spin} {name}"
        name += "".join(f", {key} {sample[key]:g}" for key in ("shift", "mass") if key in sample)
        residuals = (_short(sample[f"residual_{which}"]) for which in ("iterated", "true"))
        rows.append((name, sample["iterations"], *residuals, _seconds(sample["time_s"], record)))
    return aligned(rows, heads, left=1)


def _seconds(time: float, record: dict) -> str:
    """Returns seconds with as many digits as a short solve needs, which a virtual machine may end
    within milliseconds."""
    return f"{time:.{3 if record['timing']['total_s'] >= 0.1 else 6}f}"


def _time_slices(correlator: Sequence[float], effective: Sequence[float | None]) -> str:
    rows = [
        (t, f"{c:.10e}", "-" if m is None else f"{m:.6f}")
        for t, (c, m) in enumerate(zip(correlator, effective, strict=True))
    ]
    return aligned(rows, ("t", "correlator", "effective mass"), left=0)


def mesons_at_rest(mesons: Sequence[dict], mass: Callable[[dict, int], str]) -> str:
    """Returns effective masses in the middle between source and half the lattice, as `mass` writes
    that of a hadron at a time."""
    times = _times_shown(mesons)
    rows = [
        (meson["structure"], meson["couples_to"], *(mass(meson, t) for t in times))
        for meson in mesons
        if not any(meson["momentum"])
    ]
    heads = ("meson at rest", "couples to", *(f"m_eff({t})" for t in times))
    return aligned(rows, heads, left=2)


def _baryons(baryons: Sequence[dict]) -> str:
    times = _times_shown(baryons)
    rows = [
        (baryon["baryon"], f"{baryon['parity']:+d}", *(_mass(baryon, t) for t in times))
        for baryon in baryons
        if not any(baryon["momentum"])
    ]
    heads = ("baryon at rest", "parity", *(f"m_eff({t})" for t in times))
    return aligned(rows, heads, left=1)


def _times_shown(hadrons: Sequence[dict]) -> list[int]:
    masses = hadrons[0]["effective_mass"]
    extent = len(masses["value"] if isinstance(masses, dict) else masses)
    return sorted({max(1, extent // 8), max(1, extent // 4), max(1, 3 * extent // 8)})


def _mass(hadron: dict, t: int) -> str:
    found = hadron["effective_mass"][t]
    return "-" if found is None else f"{found:.6f}"


def _times(record: dict) -> str:
    timing, total = record["timing"], record["timing"]["total_s"]
    rate = record["flops"] / total / 1e9 if total > 0 else 0.0
    return aligned(
        [
            (
                "time to get ready",
                f"{_seconds(record['setup_s'], record)} s: links, memory; not in what follows",
            ),
            *(
                (
                    f"time in {name}",
                    f"{_seconds(timing[part], record)} s  {share(timing, part):4.0%}",
                )
                for part, name in PARTS.items()
            ),
            (
                "time in all",
                f"{_seconds(total, record)} s, {record['time_per_iteration_us']:.1f} us/iteration",
            ),
            ("speed", f"{rate:.2f} GFlop/s by the stated count of {record['flops']:.4g} flop"),
        ]
    )


def _short(residual: float | None) -> str:
    return "nan" if residual is None else f"{residual:.2e}"
