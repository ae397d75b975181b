"""The tutorial's Python blocks print what the page says."""

import contextlib
import io
import re
from pathlib import Path

PAGE = Path(__file__).resolve().parents[2] / "docs/tutorial/virtual_machines.md"


def blocks():
    return re.findall(r"```python\n(.*?)```\n```text\n(.*?)```", PAGE.read_text(), re.DOTALL)


def test_every_block_prints_what_stands_below_it():
    names: dict = {}
    assert len(blocks()) == 6
    for code, promised in blocks():
        printed = io.StringIO()
        with contextlib.redirect_stdout(printed):
            exec(compile(code, str(PAGE), "exec"), names)
        assert printed.getvalue() == promised
