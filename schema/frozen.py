"""Frozen dataclasses that are made several times faster than by the standard library.

Making a frozen, slotted dataclass compiles a text for each of its six methods and looks at its
signature; a hundred of them are a third of the time that checking a small file takes. Here the
methods whose text depends on the fields are compiled together and the others are shared. What
comes out behaves the same: equality, hash, order, `replace`, `fields`, pattern matching, pickling.
Whatever is out of the ordinary is left to the standard library.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    # For type checkers these are dataclasses like any others.
    from dataclasses import dataclass, field
else:
    import dataclasses
    from dataclasses import Field, field
    from operator import ge, gt, le, lt

    def dataclass(cls=None, /, *, frozen=False, slots=False, order=False, kw_only=False, eq=True):
        """Does what `dataclasses.dataclass` does."""

        def decorate(cls):
            if frozen and slots and eq and _is_plain(cls):
                return _make(cls, order, kw_only)
            made = dataclasses.dataclass(
                frozen=frozen, slots=slots, order=order, kw_only=kw_only, eq=eq
            )
            return made(cls)

        return decorate if cls is None else decorate(cls)

    _KNOWN = frozenset(
        f"__{name}__"
        for name in (
            *("annotations", "dict", "doc", "module", "qualname", "weakref"),
            *("firstlineno", "static_attributes"),
            *("str", "len", "iter", "bool", "getitem", "contains", "call"),
        )
    )

    def _is_plain(cls):
        """True for a class that only has fields with plain defaults, and methods of its own."""
        if cls.__bases__ != (object,):
            return False
        if any(k[:2] == "__" == k[-2:] and k not in _KNOWN for k in cls.__dict__):
            return False
        told = getattr(cls, "__annotations__", None)
        if told is None:
            return False
        if any(kind in str(told) for kind in ("ClassVar", "InitVar", "KW_ONLY")):
            return False
        return all(_is_plain_default(cls.__dict__.get(name)) for name in told)

    def _is_plain_default(default):
        if not isinstance(default, Field):
            # The standard library refuses what is shared and can change.
            return default.__class__.__hash__ is not None
        return repr(field(default_factory=default.default_factory)) == repr(default)

    def _make(cls, order, kw_only):
        names = tuple(cls.__annotations__)
        space = {k: v for k, v in vars(cls).items() if k not in _OF_CLASSES}
        known = {"_set": object.__setattr__, "_missing": _MISSING}
        parameters, stores = ["self", "*"] if kw_only and names else ["self"], []
        for name in names:
            default = space.pop(name, _MISSING)
            stored = name
            if isinstance(default, Field):
                known[f"_make_{name}"] = default.default_factory
                stored = f"_make_{name}() if {name} is _missing else {name}"
                default = None
            if default is not _MISSING:
                known[f"_of_{name}"] = default
                missing = stored is not name
                parameters.append(f"{name}=_missing" if missing else f"{name}=_of_{name}")
            else:
                parameters.append(name)
            stores.append(f" _set(self, {name!r}, {stored})\n")
        ours, theirs = ("".join(f"{one}.{n}, " for n in names) for one in ("self", "other"))
        made = {}
        exec(f"def __init__({', '.join(parameters)}):\n{''.join(stores) or ' pass'}\n", known, made)
        owner = []
        made["__eq__"] = _compiled_later(
            owner,
            "def __eq__(self, other):\n"
            " if other.__class__ is not self.__class__: return NotImplemented\n"
            f" return ({ours}) == ({theirs})\n",
        )
        made["__hash__"] = _compiled_later(owner, f"def __hash__(self): return hash(({ours}))\n")
        for name, function in made.items():
            function.__qualname__ = f"{cls.__qualname__}.{name}"
        made["__init__"].__annotations__ = {**cls.__annotations__, "return": None}
        space |= made | _SHARED
        if order:
            space |= _ORDER
        space["__slots__"] = names
        space["__match_args__"] = () if kw_only else names
        told = _Told(cls, kw_only)
        for name in ("__dataclass_fields__", "__dataclass_params__"):
            space[name] = _Noted(told, name)
        space["__qualname__"] = cls.__qualname__
        owner.append(type(cls)(cls.__name__, (object,), space))
        return owner[0]

    def _compiled_later(owner, text):
        """A method whose text is compiled when it is called first: most classes never call it."""

        def first(self, *others):
            made = {}
            exec(text, {}, made)
            ((name, method),) = made.items()
            method.__qualname__ = f"{owner[0].__qualname__}.{name}"
            setattr(owner[0], name, method)
            return method(self, *others)

        return first

    _MISSING = object()
    _OF_CLASSES = ("__dict__", "__weakref__")

    class _Told:
        """What the standard library would have noted about a class, when it asks for that."""

        def __init__(self, origin, kw_only):
            self._origin = origin
            self._kw_only = kw_only
            self._known = {}

        def ask(self, name):
            if name not in self._known:
                # Fields, which are asked for most, need none of the methods, which take time.
                is_bare = name == "__dataclass_fields__"
                with_methods = not is_bare
                make = dataclasses.dataclass(
                    init=with_methods,
                    repr=with_methods,
                    eq=with_methods,
                    frozen=with_methods,
                    kw_only=self._kw_only,
                )
                space = {k: v for k, v in vars(self._origin).items() if k not in _OF_CLASSES}
                # What is asked changes the class.
                asked = make(type(self._origin)(self._origin.__name__, (object,), space))
                self._known[name] = vars(asked)[name]
            return self._known[name]

    class _Noted:
        def __init__(self, told, name):
            self._told = told
            self._name = name

        def __get__(self, instance, cls):
            return self._told.ask(self._name)

    def _repr(self):
        pairs = ", ".join(f"{name}={getattr(self, name)!r}" for name in self.__slots__)
        return f"{type(self).__qualname__}({pairs})"

    def _refuse_set(self, name, value):
        raise dataclasses.FrozenInstanceError(f"cannot assign to field {name!r}")

    def _refuse_delete(self, name):
        raise dataclasses.FrozenInstanceError(f"cannot delete field {name!r}")

    def _get_state(self):
        return [getattr(self, name) for name in self.__slots__]

    def _set_state(self, state):
        for name, value in zip(self.__slots__, state, strict=True):
            object.__setattr__(self, name, value)

    _SHARED = {
        "__repr__": _repr,
        "__setattr__": _refuse_set,
        "__delattr__": _refuse_delete,
        "__getstate__": _get_state,
        "__setstate__": _set_state,
    }

    def _ordering(compare):
        def method(self, other):
            if other.__class__ is not self.__class__:
                return NotImplemented
            return compare(_get_state(self), _get_state(other))

        return method

    _ORDER = {f"__{compare.__name__}__": _ordering(compare) for compare in (lt, le, gt, ge)}

__all__ = ["dataclass", "field"]
