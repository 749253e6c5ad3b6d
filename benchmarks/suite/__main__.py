"""Print the table of the suite, or put it into the README.

python -m benchmarks.suite [--update]
"""

from __future__ import annotations

import argparse
from pathlib import Path

from . import entries
from .table import table

README = Path(__file__).with_name("README.md")


def main() -> None:
    parser = argparse.ArgumentParser(description="The programs of the suite.")
    parser.add_argument("--update", action="store_true", help="replace the README's table")
    found = table(entries())
    if parser.parse_args().update:
        text = README.read_text(encoding="utf-8").split("| name |")[0]
        README.write_text(text + found, encoding="utf-8")
    else:
        print(found, end="")


if __name__ == "__main__":
    main()
