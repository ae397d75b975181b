"""What `make mutants` changes, and how a change becomes a switch that a variable turns on."""

from __future__ import annotations

import hashlib
import re
from collections import Counter, defaultdict
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
ROOMS = ("src/rma", "src/transport", "src/io", "src/netsim", "src/solver")
# What is not compiled here, or only a description of something.
LEFT_OUT = re.compile(
    r"/(mpi|mpi_p2p|mpi_rma|device)/|/(mpi_\w+|\w*_on_devices|\w*device\w*)\.[ch]pp$"
)
# Each change has a pattern and what takes its place. They are slips that reviews do not
# see: in signs, comparisons, numbers, the order of memory, and calls left out.
CHANGES = (
    ("sum", re.compile(r"(?<=[\w)\]] )\+(?= [\w(])"), "-"),
    ("difference", re.compile(r"(?<=[\w)\]] )-(?= [\w(])"), "+"),
    ("less", re.compile(r"(?<= )<(?= )"), "<="),
    ("at most", re.compile(r"(?<= )<=(?= )"), "<"),
    ("greater", re.compile(r"(?<= )>(?= )"), ">="),
    ("at least", re.compile(r"(?<= )>=(?= )"), ">"),
    ("equal", re.compile(r"(?<= )==(?= )"), "!="),
    ("unequal", re.compile(r"(?<= )!=(?= )"), "=="),
    ("and", re.compile(r"(?<= )&&(?= )"), "||"),
    ("or", re.compile(r"(?<= )\|\|(?= )"), "&&"),
    ("not", re.compile(r"(?<=[( ])!(?=[a-z(])"), ""),
    ("true", re.compile(r"(?<=return )true(?=;)"), "false"),
    ("false", re.compile(r"(?<=return )false(?=;)"), "true"),
    ("zero", re.compile(r"(?<=[ (])0(?=[;,)])"), "1"),
    ("one", re.compile(r"(?<=[ (])1(?=[;,)])"), "2"),
    ("acquire", re.compile(r"memory_order_acquire"), "memory_order_relaxed"),
    ("release", re.compile(r"memory_order_release"), "memory_order_relaxed"),
    ("call", re.compile(r"(?<=^)( {2,})[a-z_]\w*(?:[.(]|->)[^=]*\);$"), r"\1;"),
)
# Words in quotes are messages, and lines of these kinds state what the compiler checks.
NOT_CODE = re.compile(
    r'^\s*(//|#|static_assert|using |template|namespace|throw |friend |\[\[|virtual )|"'
    r"|(\)|const|noexcept) = 0;$"
)
TOKEN = re.compile(
    r'\s+|//[^\n]*|/\*.*?\*/|^\s*\#(?:[^\n]*\\\n)*[^\n]*|R"\((?:.*?)\)"|"(?:\\.|[^"\\\n])*"'
    r"|'(?:\\.|[^'\\\n])+'|\d(?:[eE][-+]|[\w.'])*|\w+|<=>|<<=|>>=|::|->|[-+*/%&|^<>=!]=|&&|\|\||<<|>>|\+\+|--|.",
    re.DOTALL | re.MULTILINE,
)
OPENING, CLOSING = set("([{"), set(")]}")
# What stands before and behind the largest expression around an operator.
BEFORE = set(",;?:") | {"=", "return", "throw", "case", "else", "do"}
BEFORE |= {f"{sign}=" for sign in ("+", "-", "*", "/", "%", "&", "|", "^", "<<", ">>")}
BEHIND = set(",;?:")
BLOCKS = {"else", "do", "try", "const", "noexcept", "override"}


@dataclass(frozen=True)
class Mutant:
    file: str
    line: int
    change: str
    before: str
    after: str
    at: int  # where the change begins in the text of the file
    old: str
    new: str
    which: int = 0  # counts those of the file that look the same

    def key(self) -> tuple[str, str, str]:
        """What names it however lines move."""
        return self.file, self.before.strip(), self.after.strip()

    def hashed(self, seed: int) -> int:
        words = "\0".join((str(seed), *self.key(), str(self.which)))
        return int.from_bytes(hashlib.sha256(words.encode()).digest()[:8], "big")


def mutants_of(file: str, text: str) -> Iterator[Mutant]:
    """All changes of a file, in the order of its lines."""
    begin, seen = 0, Counter()
    for number, line in enumerate(text.splitlines(keepends=True), 1):
        code = line.split("//")[0].rstrip()
        for name, pattern, replacement in () if NOT_CODE.search(line.rstrip()) else CHANGES:
            for found in pattern.finditer(code):
                new = found.expand(replacement)
                after = code[: found.start()] + new + code[found.end() :]
                at = begin + found.start()
                one = Mutant(file, number, name, code, after, at, found.group(), new)
                if name == "call" and not is_statement(text, at):
                    continue
                yield Mutant(*[*vars(one).values()][:-1], seen[one.key()])
                seen[one.key()] += 1
        begin += len(line)


