"""The rows of the functions that make arrays of one value, known beforehand.

The public functions, of a shape and like another array, are written from these rows by
``python -m tools.chapters``.
"""

from __future__ import annotations

from typing import Final, NamedTuple


class Fill(NamedTuple):
    """A value that arrays are filled with.

    Parameters
    ----------
    name : str
        The function's name; that of the other one ends in "_like".
    about, values : str
        What is made, in the first line of the docstring, and what the elements are.
    value : int
        The value.
    """

    name: str
    about: str
    values: str
    value: int


TABLE: Final = (
    Fill("empty", "an array whose values are not specified; they are zeros", "Some values.", 0),
    Fill("ones", "an array of ones", "Ones.", 1),
    Fill("zeros", "an array of zeros", "Zeros.", 0),
)
