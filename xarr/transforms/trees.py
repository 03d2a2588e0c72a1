"""Trees: nested tuples, lists, dictionaries and dataclasses of values, as arguments and results.

Named tuples are tuples, and None is a tuple without items. All else is a leaf. Transformations
flatten their arguments to a list of leaves and a form, and put results together from these.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import Any, Final, NamedTuple

from xarr import errors


class Form(NamedTuple):
    """The form of a tree without its leaves; equal forms have equal hashes.

    Attributes
    ----------
    kind : type or None
        The class of the container; None for a leaf.
    names : tuple
        The keys of a dictionary, in order, or the names of a dataclass's fields.
    items : tuple of Form
        The forms of the container's items.
    """

    kind: type | None
    names: tuple[Any, ...] = ()
    items: tuple[Form, ...] = ()

    @property
    def leaves(self) -> int:
        """The number of leaves."""
        return 1 if self.kind is None else sum([item.leaves for item in self.items])


LEAF: Final = Form(None)


def flatten(tree: Any, *, ordered: bool = True) -> tuple[list[Any], Form]:
    """Return the leaves of a tree, and its form; dictionaries as they stand where not `ordered`."""
    leaves: list[Any] = []
    return leaves, _form(tree, leaves.append, ordered)


def unflatten(form: Form, leaves: Iterable[Any]) -> Any:
    """Return the tree of a form with leaves, in order."""
    return _built(form, iter(leaves))


def mapped(function: Callable[..., Any], tree: Any, *others: Any, where: str = "") -> Any:
    """Apply a function to each leaf of a tree, and the leaves of others of the same form."""
    leaves, form = flatten(tree)
    rest = [leaves_like(form, other, where) for other in others]
    return unflatten(form, [function(*each) for each in zip(leaves, *rest, strict=True)])


def leaves_like(form: Form, tree: Any, where: str) -> list[Any]:
    """Return the leaves of a tree that must have a form; `where` names the function in errors."""
    leaves, found = flatten(tree)
    if found != form:
        fault = f"a tree has the form {shown(found)}"
        raise errors.type_error(where, fault, f"it must have the form {shown(form)}")
    return leaves


def shown(form: Form) -> str:
    """Return the text of a form, with `*` for each leaf.

    >>> shown(flatten(({"a": 1.0}, None, [2.0]))[1])
    "({'a': *}, None, [*])"
    """
    if form.kind is None:
        return "*"
    texts = [shown(item) for item in form.items]
    if form.kind is type(None):
        return "None"
    if form.kind is list:
        return f"[{', '.join(texts)}]"
    if form.kind is tuple:
        return f"({', '.join(texts)}{',' if len(texts) == 1 else ''})"
    if form.kind is dict:
        named = [f"{name!r}: {text}" for name, text in zip(form.names, texts, strict=True)]
        return f"{{{', '.join(named)}}}"
    named = [f"{name}={text}" for name, text in zip(form.names, texts, strict=True)]
    return f"{form.kind.__name__}({', '.join(named)})"


def _form(tree: Any, add: Callable[[Any], object], ordered: bool) -> Form:
    """Return the form of a tree; call `add` with each leaf in order."""
    found = _items(tree, ordered)
    if found is None:
        add(tree)
        return LEAF
    names, items = found
    return Form(type(tree), names, tuple([_form(item, add, ordered) for item in items]))


def _items(tree: Any, ordered: bool) -> tuple[tuple[Any, ...], Sequence[Any]] | None:
    """Return the names and the items of a container; None for a leaf."""
    kind = type(tree)
    if tree is None:
        return (), ()
    if kind is tuple or kind is list:
        return (), tree
    if kind is dict:
        names = _ordered(tree) if ordered else tuple(tree)
        return names, [tree[name] for name in names]
    if isinstance(tree, tuple) and hasattr(kind, "_fields"):
        return kind._fields, tree
    if dataclasses.is_dataclass(kind):
        fields = tuple([field.name for field in dataclasses.fields(kind)])
        return fields, [getattr(tree, name) for name in fields]
    return None


def _ordered(tree: dict[Any, Any]) -> tuple[Any, ...]:
    """Return the keys of a dictionary in order; as they stand where they cannot be compared."""
    try:
        return tuple(sorted(tree))
    except TypeError:
        return tuple(tree)


def _built(form: Form, leaves: Iterator[Any]) -> Any:
    kind = form.kind
    if kind is None:
        return next(leaves)
    items = [_built(item, leaves) for item in form.items]
    if kind is list:
        return items
    if kind is tuple:
        return tuple(items)
    if kind is type(None):
        return None
    if kind is dict:
        return dict(zip(form.names, items, strict=True))
    if issubclass(kind, tuple):
        return kind(*items)
    made = object.__new__(kind)
    for name, item in zip(form.names, items, strict=True):
        object.__setattr__(made, name, item)  # of a frozen class too
    return made
