"""Basic blocks: the statements of a program's graph, and the edges between them."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass, replace

from anc.codegen.expressions import (
    Both,
    Cell,
    Condition,
    Expression,
    Name,
    Number,
    Test,
    is_zero,
    joined,
    names_in,
    negated,
    output,
    settled,
)
from anc.codegen.folding import folded
from anc.codegen.names import identifier, variable_names
from anc.codegen.statements import Assign, Store, values_of
from anc.codegen.targets import Cells, Switches, with_known_targets
from anc.compiler.assemble import graph_of, lines_of
from anc.compiler.dataflow import Liveness, finished_last_first, liveness
from anc.compiler.graph import (
    ANYWHERE,
    END,
    JUMP,
    READ,
    STOP,
    WRITE,
    Constant,
    Graph,
    Node,
    Operand,
    Target,
    Variable,
)
from anc.compiler.passes import drop_dead_results, drop_needless_jumps, thread_jumps
from anc.isa import Effect
from anc.program import Program

EXIT = -3  # the successor of STOP

_LONGEST = 4  # tests per condition


@dataclass
class Block:
    """A basic block: statements and one successor, or two: the first is taken if the condition holds.

    The successor of a computed jump is ANYWHERE; `computed` is the number of the line it jumps to.
    """

    statements: list[Assign | Store]
    ways: tuple[int, ...]
    condition: Condition | None = None
    computed: Expression | None = None

    @property
    def read(self) -> set[str]:
        """The variables that the block reads."""
        values = [value for each in self.statements for value in values_of(each)]
        ends = [self.condition, self.computed]
        return {name for each in (*values, *ends) if each is not None for name in names_in(each)}


@dataclass
class Blocks:
    """The blocks of a program by the number of their first node, and initial values of variables."""

    blocks: dict[int, Block]
    start: int
    M: int
    first_values: dict[str, int]
    lines: int | None  # the number of lines if jumps are computed: then every line is a block
    switches: Switches = ()  # the targets of computed jumps that became chains of tests

    def edges(self) -> dict[int, tuple[int, ...]]:
        """The successors of each block."""
        ways = {number: dict.fromkeys(block.ways) for number, block in self.blocks.items()}
        return {number: tuple(way for way in each if way >= 0) for number, each in ways.items()}


def blocks_of(program: Program, M: int, taken: Iterable[str], cells: Cells) -> Blocks:
    """The blocks of a program; its variables avoid the taken names.

    `cells` are the possible initial values of some cells.
    """
    program.check_fits(M)
    known = graph_of(program, M)
    if isinstance(known, Graph):
        return _built(known, set(taken))
    tested = with_known_targets(program, M, cells)
    if tested is None:
        return _built(lines_of(program, M), set(taken), program.L)
    graph, switches = tested
    return replace(_built(graph, set(taken)), switches=switches)


def _built(graph: Graph, taken: set[str], lines: int | None = None) -> Blocks:
    _tidy(graph, can_move=lines is None)
    return _Builder(graph, lines, taken).blocks()


def _tidy(graph: Graph, can_move: bool) -> None:
    """Remove dead nodes; lines stay in place if jumps are computed."""
    nodes: dict[int, Node] | None = None
    while nodes != graph.nodes:
        nodes = dict(graph.nodes)
        for number, node in nodes.items():
            if node.op == JUMP and isinstance(node.operands[1], Constant):
                line = node.operands[1].value
                to = Target(line if line in nodes else END)
                graph.nodes[number] = replace(node, operands=(node.operands[0], to))
        if can_move:
            thread_jumps(graph)
            drop_needless_jumps(graph, finished_last_first(graph.edges(), graph.start))
        drop_dead_results(graph)


def _drop_unread(blocks: dict[int, Block]) -> None:
    """Remove assignments to variables that are never read, as terms of sums may have cancelled."""
    while True:
        read = {name for block in blocks.values() for name in block.read}
        unread = False
        for block in blocks.values():
            kept = [s for s in block.statements if isinstance(s, Store) or s.name in read]
            unread |= len(kept) < len(block.statements)
            block.statements = kept
        if not unread:
            return


class _Builder:
    def __init__(self, graph: Graph, lines: int | None, taken: set[str]) -> None:
        assert graph.M is not None
        self.graph, self.lines, self.M = graph, lines, graph.M
        self.alive: Liveness = liveness(graph)
        written = {node.out for node in graph.nodes.values()}
        changing = [v for v in graph.variables() if v in written]
        self.names = variable_names(changing, taken)
        self.taken = {*taken, *self.names.values()}

    def blocks(self) -> Blocks:
        firsts = self.firsts()
        found = {number: self.block(number, firsts) for number in sorted(firsts)}
        _drop_unread(found)
        wanted = self.alive.variables(self.alive.before[self.graph.start])
        first_values = {self.names[v]: v.value or 0 for v in wanted if v in self.names}
        return Blocks(found, self.graph.start, self.M, first_values, self.lines)

    def firsts(self) -> set[int]:
        """The first nodes of all blocks."""
        edges = self.graph.edges()
        if ANYWHERE in edges:
            return set(self.graph.nodes)
        entered: dict[int, int] = {}
        found = {self.graph.start}
        for number, followers in edges.items():
            for follower in followers:
                entered[follower] = entered.get(follower, 0) + 1
                if self.graph.nodes[number].op == JUMP or entered[follower] > 1:
                    found.add(follower)
        return found - {END}

    def block(self, number: int, firsts: set[int]) -> Block:
        statements: list[Assign | Store] = []
        while True:
            node = self.graph.nodes[number]
            if node.op == JUMP:
                return self.jump(number, statements)
            statements += self.statements(node)
            if node.op == STOP or node.after in firsts or node.after == END:
                break
            number = node.after
        statements, _ = folded(statements, (), self.kept(number), self.M)
        return Block(statements, (EXIT if node.op == STOP else node.after,))

    def jump(self, number: int, statements: list[Assign | Store]) -> Block:
        """The block that ends with a conditional or computed jump."""
        node = self.graph.nodes[number]
        condition, target = node.operands
        tested, to = self.operand(condition), self.target(target)
        if node.out is not None:  # a jump outputs 0 after it has read its operands
            tested = self.saved(tested, node.out, statements)
            if not isinstance(to, int):
                to = self.saved(to, node.out, statements)
            statements.append(Assign(self.names[node.out], Number(0)))
        ways = to if isinstance(to, int) else ANYWHERE, node.after
        if isinstance(tested, Number):
            ways = (ways[tested.value != 0],) * 2
        computed = None if isinstance(to, int) or ANYWHERE not in ways else to
        finals = (tested, Number(0) if computed is None else computed)
        statements, (tested, to) = folded(statements, finals, self.kept(number), self.M)
        computed = None if computed is None else to
        if ways[0] == ways[1]:
            return Block(statements, ways[:1], computed=computed)
        test = is_zero(tested, self.M)
        known = settled(test, self.M) if isinstance(test, Test) else None
        if known is not None and computed is None:
            return Block(statements, (ways[not known],))
        return Block(statements, ways, test, computed)

    def target(self, operand: Operand) -> int | Expression:
        """The target of a jump: a node, or the expression of a line's number."""
        if isinstance(operand, Target):
            return operand.node
        to = self.operand(operand)
        if isinstance(to, Number):
            return to.value if to.value in self.graph.nodes else END
        return to

    def saved(
        self, operand: Expression, out: Variable, statements: list[Assign | Store]
    ) -> Expression:
        """An operand, copied if it is the variable that is about to change."""
        if operand != Name(self.names[out]):
            return operand
        name = identifier("before", self.taken)
        statements.append(Assign(name, operand))
        return Name(name)

    def kept(self, number: int) -> set[str]:
        """The variables that are live after a node."""
        wanted = self.alive.variables(self.alive.after[number])
        return {self.names[variable] for variable in wanted if variable in self.names}

    def statements(self, node: Node) -> list[Assign | Store]:
        """The statements of a node other than a jump."""
        operands = tuple(map(self.operand, node.operands))
        found: list[Assign | Store] = []
        if node.op == WRITE:
            found.append(Store(*operands))
        if node.out is None:
            return found
        value: Expression = Number(0)
        if node.op == READ:
            value = Cell(operands[0])
        elif node.op is not None and self.graph.row(node).effect is Effect.NONE:
            value = output(self.graph.row(node), operands, self.M)
        return [*found, Assign(self.names[node.out], value)]

    def operand(self, operand: Operand) -> Expression:
        if isinstance(operand, Variable) and operand in self.names:
            return Name(self.names[operand])
        assert isinstance(operand, Variable | Constant)
        return Number(operand.value or 0)


