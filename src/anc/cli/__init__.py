"""The `anc` command."""
