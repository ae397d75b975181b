"""What other package managers are told is what pyproject.toml and CMakeLists.txt say."""

from __future__ import annotations

import ast
import email
import re
import sys
from pathlib import Path

import pytest
import yaml

if sys.version_info >= (3, 11):
    import tomllib
else:
    import tomli as tomllib

ROOT = Path(__file__).resolve().parents[2]
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
# Where a link leads that needs no repository: to another site, or to a part of the page itself.
OUTSIDE = re.compile(r"https?:|#")
# Other names of the same packages, and what only old versions of Python need.
CONDA_NAMES = {"matplotlib": "matplotlib-base"}


# Wheels for all versions of Python need it; these packages are for one.
ALL_PYTHONS = "nanobind-backend"


def bounds(requirements) -> dict[str, str]:
    """{'click': '8.5'} of 'click>=8.5'."""
    found = (re.match(r"([a-z0-9-]+)\s*>=\s*([0-9.]+)", words) for words in requirements)
    return {one[1]: one[2] for one in found if one}


def needs_of_one_python() -> dict[str, str]:
    needs = bounds(PROJECT["dependencies"])
    del needs[ALL_PYTHONS]
    return needs


def version() -> str:
    text = (ROOT / "CMakeLists.txt").read_text()
    return re.search(r"project\(onehop VERSION ([0-9.]+)", text)[1]


@pytest.fixture(scope="module")
def recipe() -> dict:
    return yaml.safe_load((ROOT / "packaging/conda/recipe.yaml").read_text())


@pytest.fixture(scope="module")
def spack_needs() -> dict[str, str]:
    """Least version of each Python package, of the calls of depends_on."""
    tree = ast.parse((ROOT / "packaging/spack/package.py").read_text())
    calls = (node for node in ast.walk(tree) if isinstance(node, ast.Call))
    specs = [c.args[0].value for c in calls if getattr(c.func, "id", "") == "depends_on"]
    found = (re.fullmatch(r"py-([a-z0-9-]+)@([0-9.]+):", spec) for spec in specs)
    return {one[1]: one[2] for one in found if one}


def test_citation_names_this_version_and_licence():
    citation = yaml.safe_load((ROOT / "CITATION.cff").read_text())
    assert citation["version"] == version()
    assert citation["license"] == PROJECT["license"]
    assert citation["cff-version"] == "1.2.0"
    assert {"message", "title", "authors"} <= citation.keys()


def test_conda_needs_what_pip_needs(recipe):
    assert bounds(recipe["requirements"]["run"]) == {
        **needs_of_one_python(),
        "python": PROJECT["requires-python"].removeprefix(">="),
    }
    extras = bounds(PROJECT["optional-dependencies"]["all"])
    named = {CONDA_NAMES.get(name, name): least for name, least in extras.items()}
    assert bounds(recipe["requirements"]["run_constraints"]) == named


def test_conda_has_this_version_and_licence(recipe):
    assert recipe["context"]["version"] == version()
    assert recipe["about"]["license"] == PROJECT["license"]
    assert recipe["about"]["license_file"] == PROJECT["license-files"]


def test_spack_needs_what_pip_needs(spack_needs):
    needed = needs_of_one_python() | bounds(PROJECT["optional-dependencies"]["all"])
    assert {name: spack_needs.get(name) for name in needed} == needed


def links_of(page: str) -> set[str]:
    return set(re.findall(r'(?:href|src)="([^"]*)"', page))


@pytest.mark.filterwarnings("default")
def test_an_index_renders_the_readme_and_no_link_of_it_leads_nowhere(tmp_path, monkeypatch):
    from readme_renderer import markdown
    from scikit_build_core import build

    monkeypatch.chdir(ROOT)
    folder = build.prepare_metadata_for_build_wheel(str(tmp_path))
    metadata = email.message_from_bytes((tmp_path / folder / "METADATA").read_bytes())
    assert metadata["Description-Content-Type"].startswith("text/markdown")
    text = metadata.get_payload(decode=True).decode()
    page = markdown.render(text)
    assert page is not None
    assert {link for link in links_of(page) if not OUTSIDE.match(link)} == set()
    assert "<img" not in page and "](" not in re.sub(r"```.*?```", "", text, flags=re.DOTALL)
    # Links go and their words stay; programs keep every letter.
    readme = (ROOT / "README.md").read_text()
    for words in (
        *re.findall(r"```.*?```", readme, re.DOTALL),
        "| `onehop solve b6.0.nersc --kappa 0.13 --mesons --baryons --momenta 1` | 16 mesons, ",
        "- How to: move your own halos, use onehop",
    ):
        assert words in text
    links = links_of(markdown.render(readme))
    assert len(links) > 40 and not all(map(OUTSIDE.match, links))


def test_whoever_is_compiled_into_a_wheel_is_named():
    notices = (ROOT / "THIRD_PARTY_NOTICES.md").read_text()
    for name in ("nanobind", "robin-map", "JSON for Modern C++", "CUDA runtime"):
        assert name in notices
    assert all((ROOT / name).is_file() for name in PROJECT["license-files"])
