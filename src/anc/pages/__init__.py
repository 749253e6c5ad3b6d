"""What people look at: pages in one file each, figures, and displays in notebooks.

In come runs, programs, weights and the records of results that folders hold. Out come HTML and pictures;
nothing is computed here but what is needed to show them.
"""
