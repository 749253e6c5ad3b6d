"""Which registers and cells are worth telling states apart by.

Following everything that is known gives the fewest steps and the most lines. Where lines run out, a
counter that the program goes on counting itself may pay: its values no longer make states of their
own.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable

from anc.clock import look
from anc.compiler.graph import END, JUMP
from anc.search.knowledge import Untold
from anc.search.tree import State, Tree

ROUNDS = 5
BRANCHES = 3  # tried in each round
BEST = 2
SWEEPS = 4  # loops need more than one


def choices(grow: Callable[[Untold], Tree], room: int, tests_all: bool) -> list[Untold]:
    """What not to follow: the best of nothing and of more and more, by an estimate of the steps.

    `grow` makes the tree that does not follow some registers and cells, `room` is for its lines;
    `tests_all` says whether tests stay that all runs go through in the same way.
    """
    tree = grow(Untold())
    found = {Untold(): estimate(tree, room, tests_all)}
    for _ in range(ROUNDS):
        others = [(estimate(other, room, tests_all), other) for other in map(grow, _less(tree))]
        if not others:
            break
        steps, tree = min(others, key=lambda each: each[0])
        found[tree.reasoning.untold] = steps
    return sorted(found, key=found.__getitem__)[:BEST]


def _less(tree: Tree) -> list[Untold]:
    """What could be left untold next: what makes the most states that differ in nothing else."""
    keys = [state.known.key for state in tree.states if state.weight]
    untold = tree.reasoning.untold
    left: dict[Untold, int] = {}
    program = tree.reasoning.program
    targets = {line.second for line in program.lines if line.op == JUMP}  # they must be known
    for register in set(range(program.R)) - targets:
        more = Untold(untold.registers | {register}, untold.cells)
        others = {(k[0], k[1][:register], k[1][register + 1 :], *k[2:4]) for k in keys}
        left[more] = len(others)
    cells = {cell for key in keys for cell, _ in key[2]}
    left[Untold(untold.registers, untold.cells | cells)] = len({key[:2] for key in keys})
    return [more for more in sorted(left, key=left.__getitem__) if left[more] < len(keys)][
        :BRANCHES
    ]


def estimate(tree: Tree, room: int, tests_all: bool) -> float:
    """About how many steps all runs take if as many states are used as fit into so many lines."""
    commands: dict[int, bool] = {}
    before: dict[int, list[tuple[int, float]]] = defaultdict(list)
    for number in tree.by_use():
        state = tree.states[number]
        assert state.step is not None
        is_sure = state.only_way is not None and not tests_all
        has_command = state.step.node is not None and not is_sure
        room -= has_command
        if state.is_test and tests_all:
            room -= sum(_loads(tree, tree.states[way]) for way, passes in state.edges if not passes)
        if room < 0:
            break
        commands[number] = has_command
        for way, passes in state.edges:
            before[way].append((number, passes))
    reached = dict.fromkeys(commands, 1.0)  # the share of runs that have not left before
    for _ in range(SWEEPS):
        for number in list(commands)[1:]:
            look()
            arrived = sum(reached[n] * passes for n, passes in before[number])
            reached[number] = min(1.0, arrived / tree.states[number].weight)
    steps = sum(reached[n] * tree.states[n].weight for n, counts in commands.items() if counts)
    for number, ways in before.items():
        arriving = [reached[n] * passes for n, passes in ways if passes]
        if number in commands:
            falling = [reached[n] * w for n, w in ways if tree.states[n].after == number]
            steps += sum(falling) - max(falling, default=0.0)  # all but one jump there
        elif number != END and arriving:
            steps += tree.states[number].left * sum(arriving) / tree.states[number].weight
    return steps


def _loads(tree: Tree, state: State) -> int:
    """The lines that leaving at a state may take: known variables are loaded, then a jump."""
    values = zip(state.known.values, tree.reasoning.is_fixed, strict=True)
    return 1 + sum(value >= 0 and not fixed for value, fixed in values)
