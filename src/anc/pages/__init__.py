"""The user's views: self-contained HTML pages, figures, and notebook displays.

In come runs, programs, weights and the records in result folders. Out come HTML and pictures. Nothing
is computed here beyond what the views need.
"""
