"""The listing language, which people write programs in.

`parse` turns a text into a syntax tree or reports all of its mistakes; `print_tree` turns a tree into canonical text.
"""

from anc.language.parser import parse
from anc.language.source import Source, read_source, self_contained
from anc.language.tree import print_tree
