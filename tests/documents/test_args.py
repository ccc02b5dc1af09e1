"""A public function with three or more parameters explains them."""

import typer

from tests.documents.missing_args import commands_of, missing, offenders_of


def test_every_public_function_explains_its_parameters():
    found = missing()
    assert {"dfl_bench.cli", "dfl_bench.run", "kernels", "lcgln"} <= found.keys()
    assert {room: offenders for room, offenders in found.items() if offenders} == {}


def test_what_counts():
    source = '''
def two(a, b): ...
def three(a, *, b, c): "No section."
def explained(a, b, c):
    """Explained.

    Args:
        a: one.
    """
def _hidden(a, b, c): ...
class Open:
    def method(self, a, b, **rest): ...
    def small(self, a, b): ...
class _Closed:
    def method(self, a, b, c): ...
'''
    assert [name for _, name in offenders_of(source)] == ["three", "Open.method"]


def test_an_override_of_an_explained_method_need_not_repeat_it():
    source = """
class Base:
    def told(self, a, b, c):
        "Args: all three."
    def untold(self, a, b, c): ...
class Middle(Base): ...
class Child(Middle):
    def told(self, a, b, c): ...
    def untold(self, a, b, c): ...
class Other(Base):
    def told(self, a, b, d): ...
class Stranger:
    def told(self, a, b, c): ...
"""
    names = [name for _, name in offenders_of(source)]
    assert names == ["Base.untold", "Child.untold", "Other.told", "Stranger.told"]


def test_commands_are_found_in_groups_too():
    app, group = typer.Typer(), typer.Typer()

    def outer(): ...
    def inner(): ...

    app.command()(outer)
    group.command("renamed")(inner)
    app.add_typer(group, name="group")
    assert {name.rpartition(".")[2] for name in commands_of(app)} == {"outer", "inner"}
