"""The page of `onehop report` stands alone, holds what the records hold, and a browser shows it."""

from __future__ import annotations

import json
import math
import os
import re
import shutil
import subprocess
from html.parser import HTMLParser
from pathlib import Path

import numpy as np
import pytest

from onehop.perfmodel.draw import style_of
from onehop.record_files import read_record
from onehop.report import curves, predictions, rooflines, scalings, section, solves
from onehop.report.facts import facts
from onehop.report.page import build_page
from onehop.report.section import Source
from onehop.report.summary import summary
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
            "quartiles": [channels * (0.95 + size / 1000), channels * (1.1 + size / 1000)],
            "unit": "MB/s" if pattern == "bandwidth" else "us",
        }
        for size in (2**k for k in range(3, 17))
    ]
    return record("bench", pattern=pattern, transport=transport, ranks=2, samples=samples)


def roofline_point(pattern: str, **limits: float) -> dict:
    rate = {"median": 9.0, "spread": 0.01, "most": 9.5}
    sample = {"gflops": rate, "fma_peak_gflops": 90.0, "memory_gbs": 10.0, "roofline_gflops": 12.0}
    sample |= {"dslash": "wilson", "prec": "double", "lattice": [8, 8, 8, 8], "threads": 2}
    sample |= {"flops_per_site": 1320, "bytes_per_site": 1100, "fraction_of_roofline": 0.75}
    sample |= limits
    return record("bench", pattern=pattern, ranks=2, samples=[sample])


def solve() -> dict:
    timing = dict.fromkeys(PARTS, 0.2) | {"total_s": 0.2 * len(PARTS)}
    found = {"lattice": [4, 4, 4, 8], "ranks": 2, "transport": "shm", "iterations": 12}
    found |= {"grid": [1, 1, 1, 2], "iterations_total": 12, "time_per_iteration_us": 10.0}
    found |= {"time_halo_wait_us": 2.0, "correlator": [1, 0.1, 0.02]}
    options = {"dslash": "wilson", "prec": "mixed", "solver": "cg", "threads": 2}
    return record("solve", options=options, timing=timing, **found)


@pytest.fixture(scope="module")
def page(onehop_once, tmp_path_factory):
    """Makes a page of every kind of record, and gives what the command said."""
    files, folder = [], tmp_path_factory.mktemp("page")
    kinds = [bench("latency", "shm"), bench("latency", "mpi_p2p"), bench("bandwidth", "shm")]
    kinds += [bench("pingping", "shm", v) for v in (1, 2, 4)]
    kinds.append(bench("pingping", "shm") | {"options": {"pack": "direct"}})
    points = [roofline_point("dslash"), roofline_point("solve")]
    for number, content in enumerate([*kinds, bench("halo", "shm"), *points, solve()]):
        files.append(folder / f"record{number}.json")
        files[-1].write_text(json.dumps(content))
    files.append(folder / "scale.json")
    words = ("--lattice", 16, 16, 16, 32, "--platforms", "apenet-v5,tca-peach2", "--nodes", "2:16")
    assert onehop_once("scale", *words, "--json", files[-1]).status == 0
    path = folder / "report.html"
    ended = onehop_once("report", *files, "-o", path, "--title", "A & B")
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
    assert "<caption>CG iteration, wilson single, 16x16x16x32</caption>" in text
    assert "<h1>A &amp; B</h1>" in text and "a&lt;b" in text


def test_points_lie_below_the_roof_by_what_the_table_says():
    rows = []
    for peak, memory, intensity, rate in ((90, 10, 1.2, 9), (45, 40, 1.2, 30), (20, 40, 1.2, 17)):
        source = Source("one.json", roofline_point("dslash"))
        row = source.record["samples"][0] | {"gflops": rate, "fma_peak_gflops": peak}
        row |= {"memory_gbs": memory, "roofline_gflops": min(peak, memory * intensity)}
        row |= {"flops_per_site": 1200, "bytes_per_site": 1200 / intensity}
        rows.append((source, row))
    *points, roof = rooflines._draw(rows).axes[0].get_lines()
    for (_, row), point in zip(rows, points, strict=True):
        x, y = (values[0] for values in point.get_data())
        allowed = math.exp(np.interp(math.log(x), *np.log(roof.get_data())))
        assert y / allowed == pytest.approx(row["gflops"] / row["roofline_gflops"], rel=1e-3)


def test_no_two_of_sixty_curves_look_alike():
    looks = [tuple(style_of(place).values()) for place in range(60)]
    assert len(set(looks)) == 60


def test_a_curve_with_values_that_were_not_taken_is_drawn_without_them():
    source = bench("latency", "shm")
    source["samples"][3] |= {"quartiles": None, "value": 0.0}
    assert curves.curves([Source("r.json", source)]).pictures


