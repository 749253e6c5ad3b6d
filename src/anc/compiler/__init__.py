"""The middle end: syntax trees and programs to graphs, graphs to programs, programs to listings."""

from anc.compiler.assemble import NoRoom, assemble
from anc.compiler.pipeline import Compilation, compile_source, compile_tree, listing, to_text
