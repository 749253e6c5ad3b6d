"""Formulas as MathML, made when the site is built: browsers draw it without any script."""

from __future__ import annotations

import re
from html import unescape

from latex2mathml.converter import convert

FORMULA = re.compile(r'<(span|div) class="arithmatex">\\([(\[])(.*?)\\[)\]]</\1>', flags=re.DOTALL)


def with_formulas(html: str) -> str:
    """A page with LaTeX, as Arithmatex marks it, turned into MathML."""

    def made(found: re.Match[str]) -> str:
        kind, bracket, latex = found.groups()
        math = convert(unescape(latex).strip(), display="inline" if bracket == "(" else "block")
        return f'<{kind} class="formula">{math}</{kind}>'

    return FORMULA.sub(made, html)
