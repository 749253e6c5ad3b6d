"""Reasoning shortcuts: renamings of input values that the observed results cannot tell from the right values.

A network that learns from results alone may settle on any of them. They are found before training,
from the program alone.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from itertools import combinations
from typing import Any

import numpy as np

from anc.layers.hitting import smallest_hitting
from anc.layers.likelihood import MISSING
from anc.layers.pairs import Pairs, of_observed, of_results
from anc.layers.places import Place
from anc.layers.renamings import Renamings, TooManyChoices
from anc.layers.shortcut_result import Group, Renaming, Shortcuts
from anc.layers.spec import Spec
from anc.machine import exact
from anc.support.diagnostics import AncError

PATIENCE = 5_000  # checks of a count
SHOWN = 3  # renamings


def shortcuts(
    spec: Spec, groups: Sequence[Sequence[Place]], sizes: Sequence[int], observed: np.ndarray | None
) -> Shortcuts:
    """The shortcuts of groups of inputs, with `sizes` values each; observed results (results, outputs) or all."""
    return _Study(spec, groups, sizes, observed).found()


class _Study:
    def __init__(
        self,
        spec: Spec,
        groups: Sequence[Sequence[Place]],
        sizes: Sequence[int],
        observed: np.ndarray | None,
    ) -> None:
        self.spec, self.names = spec, [tuple(p.name for p in places) for places in groups]
        self.sizes, self.observed = sizes, observed
        group_of = {c: g for g, places in enumerate(groups) for p in places for c in p.cells}
        self.group_of = np.array([group_of[cell] for cell in spec.inputs])
        self.values = tuple(int(sizes[int(g)]) for g in range(len(groups)))
        self.input_sizes = tuple(self.values[g] for g in self.group_of)
        self.every = of_results(spec, self.input_sizes, self.group_of)
        self.kinds = [_kinds(self.every, g, K) for g, K in enumerate(self.values)]
        self.alike = [list(range(len(kinds))) for kinds in self.kinds]
        self._find_alike()
        self.seen = self.every if observed is None else self._pairs(observed)

    def found(self) -> Shortcuts:
        every = self._counted(self.every)
        seen = every if self.observed is None else self._counted(self.seen)
        can_be = self._can_be()
        groups = tuple(
            Group(names, K, tuple(kinds), can)
            for names, K, kinds, can in zip(
                self.names, self.values, self.kinds, can_be, strict=True
            )
        )
        removed_by, is_smallest = self._removed_by()
        named = list(self._named())
        return Shortcuts(
            groups,
            self.observed is None,
            seen[0],
            seen[1],
            every[:2],
            every[2] and seen[2],
            tuple(self._reasons(groups, named)),
            tuple(self._examples(named))[:SHOWN],
            removed_by,
            is_smallest,
        )

    def _renamings(self, pairs: Sequence[Pairs]) -> Renamings:
        return Renamings(pairs, self.kinds, self.alike, len(self.group_of), PATIENCE)

    def _pairs(self, observed: np.ndarray) -> list[Pairs]:
        return of_observed(self.spec, self.input_sizes, self.group_of, observed)

    def _broken(self, pairs: Sequence[Pairs], renamings: Sequence[Renaming]) -> list[bool]:
        arrays = np.stack([self._array(one) for one in renamings])
        return self._renamings(pairs).broken(arrays).tolist()

    def _array(self, renaming: Renaming) -> np.ndarray:
        K = max(self.values)
        found = np.zeros((len(renaming), K, K), bool)
        for group, row in enumerate(renaming):
            found[group, np.arange(len(row)), row] = True
        return found

    # -- counting --------------------------------------------------------------------

    def _counted(self, pairs: Sequence[Pairs]) -> tuple[int, int, bool]:
        """Maps and permutations other than the right one, and whether these are all."""
        try:
            maps, permutations = (
                self._renamings(pairs).count(one_to_one) - 1 for one_to_one in (False, True)
            )
            return maps, permutations, True
        except TooManyChoices:
            return self._some(pairs)

    def _some(self, pairs: Sequence[Pairs]) -> tuple[int, int, bool]:
        """Those that are found before the search is given up."""
        made = self._renamings(pairs)
        maps = permutations = 0
        try:
            for box in made.boxes(made.all):
                maps, permutations = (
                    maps + made.size(box, False),
                    permutations + made.size(box, True),
                )
        except TooManyChoices:
            pass
        return max(maps - 1, 0), max(permutations - 1, 0), False

    def _find_alike(self) -> None:
        """Find classes that may be exchanged for one another in all results."""
        for g, kinds in enumerate(self.kinds):
            pairs = [
                (c, d)
                for c, d in combinations(range(len(kinds)), 2)
                if len(kinds[c]) == len(kinds[d])
            ]
            swaps = [self._exchange(g, kinds[c], kinds[d]) for c, d in pairs]
            is_broken = self._broken(self.every, swaps) if swaps else []
            first = self.alike[g]
            for (c, d), is_bad in zip(pairs, is_broken, strict=True):
                if not is_bad:
                    first[d] = min(first[d], first[c])

    def _can_be(self) -> list[tuple[tuple[int, ...], ...]]:
        """For each group and value, what a renaming that agrees with the results may read it as."""
        made = self._renamings(self.seen)
        narrowed = made.narrowed(made.all)
        assert narrowed is not None  # the right renaming is always left
        possible = [set[int]() for _ in made.values]
        try:
            for number, each in enumerate(narrowed[0]):
                for c in each:
                    if c in possible[number]:
                        continue
                    choices = (*narrowed[0][:number], (c,), *narrowed[0][number + 1 :])
                    for box in made.boxes(choices):
                        for i, more in enumerate(box):
                            alike = self.alike[made.values[i][0]]
                            kinds = {alike[c] for c in more}
                            possible[i].update(c for c, kind in enumerate(alike) if kind in kinds)
                        break
        except TooManyChoices:
            possible = [set(each) for each in narrowed[0]]
        found: list[dict[int, tuple[int, ...]]] = [{} for _ in self.values]
        for (g, v), kinds in zip(made.values, possible, strict=True):
            found[g][v] = tuple(sorted(w for c in kinds for w in self.kinds[g][c]))
        return [tuple(row[v] for v in range(len(row))) for row in found]

    # -- results that remove shortcuts -------------------------------------------------

    def _removed_by(self) -> tuple[tuple[Any, ...] | None, bool]:
        """More results to observe, so that only shortcuts are left that agree with every result."""
        outputs = len(self.spec.outputs)
        before = np.zeros((0, outputs), int) if self.observed is None else self.observed
        everywhere = self._renamings(self.every)

        def is_avoidable(renaming: np.ndarray) -> bool:
            return bool(everywhere.broken(renaming[None])[0])

        changed: list[set[Any]] = []  # results of which one must be observed
        wanted: tuple[Any, ...] = ()
        if outputs == 1:
            seen = set(before[:, 0].tolist())
            sets = self.every[0].changed(
                np.stack([self._array(one) for _, _, one in self._simple()])
            )
            changed = [each for each in sets if each and each.isdisjoint(seen)]
            wanted = smallest_hitting(changed)
        try:
            while True:
                more = np.array(wanted, int).reshape(-1, outputs)
                made = self._renamings(self._pairs(np.concatenate([before, more])))
                one = made.found(is_avoidable)
                if one is None:
                    return wanted, outputs == 1
                if outputs == 1:
                    changed += self.every[0].changed(one[None])
                    wanted = smallest_hitting(changed)
                else:
                    wanted = (*wanted, self._changed_result(one))
        except TooManyChoices:
            return None, False

    def _changed_result(self, renaming: np.ndarray) -> tuple[int, ...]:
        """A result that a renaming changes: inputs are decided one after another."""
        inputs = np.arange(len(self.group_of))
        found = renaming[self.group_of].copy()
        for pairs in self.every:
            each = replace(pairs, groups=inputs)
            if not each.broken(found[None])[0]:
                continue
            tape = list(self.spec.fixed)
            for input, cell in enumerate(self.spec.inputs):
                values = np.flatnonzero(found[input].any(-1))
                tried = np.repeat(found[None], len(values), 0)
                tried[:, input] &= (values[:, None] == np.arange(found.shape[-1]))[..., None]
                place = int(np.argmax(each.broken(tried)))
                found, tape[cell] = tried[place], int(values[place])
            run = exact.run(self.spec.program, tape, self.spec.max_steps)
            return tuple(run.tape[cell] for cell in self.spec.outputs)
        raise AssertionError("the renaming changes no result")

    # -- words ---------------------------------------------------------------------------

    def _exchange(self, group: int, some: Sequence[int], others: Sequence[int]) -> Renaming:
        rows = [list(range(K)) for K in self.values]
        for v, w in zip(some, others, strict=True):
            rows[group][v], rows[group][w] = w, v
        return tuple(map(tuple, rows))

    def _replaced(self, group: int, row: Sequence[int]) -> Renaming:
        rows = [tuple(range(K)) for K in self.values]
        rows[group] = tuple(row)
        return tuple(rows)

    def _named(self) -> Iterator[tuple[str, int, Renaming]]:
        """The simple renamings that agree with the results."""
        tried = self._simple()
        is_broken = self._broken(self.seen, [one for _, _, one in tried])
        yield from (each for each, bad in zip(tried, is_broken, strict=True) if not bad)

    def _simple(self) -> list[tuple[str, int, Renaming]]:
        """Simple renamings: their kind, their group and themselves."""
        tried: list[tuple[str, int, Renaming]] = []
        for g, K in enumerate(self.values):
            every = range(K)
            rows = [("reversal", [*reversed(every)])]
            rows += [(f"shift by {by}", [(v + by) % K for v in every]) for by in every[1:]]
            rows += [(f"constant {w}", [w] * K) for w in every]
            rows += [
                ("change", [w if u == v else u for u in every])
                for v in every
                for w in every
                if v != w
            ]
            swaps = (self._exchange(g, [v], [w]) for v, w in combinations(every, 2))
            tried += [("exchange", g, one) for one in swaps]
            tried += [(kind, g, self._replaced(g, row)) for kind, row in rows]
        return tried

    def _reasons(
        self, groups: Sequence[Group], named: Sequence[tuple[str, int, Renaming]]
    ) -> Iterator[str]:
        for g, group in enumerate(groups):
            names, K = ", ".join(group.names), group.values
            if group.through is not None:
                yield f"{names}: {group.through}"
            kinds = [kind for kind, where, _ in named if where == g]
            is_whole = len(group.kinds) == K > 2
            if kinds.count("exchange") == K * (K - 1) // 2 and is_whole:
                yield f"{names}: only whether values are equal matters, so any may be exchanged"
            elif "reversal" in kinds and is_whole:
                yield f"{names}: the order of the values can be reversed"
            shifts = [int(kind.split()[-1]) for kind in kinds if kind.startswith("shift")]
            if shifts and is_whole and "exchange" not in kinds:
                yield f"{names}: all values can be shifted by {min(shifts)}, modulo {K}"
            constants = [kind.split()[-1] for kind in kinds if kind.startswith("constant")]
            if constants and len(group.kinds) > 1:
                values = "any value" if len(constants) == K else " or ".join(constants)
                yield f"{names}: reading {values} everywhere is never contradicted"
            own = {v: set(kind) for kind in group.kinds for v in kind}
            free = [v for v in range(K) if not set(group.can_be[v]) <= own[v]]
            if free and len(free) < K:
                yield f"{names}: the results do not determine {', '.join(map(str, free))}"

    def _examples(self, named: Sequence[tuple[str, int, Renaming]]) -> Iterator[Renaming]:
        """Simple renamings first, of different kinds; else any that is found."""
        seen: set[str] = set()
        for kind, _, one in sorted(named, key=lambda each: each[0] == "change"):
            kind = kind.split()[0]
            if kind not in seen:
                seen.add(kind)
                yield one
        if named:
            return
        made = self._renamings(self.seen)
        own = made.renaming(made.own)
        try:
            found = made.found(lambda array: bool((array & ~own).any()))
        except TooManyChoices:
            found = None
        if found is not None:
            yield tuple(tuple(found[g].argmax(-1)[:K].tolist()) for g, K in enumerate(self.values))


def _kinds(every: Sequence[Pairs], group: int, K: int) -> list[tuple[int, ...]]:
    """The values of a group in classes that no result distinguishes."""
    columns = [np.zeros((1, K), int)]
    for pairs in every:
        for level in pairs.levels:
            if pairs.groups[level.input] == group:
                columns.append(level.targets[: level.reading * K].reshape(-1, K))
    _, kinds = np.unique(np.concatenate(columns), axis=1, return_inverse=True)
    found: dict[int, list[int]] = {}
    for value, kind in enumerate(kinds.reshape(-1).tolist()):
        found.setdefault(kind, []).append(value)
    return sorted(map(tuple, found.values()))


def unique_results(observed: np.ndarray) -> np.ndarray:
    """The different results (results, outputs) of observed outputs (outputs, ...)."""
    rows = observed.reshape(len(observed), -1).T
    return np.unique(rows[(rows != MISSING).any(1)], axis=0)


def check_groups(
    places: Sequence[Place], values: Sequence[int | None], named: Sequence[Sequence[Any]] | None
) -> tuple[list[list[Place]], list[int]]:
    """The groups of inputs, by default those of as many values, and how many values each has."""
    sizes: dict[str, int] = {}
    for place, K in zip(places, values, strict=True):
        if K is None:
            raise AncError(
                f"how many values has {place.name}?", help="make the layer with values=10"
            )
        sizes[place.name] = K
    left = {place.name: place for place in places}
    groups: list[list[Place]] = []
    for names in named or ():
        known = [f"'{name}'" if isinstance(name, str) else f"cell {name}" for name in names]
        for name in known:
            if name not in left:
                raise AncError(f"there is no input {name}, or another group has it")
        groups.append([left.pop(name) for name in known])
        if len({sizes[name] for name in known}) > 1:
            raise AncError(
                f"{', '.join(known)} cannot share a network: they have different numbers of values"
            )
    for place in left.values():
        alike = (each for each in groups if sizes[each[0].name] == sizes[place.name])
        found = None if named else next(alike, None)
        groups.append([place]) if found is None else found.append(place)
    return groups, [sizes[each[0].name] for each in groups]
