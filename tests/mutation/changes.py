"""Small changes of a source file, each as text that takes the place of other text.

Found on the syntax tree. Annotations, decorators, docstrings, assertions and what only type
checkers read are left alone: no test can see a change of them.
"""

from __future__ import annotations

import ast
import random
from collections import defaultdict
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass

from tests.mutation.places import package


@dataclass(frozen=True)
class Mutant:
    """A change of a file.

    Attributes:
        file: Path from the root.
        line: Of the changed text's begin, from 1.
        function: Dotted name of the function or class around it; empty at the module's level.
        kind: What is done.
        old: The text before.
        new: The text after, on as many lines.
        start, end: Where the text before is, in bytes of the file.
        statement: First and last line of the statement around it, of a compound one the head's.
    """

    file: str
    line: int
    function: str
    kind: str
    old: str
    new: str
    start: int
    end: int
    statement: tuple[int, int]

    @property
    def key(self) -> tuple[str, str, str, str, str]:
        """Says which change it is wherever its line has gone."""
        return self.file, self.function, self.kind, self.old, self.new.strip()

    @property
    def lines(self) -> range:
        """The lines of the changed text."""
        return range(self.line, self.line + self.old.count("\n") + 1)

    def apply(self, source: bytes) -> bytes:
        """The file with the change; every other line keeps its number."""
        return source[: self.start] + self.new.encode() + source[self.end :]


_FLIP: Mapping[type[ast.cmpop], str] = {
    ast.Eq: "!=", ast.NotEq: "==", ast.Is: "is not", ast.IsNot: "is", ast.In: "not in",
    ast.NotIn: "in", ast.Lt: ">=", ast.LtE: ">", ast.Gt: "<=", ast.GtE: "<",
}  # fmt: skip
_EDGE: Mapping[type[ast.cmpop], str] = {ast.Lt: "<=", ast.LtE: "<", ast.Gt: ">=", ast.GtE: ">"}
_SAID: Mapping[type[ast.cmpop], str] = {
    ast.Eq: "==", ast.NotEq: "!=", ast.Is: "is", ast.IsNot: "is not", ast.In: "in",
    ast.NotIn: "not in", ast.Lt: "<", ast.LtE: "<=", ast.Gt: ">", ast.GtE: ">=",
}  # fmt: skip
_ARITH: Mapping[type[ast.operator], str] = {
    ast.Add: "-", ast.Sub: "+", ast.Mult: "+", ast.FloorDiv: "*", ast.Mod: "//",
    ast.LShift: ">>", ast.RShift: "<<", ast.BitAnd: "|", ast.Div: "*",
}  # fmt: skip
_OTHER = {"any": "all", "all": "any", "min": "max", "max": "min"}
_OTHER_KIND = {"any": "any-all", "all": "any-all", "min": "min-max", "max": "min-max"}

_Change = tuple[str, ast.AST, str]
_Text = Callable[[ast.AST], str]


class _Finder(ast.NodeVisitor):
    """Collects (kind, node, text that takes its place) with the function each is in."""

    def __init__(self, source: bytes) -> None:
        self._source = source
        self._starts = [0]
        for line in source.splitlines(keepends=True):
            self._starts.append(self._starts[-1] + len(line))
        self._around: list[str] = []
        self._statement = (1, 1)
        self.found: list[tuple[str, str, int, int, int, str, tuple[int, int]]] = []

    def span(self, node: ast.AST) -> tuple[int, int]:
        assert isinstance(node, ast.expr | ast.stmt)
        assert node.end_lineno is not None
        assert node.end_col_offset is not None
        start = self._starts[node.lineno - 1] + node.col_offset
        return start, self._starts[node.end_lineno - 1] + node.end_col_offset

    def text(self, node: ast.AST) -> str:
        start, end = self.span(node)
        return self._source[start:end].decode()

    def visit(self, node: ast.AST) -> None:
        if isinstance(node, ast.stmt):
            body = getattr(node, "body", None)
            last = max(node.lineno, body[0].lineno - 1) if body else node.end_lineno or node.lineno
            self._statement = (node.lineno, last)
        for kind, place, new in _changes(node, self.text):
            start, end = self.span(place)
            line = getattr(place, "lineno", 0)
            around = ".".join(self._around)
            self.found.append((kind, around, line, start, end, new, self._statement))
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
            self._around.append(node.name)
            args = getattr(node, "args", None)
            for each in (*args.defaults, *args.kw_defaults) if args else ():
                if each is not None:
                    self.visit(each)
            for statement in node.body:
                self.visit(statement)
            self._around.pop()
        elif isinstance(node, ast.AnnAssign):
            if node.value is not None:
                self.visit(node.value)
        elif not _is_for_readers(node):
            self.generic_visit(node)


def _is_for_readers(node: ast.AST) -> bool:
    """Whether only type checkers and readers look at it, or it is an import."""
    match node:
        case ast.Assert() | ast.Import() | ast.ImportFrom():
            return True
        case ast.If(test=test):
            return "TYPE_CHECKING" in ast.unparse(test)
        case ast.Assign(targets=[ast.Name(id="__all__" | "__slots__")]):
            return True
        case ast.Assign(targets=[ast.Name(id=name)], value=ast.Subscript() | ast.BinOp()):
            return name.lstrip("_")[:1].isupper() and not name.isupper()  # a type's name
        case _:
            return False


