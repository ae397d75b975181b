"""Names the parts of a solve's time."""

# These are the parts of a record's `timing`, which add up to its `total_s`, and what readers are
# told.
PARTS = {
    "operator_s": "operator",
    "halo_wait_s": "halo wait",
    "vectors_s": "vector algebra",
    "reductions_s": "reductions",
    "check_s": "residual check",
    "other_s": "copying and conversion",
}


def share(timing: dict[str, float], part: str) -> float:
    """Returns the share of the whole; 0 for a part that the record of an older version did not tell
    apart."""
    total = timing["total_s"]
    return timing.get(part, 0.0) / total if total > 0 else 0.0
