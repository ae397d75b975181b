"""`onehop report`: the page stands alone, holds what the records hold, and a browser shows it."""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
from html.parser import HTMLParser

import pytest

from onehop.time_split import PARTS

BROWSERS = ("chromium", "chromium-browser", "google-chrome", "chrome")


def machine() -> dict:
    return {
        "host": "a<b",
        "cpu_model": "model",
        "isa": "avx2",
        "usable_cores": 2,
        "memory_bytes": 2**34,
        "system": "Linux",
        "python": "3.11",
    }


def record(command: str, **content) -> dict:
    usual = {"schema": f"onehop.{command}/1", "command": command, "version": "1.2.3"}
    usual |= {"machine": machine(), "options": {}, "check": {"passed": True, "why": "checked"}}
    return usual | {"samples": [], "timing": {}} | content


def bench(pattern: str, transport: str, channels=1) -> dict:
    samples = [
        {
            "method": "onehop",
            "faces": 2 if pattern == "halo" else None,
            "size_bytes": size,
            "channels": channels,
            "value": channels * (1 + size / 1000),
            "least": channels * (0.9 + size / 1000),
            "most": channels * (1.5 + size / 1000),
            "unit": "MB/s" if pattern == "bandwidth" else "us",
        }
        for size in (2**k for k in range(3, 17))
    ]
    return record("bench", pattern=pattern, transport=transport, ranks=2, samples=samples)


def roofline_point(pattern: str) -> dict:
    rate = {"median": 9.0, "spread": 0.01, "most": 9.5}
    sample = {"gflops": rate, "fma_peak_gflops": 90.0, "memory_gbs": 10.0, "roofline_gflops": 12.0}
    sample |= {"dslash": "wilson", "prec": "double", "lattice": [8, 8, 8, 8], "threads": 2}
    sample |= {"flops_per_site": 1320, "bytes_per_site": 1100, "fraction_of_roofline": 0.75}
    return record("bench", pattern=pattern, ranks=2, samples=[sample])


def solve() -> dict:
    timing = dict.fromkeys(PARTS, 0.2) | {"total_s": 0.2 * len(PARTS)}
    found = {"lattice": [4, 4, 4, 8], "ranks": 2, "transport": "shm", "iterations": 12}
    found |= {"time_per_iteration_us": 10.0, "time_halo_wait_us": 2.0, "correlator": [1, 0.1, 0.02]}
    options = {"dslash": "wilson", "prec": "mixed", "solver": "cg", "threads": 2}
    return record("solve", options=options, timing=timing, **found)


@pytest.fixture
def page(onehop, tmp_path):
    """A page of every kind of record, and what the command said."""
    files = []
    kinds = [bench("latency", "shm"), bench("latency", "mpi_p2p"), bench("bandwidth", "shm")]
    kinds += [bench("pingping", "shm", v) for v in (1, 2, 4)]
    kinds.append(bench("pingping", "shm") | {"options": {"pack": "direct"}})
    points = [roofline_point("dslash"), roofline_point("solve")]
    for number, content in enumerate([*kinds, bench("halo", "shm"), *points, solve()]):
        files.append(tmp_path / f"record{number}.json")
        files[-1].write_text(json.dumps(content))
    files.append(tmp_path / "scale.json")
    words = ("--lattice", 16, 16, 16, 32, "--platforms", "apenet-v5,tca-peach2", "--nodes", "2:16")
    assert onehop("scale", *words, "--json", files[-1]).status == 0
    path = tmp_path / "report.html"
    ended = onehop("report", *files, "-o", path, "--title", "A & B")
    assert ended.status == 0, ended.err
    return path


class Links(HTMLParser):
    def __init__(self):
        super().__init__()
        self.pictures, self.outside, self.alone = [], [], []

    def handle_starttag(self, tag, attrs):
        found = dict(attrs)
        if tag == "img":
            self.pictures.append(found)
        for key in ("src", "href", "srcset", "action", "data"):
            value = found.get(key, "")
            if value and not value.startswith(("#", "data:")):
                self.outside.append(value)
        if tag in ("script", "iframe", "object", "link"):
            self.outside.append(tag)


def test_page_stands_alone_and_shows_everything(page):
    text = page.read_text()
    links = Links()
    links.feed(text)
    assert len(links.pictures) >= 8 and links.outside == []
    assert all(picture["alt"] for picture in links.pictures)
    assert "@import" not in text and "url(" not in text
    for operator in ("dslash wilson 8x8x8x8 double", "solve wilson 8x8x8x8 double"):
        assert text.count(operator) == 1
    assert page.stat().st_size < 5e6
    for title in (
        "What was measured",
        "Models",
        "Predictions checked",
        "Rooflines",
        "Solves",
        "Scaling",
        "Records",
    ):
        assert f"<h2>{title}</h2>" in text
    assert "wilson 8x8x8x8 double threads 2" in text and "75%" in text
    assert "<td>wilson mixed cg</td>" in text and "<td>2 ranks, 2 threads, shm</td>" in text
    assert "<h1>A &amp; B</h1>" in text and "a&lt;b" in text


def browser() -> str | None:
    asked = os.environ.get("CHROMIUM")
    return asked or next((found for name in BROWSERS if (found := shutil.which(name))), None)


@pytest.mark.skipif(browser() is None, reason="no chromium; set CHROMIUM to one")
@pytest.mark.parametrize("width", [500, 1280])
def test_a_browser_shows_all_pictures_and_nothing_is_cut_off(page, tmp_path, width):
    """A script that only the test adds asks the browser how large things have become."""
    probe = (
        "<script>addEventListener('load', () => { document.title = JSON.stringify({"
        "width: innerWidth, page: document.documentElement.scrollWidth, pictures: "
        "[...document.images].map(i => [i.complete && i.naturalWidth, i.clientWidth])}) })</script>"
    )
    probed = tmp_path / "probed.html"
    probed.write_text(page.read_text().replace("</body>", probe + "</body>"))
    shown = subprocess.run(
        [
            *(browser(), "--headless", "--no-sandbox", "--disable-gpu", "--dump-dom"),
            *("--disable-dev-shm-usage", f"--user-data-dir={tmp_path / 'profile'}"),
            *(f"--window-size={width},1000", "--virtual-time-budget=5000", f"file://{probed}"),
        ],
        capture_output=True,
        text=True,
        timeout=60,
    )
    found = json.loads(re.search(r"<title>(\{.*?\})</title>", shown.stdout)[1])
    assert found["page"] <= found["width"]
    assert len(found["pictures"]) >= 8
    assert all(natural > 0 and client > 200 for natural, client in found["pictures"])


def test_refusals(refused, tmp_path):
    nothing = tmp_path / "run.json"
    nothing.write_text(json.dumps(record("selftest")))
    page = tmp_path / "report.html"
    assert "nothing to draw" in refused("report", nothing, "-o", page)
    assert "is not a record" in refused("report", __file__, "-o", page)
    assert "needs -o" in refused("report", nothing)
    assert not page.exists()
