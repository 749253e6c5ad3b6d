"""Functions that call themselves: a call in tail position is a loop, any other one keeps its numbers on a stack.

The stack lies in the memory behind all lists, and is of bounded depth: a call that is nested more deeply
leaves the last line, so that the original makes it.
"""

from __future__ import annotations

import ast
from collections.abc import Callable
from dataclasses import dataclass

from anc.compiler.dataflow import liveness
from anc.compiler.graph import Constant, Operand, Variable
from anc.python.conditions import compare
from anc.python.lowering import Lowering, Scope
from anc.python.sequences import Binding

DEPTH = 64  # nested calls, if the memory has room for them
LEAST = 4


def own_calls(nodes: ast.AST, name: str) -> list[ast.Call]:
    """The calls of a function inside of a node."""
    calls = (node for node in ast.walk(nodes) if isinstance(node, ast.Call))
    return [call for call in calls if isinstance(call.func, ast.Name) and call.func.id == name]


def calls_itself(definition: ast.FunctionDef) -> bool:
    return bool(own_calls(definition, definition.name))


def needs_stack(definition: ast.FunctionDef) -> bool:
    """Whether a function calls itself, and not only as the last thing that it does."""
    returned = (node.value for node in ast.walk(definition) if isinstance(node, ast.Return))
    last = sum(len(_tail_calls(value, definition.name)) for value in returned if value is not None)
    return len(own_calls(definition, definition.name)) > last


def _tail_calls(node: ast.expr, name: str) -> list[ast.Call]:
    if isinstance(node, ast.IfExp):
        return [*_tail_calls(node.body, name), *_tail_calls(node.orelse, name)]
    is_own = isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id == name
    is_own = is_own and not any(own_calls(part, name) for part in ast.iter_child_nodes(node))
    return [node] if is_own and isinstance(node, ast.Call) else []


@dataclass
class Site:
    """A call: its arguments, where its caller's numbers are kept and restored, and where it goes on."""

    given: dict[str, Binding]
    before: int
    restoring: int
    after: int


class Stack:
    """The calls of one function inside itself; `assign` gives its parameters new values."""

    def __init__(
        self, low: Lowering, scope: Scope, assign: Callable[[dict[str, Binding]], None]
    ) -> None:
        self.low, self.scope, self.assign = low, scope, assign
        self.pointer, self.base = Variable("stack"), Variable("base")
        self.sites: list[Site] = []
        code = low.code
        self.first, self.top = max(code.graph.nodes), low.top
        self.tables = set(low.tables)
        self.entry, self.begun = code.label(), code.label()
        code.place(self.entry)  # here the stack is emptied, once its place is known
        code.place(self.begun)

    def call(self, given: dict[str, Binding]) -> None:
        """Make a call; the code goes on where its result is known."""
        code = self.low.code
        site = Site(given, code.label(), code.label(), code.label())
        code.goto(site.before)
        code.place(site.after)
        self.sites.append(site)

    def finish(self, done: int, left: int, results: set[Operand]) -> None:
        """Emit what calls keep and restore: a return goes to `done`, the last one on to `left`."""
        low, code = self.low, self.low.code
        if not self.sites:  # its calls were refused, or nothing gets to them
            code.place(done)
            code.goto(left)
            return
        made = sum(len(table) for table in low.tables if table not in self.tables)
        if low.top - self.top > made:
            low.problem(
                "a function that calls itself cannot have lists of its own here",
                "let it change a list that it is given",
            )
        self._dispatch(done, left)
        kept = [self._kept(site, {*results, self.base, self.pointer}) for site in self.sites]
        frame = max(map(len, kept)) + 1
        depth = max(LEAST, min(DEPTH, (low.M - low.top) // frame))
        begin = low.room_for(depth * frame)
        for place, (site, variables) in enumerate(zip(self.sites, kept, strict=True)):
            self._save(place, site, variables, begin + (depth - 1) * frame)
            self._restore(site, variables)
        code.here = self.entry
        for variable in dict.fromkeys(each for variables in kept for each in variables):
            code.assign(variable, Constant(0))
        code.assign(self.base, code.number(begin))
        code.assign(self.pointer, code.number(begin))
        code.goto(self.begun)

    def _dispatch(self, done: int, left: int) -> None:
        """Go back to the call on top of the stack, or leave the function."""
        code, number, going_back = self.low.code, Variable("site"), self.low.code.label()
        code.place(done)
        code.fork(code.subtract(self.pointer, self.base), left, going_back)
        code.place(going_back)
        code.assign(self.pointer, code.shifted(self.pointer, -1))
        code.assign(number, code.read(self.pointer))
        for place, site in enumerate(self.sites[:-1]):
            following = code.label()
            code.fork(code.shifted(number, -place), site.restoring, following)
            code.place(following)
        code.goto(self.sites[-1].restoring)
        assert self.scope.begin is not None
        for site in self.sites:  # as far as it is known now
            code.graph.nodes[site.before].after = self.scope.begin
            code.graph.nodes[site.restoring].after = site.after

    def _kept(self, site: Site, others: set[Operand]) -> list[Variable]:
        """The variables that the function may change and that the caller still needs."""
        graph = self.low.code.graph
        alive = liveness(graph)
        changed = {node.out for number, node in graph.nodes.items() if number > self.first}
        needed = alive.variables(alive.before[site.after])
        return [each for each in needed if each in changed and each not in others]

    def _save(self, place: int, site: Site, variables: list[Variable], last: int) -> None:
        """Keep the numbers of the caller, if there is room, and begin again."""
        low, code, room = self.low, self.low.code, self.low.code.label()
        code.here = site.before
        compare(code, ast.LtE(), self.pointer, code.number(last), room, code.failing, True)
        code.place(room)
        values: list[Operand] = [*variables, Constant(place)]
        for value in values:
            code.write(self.pointer, value)
            code.assign(self.pointer, code.shifted(self.pointer, 1))
        outer, low.scope = low.scope, self.scope
        self.assign(site.given)
        low.scope = outer
        assert self.scope.begin is not None
        code.goto(self.scope.begin)

    def _restore(self, site: Site, variables: list[Variable]) -> None:
        code = self.low.code
        code.here = site.restoring
        for variable in reversed(variables):
            code.assign(self.pointer, code.shifted(self.pointer, -1))
            code.assign(variable, code.read(self.pointer))
        code.goto(site.after)
