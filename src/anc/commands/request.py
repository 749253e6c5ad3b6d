"""Requests: one frozen dataclass for each command, which validates its arguments and runs them.

Each field declares its type, valid values, option names, help text, dependencies and conflicts. The
command's options (`anc.commands.line`) and the Python function's signature (`anc.commands.function`) are
derived from the fields, and both run the same request.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable
from contextlib import AbstractContextManager, nullcontext
from dataclasses import KW_ONLY, MISSING, dataclass, field, replace
from pathlib import Path
from typing import Any, ClassVar, Generic, Literal, Protocol, TypeVar, dataclass_transform

from anc.commands.kinds import Instructions
from anc.isa import InstructionSet
from anc.support import limits, resources
from anc.support.clock import now
from anc.support.diagnostics import AncError
from anc.support.job import Job

R = TypeVar("R", covariant=True)


class ValueKind(Protocol):
    """The valid values of a field: `check` validates a caller's value and normalises it."""

    def check(self, value: Any, name: str) -> Any: ...


GIVEN = object()  # stands for any value that the caller gave


@dataclass(frozen=True)
class Idle:
    """A field has no effect while another one has this value, so giving both is an error."""

    field: str
    value: object
    because: str
    help: str | None = None


@dataclass(frozen=True)
class Option:
    """The declaration of a request's field."""

    default: Any = None
    help: str | None = None
    kind: ValueKind | None = None
    words: str = ""  # option names, if not --like-the-field
    metavar: str | None = None
    section: str = "General"  # of the help text, for commands with many options
    shown: str | bool | None = None  # overrides whether, or how, the help shows the default
    is_argument: bool = False
    is_needed: bool = False  # required on the command line
    is_required: bool = False  # required by the function
    repeated: bool = False  # an option may be repeated; an argument takes one or more values
    completes: str | None = None  # the shell completer in `anc.commands.completion`
    in_python: bool = True
    in_command: bool = True
    needs: str | None = None  # another field, without which this one has no effect
    excludes: str | None = None
    idle: tuple[Idle, ...] = ()

    def __post_init__(self) -> None:
        if isinstance(self.default, bool) and self.kind is None:
            object.__setattr__(self, "kind", limits.FLAG)

    @property
    def is_number(self) -> bool:
        """Whether it is a number or a flag; these are validated first."""
        return isinstance(self.kind, limits.Whole | limits.Real | limits.ByteSize | limits.Flag)

    def is_default(self, value: object) -> bool:
        """Whether a value equals the default."""
        same = type(value) is type(self.default) and not hasattr(value, "shape")
        return value is self.default or (same and bool(value == self.default))


def option(
    like: Any = None, help: str | None = None, kind: ValueKind | None = None, **more: Any
) -> Any:
    """A field with this default, or a copy of another field with some properties changed."""
    more |= {name: each for name, each in (("help", help), ("kind", kind)) if each is not None}
    return replace(like, **more) if isinstance(like, Option) else Option(like, **more)


def required(
    like: Any = None, help: str | None = None, kind: ValueKind | None = None, **more: Any
) -> Any:
    """A field that is a required parameter of the function."""
    return option(like, help, kind, **more, is_required=True)


def typed(
    like: Any,
    help: str | None = None,
    kind: ValueKind | None = None,
    *,
    init: Literal[False] = False,
    **more: Any,
) -> Any:
    """A field that only the command has."""
    return option(like, help, kind, **more, in_python=init)


JSON = option(False, "Print JSON for other programs.", words="--json", section="Output")


