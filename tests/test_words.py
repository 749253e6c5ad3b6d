"""The words of the glossary are used; those that it retires are not, in source, README and documentation."""

import re
from pathlib import Path

ROOT = Path(__file__).parent.parent
WORDS = ROOT / "docs" / "reference" / "words.md"


def retired():
    """The words in the first column of the last table."""
    table = WORDS.read_text().split("## Retired words")[1]
    rows = re.findall(r"^\| ([^|]+?) \|", table, re.MULTILINE)[1:]
    return [word for row in rows for word in row.split(", ")]


def pages():
    found = [ROOT / "README.md", ROOT / "CONTRIBUTING.md", *(ROOT / "docs").rglob("*.md")]
    sources = [path for folder in ("src", "tools") for path in (ROOT / folder).rglob("*.py")]
    return [path for path in (*found, *sources) if path != WORDS]


def test_retired_words_are_not_used():
    pattern = re.compile(rf"\b({'|'.join(map(re.escape, retired()))})\b", re.IGNORECASE)
    assert pattern.search("It goes round.") and not pattern.search("a merry-go-roundabout")
    used = [
        f"{path.relative_to(ROOT)}:{number}: {found[0]}"
        for path in pages()
        for number, line in enumerate(path.read_text().splitlines(), 1)
        if (found := pattern.search(line))
    ]
    assert used == []


def test_the_glossary_is_in_order():
    table = WORDS.read_text().split("## Retired words")[0]
    words = re.findall(r"^\| ([^|]+?) \|", table, re.MULTILINE)[1:]
    assert words == sorted(words, key=str.lower)
