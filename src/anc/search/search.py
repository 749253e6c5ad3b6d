"""Exact search: the best program that is right on all given cases, by several methods in turn."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
from enum import Enum

from anc.diagnostics import AncError
from anc.machine.batch import CaseArrays, pack_cases
from anc.program import Program
from anc.search.anneal import CHAINS, Annealer, MoveCount
from anc.search.clean import clean, clean_observed
from anc.search.cost import STEPS, Cost, Score, score
from anc.search.enumerate import enumerate_programs, examples_of
from anc.search.guides import NO_GUIDES, Guides
from anc.search.jump_table import jump_tables
from anc.search.specialise import Specialised, constant_cells, specialise
from anc.tasks.cases import Case

DEFAULT_EVALUATIONS = 4_000_000
ROUND = 400_000  # evaluations of one chain in one round
ENUMERATION_SHARE = 0.4  # of the time budget, at most
EVERY_METHOD = ("guide", "clean", "specialise", "observed", "enumerate", "jump table", "anneal")
EXAMPLES_OF_TABLES = 400
MENDING = 150_000  # evaluations for each jump table in a round, and the rounds
MENDING_ROUNDS = 2
ENUMERATION_CHECKS = 60  # without a time budget: so many times two million candidates


class StopReason(Enum):
    """Why a search ended."""

    BUDGET = "budget"
    EVALUATIONS = "evaluations"
    NO_PROGRESS = "no-progress"
    STOPPED = "stopped"
    INTERRUPTED = "interrupted"


@dataclass(frozen=True)
class Found:
    """A program that is right on all cases: what it costs, which method found it, and when."""

    program: Program
    cost: float
    steps: float
    method: str
    seconds: float


@dataclass(frozen=True)
class Progress:
    """Where a search stands: its method now, its best program, and the work done."""

    method: str
    best: Found
    seconds: float
    evaluations: int


@dataclass(frozen=True)
class SearchResult:
    """The best program found, every improvement on the way, and why the search ended.

    `front` (if asked for) is the trade-off between steps and lines: programs such that none has both
    fewer steps and fewer lines. `specialised` is what specialisation alone gives.
    """

    best: Found
    found: tuple[Found, ...]
    stop: StopReason
    seconds: float
    evaluations: int
    moves: tuple[MoveCount, ...]
    specialised: Specialised | None = None
    front: tuple[Found, ...] = ()


OnProgress = Callable[[Progress], None]
AskStop = Callable[[], bool]


def improve(
    program: Program,
    cases: Sequence[Case],
    M: int,
    *,
    seed: int = 0,
    budget: float | None = None,
    evaluations: int | None = None,
    patience: int | None = None,
    guides: Guides = NO_GUIDES,
    cost: Cost = STEPS,
    methods: Sequence[str] = EVERY_METHOD,
    max_steps: int | None = None,
    on_progress: OnProgress | None = None,
    stop: AskStop | None = None,
    threads: int | None = None,
    front: bool = False,
) -> SearchResult:
    """The cheapest program found that is right on all cases; the program itself is right on them.

    The search ends after `budget` seconds or so many `evaluations` of annealing (of which `patience`
    brought nothing), or when `stop` (an Event's `is_set`, say) answers yes; Ctrl-C keeps the best.
    Without a budget the result depends on the seed and the number of evaluations only.
    """
    search = _Search(program, cases, M, budget, evaluations, patience, cost, max_steps)
    search.listen(on_progress, stop)
    try:
        if "guide" in methods:
            search.offer("guide", guides.programs)
        if "clean" in methods:
            search.offer("clean", [clean(program, M)])
        if "specialise" in methods:
            search.specialise(program)
        if "observed" in methods:
            search.offer("observed", search.observed())
        if "enumerate" in methods:
            search.enumerate()
        if "jump table" in methods:
            search.jump_tables(seed, threads)
        if "anneal" in methods:
            search.anneal(seed, guides, threads, front)
    except _Enough as enough:
        search.reason = enough.reason
    except KeyboardInterrupt:
        search.reason = StopReason.INTERRUPTED
    return search.result(front)


class _Enough(Exception):
    def __init__(self, reason: StopReason) -> None:
        self.reason = reason


@dataclass
class _Search:
    """What the methods share: the cases, the best so far, the clock."""

    program: Program
    given: Sequence[Case]
    M: int
    budget: float | None
    evaluations: int | None
    patience: int | None
    cost: Cost
    max_steps: int | None
    begin: float = field(default_factory=time.perf_counter)
    found: list[Found] = field(default_factory=list)
    all_right: dict[Program, Found] = field(default_factory=dict)
    method: str = "generic"
    reason: StopReason = StopReason.EVALUATIONS
    annealer: Annealer | None = None
    specialised: Specialised | None = None

    def __post_init__(self) -> None:
        if not self.given:
            raise AncError("a search needs at least one case")
        if any(case.M != self.M for case in self.given):
            raise AncError(f"a case's tape does not have {self.M} cells")
        if self.budget is None and self.evaluations is None:
            self.evaluations = DEFAULT_EVALUATIONS
        self.program.check_fits(self.M)
        self.cases: CaseArrays = pack_cases(self.given)
        limit = self.max_steps or 100_000
        generic = score(self.program, self.cases, limit, self.cost)
        if not generic.right:
            raise AncError(
                "the program itself is not right on all cases",
                "check the cases' outputs, or raise the limit on steps",
            )
        self.limit = self.max_steps or int(max(50, 4 * generic.steps))
        if not score(self.program, self.cases, self.limit, self.cost).right:
            self.limit = limit
        self.keep(self.program, generic)

    def listen(self, on_progress: OnProgress | None, stop: AskStop | None) -> None:
        self.on_progress, self.ask_stop = on_progress, stop
        self.told = 0.0

    # -- the best so far --------------------------------------------------------

    @property
    def best(self) -> Found:
        return self.found[-1]

    @property
    def seconds(self) -> float:
        return time.perf_counter() - self.begin

    def offer(self, method: str, programs: Iterable[Program]) -> bool:
        """Take a program if it is right and better than the best; say whether one was."""
        self.method = method
        better = False
        for program in programs:
            if program.smallest_memory <= self.M:
                better |= self.keep(program, score(program, self.cases, self.limit, self.cost))
        return better

    def keep(self, program: Program, scored: Score) -> bool:
        if not scored.right:
            return False
        found = Found(program, scored.cost, scored.steps, self.method, self.seconds)
        self.all_right.setdefault(program, found)
        if self.found and _rank(found) >= _rank(self.best):
            return False
        self.found.append(found)
        return True

    def tidied(self, programs: Iterable[Program]) -> list[Program]:
        """Programs with their cleaned forms."""
        result = []
        for program in programs:
            observed = clean_observed(program, self.cases, self.limit)
            result += [program, clean(program, self.M)]
            result += [] if observed is None else [observed]
        return result

    # -- the methods ------------------------------------------------------------

    def specialise(self, program: Program) -> None:
        self.specialised = specialise(program, constant_cells(self.cases), self.M)
        self.offer("specialise", [self.specialised.program])

    def observed(self) -> list[Program]:
        return self.tidied(list(self.all_right))

    def enumerate(self) -> None:
        self.method = "enumerate"
        checks = 0

        def keep_going() -> bool:
            nonlocal checks
            checks += 1
            self.tick()
            if self.budget is None:
                return checks < ENUMERATION_CHECKS
            return self.seconds < ENUMERATION_SHARE * self.budget

        constants = sorted({1, 2, *(v for v in self.program.registers if v is not None)})
        for found in enumerate_programs(self.cases, self.best.steps, keep_going, constants):
            self.offer("enumerate", [found.program])
            self.tick()

    def jump_tables(self, seed: int, threads: int | None) -> None:
        """Jump tables are wrong for a few cases at first; a short annealing mends some of them."""
        examples = examples_of(self.cases, range(min(EXAMPLES_OF_TABLES, len(self.cases))))
        tables = jump_tables(examples, self.cases, self.best.steps)
        if not tables:
            return
        mender = Annealer(
            tables, self.cases, self.limit, seed, cost=self.cost, chains=len(tables),
            round_size=MENDING, threads=threads, only_cool=True,
        )  # fmt: skip
        for _ in range(MENDING_ROUNDS):
            mender.round(self.may_go_on)
            self.tick()
        mended = [program for _, program in mender.by_length()]
        self.offer("jump table", [*tables, *self.tidied(mended)])

    def anneal(self, seed: int, guides: Guides, threads: int | None, front: bool) -> None:
        self.method = "anneal"
        starts = [self.program, *(found.program for found in self.found[:0:-1])]
        round_size, rounds = ROUND, None
        if self.evaluations is not None:
            rounds = max(1, -(-self.evaluations // (CHAINS * ROUND)))
            round_size = max(1, self.evaluations // (CHAINS * rounds))
        weights = (0.0, 1.0, 0.0, 3.0) if front else (0.0,)
        annealer = self.annealer = Annealer(
            starts, self.cases, self.limit, seed, guides, self.cost,
            round_size=round_size, threads=threads, line_weights=weights,
        )  # fmt: skip
        last_progress = 0
        while rounds is None or annealer.rounds_done < rounds:
            finished = annealer.round(self.may_go_on)
            if self.offer("anneal", self.tidied(self.annealed(front))):
                last_progress = annealer.evaluations
            self.tick()
            if not finished:
                return
            if self.patience and annealer.evaluations - last_progress > self.patience:
                raise _Enough(StopReason.NO_PROGRESS)

    def annealed(self, front: bool) -> list[Program]:
        assert self.annealer is not None
        if front:
            return [program for _, program in self.annealer.by_length()]
        best = self.annealer.best()
        return [best[1]] if best is not None else []

    # -- the clock --------------------------------------------------------------

    def tick(self) -> None:
        """Tell of progress; end the search if it is time to."""
        if not self.may_go_on():
            raise _Enough(self.reason)

    def may_go_on(self) -> bool:
        now = self.seconds
        if self.on_progress is not None and now - self.told > 0.1:
            self.told = now
            self.on_progress(Progress(self.method, self.best, now, self.done))
        if self.ask_stop is not None and self.ask_stop():
            self.reason = StopReason.STOPPED
            return False
        if self.budget is not None and now >= self.budget:
            self.reason = StopReason.BUDGET
            return False
        return True

    @property
    def done(self) -> int:
        return 0 if self.annealer is None else self.annealer.evaluations

    def result(self, front: bool) -> SearchResult:
        if self.annealer is not None:
            self.offer("anneal", self.tidied(self.annealed(front)))
        moves = () if self.annealer is None else tuple(self.annealer.counts())
        return SearchResult(
            self.best, tuple(self.found), self.reason, self.seconds, self.done, moves,
            self.specialised, _front(self.all_right.values()) if front else (),
        )  # fmt: skip


def _rank(found: Found) -> tuple[float, int, int]:
    """Cheaper first; among equals fewer lines, then fewer registers."""
    return round(found.cost, 9), found.program.L, found.program.R


def _front(found: Iterable[Found]) -> tuple[Found, ...]:
    """The programs that no other beats in both steps and lines, fewest steps first."""
    kept: list[Found] = []
    for one in sorted(found, key=lambda f: (round(f.steps, 9), f.program.L, f.program.R)):
        if not kept or one.program.L < kept[-1].program.L:
            kept.append(one)
    return tuple(kept)
