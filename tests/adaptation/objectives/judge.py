from typing import Annotated

import anc


@anc.function(memory=90)
def makespan(
    final: Annotated[list[int], anc.Size(40)], given: Annotated[list[int], anc.Size(40)]
) -> int:
    first = 0
    second = 0
    for i in range(6):
        if final[i + 6] == 0:
            first += given[i]
        else:
            second += given[i]
    return max(first, second)


@anc.function(memory=90)
def assigned(
    final: Annotated[list[int], anc.Size(40)], given: Annotated[list[int], anc.Size(40)]
) -> int:
    return all(final[i] < 2 for i in range(6, 12))
