"""The listing language: text to syntax tree (`parse`) and back (`print_tree`)."""

from anc.language.parser import parse
from anc.language.source import Source, read_source
from anc.language.tree import print_tree
