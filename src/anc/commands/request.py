"""Requests: what is asked for, as one frozen dataclass for each command.

A field carries its type, what values it may have, its words on the command line, its help and what it
needs or excludes. The options of the command (`anc.commands.line`) and the Python function
(`anc.commands.function`) are derived from the fields, and both run the request in the same way.
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


class Kind(Protocol):
    """What values a field may have: a caller's value is checked, and made what the request holds."""

    def check(self, value: Any, name: str) -> Any: ...


@dataclass(frozen=True)
class Idle:
    """A field says nothing while another one has this value, and must not be given then."""

    field: str
    value: object
    because: str
    help: str | None = None


@dataclass(frozen=True)
class Option:
    """What a field of a request says about itself."""

    default: Any = None
    help: str | None = None
    kind: Kind | None = None
    words: str = ""  # on the command line, if they are not --like-the-field
    metavar: str | None = None
    section: str = "General"  # of the help, where a command has many options
    shown: str | bool | None = None  # the default in the help, if that is not for it to say
    is_argument: bool = False
    is_needed: bool = False  # the command needs the option
    is_required: bool = False  # the function needs the argument
    repeated: bool = False  # as an option; as an argument: one or several
    completes: str | None = None  # what a shell offers: see `anc.commands.completion`
    in_python: bool = True
    in_command: bool = True
    needs: str | None = None  # another field, without which this one says nothing
    excludes: str | None = None
    idle: tuple[Idle, ...] = ()

    def __post_init__(self) -> None:
        if isinstance(self.default, bool) and self.kind is None:
            object.__setattr__(self, "kind", limits.FLAG)

    @property
    def is_number(self) -> bool:
        """Whether it is a number or a flag: these are checked first."""
        return isinstance(self.kind, limits.Whole | limits.Real | limits.Size | limits.Flag)

    def is_default(self, value: object) -> bool:
        """Whether a value is what it would be had nobody given it."""
        same = type(value) is type(self.default) and not hasattr(value, "shape")
        return value is self.default or (same and bool(value == self.default))


def option(like: Any = None, help: str | None = None, kind: Kind | None = None, **more: Any) -> Any:
    """A field with this default, or like another one in all that is not said."""
    more |= {name: each for name, each in (("help", help), ("kind", kind)) if each is not None}
    return replace(like, **more) if isinstance(like, Option) else Option(like, **more)


def required(
    like: Any = None, help: str | None = None, kind: Kind | None = None, **more: Any
) -> Any:
    """A field that a caller of the function must give."""
    return option(like, help, kind, **more, is_required=True)


def typed(
    like: Any,
    help: str | None = None,
    kind: Kind | None = None,
    *,
    init: Literal[False] = False,
    **more: Any,
) -> Any:
    """A field of the command alone."""
    return option(like, help, kind, **more, in_python=init)


JSON = option(False, "Print JSON for other programs.", words="--json", section="Output")


