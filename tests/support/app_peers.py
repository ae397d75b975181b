"""Runs of `tools/app_peers` for tests."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

from conftest import ONEHOP

TOOL = Path(__file__).resolve().parents[2] / "tools" / "app_peers"


def compared(*words):
    """Returns what became of a comparison."""
    path = f"{Path(ONEHOP).parent}{os.pathsep}{os.environ['PATH']}"
    return subprocess.run(
        [sys.executable, TOOL, *words],
        capture_output=True,
        text=True,
        env={**os.environ, "PATH": path},
    )
