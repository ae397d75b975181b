"""The JSON schema of platform files, made from the classes that read them."""

from pydantic.json_schema import GenerateJsonSchema
from pydantic_core import CoreSchema, core_schema

from onehop.netsim.platform import Platform
from onehop.netsim.quantity import MARK, written_schemas
from onehop.netsim.table import Table

_AXES = ("x", "y", "z", "t", "local", "global")


class _ForToml(GenerateJsonSchema):
    """TOML has no null; titles would repeat the keys, and whole tables are not defaults."""

    def field_title_should_be_set(self, schema: CoreSchema) -> bool:
        return False

    def nullable_schema(self, schema: core_schema.NullableSchema) -> dict:
        return self.generate_inner(schema["schema"])

    def encode_default(self, default: object) -> object:
        return {} if isinstance(default, Table) else super().encode_default(default)


def schema() -> dict:
    """What an editor needs to complete keys, and to refuse unknown ones, wrong units and numbers
    without a source. Names that tables say of each other are checked by netsim.load alone."""
    # Draft 7 is what editors of TOML know; nothing here needs a later one.
    found = {"$schema": "http://json-schema.org/draft-07/schema#"}
    found |= Platform.model_json_schema(schema_generator=_ForToml)
    _write_fabrics_as_in_files(found)
    found["$defs"] |= written_schemas()
    return _with_references(found)


def _write_fabrics_as_in_files(found: dict) -> None:
    """[wire] holds what all axes share and [wire.x] what differs; the first fabric has no name."""
    tables = found["$defs"]
    wire = tables["Wire"]
    tables["WireOfAxis"] = {key: value for key, value in wire.items() if key != "required"}
    axes = {axis: {"$ref": "#/$defs/WireOfAxis"} for axis in _AXES}
    tables["Wires"] = wire | {"properties": wire["properties"] | axes}
    del tables["Wire"]
    of_fabric = tables["Fabric"]["properties"]
    of_fabric["wire"] = {"$ref": "#/$defs/Wires"}
    found["properties"] |= of_fabric
    # A file has these of its own, or those of the files that it takes as networks.
    own = [key for key in found["required"] if key in ("stage", "path")]
    own += tables["Fabric"]["required"]
    found["required"] = [key for key in found["required"] if key not in (*own, "fabric")]
    found["anyOf"] = [{"required": own}, {"required": ["network"]}]


def _with_references(part: object) -> object:
    """Numbers are marked by the name of what they measure; null is not a default in TOML."""
    if isinstance(part, list):
        return [_with_references(one) for one in part]
    if not isinstance(part, dict):
        return part
    left = part.keys() - {MARK} - {key for key in ("default",) if part.get(key, 0) is None}
    rest = {key: _with_references(value) for key, value in part.items() if key in left}
    return rest | ({"$ref": f"#/$defs/{part[MARK]}"} if MARK in part else {})
