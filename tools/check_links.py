"""Checks a folder of pages from its index.html on: every link that a reader can come to leads
somewhere, and pages load nothing that is not in the folder."""

from __future__ import annotations

import os
import sys
from html.parser import HTMLParser
from pathlib import Path
from typing import TYPE_CHECKING
from urllib.parse import unquote, urlsplit

if TYPE_CHECKING:
    from collections.abc import Iterator


class Page(HTMLParser):
    def __init__(self, path: Path) -> None:
        super().__init__()
        self.names: set[str | None] = set()
        self.links: list[tuple[str, str]] = []
        self.feed(path.read_text(encoding="utf-8"))

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        for key, value in attrs:
            if key == "id":
                self.names.add(value)
            elif key in ("href", "src", "action") and value:
                self.links.append((tag, value))


def mistakes(first: Path) -> Iterator[str]:
    pages = {first: Page(first)}
    reached = [first]
    for path in reached:
        for tag, link in pages[path].links:
            parts = urlsplit(link)
            if parts.scheme or parts.netloc:
                if tag != "a" and parts.scheme != "data":
                    yield f"{path}: loads {link}; the site must open without a network"
                continue
            there = path.parent / unquote(parts.path)
            target = Path(os.path.normpath(there)) if parts.path else path
            if not target.is_file():
                yield f"{path}: {link} leads nowhere"
                continue
            if target.suffix == ".html" and target not in pages:
                pages[target] = Page(target)
                reached.append(target)
            part = unquote(parts.fragment)
            if part and target in pages and part not in pages[target].names:
                yield f"{path}: {link} names no part of that page"


def main() -> int:
    found = list(mistakes(Path(sys.argv[1]) / "index.html"))
    print(*found, sep="\n", end="\n" if found else "", file=sys.stderr)
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
