"""Pictures of runs: pages that step through the machine, pages about a run folder, figures."""
