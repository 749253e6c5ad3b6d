"""Tasks on linked nodes: linked lists, trees and graphs.

Each task's oracle computes the expected result in plain Python, independently of the program.
"""

from __future__ import annotations

import heapq
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from random import Random

from anc.data.tasks.cases import Case, Task, block, case, free_cell, scatter, values

UNREACHABLE = 99


def _linked_list(addresses: Sequence[int], elements: Sequence[int]) -> dict[int, int]:
    """Nodes (pointer to the next, value) at these addresses, in this order."""
    cells: dict[int, int] = {}
    following = 0
    for address, value in reversed(list(zip(addresses, elements, strict=True))):
        cells |= block(address, [following, value])
        following = address
    return cells


def _in_order(n: int) -> list[int]:
    """The addresses of n consecutive nodes from cell 3 on."""
    return list(range(3, 3 + 2 * n, 2))


def _listsearch_generic(random: Random) -> Case:
    n = random.randint(0, 6)
    elements = values(random, n, 1, 14)
    absent = random.random() < 0.1
    sought = random.choice(elements) if elements and not absent else random.randint(1, 14)
    addresses = scatter(random, [2] * n, 3, 15)
    p_out = free_cell(random, _linked_list(addresses, elements), own=2, start=3, M=15)
    return _listsearch(addresses, elements, sought, p_out)


def _listsearch_biased(random: Random) -> Case:
    elements = values(random, random.randint(2, 6), 1, 14)
    return _listsearch(_in_order(len(elements)), elements, random.choice(elements[:2]), p_out=2)


def _listsearch(addresses: Sequence[int], elements: Sequence[int], sought: int, p_out: int) -> Case:
    head = addresses[0] if addresses else 0
    cells = block(0, [head, sought, p_out]) | _linked_list(addresses, elements)
    found = addresses[elements.index(sought)] if sought in elements else 0
    return case(cells, {p_out: found}, [p_out], M=15)


def _listk_generic(random: Random) -> Case:
    n = random.randint(1, 8)
    elements = values(random, n, 1, 19)
    addresses = scatter(random, [2] * n, 3, 20)
    p_out = free_cell(random, _linked_list(addresses, elements), own=2, start=3, M=20)
    return _listk(addresses, elements, random.randint(1, n), p_out)


def _listk_biased(random: Random) -> Case:
    n = random.randint(2, 7)
    return _listk(_in_order(n), values(random, n, 1, 19), random.randint(1, n - 1), p_out=2)


def _listk(addresses: Sequence[int], elements: Sequence[int], k: int, p_out: int) -> Case:
    cells = block(0, [addresses[0], k, p_out]) | _linked_list(addresses, elements)
    return case(cells, {p_out: elements[k - 1]}, [p_out], M=20)


@dataclass
class _Node:
    value: int
    children: dict[int, _Node]  # 1: left, 2: right

    def insert(self, value: int) -> None:
        side = 1 if value < self.value else 2
        if side in self.children:
            self.children[side].insert(value)
        else:
            self.children[side] = _Node(value, {})

    def all_nodes(self) -> list[_Node]:
        return [self, *(node for child in self.children.values() for node in child.all_nodes())]


def _walkbst_generic(random: Random) -> Case:
    first, *others = random.sample(range(1, 30), random.randint(1, 6))
    root = _Node(first, {})
    for value in others:
        root.insert(value)
    directions: list[int] = []
    node = root
    while node.children and random.random() < 0.8:
        directions.append(random.choice(sorted(node.children)))
        node = node.children[directions[-1]]
    nodes = root.all_nodes()
    addresses = scatter(random, [3] * len(nodes), 3 + len(directions), 30)
    used = {cell: 0 for address in addresses for cell in range(address, address + 3)}
    p_out = free_cell(random, used, own=1, start=3 + len(directions), M=30)
    return _walkbst(root, directions, addresses, p_out)


def _walkbst_biased(random: Random) -> Case:
    low, mid, high, top, *rest = sorted(random.sample(range(1, 30), random.randint(4, 6)))
    root = _Node(top, {1: _Node(low, {2: _Node(mid, {2: _Node(high, {})})})})
    for value in rest:
        root.insert(value)
    addresses = scatter(random, [3] * len(root.all_nodes()[1:]), 8, 30)
    return _walkbst(root, [1, 2], [5, *addresses], p_out=1)


