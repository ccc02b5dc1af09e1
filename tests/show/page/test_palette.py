"""Colours follow families, stay when methods join, and can be told apart by every reader."""

from itertools import combinations, product

import numpy as np
import pytest

from dfl_bench import methods
from dfl_bench.contracts.registry import Entry
from dfl_bench.show.page.figures import palette
from dfl_bench.show.page.figures.palette import CSS, DARK, FAMILIES, HUES, LIGHT, SHAPES, looks

# Machado, Oliveira and Fernandes (2009), severity 1, on linear RGB.
BLINDNESS = {
    "none": np.eye(3),
    "protanopia": [[0.1523, 1.0526, -0.2049], [0.1145, 0.7863, 0.0992], [-0.0039, -0.0481, 1.0520]],
    "deuteranopia": [[0.3673, 0.8606, -0.2280], [0.2801, 0.6725, 0.0474], [-0.0118, 0.0429, 0.9689]],
    "tritanopia": [[1.2555, -0.0767, -0.1788], [-0.0784, 0.9308, 0.1476], [0.0047, 0.6914, 0.3039]],
}  # fmt: skip
BUILT_IN = [name for name, entry in methods.entries().items() if entry.family != "reference"]


def linear(colour):
    coded = np.array([int(colour[i : i + 2], 16) for i in (1, 3, 5)]) / 255
    return np.where(coded <= 0.04045, coded / 12.92, ((coded + 0.055) / 1.055) ** 2.4)


def lab(rgb):
    """CIE L*a*b* of linear sRGB, white D65: another measure than the one that chose the colours."""
    to_xyz = [[0.4124, 0.3576, 0.1805], [0.2126, 0.7152, 0.0722], [0.0193, 0.1192, 0.9505]]
    t = np.array(to_xyz) @ np.clip(rgb, 0, 1) / [0.9505, 1.0, 1.089]
    f = np.where(t > (6 / 29) ** 3, np.cbrt(t), t / (3 * (6 / 29) ** 2) + 4 / 29)
    return np.array([116 * f[1] - 16, 500 * (f[0] - f[1]), 200 * (f[1] - f[2])])


def luminance(colour):
    return float(linear(colour) @ [0.2126, 0.7152, 0.0722])


def hue_of(look):
    return look.colour.rpartition("-")[0]


@pytest.mark.parametrize("scheme", [LIGHT, DARK], ids=["light", "dark"])
def test_every_colour_has_a_contrast_of_three_with_the_page(scheme):
    for name, colour in scheme.methods.items():
        high, low = sorted((luminance(colour), luminance(scheme.surface)), reverse=True)
        assert (high + 0.05) / (low + 0.05) >= 3.0, name


@pytest.mark.parametrize("blindness", BLINDNESS)
@pytest.mark.parametrize("scheme", [LIGHT, DARK], ids=["light", "dark"])
def test_levels_of_one_hue_and_hues_of_the_families_stay_apart(scheme, blindness):
    seen = {name: lab(np.array(BLINDNESS[blindness]) @ linear(c)) for name, c in scheme.methods.items()}
    for hue in HUES:
        for a, b in combinations(range(4), 2):
            assert np.linalg.norm(seen[f"{hue}-{a}"] - seen[f"{hue}-{b}"]) > 8, (hue, a, b)
    families = set(FAMILIES.values()) - {"grey"}
    for (a, b), level in product(combinations(sorted(families), 2), range(4)):
        assert np.linalg.norm(seen[f"{a}-{level}"] - seen[f"{b}-{level}"]) > 8, (a, b, level)


def test_methods_of_a_family_share_a_hue_and_no_look():
    found = looks(BUILT_IN)
    assert set(found) == set(BUILT_IN)
    entries = methods.entries()
    for a, b in combinations(BUILT_IN, 2):
        assert found[a] != found[b]
        if entries[a].family == entries[b].family:
            assert hue_of(found[a]) == hue_of(found[b])
    assert [hue_of(found[name]) for name in ("lcgln", "dfl", "pfl")] == ["blue", "vermilion", "green"]


def test_what_a_store_holds_changes_no_look():
    few, many = looks(["pfl", "mine"]), looks(["pfl", "mine", *BUILT_IN])
    assert few == {name: many[name] for name in few}
    assert hue_of(few["mine"]) == FAMILIES[""]


def test_a_new_method_seldom_changes_another_look(monkeypatch):
    known = methods.entries()
    before = looks(BUILT_IN)
    changes = []
    for family, i in product(("learned loss", "differentiation", "another", ""), range(50)):
        name = f"new-{i}"
        entries = known | {name: Entry(name, "", "dfl_bench.methods.new", family)}
        monkeypatch.setattr(palette.registered, "entries", lambda entries=entries: entries)
        after = looks(BUILT_IN)
        changes.append(sum(before[method] != after[method] for method in BUILT_IN))
    assert sum(changes) < 0.1 * len(changes)
    assert sum(map(bool, changes)) < 0.1 * len(changes)


@pytest.mark.parametrize("family", ["", "learned loss", "unheard of"])
def test_thirty_methods_of_one_family_can_be_told_apart(family, monkeypatch):
    entries = {name: Entry(name, "", "mine.py", family) for name in (f"method-{i}" for i in range(30))}
    monkeypatch.setattr(palette.registered, "entries", lambda: entries)
    found = looks(entries)
    assert len(set(found.values())) == 30
    assert len({hue_of(look) for look in found.values()}) == 1


def test_more_methods_than_pairs_are_drawn_all_the_same():
    assert len(looks(f"method-{i}" for i in range(100))) == 100


def test_every_look_has_a_colour_and_a_shape_everywhere():
    assert LIGHT.methods.keys() == DARK.methods.keys() == CSS.methods.keys()
    for look in looks(BUILT_IN).values():
        assert look.colour in LIGHT.methods and look.shape in SHAPES
