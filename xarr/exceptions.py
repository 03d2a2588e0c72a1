"""NumPy's exceptions, which xarr raises too."""

from numpy.exceptions import (
    AxisError as AxisError,
    ComplexWarning as ComplexWarning,
    DTypePromotionError as DTypePromotionError,
    RankWarning as RankWarning,
    TooHardError as TooHardError,
    VisibleDeprecationWarning as VisibleDeprecationWarning,
)
