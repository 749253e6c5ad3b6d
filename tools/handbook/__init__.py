"""What the documentation site is made of beside its pages, all of it from the project as it is.

A line ``[[word arguments]]`` of a page is replaced when the site is built:

=========================================  =========================================================
``[[commands]]``                           every command, from the command line itself
``[[api]]``                                everything in ``anc.__all__``, module by module
``[[packages]]``                           what other packages offer in their ``__all__``
``[[results]]``                            the classes that these functions return
``[[source anc.machine.soft.step]]``       the source of a function or class
``[[source anc.x.f from 'a' to 'b']]``     ... from the line that begins with a to the one with b
``[[settings]]``                           every training setting, and the values that come with anc
``[[loop]]``                               the animation of the start page, from two real runs
=========================================  =========================================================
"""

from pathlib import Path

ROOT = Path(__file__).parents[2]
DOCS = ROOT / "docs"