def test_curves_of_like_records_have_the_names_of_their_files():
    like, other = bench("latency", "shm"), bench("latency", "self")
    sources = [Source(f"r/{name}.json", like) for name in "ab"] + [Source("c.json", other)]
    axes = curves._draw("latency", sources).axes[0]
    labels = [line.get_label() for line in axes.lines]
    assert labels == ["shm, onehop (a.json)", "shm, onehop (b.json)", "self, onehop"]


def test_a_narrow_axis_of_times_has_plain_numbers():
    source = bench("latency", "shm")
    for sample in source["samples"]:
        sample |= {"value": 0.38, "quartiles": [0.36, 0.41]}
    figure = curves._draw("latency", [Source("r.json", source)])
    figure.draw_without_rendering()
    ticks = figure.axes[0].yaxis.get_minorticklabels()
    shown = [(tick.get_text(), tick.get_position()[1]) for tick in ticks if tick.get_text()]
    assert shown and all(float(text) == pytest.approx(place) for text, place in shown)


def test_bands_hold_the_middle_half_of_the_rounds():
    source = bench("latency", "shm")
    (band,) = curves._draw("latency", [Source("r.json", source)]).axes[0].collections
    drawn = {tuple(point) for point in band.get_paths()[0].vertices}
    for sample in source["samples"]:
        assert {(sample["size_bytes"], bound) for bound in sample["quartiles"]} <= drawn
    heights = [y for _, y in drawn]
    assert min(heights) == source["samples"][0]["quartiles"][0]
    assert max(heights) == source["samples"][-1]["quartiles"][1]
    assert "middle half" in curves.curves([Source("r.json", source)]).text[0]


def test_machine_date_versions_and_load_stand_on_top():
    first = bench("halo", "shm") | {"date": "2026-01-02T23:04:05Z", "load_average": [3.4, 0, 0]}
    last = bench("latency", "shm") | {"date": "2026-01-03T00:10:00Z", "version": "1.2.4"}
    sources = [Source(f"{k}.json", one) for k, one in enumerate((last, first, solve()))]
    found = {one.question: one.words for one in facts(sources)}
    assert list(found) == ["Machine", "Records", "Versions", "While measuring"]
    assert found["Machine"] == "a<b: model, avx2, 2 cores, 16 GiB, Linux."
    made = "made 2026-01-02 23:04 to 2026-01-03 00:10 UTC"
    assert found["Records"] == f"3 records, {made}, 1 without a date."
    assert found["Versions"] == "onehop 1.2.4 and 1.2.3, Python 3.11."
    assert "load average 3.4" in found["While measuring"]


def test_the_page_goes_from_the_summary_to_the_details(page):
    text = page.read_text()
    parts = ('id="summary"', 'class="facts"', 'id="overview"', 'id="details"', "<table>")
    places = [text.index(part) for part in parts]
    assert places == sorted(places)
    sections = re.findall(r'<section id="([^"]+)">', text[places[3] :])
    led_to = re.findall(r'href="#([^"]+)"', text)
    assert len(sections) == 7 and {*sections, "summary"} == set(led_to)
    # Facts and answers lead to sections, and each section back.
    assert re.findall(r'<dt><a href="#([^"]+)">The solver<', text) == ["solves"]
    assert led_to.count("summary") == len(sections)


def test_a_warning_of_many_records_stands_there_once(onehop, tmp_path):
    for k in range(20):
        content = bench("latency", "shm") | {"warnings": ["a busy machine", f"of {k} only"]}
        tmp_path.joinpath(f"{k:02}.json").write_text(json.dumps(content))
    path = tmp_path / "page.html"
    assert onehop("report", *sorted(tmp_path.glob("*.json")), "-o", path).status == 0
    text = path.read_text()
    assert text.count("a busy machine") == 1
    assert "00.json, 01.json, 02.json and 17 more: a busy machine" in text
    assert "<summary>9 more</summary>" in text and "19.json: of 19 only" in text


@pytest.mark.parametrize(
    ("value", "words"),
    [(32229.4, "32229"), (7752.26, "7752"), (0.0412345, "0.04123"), (1e8, "1e+08"), (None, "-")],
)
def test_times_and_rates_are_no_powers_of_ten(value, words):
    assert section.number(value) == words


def test_scalings_asked_for_differently_have_titles_of_their_own():
    options = {"lattice": [8, 8, 8, 16], "dslash": "wilson", "prec": "single"}
    asked = [options | {"node_gflops": gflops} for gflops in (None, 50.0, 50.0)]
    sources = [
        Source(f"r/{place}.json", record("scale", options=one)) for place, one in enumerate(asked)
    ]
    titles = scalings._titles(sources)
    assert titles[0].endswith("node gflops unset")
    assert titles[1:] == [f"{titles[0][:-5]}50.0 ({place}.json)" for place in (1, 2)]