def _changes(node: ast.AST, text: _Text) -> Iterator[_Change]:
    match node:
        case ast.BoolOp(op=op, values=values):
            word, other = ("and", "or") if isinstance(op, ast.And) else ("or", "and")
            texts = [f"({text(each)})" for each in values]
            yield "and-or", node, f"({f' {other} '.join(texts)})"
            for at in range(len(values)):
                left = texts[:at] + texts[at + 1 :]
                yield "drop-condition", node, f"({f' {word} '.join(left)})"
        case ast.Compare(ops=ops):
            parts = [f"({text(each)})" for each in (node.left, *node.comparators)]
            for kind, table in (("cmp-flip", _FLIP), ("cmp-boundary", _EDGE)):
                for at, op in enumerate(ops):
                    if type(op) in table:
                        words = [_SAID[type(each)] for each in ops]
                        words[at] = table[type(op)]
                        pairs = zip(words, parts[1:], strict=True)
                        said = "".join(f" {w} {p}" for w, p in pairs)
                        yield kind, node, f"({parts[0]}{said})"
        case ast.Constant(value=bool(value)):
            yield "bool-const", node, str(not value)
        case ast.Constant(value=int(value)):
            yield "int-const", node, f"({value + 1})"
            yield "int-const", node, f"({value - 1})"
        case ast.Continue():
            yield "continue-break", node, "break"
        case ast.Break():
            yield "continue-break", node, "continue"
        case ast.Call(func=ast.Name(id=name), args=args) if name in _OTHER and args:
            yield _OTHER_KIND[name], node.func, _OTHER[name]
        case ast.Call(args=[first, second, *_]) if not _is_plain(node, first, second):
            if text(first) != text(second):
                start, between = text(node), f"{text(second)}, {text(first)}"
                before = start.index(text(first), len(text(node.func)))
                after = start.index(text(second), before + len(text(first))) + len(text(second))
                yield "swap-args", node, start[:before] + between + start[after:]
        case ast.If(test=test) | ast.comprehension(ifs=[test]):
            yield "guard-removed", test, "False"
            yield "guard-always", test, "True"
        case ast.IfExp(test=test, body=body, orelse=orelse):
            yield "ifexp-swap", node, f"(({text(orelse)}) if ({text(test)}) else ({text(body)}))"
        case ast.UnaryOp(op=ast.Not(), operand=operand):
            yield "drop-not", node, f"bool({text(operand)})"
        case ast.BinOp(op=op, left=left, right=right) if type(op) in _ARITH:
            if not isinstance(left, ast.Constant) or not isinstance(left.value, str | bytes):
                yield "arith", node, f"(({text(left)}) {_ARITH[type(op)]} ({text(right)}))"
        case ast.Return(value=ast.expr() as value):
            if not (isinstance(value, ast.Constant) and value.value is None):
                yield "return-none", node, "return None"
        case ast.Expr(value=ast.Call() | ast.Yield() | ast.YieldFrom()) | ast.AugAssign():
            yield "stmt-removed", node, "pass"
        case ast.Raise(exc=ast.expr()):
            yield "stmt-removed", node, "pass"
        case _:
            return


def _is_plain(call: ast.Call, *args: ast.expr) -> bool:
    """Whether the order of these arguments says nothing, or is a type checker's."""
    if any(isinstance(each, ast.Starred) for each in args):
        return True
    return isinstance(call.func, ast.Name) and call.func.id in {
        "cast", "TypeVar", "NewType", "isinstance", "min", "max", "any", "all",
    }  # fmt: skip


def mutants(file: str, source: bytes) -> list[Mutant]:
    """Every change of a file, in the order of its text."""
    finder = _Finder(source)
    finder.visit(ast.parse(source))
    found = {}
    for kind, function, line, start, end, new, statement in finder.found:
        old = source[start:end].decode()
        new = " ".join(new.split()) if "\n" in new and '"""' not in new else new
        lost = old.count("\n") - new.count("\n")
        padded = _padded(new, lost)
        if old != padded:
            place = (start, end, padded)
            found[place] = Mutant(file, line, function, kind, old, padded, start, end, statement)
    return sorted(found.values(), key=lambda each: (each.start, each.end, each.kind, each.new))


def _padded(new: str, lines: int) -> str:
    """The text over that many further lines, within parentheses where it is an expression."""
    if lines <= 0:
        return new
    if new in ("pass", "break", "continue", "return None"):
        return new + "\n" * lines
    return f"({new}" + "\n" * lines + ")"


def _compiles(mutant: Mutant, source: bytes) -> bool:
    """Whether it is a program, and another one."""
    try:
        changed = compile(mutant.apply(source), mutant.file, "exec", dont_inherit=True)
    except SyntaxError:  # `break` within `finally`, say
        return False
    return changed != compile(source, mutant.file, "exec", dont_inherit=True)


def sample(sources: Mapping[str, bytes], count: int, seed: int) -> list[Mutant]:
    """That many changes at most: every package has a share, and in it every kind.

    Packages in turn, each with a share that grows with the root of its size, so that small ones
    have enough to be judged by; in a package a kind, then a place, by chance. The same seed and
    sources give the same sample; a smaller one is the begin of a larger.
    """
    chance = random.Random(seed)
    by: dict[str, dict[str, list[Mutant]]] = defaultdict(lambda: defaultdict(list))
    for file in sorted(sources):
        for each in mutants(file, sources[file]):
            by[package(file)][each.kind].append(each)
    weights = {
        name: sum(map(len, kinds.values())) ** 0.5 for name, kinds in sorted(by.items()) if kinds
    }
    taken: list[Mutant] = []
    while weights and len(taken) < count:
        name = chance.choices(list(weights), list(weights.values()))[0]
        kinds = by[name]
        kind = chance.choice(sorted(kinds))
        at = chance.randrange(len(kinds[kind]))
        mutant = kinds[kind].pop(at)
        if _compiles(mutant, sources[mutant.file]):
            taken.append(mutant)
        if not kinds[kind]:
            del kinds[kind]
        if not kinds:
            del weights[name]
    return taken
