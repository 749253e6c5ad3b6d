"""The engine of `anc play` on a page of its own, called from tests."""

import base64
import hashlib
import json

from anc.pages.play_data import engine_script

# An instruction set goes over the wire as its name, arrays of numbers as lists.
PLAIN = (
    "const plain = (key, value) => key === 'set' ? value.name"
    " : ArrayBuffer.isView(value) ? Array.from(value) : value;"
)


def page_with_engine(sets=None):
    """A page that only has the engine, with the content security policy of a real one."""
    script = (engine_script() if sets is None else engine_script(sets)) + (
        "window.engine = playEngine();\ndocument.documentElement.dataset.ready = 'yes';\n"
    )
    digest = base64.b64encode(hashlib.sha256(script.encode()).digest()).decode()
    policy = f"default-src 'none'; script-src 'sha256-{digest}'; worker-src blob:; img-src data:"
    return (
        f'<!doctype html><meta charset="utf-8"><link rel="icon" href="data:,">'
        f'<meta http-equiv="Content-Security-Policy" content="{policy}"><script>{script}</script>'
    )


class Engine:
    """The engine in the browser."""

    def __init__(self, browser, path):
        self.browser = browser
        browser.open(path)

    def js(self, body, *arguments):
        """The result of a function body with `engine` and the arguments in `given`, as plain data."""
        script = f"const given = arguments; {PLAIN} const found = (() => {{ {body} }})();"
        found = self.browser.js(f"{script} return JSON.stringify(found, plain)", *arguments)
        return None if found is None else json.loads(found)

    def each(self, body, rows):
        """The results for all rows; in the body `row` is one of them."""
        return self.js(f"return given[0].map((row) => {{ {body} }})", rows)
