"""`onehop info` describes this installation and machine, or a file."""

import math
from collections.abc import Sequence
from pathlib import Path

import onehop
from onehop import _core, tuning
from onehop._core import UsageError
from onehop.cli._shared.option import Options
from onehop.cli._shared.record import deliver
from onehop.cli.info import chains, fields, mpi
from onehop.counted import by_x, in_bytes
from onehop.gauge import cold_gauge, inspect_gauge, read_gauge
from onehop.record import finite, new_record
from onehop.text_table import aligned

_FORMATS = ("ILDG", "SciDAC", "NERSC (3x3 and two-row)", "MILC v5", "openQCD")


def run(options: Options, arguments: Sequence[str]) -> int:
    _check(options)
    if options.cmake_dir:
        print(cmake_dir())
        return 0
    if options.chains:
        return chains.run(options, arguments)
    if options.mpi:
        return mpi.run(options)
    record = new_record("info", options)
    record |= _installation() if options.config is None else _file(options)
    record["check"] = {"passed": True, "why": "nothing failed"}
    return deliver(record, options, lambda found: print(aligned(_lines(found))))


def _check(options: Options) -> None:
    asked = {"CONFIG": options.config, "--cmake-dir": options.cmake_dir}
    asked |= {"--chains": options.chains, "--mpi": options.mpi}
    given = [name for name, value in asked.items() if value]
    if len(given) > 1:
        raise UsageError(f"{' and '.join(given)} ask for different things; give one of them")


def cmake_dir() -> Path:
    """Returns the folder to give to find_package(onehop)."""
    return Path(onehop.__file__).parent / "lib" / "cmake" / "onehop"


def _installation() -> dict:
    gauge = cold_gauge((8, 8, 8, 8), context=_core.join("self"))
    solver = _core.PropagatorSolver(gauge.field, _core.Wilson(mass=1), _core.SolveOptions())
    mpis = _core.mpi_installations()
    over_mpi = ["mixed", "mpi_p2p", "mpi_rma"] if any(not m.problem for m in mpis) else []
    return {
        "transports": ["self", "shm", *over_mpi],
        "mpi": [{"name": m.name, "launcher": m.launcher, "problem": m.problem} for m in mpis],
        "kernels": solver.kernels,
        "tuning": _tuning(),
        "cuda": _cuda(),
        "formats_read": list(_FORMATS),
        "formats_written": list(_FORMATS),
    }


def _tuning() -> dict:
    """Returns what onehop tune keeps for this machine."""
    found = tuning.choice()
    return {
        "file": str(tuning.path()),
        "channels": found.channels,
        "why": found.why,
        "blocks": _core.read_tuning().blocks,
        "hops": tuning.tuned_hops(),
    }


def _cuda() -> dict:
    found = _core.inspect_cuda()
    return {
        "problem": found.problem,
        "runtime": found.runtime,
        "driver": found.driver,
        "devices": [
            {
                "name": device.name,
                "compute_capability": f"{device.major}.{device.minor}",
                "memory_bytes": device.memory_bytes,
                "bus": device.bus,
                "peers": list(device.peers),
            }
            for device in found.devices
        ],
    }


def _file(options: Options) -> dict:
    found = fields.description(options.config)
    return _configuration(options) if found is None else {"fields": found}


def _configuration(options: Options) -> dict:
    name = options.config
    info = inspect_gauge(name)
    warnings: list[str] = []
    gauge = read_gauge(
        name,
        context=_core.join("self"),
        warn=warnings.append,
        allow_non_unitary=options.allow_non_unitary,
    )
    return {
        "configuration": {
            "file": name,
            "format": info.format,
            "lattice": list(info.lattice),
            "precision_bits": info.precision_bits,
            "endianness": info.endianness,
            "has_checksum": info.has_checksum,
            "plaquette_header": finite(info.plaquette),
            "plaquette": gauge.plaquette,
            "plaquette_spatial": gauge.plaquettes.spatial,
            "plaquette_temporal": gauge.plaquettes.temporal,
            "link_trace": _core.link_trace(gauge.field),
            "unitarity_deviation": _core.check_links(gauge.field),
            "warnings": warnings,
        }
    }


