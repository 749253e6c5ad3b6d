"""Lists to adapt a sort to: n random numbers each, as the board of sorting draws them.

python benchmarks/sorting/lists.py 4 > lists.jsonl             # the length in cell 0: for bubble.anc
python benchmarks/sorting/lists.py 5 --bare > lists.jsonl      # only the numbers: for a network
"""

from __future__ import annotations

import argparse
import json
from random import Random

COUNT, LARGEST = 100, 31


def lists(n: int, bare: bool = False) -> list[list[int]]:
    """The tapes."""
    random = Random(n)
    drawn = [[random.randint(0, LARGEST) for _ in range(n)] for _ in range(COUNT)]
    return drawn if bare else [[n, *each] for each in drawn]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("n", type=int)
    parser.add_argument("--bare", action="store_true", help="without the length in cell 0")
    options = parser.parse_args()
    for tape in lists(options.n, options.bare):
        print(json.dumps({"input": tape}))


if __name__ == "__main__":
    main()
