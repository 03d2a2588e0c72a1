"""Trees of arguments and results."""

from dataclasses import dataclass
from typing import Any, NamedTuple

import pytest

from xarr.transforms import trees


class Point(NamedTuple):
    x: Any
    y: Any


@dataclass(frozen=True, slots=True)
class Model:
    weights: Any
    bias: Any = None


TREES = (
    (1.0, [1.0]),
    (None, []),
    ((), []),
    ((1.0, [2.0, {"b": 3.0, "a": (4.0,)}], None), [1.0, 2.0, 4.0, 3.0]),
    (Point(1.0, [2.0]), [1.0, 2.0]),
    (Model({"w": 1.0}, 2.0), [1.0, 2.0]),
    ({1: 1.0, "a": 2.0}, [1.0, 2.0]),
)


@pytest.mark.parametrize(("tree", "leaves"), TREES, ids=[str(tree) for tree, _ in TREES])
def test_trees_come_back(tree: Any, leaves: list[Any]) -> None:
    found, form = trees.flatten(tree)
    assert found == leaves
    assert form.leaves == len(leaves)
    assert trees.unflatten(form, found) == tree
    assert hash(form) == hash(trees.flatten(tree)[1])


def test_other_form_is_refused() -> None:
    with pytest.raises(TypeError, match=r"form \[\*\]; it must have the form \(\*, None\)"):
        trees.mapped(max, (1.0, None), [2.0], where="f(x)")