@dataclass_transform(frozen_default=True, field_specifiers=(required, typed))
class Request(Generic[R]):
    """What is asked for; `run` does it.

    A subclass with a name is the request of the command, and of the function, of this name.
    """

    name: ClassVar[str] = ""
    options: ClassVar[dict[str, Option]] = {}
    as_json: bool = typed(JSON)

    def __init_subclass__(cls, name: str = "") -> None:
        cls.name = name or cls.name
        _make_dataclass(cls)

    # None from Python; else the fields that were given on the command line
    _typed: ClassVar[frozenset[str] | None] = None

    @classmethod
    def of(cls, given: dict[str, Any], is_typed: bool = False) -> Any:
        """The request with these fields given, on the command line or from Python."""
        request = object.__new__(cls)
        for name, spec in cls.options.items():
            object.__setattr__(request, name, given.get(name, spec.default))
        object.__setattr__(request, "_typed", frozenset(given) if is_typed else None)
        request.__post_init__()
        return request

    @classmethod
    def unknown(cls, name: str) -> Exception:
        """What says that a caller passed something that is no field."""
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
        """Refuse a field beside others that it does not go with."""
        if spec.needs is not None and getattr(self, spec.needs) is None:
            raise needs(self.word(name), spec.needs, self.is_typed)
        if spec.excludes is not None and self.is_given(spec.excludes):
            raise AncError(
                f"{self.word(name)} and {self.word(spec.excludes)} exclude each other",
                help="give one of them",
            )
        for idle in spec.idle:
            if getattr(self, idle.field) == idle.value:
                shown = self.shown(idle.field, idle.value)
                raise self.refused(name, idle.because.format(shown), idle.help)

    def check_together(self) -> None:
        """Refuse, before anything is loaded, what no single field can know."""

    def __eq__(self, other: object) -> bool:
        same = type(other) is type(self)
        return same and all(getattr(self, name) == getattr(other, name) for name in self.options)

    def __repr__(self) -> str:
        shown = (f"{name}={getattr(self, name)!r}" for name in self.options)
        return f"{type(self).__name__}({', '.join(shown)})"

    @property
    def is_typed(self) -> bool:
        """Whether it comes from the command line."""
        return self._typed is not None

    def is_given(self, name: str) -> bool:
        """Whether somebody gave this field: typed it, or passed something else than its default."""
        if self._typed is not None:
            return name in self._typed
        return not self.options[name].is_default(getattr(self, name))

    def given_besides(self, *names: str) -> list[str]:
        """What else was typed."""
        others = {*(self._typed or ())} - {*names}
        return [self.word(name) for name in self.options if name in others]

    def word(self, name: str) -> str:
        """A field as who asked calls it."""
        return word_of(name, self.options[name]) if self.is_typed else f"'{name}'"

    def shown(self, name: str, value: object) -> str:
        """A field with a value, as who asked writes it."""
        return f"{self.word(name)} {value}" if self.is_typed else f"{name}={value!r}"

    def refused(self, name: str, because: str, help: str | None = None) -> AncError:
        """What says that a field cannot be meant."""
        return AncError(f"{self.word(name)} {because}", help)

    def refuse(self, *names: str, because: str, help: str | None = None) -> None:
        """Refuse fields that were given and say nothing here: none is ignored."""
        for name in names:
            if self.is_given(name):
                raise self.refused(name, because, help)

    def job(self, **more: Any) -> Job:
        """What goes with its work: the budget from its fields, and what else is told."""
        given: dict[str, Any] = {"since": now()}
        for name in ("budget", "evaluations", "instructions"):
            if name in self.options:
                given[name] = getattr(self, name)
        return Job(**given | more)

    def begin(self, job: Job) -> Callable[[], R]:
        """Load what it is about and refuse what can be refused; what comes back does the work."""
        return lambda: self.run(job)

    def run(self, job: Job) -> R:
        """Do what is asked for."""
        return self.begin(job)()

    def bounds_memory(self) -> AbstractContextManager[None]:
        """A context in which memory is bounded, as it says."""
        if "memory_limit" not in self.options:
            return nullcontext()
        return resources.bounded(self.memory_limit)  # type: ignore[attr-defined]


def _make_dataclass(cls: type[Request[Any]]) -> None:
    """Turn what the fields say about themselves into fields of a frozen dataclass."""
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
    # equality and representation are Request's: to make them for each class takes time
    dataclass(frozen=True, eq=False, repr=False)(cls)


_make_dataclass(Request)

INSTRUCTIONS = option(
    None,
    "A Python file that defines other instructions than the paper's.",
    Instructions(),
    metavar="FILE",
    section="Input",
)


class OfProgram(Request[R]):
    """A request that loads a program, or something that has instructions."""

    _: KW_ONLY
    instructions: InstructionSet | str | Path | None = INSTRUCTIONS


def needs(word: str, other: str, is_typed: bool) -> AncError:
    """What says that a field needs another one."""
    article = "an" if other[0] in "aeiou" else "a"
    what = f"--{other.replace('_', '-')}" if is_typed else f"'{other}'"
    return AncError(f"{word} needs {article} {what}")


def word_of(name: str, spec: Option) -> str:
    """The longest of a field's words on the command line."""
    return max(words_of(name, spec), key=len)


def key_of(name: str, spec: Option) -> str:
    """What stands for a field on the command line: its word, or an argument's name."""
    return name.upper() if spec.is_argument else word_of(name, spec)


def words_of(name: str, spec: Option) -> tuple[str, ...]:
    """The words of a field on the command line."""
    return tuple(spec.words.split()) or (f"--{name.replace('_', '-')}",)
