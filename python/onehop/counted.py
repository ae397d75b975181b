"""Numbers of things in messages: 1 rank, 2 ranks."""


def counted(number: float, noun: str, plural: str | None = None) -> str:
    """Returns '1 rank' or '2 ranks'; `plural` is for nouns that take more than an s."""
    return f"{number} {noun if number == 1 else plural or noun + 's'}"
