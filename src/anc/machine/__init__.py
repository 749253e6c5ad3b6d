"""The machines that run programs: exact on numbers, soft on distributions."""
