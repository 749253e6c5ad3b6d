"""A fuzzer: hostile inputs into every way in, and every answer compared with the definition.

    entry      what an entry point is to the fuzzer: how inputs are made, and what must hold of them
    families   all entry points, by family
    schedule   which input comes when; each is a function of the entry, the seed and its number
    examine    one input, with a time limit: accepted, refused with a message, or a failure
    minimise   a failure with as little text as shows it
    workers    several processes, and one that watches them
    report     what happened, as a table and as JSON

mutate and the files called ..._made make inputs; in_c and direct are ways to check them; the other files
hold one family each.
"""
