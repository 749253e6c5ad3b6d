"""What is refused, by kind of node: what it is called, and what to write instead.

Together with what the registry lowers, and with `PARTS`, this covers all of Python's grammar.
"""

from __future__ import annotations

# Kinds that are part of something that is looked at as a whole.
PARTS = frozenset(
    {"Module", "Interactive", "Expression", "FunctionType", "TypeIgnore", "FunctionDef", "alias"}
    | {"Load", "Store", "Del", "And", "Or", "Not", "Invert", "UAdd", "USub", "Add", "Sub", "Mult"}
    | {"FloorDiv", "Mod", "Pow", "LShift", "RShift", "BitAnd", "BitOr", "BitXor"}
    | {"Eq", "NotEq", "Lt", "LtE", "Gt", "GtE", "comprehension", "arguments", "arg"}
)
_NUMBERS = "numbers here are whole, from 0 to M-1"
REFUSED: dict[str, tuple[str, str]] = {
    # definitions
    "AsyncFunctionDef": ("an async function", "write a plain def"),
    "ClassDef": ("a class", "use plain numbers and lists"),
    "Lambda": ("a lambda", "write a helper function with def, beside this one"),
    "TypeAlias": ("a type statement inside a function", "put it at the top of the module"),
    "TypeVar": ("a type parameter", "say int, or Annotated[list[int], anc.Size(8)]"),
    "TypeVarTuple": ("a type parameter", "say int, or Annotated[list[int], anc.Size(8)]"),
    "ParamSpec": ("a type parameter", "say int, or Annotated[list[int], anc.Size(8)]"),
    # statements
    "Delete": ("del", "leave the variable as it is"),
    "AsyncFor": ("async for", "write a plain for"),
    "AsyncWith": ("async with", "do it outside of the function"),
    "With": ("with", "do it outside of the function"),
    "Match": ("match", "write if and elif"),
    "Raise": ("raise", "say what must hold with an assert at the beginning"),
    "Try": ("try", "nothing fails here: say what must hold with an assert"),
    "TryStar": ("try", "nothing fails here: say what must hold with an assert"),
    "ExceptHandler": ("except", "nothing fails here: say what must hold with an assert"),
    "Import": ("an import", "import at the top of the module; only its numbers are known here"),
    "ImportFrom": ("an import", "import at the top of the module; only its numbers are known here"),
    "Global": ("global", "take the number as an argument, or return it"),
    "Nonlocal": ("nonlocal", "take the number as an argument, or return it"),
    # expressions
    "NamedExpr": (":=", "assign on a line of its own"),
    "Dict": ("a dictionary", "use a list, or if and elif"),
    "Set": ("a set", "compare with each number: x == 1 or x == 2"),
    "SetComp": ("a set", "put the numbers into sum(), any(), all(), min() or max()"),
    "DictComp": ("a dictionary", "use a list, or if and elif"),
    "Await": ("await", "write a plain function"),
    "Yield": ("yield", "write the numbers to a list that is an argument"),
    "YieldFrom": ("yield from", "write the numbers to a list that is an argument"),
    "FormattedValue": ("a format", _NUMBERS),
    "Interpolation": ("a template", _NUMBERS),
    "JoinedStr": ("an f-string", _NUMBERS),
    "TemplateStr": ("a template string", _NUMBERS),
    "Attribute": ("an attribute", "use plain numbers, lists and functions"),
    "Starred": ("a star", "name the values one by one"),
    "Slice": ("a slice", "go through it with range(): for i in range(1, 4)"),
    # operators
    "Div": ("/ does not give a whole number and", "write //"),
    "MatMult": ("@", "write a loop"),
    "Is": ("is", "write =="),
    "IsNot": ("is not", "write !="),
    "In": ("in as a test", "write any(x == v for v in values)"),
    "NotIn": ("not in", "write all(x != v for v in values)"),
    # parts of the above
    "keyword": ("an argument with a name", "give arguments by position"),
    "withitem": ("with", "do it outside of the function"),
    "match_case": ("case", "write if and elif"),
    "MatchValue": ("a pattern", "write if and elif"),
    "MatchSingleton": ("a pattern", "write if and elif"),
    "MatchSequence": ("a pattern", "write if and elif"),
    "MatchMapping": ("a pattern", "write if and elif"),
    "MatchClass": ("a pattern", "write if and elif"),
    "MatchStar": ("a pattern", "write if and elif"),
    "MatchAs": ("a pattern", "write if and elif"),
    "MatchOr": ("a pattern", "write if and elif"),
}
