"""The paper's experiments: its Table 1, and the search for settings before it."""
