"""The standard's and NumPy's chapters: arguments, docstrings, errors."""

from typing import TYPE_CHECKING

if TYPE_CHECKING:  # at run time a module is a name of its package once it is imported
    from xarr.functions import (
        applying as applying,
        arithmetic as arithmetic,
        as_bytes as as_bytes,
        contractions as contractions,
        creation as creation,
        data_types as data_types,
        elementwise as elementwise,
        flat as flat,
        folding as folding,
        indexing as indexing,
        joining as joining,
        manipulation as manipulation,
        matrices as matrices,
        moments as moments,
        notebooks as notebooks,
        on_host as on_host,
        ordering as ordering,
        placing as placing,
        printing as printing,
        products as products,
        scalars as scalars,
        searching as searching,
        selecting as selecting,
        sorting as sorting,
        statistical as statistical,
    )
