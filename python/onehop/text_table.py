"""Formats tables as plain text, which a terminal, a file and a pipe show alike."""

from collections.abc import Iterable, Sequence

_WIDEST = 10000


def aligned(
    rows: Iterable[Sequence[object]],
    heads: Sequence[str] = (),
    *,
    left: int | None = None,
    widths: Sequence[int] = (),
    indent: int = 0,
) -> str:
    """Returns lines with columns two blanks apart: the first `left` columns begin, the others end,
    at the same place; all begin there by default. `widths` are the least ones, by which tables that
    are written row by row become one. Each line begins with `indent` blanks."""
    from rich.console import Console
    from rich.table import Table

    cells = [[str(cell) for cell in row] for row in rows]
    columns = max(map(len, [heads, *cells]))
    table = Table(box=None, pad_edge=False, padding=(0, 2, 0, 0), show_header=bool(heads))
    for number in range(columns):
        table.add_column(
            heads[number] if heads else "",
            justify="left" if left is None or number < left else "right",
            min_width=widths[number] if widths else None,
            no_wrap=True,
        )
    for row in cells:
        table.add_row(*row)
    console = Console(width=_WIDEST, color_system=None, markup=False, highlight=False, emoji=False)
    with console.capture() as captured:
        console.print(table)
    return "\n".join(" " * indent + line.rstrip() for line in captured.get().splitlines())