def test_what_was_not_as_it_should_be_comes_first(onehop, tmp_path):
    loaded = bench("halo", "shm") | {"warnings": ["<2 ranks> share 1 core"]}
    loaded["check"] |= {"criterion_not_met": 3}
    failed = bench("latency", "shm") | {"check": {"passed": False, "why": "1 bytes wrong"}}
    for name, content in (("loaded.json", loaded), ("failed.json", failed)):
        tmp_path.joinpath(name).write_text(json.dumps(content))
    path = tmp_path / "page.html"
    assert onehop("report", *sorted(tmp_path.glob("*.json")), "-o", path).status == 0
    text = path.read_text()
    for line in (
        "loaded.json: &lt;2 ranks&gt; share 1 core",
        "loaded.json: 3 of 14 cells did not settle",
        "failed.json: its check failed: 1 bytes wrong",
    ):
        assert text.index(line) < text.index("<h2>What was measured</h2>")


def browser() -> str | None:
    asked = os.environ.get("CHROMIUM")
    return asked or next((found for name in BROWSERS if (found := shutil.which(name))), None)


def title_shown(page: Path, width: int) -> str:
    """Returns the title that a page has in the browser once its scripts have run, and nothing where
    the browser shows no page: some are not allowed to read files, others only say how to be
    installed."""
    shown = subprocess.run(
        [
            *(browser(), "--headless", "--no-sandbox", "--disable-gpu", "--dump-dom"),
            *("--disable-dev-shm-usage", f"--user-data-dir={page.parent / 'profile'}"),
            *(f"--window-size={width},1000", "--virtual-time-budget=5000", f"file://{page}"),
        ],
        capture_output=True,
        text=True,
    )
    found = re.search(r"<title>(.*?)</title>", shown.stdout)
    return found[1] if found else ""


def asked_of_the_browser(page: Path, width: int, asked: str) -> dict:
    """Returns what a script that only the test adds finds out about the page."""
    plain = page.parent / "plain.html"
    plain.write_text("<title></title><script>document.title = 'shown'</script>")
    if title_shown(plain, width) != "shown":
        pytest.skip(f"{browser()} shows no page of this folder")
    probe = (
        "<script>addEventListener('load', () => { document.title = JSON.stringify({"
        f"{asked}}}) }})</script>"
    )
    probed = page.parent / "probed.html"
    probed.write_text(page.read_text().replace("</body>", probe + "</body>"))
    return json.loads(title_shown(probed, width))


@pytest.mark.timeout(300)
@pytest.mark.skipif(browser() is None, reason="no chromium; set CHROMIUM to one")
def test_details_begin_after_four_screens_at_most(tmp_path):
    """The page has more of everything than `make report` makes: warnings, and operators in a
    picture."""
    whole = {**WHOLE, **{f"more{k}": WHOLE["dslash"] for k in range(20)}}
    whole["latency"] = bench("latency", "shm") | {"warnings": [60 * f"{k} " for k in range(60)]}
    sources = [Source(f"{name}.json", one) for name, one in whole.items()]
    path = tmp_path / "page.html"
    path.write_text(build_page(sources, "a page").html)
    asked = "top: document.getElementById('details').offsetTop, width: innerWidth"
    found = asked_of_the_browser(path, 1280, asked)
    assert 900 < found["top"] <= 4 * 900


@pytest.mark.timeout(300)
@pytest.mark.skipif(browser() is None, reason="no chromium; set CHROMIUM to one")
@pytest.mark.parametrize("width", [500, 1280])
def test_a_browser_shows_all_pictures_and_nothing_is_cut_off(page, width):
    asked = (
        "width: innerWidth, page: document.documentElement.scrollWidth, pictures: "
        "[...document.images].map(i => [i.complete && i.naturalWidth, i.clientWidth])"
    )
    found = asked_of_the_browser(page, width, asked)
    assert found["page"] <= found["width"]
    assert len(found["pictures"]) >= 8
    assert all(natural > 0 and client > 200 for natural, client in found["pictures"])


def scaled() -> dict:
    point = {"platform": "torus", "grid": [1, 1, 1, 2], "iteration_us": 5.0, "efficiency": 0.9}
    point |= dict.fromkeys(("required_gbs", "available_gbs", "cost_node_ns_per_site"), 1.0)
    point |= dict.fromkeys(("bisection_gbs", "bisection_used_gbs"), 1.0) | {"bound_by": "sums"}
    options = {"lattice": [4, 4, 4, 8], "dslash": "wilson", "prec": "single"}
    samples = [point | {"nodes": nodes, "simulated_us": 6.0} for nodes in (2, 4)]
    found = {"method": "closed form", "stops_at": {"torus": None}, "samples": samples}
    return record("scale", options=options, **found)