@dataclass_transform(frozen_default=True, field_specifiers=(required, typed))
class Request(Generic[R]):
    """The arguments of one command; `run` executes it.

    A subclass with a name defines the command, and the function, of that name.
    """

    name: ClassVar[str] = ""
    options: ClassVar[dict[str, Option]] = {}
    as_json: bool = typed(JSON)

    def __init_subclass__(cls, name: str = "") -> None:
        cls.name = name or cls.name
        _make_dataclass(cls)

    # the fields that were given on the command line; None for a call from Python
    _typed: ClassVar[frozenset[str] | None] = None

    @classmethod
    def of(cls, given: dict[str, Any], is_typed: bool = False) -> Any:
        """Create the request from the given fields, typed or passed from Python."""
        request = object.__new__(cls)
        for name, spec in cls.options.items():
            object.__setattr__(request, name, given.get(name, spec.default))
        object.__setattr__(request, "_typed", frozenset(given) if is_typed else None)
        request.__post_init__()
        return request

    @classmethod
    def unknown(cls, name: str) -> Exception:
        """The error for an argument that does not exist."""
        return TypeError(f"{cls.name}() got an unexpected keyword argument {name!r}")

    def __post_init__(self) -> None:
        for name, spec in sorted(self.options.items(), key=lambda each: not each[1].is_number):
            value = getattr(self, name)
            may_be_none = value is None and spec.default is None
            if spec.kind is not None and spec.in_python and not (self.is_typed or may_be_none):
                object.__setattr__(self, name, spec.kind.check(value, name))
        for name in filter(self.is_given, self.options):
            self._check_beside(name, self.options[name])
        self.check_together()

    def _check_beside(self, name: str, spec: Option) -> None:
        """Reject a field whose dependency is missing, or that conflicts with another."""
        if spec.needs is not None and getattr(self, spec.needs) is None:
            raise needs(self.word(name), spec.needs, self.is_typed)
        if spec.excludes is not None and self.is_given(spec.excludes):
            raise AncError(
                f"{self.word(name)} and {self.word(spec.excludes)} exclude each other",
                help="give one of them",
            )
        for idle in spec.idle:
            if idle.value is GIVEN and self.is_given(idle.field):
                raise self.refused(name, idle.because.format(self.word(idle.field)), idle.help)
            if idle.value is not GIVEN and getattr(self, idle.field) == idle.value:
                shown = self.shown(idle.field, idle.value)
                raise self.refused(name, idle.because.format(shown), idle.help)

    def check_together(self) -> None:
        """Validate combinations of fields, before anything is loaded."""

    def __eq__(self, other: object) -> bool:
        same = type(other) is type(self)
        return same and all(getattr(self, name) == getattr(other, name) for name in self.options)

    def __repr__(self) -> str:
        shown = (f"{name}={getattr(self, name)!r}" for name in self.options)
        return f"{type(self).__name__}({', '.join(shown)})"

    @property
    def is_typed(self) -> bool:
        """Whether the request comes from the command line."""
        return self._typed is not None

    def is_given(self, name: str) -> bool:
        """Whether the caller gave this field: typed it, or passed a value other than the default."""
        if self._typed is not None:
            return name in self._typed
        return not self.options[name].is_default(getattr(self, name))

    def word(self, name: str) -> str:
        """The caller's name of a field: the option, or the quoted parameter."""
        return word_of(name, self.options[name]) if self.is_typed else f"'{name}'"

    def shown(self, name: str, value: object) -> str:
        """A field with a value, as the caller would write it."""
        return f"{self.word(name)} {value}" if self.is_typed else f"{name}={value!r}"

    def refused(self, name: str, because: str, help: str | None = None) -> AncError:
        """The error for a field that has no effect here."""
        return AncError(f"{self.word(name)} {because}", help)

    def refuse(self, *names: str, because: str, help: str | None = None) -> None:
        """Reject given fields that have no effect here; none is silently ignored."""
        for name in names:
            if self.is_given(name):
                raise self.refused(name, because, help)

    def job(self, **more: Any) -> Job:
        """Create the job, with budget, evaluations and instructions from the fields."""
        given: dict[str, Any] = {"since": now()}
        for name in ("budget", "evaluations", "instructions"):
            if name in self.options:
                given[name] = getattr(self, name)
        return Job(**given | more)

    def begin(self, job: Job) -> Callable[[], R]:
        """Load the inputs and validate them; the returned function does the work."""
        return lambda: self.run(job)

    def run(self, job: Job) -> R:
        """Execute the request."""
        return self.begin(job)()

    def bounds_memory(self) -> AbstractContextManager[None]:
        """A context manager that enforces the memory limit, if the request has one."""
        if "memory_limit" not in self.options:
            return nullcontext()
        return resources.bounded(self.memory_limit)  # type: ignore[attr-defined]


def _make_dataclass(cls: type[Request[Any]]) -> None:
    """Turn the field declarations of a class into those of a frozen dataclass."""
    options: dict[str, Option] = {}
    for base in reversed(cls.__mro__[1:]):
        options |= getattr(base, "options", {})
    for name in inspect.get_annotations(cls):
        found = cls.__dict__.get(name)
        if isinstance(found, Option):
            options[name] = found
            default = MISSING if found.is_required else found.default
            setattr(cls, name, field(default=default, init=found.in_python))
    cls.options = options
    # Request defines equality and representation once: generating them per class is slow
    dataclass(frozen=True, eq=False, repr=False)(cls)


_make_dataclass(Request)

INSTRUCTIONS = option(
    None,
    "Use this instruction set: paper, wide, bits, or a Python file that defines one.",
    Instructions(),
    section="Input",
)


class OfProgram(Request[R]):
    """A request that loads a program, for which an instruction set can be given."""

    _: KW_ONLY
    instructions: InstructionSet | str | Path | None = INSTRUCTIONS


def needs(word: str, other: str, is_typed: bool) -> AncError:
    """The error for a field whose dependency is missing."""
    article = "an" if other[0] in "aeiou" else "a"
    what = f"--{other.replace('_', '-')}" if is_typed else f"'{other}'"
    return AncError(f"{word} needs {article} {what}")


def word_of(name: str, spec: Option) -> str:
    """The long option name of a field."""
    return max(words_of(name, spec), key=len)


def key_of(name: str, spec: Option) -> str:
    """The key of a field on the command line: its option name, or an argument's name."""
    return name.upper() if spec.is_argument else word_of(name, spec)


def words_of(name: str, spec: Option) -> tuple[str, ...]:
    """The option names of a field."""
    return tuple(spec.words.split()) or (f"--{name.replace('_', '-')}",)
