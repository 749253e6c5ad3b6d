"""A part of a specialisation graph as a program, with side exits to the original program."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence
from dataclasses import replace

from anc.compiler.abstract_state import UNKNOWN
from anc.compiler.dataflow import fixpoint, liveness
from anc.compiler.graph import END, JUMP, Graph, Node, Target, Variable, loaded
from anc.search.specialisation_graph import Point, Tree

Loads = tuple[tuple[Variable, int], ...]


class NoWayOut(Exception):
    """A side exit is needed and there is no program to continue in; or the graph has an empty endless loop."""


class Graft:
    """The graph of the chosen points, and how often each node falls through.

    Unobserved branches of tests in `sure` lines are dropped if at least `evidence` runs passed them. A point
    that is not chosen is a side exit: it loads the variables that the tree did not compute because it
    knew them, then continues at its line in `way_out` (the original lines, by number).
    """

    def __init__(
        self,
        tree: Tree,
        chosen: Collection[int],
        sure: Collection[int],
        evidence: float,
        way_out: Graph | None,
    ) -> None:
        self.tree, self.chosen, self.way_out = tree, set(chosen), way_out
        self.sure, self.evidence = sure, evidence
        lines, traces = tree.graph, tree.traces
        self.offset = len(lines.nodes)
        variables = [Variable(each.name, each.value) for each in lines.declared]
        self.graph = Graph({}, 0, lines.M, variables, instructions=lines.instructions)
        self.passes: dict[int, float] = {}
        self._chains: dict[tuple[int, Loads], int] = {}
        self._next = self.offset + len(tree.points)
        leaving = self._leaving()
        if leaving:
            if way_out is None:
                raise NoWayOut
            share = sum(tree.points[n].weight for n in leaving) / traces.total
            for number, node in way_out.nodes.items():
                self.graph.nodes[number] = self._own(node, way_out.declared)
            self.passes |= {n: p * share for n, p in enumerate(traces.passes()) if p}
            self._make_exits(leaving)
        for number in self.chosen:
            self._emit(number)
        self.graph.start = self._to(0)

    @property
    def key(self) -> tuple:
        """Equal for equal graphs."""
        place: dict[object, int] = {variable: i for i, variable in enumerate(self.graph.declared)}
        nodes = (
            (n, node.op, *(place.get(o, o) for o in node.operands), place.get(node.out), node.after)
            for n, node in sorted(self.graph.nodes.items())
        )
        return self.graph.start, *nodes

    def _kept(self, point: Point) -> Node | None:
        """The command of a chosen point, if it has one."""
        node = point.node
        if node is not None and self._only_way(point) is not None:
            return None if node.out is None else Node(None, (), node.out)
        return node

    def _only_way(self, point: Point) -> int | None:
        """The only successor of a test whose other branch is dropped."""
        is_sure = point.line in self.sure and point.weight >= self.evidence
        return point.only_way if is_sure else None

    def _ways(self, point: Point) -> tuple[int, ...]:
        """The successors of a point."""
        only = self._only_way(point)
        return tuple(point.successors) if only is None else (only,) if only != END else ()

    def _leaving(self) -> dict[int, None]:
        """The reachable points that are not chosen."""
        seen, waiting = dict.fromkeys([0]), [0]
        while waiting:
            number = waiting.pop()
            if number in self.chosen:
                new = [n for n in self._ways(self.tree.points[number]) if n not in seen]
                seen |= dict.fromkeys(new)
                waiting += new
        self.chosen &= seen.keys()
        return {number: None for number in seen if number not in self.chosen}

    def _emit(self, number: int) -> None:
        point = self.tree.points[number]
        node = self._kept(point)
        if node is None:
            return
        passes = point.weight
        if node.op == JUMP:
            passes, targets = point.runs[0], (node.operands[0], Target(self._to(point.to[1])))
            node = replace(node, operands=targets, after=self._to(point.to[0]))
        else:
            node = replace(node, after=self._to(next(iter(self._ways(point)), END)))
        self.graph.nodes[self.offset + number] = self._own(node, self.tree.graph.declared)
        self.passes[self.offset + number] = passes

    def _to(self, number: int | None) -> int:
        """The node of the first command from a point on."""
        assert number is not None
        seen = set()
        while number in self.chosen:
            point = self.tree.points[number]
            if self._kept(point) is not None:
                return self.offset + number
            if number in seen:
                raise NoWayOut
            seen.add(number)
            number = next(iter(self._ways(point)), END)
        return END if number == END else self._exits[number]

    def _own(self, node: Node, variables: Sequence[Variable]) -> Node:
        """A node with fresh variables of this graph: passes may change initial values."""
        new = dict(zip(variables, self.graph.declared, strict=True))
        operands = tuple(new[o] if isinstance(o, Variable) else o for o in node.operands)
        out = None if node.out is None else new[node.out]
        return replace(node, operands=operands, out=out, free=False)

    # -- side exits -------------------------------------------------------------

    def _make_exits(self, leaving: dict[int, None]) -> None:
        assert self.way_out is not None
        alive = liveness(self.way_out)
        bits = [alive.bit.get(variable, 0) for variable in self.way_out.declared]
        points = self.tree.points
        up_to_date = self._up_to_date()
        loads: dict[int, dict[int, int]] = {}
        for number in leaving:
            line, known = points[number].line, points[number].known
            if line not in alive.before:
                continue  # unreachable under the assumptions of the way out
            loads[number] = {
                r: value
                for r, variable in enumerate(self.tree.graph.declared)
                if (value := known.variables.get(variable, UNKNOWN)) >= 0
                and not up_to_date[number] >> r & 1
                and alive.before[line] & bits[r]
            }
        values: dict[int, set[int]] = {}
        for load in loads.values():
            for register, value in load.items():
                values.setdefault(register, set()).add(value)
        # What varies most is loaded first, so that exits can share the rest.
        order = sorted(values, key=lambda r: len(values[r]))
        self._exits = dict.fromkeys(leaving, END) | {
            number: self._chain(
                points[number].line,
                tuple((self.graph.declared[r], load[r]) for r in order if r in load),
                points[number].weight,
            )
            for number, load in loads.items()
        }

    def _chain(self, line: int, loads: Loads, weight: float) -> int:
        """The node that loads these variables, the last one first, then continues at a line."""
        if not loads:
            return line
        if (line, loads) not in self._chains:
            number = self._chains[line, loads] = self._next
            self._next += 1
            *rest, (variable, value) = loads
            after = self._chain(line, tuple(rest), weight)
            node = Node(*loaded(value), variable, after, free=False)
            self.graph.nodes[number], self.passes[number] = node, 0.0
        number = self._chains[line, loads]
        self.passes[number] += weight
        return number

    def _up_to_date(self) -> dict[int, int]:
        """For each point, the registers that hold what they would hold in the program."""
        points, lines = self.tree.points, self.tree.traces.program.lines

        def behind(number: int, held: int) -> Iterator[tuple[int, int]]:
            if number not in self.chosen:
                return
            point, line = points[number], lines[points[number].line]
            node = self._kept(point)
            if node is not None and node.out is not None:
                held |= 1 << line.out
            else:
                held &= ~(1 << line.out)
            for way in self._ways(point):
                yield way, held

        return fixpoint({0: -1}, behind, int.__and__)