def _walkbst(root: _Node, directions: Sequence[int], addresses: Sequence[int], p_out: int) -> Case:
    """The addresses belong to root.all_nodes(), in that order."""
    place = {node.value: at for node, at in zip(root.all_nodes(), addresses, strict=True)}
    cells = block(0, [place[root.value], p_out, *directions])
    for node in root.all_nodes():
        pointers = [place[node.children[s].value] if s in node.children else 0 for s in (1, 2)]
        cells |= block(place[node.value], [node.value, *pointers])
    found = root
    for direction in directions:
        found = found.children[direction]
    return case(cells, {p_out: found.value}, [p_out], M=30)


Edges = Mapping[int, int]  # vertex (counted from 1) to cost


def _dijkstra_generic(random: Random) -> Case:
    n = random.randint(1, 5)
    density = random.random()
    graph = [
        {
            to: random.randint(1, 20)
            for to in range(1, n + 1)
            if to != v and random.random() < density
        }
        for v in range(1, n + 1)
    ]
    sizes = [2 * len(edges) + 1 for edges in graph]
    p_out, *addresses = scatter(random, [2 * n, *sizes], n + 2, 100)
    return _dijkstra(graph, addresses, p_out)


def _dijkstra_biased(random: Random) -> Case:
    to_second, to_third, between = values(random, 3, 1, 20)
    graph: list[Edges] = [{2: to_second, 3: to_third}, {3: between}, {}]
    return _dijkstra(graph, [5, 10, 13], p_out=14)


def _dijkstra(graph: Sequence[Edges], addresses: Sequence[int], p_out: int) -> Case:
    cells = {0: p_out} | block(1, addresses)
    for address, edges in zip(addresses, graph, strict=True):
        cells |= block(address, [number for edge in edges.items() for number in edge])
    distances = shortest_distances(graph)
    result = {p_out + 2 * vertex: distance for vertex, distance in enumerate(distances)}
    # A flag follows each distance: 1 if the vertex is unreachable. It does not count.
    marks = {cell + 1: int(distance == UNREACHABLE) for cell, distance in result.items()}
    return case(cells, result | marks, result, M=100)


def shortest_distances(graph: Sequence[Edges]) -> list[int]:
    """The distance of every vertex from the first."""
    distances = [UNREACHABLE] * len(graph)
    waiting = [(0, 1)]
    while waiting:
        distance, vertex = heapq.heappop(waiting)
        if distance < distances[vertex - 1]:
            distances[vertex - 1] = distance
            for to, cost in graph[vertex - 1].items():
                heapq.heappush(waiting, (distance + cost, to))
    return distances


LINKED_TASKS = (
    Task(
        "listsearch",
        _listsearch_generic,
        _listsearch_biased,
        bias="the nodes lie in order from cell 3 on, without gaps; the value sought is in one of"
        " the first two; the result goes to cell 2",
        ideal="READ the value and the first node's, SUB, JEZ, WRITE the address of one or the"
        " other, STOP: 6 steps",
    ),
    Task(
        "listk",
        _listk_generic,
        _listk_biased,
        bias="the nodes lie in order from cell 3 on, without gaps; the result goes to cell 2; k is"
        " never the last",
        ideal="READ k, twice ADD, READ the element, WRITE, STOP: 6 steps",
    ),
    Task(
        "walkbst",
        _walkbst_generic,
        _walkbst_biased,
        bias="the directions are always left, right; the root is at cell 5 and the result goes to"
        " cell 1; all other places and the values vary",
        ideal="READ the left pointer, ADD 2, READ the right pointer, READ the value, WRITE, STOP:"
        " 6 steps",
    ),
    Task(
        "dijkstra",
        _dijkstra_generic,
        _dijkstra_biased,
        bias="three vertices with the edges 1-2, 1-3 and 2-3 at fixed cells; only the costs vary",
        ideal="READ the costs, ADD two, MIN with the third, WRITE two distances (the first is 0"
        " already), STOP: 8 steps",
    ),
)