def is_statement(text: str, at: int) -> bool:
    """Whether a line goes on with nothing begun in an earlier one, and ends what it begins."""
    line = text[at:].split("\n", 1)[0]
    behind = re.sub(r"//[^\n]*", "", text[:at]).rstrip()
    return line.count("(") == line.count(")") and re.search(r"(^|[;{})]|\belse|[^:]:)$", behind)


def all_mutants(rooms: list[str], seed: int) -> list[Mutant]:
    """All of these folders, shuffled by the seed, in an order that other lines do not change."""
    found = []
    for path in sorted(p for room in rooms for p in (ROOT / room).rglob("*.?pp")):
        name = path.relative_to(ROOT).as_posix()
        if not LEFT_OUT.search(name):
            found += mutants_of(name, path.read_text())
    return sorted(found, key=lambda m: m.hashed(seed))


def numbered(mutants: list[Mutant], most: int = 1 << 20) -> dict[int, Mutant]:
    """Gives each a number that it keeps when others come and go: little is compiled anew."""
    numbers: dict[int, Mutant] = {}
    for one in mutants:
        number = one.hashed(0) % most
        while number in numbers:
            number = (number + 1) % most
        numbers[number] = one
    return numbers


class Source:
    """A file as tokens with their places, of which expressions are found."""

    def __init__(self, text: str) -> None:
        self.text = text
        found = [(t.start(), t.end(), t.group()) for t in TOKEN.finditer(text)]
        self.tokens = [t for t in found if not re.match(r"\s*(//|/\*|#|$)", t[2])]

    def _walk(self, index: int, step: int, ends: set[str]) -> int:
        """The token that ends the expression around this one on one side."""
        inner, outer = (CLOSING, OPENING) if step < 0 else (OPENING, CLOSING)
        depth, index = 0, index + step
        while 0 <= index < len(self.tokens):
            word = self.tokens[index][2]
            if depth == 0 and (word in outer or word in ends):
                return index
            if depth == 0 and step < 0 and word == "}" and self._ends_block(index):
                return index
            depth += (word in inner) - (word in outer)
            index += step
        return index

    def _ends_block(self, index: int) -> bool:
        """Whether this brace ends a block of statements and not the value that a type begins."""
        behind = self.tokens[self._walk(index, -1, set()) - 1][2]
        return not re.match(r"\w+$|[>\]]$", behind) or behind in BLOCKS

    def span(self, mutant: Mutant) -> tuple[int, int]:
        """The text that a switch takes the place of."""
        end = mutant.at + len(mutant.old)
        if mutant.change in ("zero", "one", "true", "false"):
            return mutant.at, end
        if mutant.change == "call":
            return mutant.at + len(mutant.old) - len(mutant.old.lstrip()), end - 1
        index = next(i for i, token in enumerate(self.tokens) if token[1] > mutant.at)
        if mutant.change in ("acquire", "release"):
            index = self._walk(index, -1, set())
        first, last = self._walk(index, -1, BEFORE) + 1, self._walk(index, 1, BEHIND) - 1
        return self.tokens[first][0], self.tokens[last][1]

    def changed(self, mutant: Mutant, begin: int, end: int) -> str:
        """This part of the text with the change made, in one line and without comments."""
        if mutant.change == "call":
            return "void()"
        words = []
        for start, _, word in self.tokens:
            if not begin <= start < end:
                continue
            if mutant.at <= start < mutant.at + len(mutant.old):
                # What becomes a truth by itself stays one beside the other choice.
                words.append("!!" if mutant.change == "not" else mutant.new)
            else:
                words.append(word)
        return " ".join(words)


def switched(text: str, mutants: dict[int, Mutant], header: Path, plain: int | None = None) -> str:
    """A file with switches for these mutants; `plain` is changed without one."""
    source = Source(text)
    spans: dict[tuple[int, int], list[int]] = defaultdict(list)
    for number, one in mutants.items():
        spans[source.span(one)].append(number)

    def render(begin: int, end: int, inside: list[tuple[int, int]]) -> str:
        """The text from begin to end, where these spans are, the outer before the inner."""
        parts, at = [], begin
        while inside:
            first, last = inside[0]
            own = [s for s in inside[1:] if s[0] >= first and s[1] <= last]
            inside = [s for s in inside[1:] if s not in own]
            parts += [text[at:first], choice((first, last), render(first, last, own))]
            at = last
        return "".join([*parts, text[at:end]])

    def choice(span: tuple[int, int], kept: str) -> str:
        for number in spans[span]:
            one = mutants[number]
            if number == plain:
                first, last = max(span[0], one.at), one.at + len(one.old)
                kept = text[span[0] : first] + one.new.strip(" ;") + text[last : span[1]]
            else:
                kept = f"static_cast<void>({kept})" if one.change == "call" else kept
                kept = f"(mutant({number}) ? ({source.changed(one, *span)}) : ({kept}))"
        return kept

    ordered = sorted(spans, key=lambda s: (s[0], -s[1]))
    return f'#include "{header}"\n#line 1\n' + render(0, len(text), ordered)
