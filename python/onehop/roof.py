"""Says what a rate above the measured roof means."""


def above(*shares: float | None) -> str:
    """Returns why a share of the measured roof exceeds 1, '' where none does."""
    if not any(share is not None and share > 1 for share in shares):
        return ""
    return (
        "above 100% because the limit was measured lower than the operator reached: other programs "
        "were running, or caches served the operator better"
    )
