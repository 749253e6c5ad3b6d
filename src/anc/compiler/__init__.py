"""Syntax tree to Program (`compile_source`) and Program back to a listing (`listing`)."""

from anc.compiler.listing import listing, to_text
from anc.compiler.pipeline import Compilation, compile_source

__all__ = ["Compilation", "compile_source", "listing", "to_text"]
