"""Unpacks the Boost headers (for the C++ tests) from the cmeel-boost wheel into a folder.

Only headers are used, so a wheel made for another Python version serves as well.
"""

import subprocess
import sys
import tempfile
import zipfile
from pathlib import Path

PREFIX = "cmeel.prefix/include/"
OTHER_PYTHONS = ("3.11", "3.12", "3.13", "3.10")


def download(folder: Path) -> Path | None:
    """Downloads the wheel for this Python, else the wheel for another one."""
    for version in ("", *OTHER_PYTHONS):
        command = [sys.executable, "-m", "pip", "download", "--quiet", "--no-deps"]
        command += ["--only-binary", ":all:", "--dest", str(folder)]
        if version:
            command += ["--python-version", version]
        done = subprocess.run([*command, "cmeel-boost"], capture_output=True, text=True)
        wheels = sorted(folder.glob("cmeel_boost-*.whl"))
        if done.returncode == 0 and wheels:
            return wheels[0]
    print(done.stderr.strip(), file=sys.stderr)
    return None


def main(target: Path) -> int:
    with tempfile.TemporaryDirectory() as scratch:
        wheel = download(Path(scratch))
        if wheel is None:
            print(
                "fetch_boost: no wheel of cmeel-boost found on the package index", file=sys.stderr
            )
            return 2
        with zipfile.ZipFile(wheel) as archive:
            for name in archive.namelist():
                if name.startswith(PREFIX + "boost/") and not name.endswith("/"):
                    path = target / name.removeprefix(PREFIX)
                    path.parent.mkdir(parents=True, exist_ok=True)
                    path.write_bytes(archive.read(name))
    return 0


if __name__ == "__main__":
    sys.exit(main(Path(sys.argv[1])))
