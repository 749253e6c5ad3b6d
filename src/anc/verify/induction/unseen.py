"""Places that no run on a sample came to.

Where a list is longer than in any sample, or has elements that none has, both programs may come to a
pair of lines at which they were never seen. What is believed of other places with the same line of the
generic program says what to look for: what each register of the adapted program that matters is in terms
of those of the generic program. All that is believed elsewhere is believed of the new place, too, until it
does not follow.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np

from anc.verify.flow import Flow
from anc.verify.induction.places import Lines, Place, live_registers
from anc.verify.induction.relations import Linear
from anc.verify.induction.tape import Alike
from anc.verify.induction.words import Truth, Word, Words


class Unseen:
    """What a place would be at which the generic program is at a certain line."""

    def __init__(
        self, line: int, known: Mapping[Lines | None, Place], flows: tuple[Flow, Flow]
    ) -> None:
        self.line, self.known, self.flows = line, known, flows
        self.siblings = [place for key, place in known.items() if key and key[0] == line]
        self.base = flows[0].program.R
        self._said = self._said_everywhere()

    def _said_everywhere(self) -> dict[int, list[Linear]]:
        """Of each register of the adapted program, what every sibling says that it is."""
        found: dict[int, list[set[Linear]]] = {}
        for place in self.siblings:
            for register in place.registers:
                if register >= self.base:
                    found.setdefault(register, []).append(_said(place, register, self.base))
        return {register: list(set.intersection(*sets)) for register, sets in found.items()}

    def wanted(
        self, line: int, registers: Mapping[int, Word], words: Words
    ) -> Sequence[Truth] | None:
        """What must hold where the adapted program is at a line; None if that is no such place."""
        if (self.line, line) in self.known or line >= self.flows[1].exit:
            return None
        needed = live_registers(self.flows, (self.line, line))
        mine = [self._said.get(register) for register in needed if register >= self.base]
        if not mine or not all(mine):
            return None
        truths = [each.truth(words, registers) for said in mine for each in said or ()]
        return None if any(truth is False for truth in truths) else truths

    def place(self, line: int) -> Place:
        """The place where the adapted program is at a line."""
        registers = live_registers(self.flows, (self.line, line))
        ghosts = self.siblings[0].ghosts
        numbers = {*registers, *(n for ghost in ghosts for n in (ghost.number, ghost.pointer))}
        relations = [
            relation
            for place in self.siblings
            for relation in place.relations
            if relation.registers <= numbers
        ]
        passed = [p for place in self.siblings for p in place.passed if p.register in registers]
        alike = [place.alike for place in self.siblings]
        return Place(
            (self.line, line),
            tuple(registers),
            list(dict.fromkeys(relations)),
            Alike(
                np.logical_and.reduce([each.generic_input for each in alike]),
                np.logical_and.reduce([each.adapted_input for each in alike]),
                np.logical_and.reduce([each.both for each in alike]),
            ),
            list(dict.fromkeys(passed)),
            ghosts,
        )


def _said(place: Place, register: int, base: int) -> set[Linear]:
    """What a register is in terms of those of the generic program, or which number."""
    return {
        relation
        for relation in place.relations
        if isinstance(relation, Linear)
        and relation.of == register
        and all(other < base for other in relation.others)
    }
