"""Reads a pickle of plain values and NumPy arrays, and runs nothing that the file names.

`pickle.Unpickler` calls what a file asks for, and takes as much memory as a file claims to need. Here the
standard library only cuts the file into its steps, and a small stack machine of ours follows them.
"""

import pickletools
from collections.abc import Callable
from typing import Any, NamedTuple

from .pickled_array import STAND_INS, PickledArray, PickledDtype, describe

# One step keeps at most about 200 bytes beside the file's own, so that no file takes more than about 1 GB.
MAX_STEPS = 4_000_000

# Steps that put a value on the stack; the standard library has read it already.
_VALUES = frozenset(
    "NONE INT BININT BININT1 BININT2 LONG LONG1 LONG4 FLOAT BINFLOAT STRING BINSTRING SHORT_BINSTRING "
    "UNICODE SHORT_BINUNICODE BINUNICODE BINUNICODE8 SHORT_BINBYTES BINBYTES BINBYTES8 BYTEARRAY8".split()
)


class Name(NamedTuple):
    """A module and a name that the file asks for: a key of STAND_INS."""

    module: str
    name: str


class Ignored:
    """A dict or a set. It is allowed, but what it holds is not kept."""


def read_plain_pickle(data: bytes) -> Any:
    """Return what a pickle holds: None, numbers, text, bytes, lists, tuples, PickledArray and Ignored.

    Raises:
        ValueError: the pickle is damaged, asks for anything else, or takes more than MAX_STEPS steps.
    """
    machine = _Machine()
    try:
        for count, (opcode, argument, _) in enumerate(pickletools.genops(data)):
            if count == MAX_STEPS:
                raise ValueError(f"it takes more than {MAX_STEPS} steps; keep its numbers in NumPy arrays")
            machine.follow(opcode.name, argument)
        return machine.stack.pop()
    except (IndexError, KeyError) as error:
        raise ValueError("it uses a value that it has not made") from error


class _Machine:
    """The stack, the outer stacks (one for each open mark) and the memo of a pickle."""

    def __init__(self) -> None:
        self.stack: list[Any] = []
        self.outer: list[list[Any]] = []
        self.memo: dict[int, Any] = {}

    def follow(self, name: str, argument: Any) -> None:
        """Do one step of the pickle."""
        push = self.stack.append
        match name:
            case _ if name in _VALUES:
                push(argument)
            case "PROTO" | "FRAME" | "STOP":
                pass
            case "PUT" | "BINPUT" | "LONG_BINPUT":
                self.memo[argument] = self.stack[-1]
            case "MEMOIZE":
                self.memo[len(self.memo)] = self.stack[-1]
            case "GET" | "BINGET" | "LONG_BINGET":
                push(self.memo[argument])
            case "NEWTRUE" | "NEWFALSE":
                push(name == "NEWTRUE")
            case "MARK":
                self.outer.append(self.stack)
                self.stack = []
            case "EMPTY_LIST":
                push([])
            case "LIST":
                self.push_collected(list)
            case "EMPTY_TUPLE":
                push(())
            case "TUPLE":
                self.push_collected(tuple)
            case "TUPLE1" | "TUPLE2" | "TUPLE3":
                push(tuple(self.take(int(name[-1]))))
            case "EMPTY_DICT" | "EMPTY_SET":
                push(Ignored())
            case "DICT" | "FROZENSET":
                self.push_collected(lambda values: Ignored())
            case "APPEND":
                self.extend(self.take(1))
            case "SETITEM":
                self.extend(self.take(2))
            case "APPENDS" | "SETITEMS" | "ADDITEMS":
                self.extend(self.since_mark())
            case "GLOBAL":
                push(_admitted(*argument.split(" ", 1)))
            case "STACK_GLOBAL":
                push(_admitted(*self.take(2)))
            case "REDUCE":
                push(_call(*self.take(2)))
            case "BUILD":
                self.build(*self.take(1))
            case _:
                raise ValueError(f"it holds the step {name}, which plain values and arrays do not need")

    def take(self, count: int) -> list[Any]:
        """Return the last values of the stack, and remove them."""
        return [self.stack.pop() for _ in range(count)][::-1]

    def since_mark(self) -> list[Any]:
        """Return the values above the last mark, and remove them and the mark."""
        values, self.stack = self.stack, self.outer.pop()
        return values

    def push_collected(self, kind: Callable[[list[Any]], Any]) -> None:
        """Put the values above the last mark on the stack as one value."""
        values = self.since_mark()
        self.stack.append(kind(values))

    def extend(self, values: list[Any]) -> None:
        """Add values to the list on top of the stack; a dict or a set there ignores them."""
        top = self.stack[-1]
        if isinstance(top, list):
            top.extend(values)
        elif not isinstance(top, Ignored):
            raise ValueError(f"it adds values to {describe(top)}, which is not a list, dict or set")

    def build(self, state: Any) -> None:
        """Give the array or the dtype on top of the stack its state."""
        top = self.stack[-1]
        if not isinstance(top, PickledArray | PickledDtype):
            raise ValueError(f"it gives a state to {describe(top)}, which is not an array or a dtype")
        top.set_state(state)


def _admitted(module: Any, name: Any) -> Name:
    if not isinstance(module, str) or not isinstance(name, str):
        raise ValueError(f"it asks for a name that is {describe(module)} and {describe(name)}")
    if (module, name) not in STAND_INS:
        raise ValueError(f"it asks for {f'{module}.{name}'[:80]!r}")
    return Name(module, name)


def _call(name: Any, arguments: Any) -> Any:
    stand_in = STAND_INS[name] if isinstance(name, Name) else None
    if stand_in is None or not isinstance(arguments, tuple):
        raise ValueError(f"it calls {describe(name)}, which does not make a part of an array")
    try:
        return stand_in(*arguments)
    except TypeError as error:
        raise ValueError(f"it calls {'.'.join(name)} with wrong arguments") from error
