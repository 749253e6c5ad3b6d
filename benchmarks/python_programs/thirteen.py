"""The paper's thirteen programs as Python functions of the tape."""

import anc


@anc.function(memory=10)
def access(tape):
    tape[0] = tape[tape[0] + 1]


@anc.function(memory=15)
def copy(tape):
    source, place = 1, tape[0]
    while tape[source] != 0:
        tape[place] = tape[source]
        source += 1
        place += 1


@anc.function(memory=7)
def increment(tape):
    i = 0
    while tape[i] != 0:
        tape[i] += 1
        i += 1


@anc.function(memory=15)
def reverse(tape):
    place, i = tape[0], 0
    while tape[i] != 0:
        i += 1
    i -= 1
    while i != 0:
        tape[place] = tape[i]
        place += 1
        i -= 1


@anc.function(memory=15)
def permutation(tape):
    values = 0
    while tape[values] != 0:
        values += 1
    i = 0
    while tape[i] != 0:
        tape[i] = tape[values + tape[i]]
        i += 1


@anc.function(memory=10)
def swap(tape):
    p, q = tape[0] + 2, tape[1] + 2
    tape[p], tape[q] = tape[q], tape[p]


@anc.function(memory=15)
def listsearch(tape):
    node = tape[0]
    while tape[node + 1] != tape[1]:
        node = tape[node]
    tape[tape[2]] = node


@anc.function(memory=20)
def listk(tape):
    k, node = tape[1], tape[0]
    while k != 1:
        node = tape[node]
        k -= 1
    tape[tape[2]] = tape[node + 1]


@anc.function(memory=30)
def walkbst(tape):
    node, place = tape[0], 2
    while tape[place] != 0:
        node = tape[node + tape[place]]
        place += 1
    tape[tape[1]] = tape[node]


@anc.function(memory=30)
def merge(tape):
    one, two, out = tape[0], tape[1], tape[2]
    a, b = tape[one], tape[two]
    while b != 0:
        if a > b:
            tape[out] = a
            one += 1
            a = tape[one]
        else:
            if a == 0:
                one, a = two, b
                break
            tape[out] = b
            two += 1
            b = tape[two]
        out += 1
    while a != 0:
        tape[out] = a
        out += 1
        one += 1
        a = tape[one]


FAR = 99


@anc.function(memory=100)
def dijkstra(tape):
    out, count = tape[0], 0
    while tape[1 + count] != 0:
        tape[out + count + count] = FAR
        tape[out + count + count + 1] = 1
        count += 1
    tape[out] = 0
    while True:
        nearest, best = 0, FAR
        for vertex in range(count):
            place = out + vertex + vertex
            if tape[place + 1] != 0 and tape[place] < best:
                nearest, best = vertex, tape[place]
        if best == FAR:
            return
        tape[out + nearest + nearest + 1] = 0
        edge = tape[1 + nearest]
        while tape[edge] != 0:
            to = out + (tape[edge] - 1) * 2
            tape[to] = min(tape[to], best + tape[edge + 1])
            edge += 2


@anc.function(memory=15)
def addition(tape):
    total, rest = tape[0], tape[1]
    while rest != 0:
        total += 1
        rest -= 1
    tape[0] = total


@anc.function(memory=21)
def sort(tape):
    swapped = tape[0]
    while swapped != 0:
        swapped, i, left = 0, 1, tape[0]
        while tape[i] != 0:
            right = tape[i]
            if left > right:
                tape[i - 1], tape[i] = right, left
                swapped = 1
            else:
                left = right
            i += 1
