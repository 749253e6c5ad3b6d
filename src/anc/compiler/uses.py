"""Who reads and who writes a graph's variables, kept up to date while commands change."""

from __future__ import annotations

from collections import Counter
from dataclasses import replace

from anc.compiler.graph import READ, Graph, Operand, Variable
from anc.compiler.values import SUMS


class Uses:
    def __init__(self, graph: Graph) -> None:
        self.graph = graph
        self.readers: Counter[Operand] = Counter()
        self.makers: dict[Operand, int] = {}  # the only node that writes a variable
        self.kept: set[Operand] = set()  # read by commands that cannot read something else
        several = set()
        for number, node in graph.nodes.items():
            self.readers.update(node.operands)
            if node.op in (None, READ) or graph.row(node).output not in SUMS:
                self.kept.update(node.operands)
            if node.out is not None:
                if node.out in self.makers or not node.only_computes:
                    several.add(node.out)
                self.makers[node.out] = number
        for variable in several:
            del self.makers[variable]

    def freed(self, number: int) -> set[Operand]:
        """The variables that only this node needs, directly or not."""
        gone: Counter[Operand] = Counter()
        found: set[Operand] = set()
        waiting = [number]
        while waiting:
            for operand in self.graph.nodes[waiting.pop()].operands:
                gone[operand] += 1
                if gone[operand] == self.readers[operand] and operand in self.makers:
                    found.add(operand)
                    waiting.append(self.makers[operand])
        return found

    def needed(self, operands: tuple[Operand, ...], freed: set[Operand]) -> int:
        """How many of those variables these operands need."""
        found: set[Operand] = set()
        waiting = [each for each in operands if each in freed]
        while waiting:
            variable = waiting.pop()
            if variable not in found:
                found.add(variable)
                maker = self.graph.nodes[self.makers[variable]]
                waiting += [each for each in maker.operands if each in freed]
        return len(found)

    def is_sum(self, variable: Operand) -> bool:
        """Whether the only node that writes a variable is a sum."""
        node = self.graph.nodes[self.makers[variable]] if variable in self.makers else None
        if node is None or node.op in (None, READ):
            return False
        return self.graph.row(node).output in SUMS

    def rename(self, variable: Operand, new: Variable) -> None:
        """Let the node that writes a variable write a new one instead."""
        number = self.makers[new] = self.makers.pop(variable)
        self.graph.nodes[number] = replace(self.graph.nodes[number], out=new)

    def change(self, number: int, op: str | None, operands: tuple[Operand, ...]) -> None:
        node = self.graph.nodes[number]
        if op == node.op and operands == node.operands:
            return
        self.readers.update(operands)
        self.release(node.operands)
        self.graph.nodes[number] = replace(node, op=op, operands=operands)

    def release(self, operands: tuple[Operand, ...]) -> None:
        waiting = list(operands)
        while waiting:
            operand = waiting.pop()
            self.readers[operand] -= 1
            if not self.readers[operand] and operand in self.makers:
                waiting += self.graph.nodes[self.makers[operand]].operands