def join_conditions(blocks: Blocks) -> None:
    """Join the test of a block with that of a successor that only it leads to and that only tests."""
    changed = blocks.lines is None  # otherwise every block may be entered from anywhere
    while changed:
        entered = Counter(way for block in blocks.blocks.values() for way in block.ways)
        entered[blocks.start] += 1
        changed = False
        for number, block in list(blocks.blocks.items()):
            for way in block.ways if block.condition is not None else ():
                new = _joined(block, way, blocks.blocks) if entered[way] == 1 else None
                if new is not None and number in blocks.blocks and way != number:
                    blocks.blocks[number] = new
                    del blocks.blocks[way]
                    changed = True
                    break
            if changed:
                break


def _joined(block: Block, way: int, blocks: dict[int, Block]) -> Block | None:
    """The block with the test of its successor joined by `and` or `or`, if both share a successor."""
    if way not in blocks:
        return None
    following = blocks[way]
    if following.statements or following.condition is None or block.condition is None:
        return None
    if _tests(block.condition) + _tests(following.condition) > _LONGEST:
        return None
    for other in (following, _turned(following)):
        assert other.condition is not None
        if way == block.ways[1] and other.ways[0] == block.ways[0]:
            both = joined("or", block.condition, other.condition)
            return Block(block.statements, (block.ways[0], other.ways[1]), both)
        if way == block.ways[0] and other.ways[1] == block.ways[1]:
            both = joined("and", block.condition, other.condition)
            return Block(block.statements, (other.ways[0], block.ways[1]), both)
    return None


def _turned(block: Block) -> Block:
    assert block.condition is not None
    return Block(block.statements, block.ways[::-1], negated(block.condition))


def _tests(condition: Condition) -> int:
    return sum(map(_tests, condition.parts)) if isinstance(condition, Both) else 1
