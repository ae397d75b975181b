"""The JSON schema of platform files knows what netsim.load knows, but for names in other tables."""

from __future__ import annotations

import jsonschema
import pytest

from onehop import netsim
from onehop.netsim import platform_file, platform_schema, template

VALIDATOR = jsonschema.Draft7Validator(platform_schema.schema())


@pytest.fixture
def tables(tmp_path):
    """Tables of a new machine, as TOML gives them."""

    def read(topology="torus"):
        path = tmp_path / "mine.toml"
        path.write_text(template.text("mine", topology))
        return platform_file.read(path)

    return read


def test_the_schema_is_one():
    jsonschema.Draft7Validator.check_schema(VALIDATOR.schema)


@pytest.mark.parametrize("name", netsim.shipped())
def test_all_shipped_machines_are_accepted(name):
    assert not list(VALIDATOR.iter_errors(platform_file.read(platform_file.find(name))))


@pytest.mark.parametrize("topology", template.TOPOLOGIES)
def test_new_machines_are_accepted(tables, topology):
    assert VALIDATOR.is_valid(tables(topology))


def test_axes_and_further_networks_are_accepted(tables):
    found = tables()
    found["wire"]["z"] = {"rate": found["wire"]["rate"]}
    found["fabric"] = {"second": {"topology": found["topology"], "wire": dict(found["wire"])}}
    found["path"]["put"]["fabric"] = "second"
    assert VALIDATOR.is_valid(found)


RATE = {"value": 1, "unit": "GB/s", "state": "assumed", "source": "a test"}
MISTAKES = {
    "a table": ("wires", {}),
    "a key of a table": ("topology.extent", RATE),
    "a key of an axis": ("wire.x", {"rat": RATE}),
    "a fifth axis": ("wire.w", {"rate": RATE}),
    "a key of a stage": ("stage.post.costs", RATE),
    "a kind of stage": ("stage.post.kind", "softwear"),
    "a key of a number": ("wire.rate", RATE | {"about": "it"}),
    "a unit": ("wire.rate", RATE | {"unit": "us"}),
    "a state": ("wire.rate", RATE | {"state": "measured"}),
    "a blank source": ("wire.rate", RATE | {"source": " "}),
    "a number below zero": ("wire.rate", RATE | {"value": -1}),
    "a number alone": ("wire.rate", 1),
    "half a node": ("topology.nodes_most", RATE | {"value": 0.5, "unit": "nodes"}),
    "a schedule": ("collective.put.broadcast", "bionmial"),
}


@pytest.mark.parametrize("mistake", MISTAKES)
def test_what_is_not_known_is_refused(tables, mistake):
    key, value = MISTAKES[mistake]
    found = tables()
    *folders, last = key.split(".")
    place = found
    for folder in folders:
        place = place[folder]
    place[last] = value
    assert not VALIDATOR.is_valid(found)


@pytest.mark.parametrize("key", ["format", "topology", "wire", "stage", "path", "protocol"])
def test_what_is_needed_is_missed(tables, key):
    found = tables()
    del found[key]
    assert not VALIDATOR.is_valid(found)
