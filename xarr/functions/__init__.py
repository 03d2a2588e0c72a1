"""The standard's and NumPy's chapters: arguments, docstrings, errors."""
