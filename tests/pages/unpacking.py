"""A packed run read back, as the page's own script does it."""

import base64
import zlib

import numpy as np

from anc.pages.packing import UNITS


def unpack(packed):
    data = zlib.decompress(base64.b64decode(packed["data"]))
    arrays, at = {}, 0
    for name, length, size in packed["layout"]:
        planes = np.frombuffer(data, np.uint8, length * size, at).reshape(size, length)
        arrays[name] = (planes.astype(np.int64) << (8 * np.arange(size)[:, None])).sum(0)
        at += length * size
    assert at == len(data)
    return arrays


def states(recording):
    """The rows after each step, as lists of dictionaries from value to probability."""
    arrays = unpack(recording.packed)
    values, units = arrays["values"], arrays["units"]
    ends = np.cumsum(arrays["counts"])
    pool = [
        {
            int(v): u / UNITS
            for v, u in zip(values[end - n : end], units[end - n : end], strict=True)
        }
        for n, end in zip(arrays["counts"], ends, strict=True)
    ]
    rows = [{}] * (5 + len(recording.registers) + recording.M)
    at = 0
    for count in arrays["changes"]:
        for row, number in zip(
            *(arrays[key][at : at + count] for key in ("rows", "ids")), strict=True
        ):
            rows[row] = pool[number]
        at += count
        yield list(rows)