def _lines(record: dict) -> list[tuple[str, str]]:
    if "fields" in record:
        return fields.lines(record["fields"])
    if "configuration" in record:
        return _configuration_lines(record["configuration"])
    facts = record["machine"]
    return [
        ("onehop", record["version"]),
        ("machine", f"{facts['host']}, {facts['cpu_model']}, {facts['system']}"),
        ("cores", f"{facts['usable_cores']} usable, widest instruction set {facts['isa']}"),
        ("memory", in_bytes(facts["memory_bytes"])),
        ("shared memory", f"{in_bytes(facts['shm_bytes'])} in /dev/shm"),
        ("transports", ", ".join(record["transports"])),
        *[("MPI", _mpi_line(mpi)) for mpi in record["mpi"]],
        ("kernels", record["kernels"]),
        *[("tuning", line) for line in _tuning_lines(record["tuning"])],
        *[("CUDA", line) for line in _cuda_lines(record["cuda"])],
        ("reads", ", ".join(record["formats_read"])),
        ("writes", ", ".join(record["formats_written"])),
        ("cmake folder", str(cmake_dir())),
    ]


def _tuning_lines(found: dict) -> list[str]:
    hops = []
    for name, hop in found["hops"].items():
        ways = [f"{words} for rhs {rhs}" for rhs, words in hop["ways"].items() if words]
        many = f"{hop['together']} sources together" if "together" in hop else ""
        hops.append(f"hop {name}: {'; '.join([*ways, *[many][: bool(many)]]) or 'as built in'}")
    return [
        f"lines between cores {found['channels'] or 'as built in'}: {found['why']}",
        *(
            f"device {device}: {words or 'standard blocks'}"
            for device, words in found["blocks"].items()
        ),
        *hops,
    ]


def _cuda_lines(cuda: dict) -> list[str]:
    module = f"built with CUDA {cuda['runtime']}, " if cuda["runtime"] else ""
    if cuda["problem"]:
        return [module + cuda["problem"]]
    return [
        f"{module}driver for CUDA {cuda['driver']}",
        *(
            f"device {number}: {device['name']}, "
            f"compute capability {device['compute_capability']}, "
            f"{in_bytes(device['memory_bytes'])}, {device['bus']}, {_peers(device['peers'])}"
            for number, device in enumerate(cuda["devices"])
        ),
    ]


def _peers(devices: Sequence[int]) -> str:
    return (
        f"reaches devices {', '.join(map(str, devices))}" if devices else "reaches no other device"
    )


def _mpi_line(mpi: dict) -> str:
    if mpi["problem"]:
        return f"{mpi['name']}: {mpi['problem']}"
    return f"{mpi['name']}, started by {mpi['launcher'] or 'its mpirun'}"


def _configuration_lines(found: dict) -> list[tuple[str, str]]:
    header = found["plaquette_header"]
    in_header = "none in the header" if header is None else f"{header:.10g} in the header"
    checksum = "correct" if found["has_checksum"] else "none in the file"
    bits = f"{found['precision_bits']} bit, {found['endianness']}-endian"
    sites = math.prod(found["lattice"])
    return [
        ("file", found["file"]),
        ("format", f"{found['format']}, {bits}"),
        ("lattice", f"{by_x(found['lattice'])}, {sites} sites"),
        ("checksum", checksum),
        ("plaquette", f"{found['plaquette']:.12f}, {in_header}"),
        ("  spatial", f"{found['plaquette_spatial']:.12f}"),
        ("  temporal", f"{found['plaquette_temporal']:.12f}"),
        ("link trace", f"{found['link_trace']:.12f}"),
        ("unitarity", f"largest deviation {found['unitarity_deviation']:.2g}"),
    ]
