"""Names of parameters that are numbers in all functions of anc."""

NUMBERS = {
    *("memory", "M", "memory_limit", "cell", "size", "spare", "prune"),
    *("seed", "seeds", "jobs", "max_steps", "sharpness", "threshold"),
    *("budget", "evaluations", "proposals"),
}
