"""What still holds after a way: what is believed of its end is weakened until it follows."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from anc.verify.induction.passed import Passed
from anc.verify.induction.places import Place
from anc.verify.induction.tape import ADAPTED, GENERIC, INPUT
from anc.verify.induction.ways import Explored, Way
from anc.verify.induction.words import Truth, Word, key_of, negated, number_in
from anc.verify.verdict import Undecided

_SINGLY = 6  # cells in which two tapes may differ that are given up one by one


def weaken(place: Place, found: Explored, way: Way) -> bool:
    """Weaken what is believed of the place that a way leads to; whether that was needed."""
    registers = found.after(way.generic, way.adapted)
    changed = _weaken_relations(place, found, way, registers)
    still_passed = _still_passed(place, found, way, registers)
    changed |= len(still_passed) < len(place.passed)
    place.passed = still_passed
    for name, one, other, _ in place.alike.pairs():
        changed |= _weaken_alike(place, found, way, (name, one, other))
    return changed


def _weaken_alike(place: Place, found: Explored, way: Way, tapes: tuple[str, str, str]) -> bool:
    """The same for two tapes; where many single cells may differ, all between them are given up."""
    name, one, other = tapes
    given_up, times = np.zeros(found.words.M, np.bool_), 0
    while (cells := unlike(found, way, one, other, getattr(place.alike, name))) is not None:
        given_up |= cells
        times += 1
        if times > _SINGLY:
            low, high = np.flatnonzero(given_up)[[0, -1]]
            given_up[low:high] = True
        place.alike = place.alike.without(name, given_up)
    return times > 0


def _weaken_relations(
    place: Place, found: Explored, way: Way, registers: Mapping[int, Word]
) -> bool:
    words, changed = found.words, False
    while True:
        truths = [relation.truth(words, registers) for relation in place.relations]
        wrong = words.any_of([negated(truth) for truth in truths])
        model = None if wrong is False else found.model([*way.adapted.conditions, wrong])
        if model is None:
            return changed
        kept = place.holding(model, registers, words.M)
        if len(kept) == len(place.relations):
            raise Undecided("the solver's state is none that was asked for")
        place.relations, changed = kept, True


def _still_passed(
    place: Place, found: Explored, way: Way, registers: Mapping[int, Word]
) -> list[Passed]:
    answers: dict[tuple[int, Any], bool] = {}
    kept = []
    for each in place.passed:
        pointer = registers[each.register]
        key = id(each.list), key_of(pointer)
        if key not in answers:
            content = found.contents.read(INPUT, found.any_cell)
            stopped: Truth = each.list.stops(found.words, found.any_cell, content, pointer)
            answers[key] = found.model([*way.adapted.conditions, stopped]) is not None
        if not answers[key]:
            kept.append(each)
    return kept


def unlike(
    found: Explored, way: Way, one: str, other: str, wanted: np.ndarray
) -> np.ndarray | None:
    """Some cells of those wanted in which two tapes may differ now; None: there are none."""
    pieces = {GENERIC: way.generic, ADAPTED: way.adapted}
    stores = [a for tape in (one, other) if tape in pieces for a, _ in pieces[tape].stores]
    stored = np.zeros(found.words.M, np.bool_)
    stored[[address for address in stores if isinstance(address, int)]] = True
    alike = found.place.alike
    before = {(a, b): cells for _, a, b, cells in alike.pairs()}[one, other]
    if (one, other) == (GENERIC, ADAPTED):
        before = before | (alike.generic_input & alike.adapted_input)
    apart = wanted & ~before & ~stored
    if apart.any():
        return apart
    for address in {key_of(a): a for a in stores}.values():
        contents = [
            pieces[tape].content(address, found.contents)
            if tape in pieces
            else found.contents.read(INPUT, address)
            for tape in (one, other)
        ]
        differ = negated(found.words.equal(*contents))
        model = found.model([*way.adapted.conditions, found.words.within(address, wanted), differ])
        if model is not None:
            cells = np.zeros(found.words.M, np.bool_)
            cells[number_in(model, address)] = True
            return cells
    return None
