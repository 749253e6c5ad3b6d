"""The middle end: an intermediate representation with analyses and passes, for everything that makes programs.

Syntax trees, programs, Python functions and plans of the search come in as graphs. Programs and their listings
go out.
"""

from anc.compiler.assemble import NoRoom, assemble
from anc.compiler.pipeline import Compilation, compile_source, compile_tree, listing, to_text