def solve_pair() -> list[dict]:
    """Makes solves in double precision on one and on two ranks with the same local lattice."""
    together = solve() | {"grid": [1, 1, 1, 2]}
    together["options"] |= {"prec": "double"}
    alone = together | {"lattice": [4, 4, 4, 4], "grid": [1, 1, 1, 1], "ranks": 1}
    return [alone, together]


WHOLE = {
    "pingping": bench("pingping", "shm") | {"options": {"pack": "direct"}},
    "halo": bench("halo", "shm"),
    "allreduce": bench("allreduce", "shm"),
    "dslash": roofline_point("dslash", memory_gbs=100.0, roofline_gflops=90.0),
    "alone": solve_pair()[0],
    "together": solve_pair()[1],
    "scale": scaled(),
}
OPTIONAL = [
    ("halo", "check"),
    ("halo", "samples.faces"),
    ("allreduce", "check"),
    ("dslash", "check"),
    *(("dslash", f"samples.{key}") for key in WHOLE["dslash"]["samples"][0]),
    ("alone", "timing.check_s"),
    ("together", "check"),
    ("together", "correlator"),
    ("scale", "check"),
    ("scale", "samples.simulated_us"),
]


def without(record: dict, path: str) -> dict:
    """Returns the record without a key; `part.key` is a key of each object that `part` holds."""
    part, _, key = path.partition(".")
    if not key:
        return {k: v for k, v in record.items() if k != part}
    held = record[part]
    each = held if isinstance(held, list) else [held]
    left = [{k: v for k, v in one.items() if k != key} for one in each]
    return record | {part: left if isinstance(held, list) else left[0]}


@pytest.mark.parametrize(("name", "path"), OPTIONAL)
def test_keys_that_the_reader_does_not_ask_for_may_be_missing(tmp_path, monkeypatch, name, path):
    file = tmp_path / "record.json"
    file.write_text(json.dumps(without(WHOLE[name], path)))
    some = WHOLE | {name: read_record(str(file))}
    sources = [Source(f"{each}.json", content) for each, content in some.items()]
    for module in (curves, predictions, rooflines, solves, scalings):
        # A figure that is made and not written takes a tenth of the time.
        monkeypatch.setattr(module, "picture", lambda figure, caption: caption)
    parts = (curves.curves, predictions.predictions, solves.solves, scalings.scalings)
    assert all(part(sources) for part in parts) and summary(sources)
    drawn = rooflines.rooflines(sources)
    assert (drawn is None) is (path.removeprefix("samples.") in rooflines._KEYS)


def test_a_sum_that_nobody_measured_predicts_nothing():
    empty = WHOLE | {"allreduce": WHOLE["allreduce"] | {"samples": []}}
    sources = {False: WHOLE, True: empty}
    for is_empty, some in sources.items():
        given = [Source(f"{each}.json", content) for each, content in some.items()]
        models = dict(predictions._models(given))
        assert bool(list(predictions._iterations(given, models))) is not is_empty


def test_a_solve_that_failed_is_in_the_page(onehop, tmp_path):
    failed = solve() | {"iterations": None, "iterations_total": 0, "correlator": None}
    name = tmp_path / "failed.json"
    name.write_text(json.dumps(failed | {"check": {"passed": False, "why": "too slow"}}))
    ended = onehop("report", name, "-o", tmp_path / "page.html")
    assert ended.status == 0, ended.err
    assert "too slow" in (tmp_path / "page.html").read_text()


def test_traffic_shows_what_each_network_accepts(onehop, refused, tmp_path):
    made, page = tmp_path / "load.json", tmp_path / "page.html"
    words = ("--load", "0.1,0.4", "--window", "50", "--warm-up", "20", "--json", made)
    assert onehop("simulate", "slingshot", "traffic", "--nodes", "16", *words).status == 0
    ended = onehop("report", made, "-o", page)
    assert ended.status == 0, ended.err
    assert "slingshot, uniform traffic" in page.read_text()
    found = json.loads(made.read_text())
    accepted = section.number(found["points"][1]["accepted"], 3)
    assert f">{accepted}</td>" in page.read_text()
    found["points"][1]["link_use"]["mean"][0] = []
    made.write_text(json.dumps(found))
    assert "a share for each class of links" in refused("report", made, "-o", page)


def test_refusals(refused, tmp_path):
    nothing = tmp_path / "run.json"
    nothing.write_text(json.dumps(record("selftest")))
    page = tmp_path / "report.html"
    assert "nothing to draw" in refused("report", nothing, "-o", page)
    assert "is not a record" in refused("report", __file__, "-o", page)
    part = tmp_path / "part.json"
    part.write_text(json.dumps(solve() | {"grid": [1, 1, 2.5, 2]}))
    said = f"{part} is not a whole record of onehop: grid.2: a whole number is needed"
    assert said in refused("report", part, "-o", page)
    assert "needs -o" in refused("report", nothing)
    assert not page.exists()
