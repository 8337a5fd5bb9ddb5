#!/usr/bin/env python3
"""Drawings of trees are well-formed, complete, to scale and legible. tree_picture.py DRAW_TREE"""
import math
import pathlib
import random
import re
import subprocess
import sys
import tempfile
import xml.etree.ElementTree as ElementTree

SVG = "{http://www.w3.org/2000/svg}"
ROUNDING = 0.06  # coordinates have one decimal
NAME_EM, SUPPORT_EM = 12, 8


class RandomTree:
    """An unrooted tree as neighbours with lengths; tips are 0 to n - 1."""

    def __init__(self, num_tips: int, seed: int, zeros: float = 0.1) -> None:
        self.draw = random.Random(seed)
        self.num_tips = num_tips
        self.zeros = zeros
        self.edges: dict[int, dict[int, float]] = {0: {}, 1: {}, 2: {}, num_tips: {}}
        for tip in range(3):
            self.join(tip, num_tips)
        pairs = [(tip, num_tips) for tip in range(3)]
        for tip in range(3, num_tips):
            i = self.draw.randrange(len(pairs))
            a, b = pairs[i]
            node = num_tips + tip - 2
            del self.edges[a][b], self.edges[b][a]
            for other in (a, b, tip):
                self.join(node, other)
            pairs[i] = (a, node)
            pairs += [(node, b), (node, tip)]

    def join(self, a: int, b: int) -> None:
        length = 0.0 if self.draw.random() < self.zeros else self.draw.expovariate(10)
        self.edges.setdefault(a, {})[b] = length
        self.edges.setdefault(b, {})[a] = length

    def distances(self, start: int) -> dict[int, float]:
        found, pending = {start: 0.0}, [start]
        while pending:
            node = pending.pop()
            for other, length in self.edges[node].items():
                if other not in found:
                    found[other] = found[node] + length
                    pending.append(other)
        return found

    def newick(self, names: list[str]) -> str:
        root = next(iter(self.edges[0]))
        parts: list[str] = []
        stack: list = [(root, None)]
        while stack:
            item = stack.pop()
            if isinstance(item, str):
                parts.append(item)
                continue
            node, parent = item
            below = [other for other in self.edges[node] if other != parent]
            end = "" if parent is None else f":{self.edges[node][parent]!r}"
            if not below:
                parts.append("'" + names[node].replace("'", "''") + "'" + end)
                continue
            stack.append(")" + end)
            for i, other in enumerate(below):
                stack.append((other, node))
                if i + 1 < len(below):
                    stack.append(",")
            parts.append("(")
        return "".join(parts) + ";"

    def total(self) -> float:
        return sum(sum(row.values()) for row in self.edges.values()) / 2

    def side(self, a: int, b: int) -> set[int]:
        """The tips on a's side of the edge to b."""
        found, pending = set(), [(a, b)]
        while pending:
            node, parent = pending.pop()
            if node < self.num_tips:
                found.add(node)
            pending += [(other, node) for other in self.edges[node] if other != parent]
        return found


def odd_names(count: int, draw: random.Random) -> list[str]:
    odd = ["a<b>&c", "it's \"quoted\"", "é÷中文字", "two  blanks", "W" * 60, "x" * 200, "]]>", "&amp;", "\U0001f333", "\uffff"]
    names = [f"taxon_{i}" + "_longer" * draw.randrange(4) for i in range(count)]
    names[: min(len(odd), count)] = odd[:count]
    return names


def texts(svg: ElementTree.Element, kind: str) -> list[tuple[str, float, float]]:
    return [(node.text, float(node.get("x")), float(node.get("y"))) for node in svg.iter(SVG + "text") if node.get("class") == kind]


def drawn(exe: str, folder: pathlib.Path, tree: RandomTree, names: list[str], supports: int, *outgroup: int, title: str = "a & <title>") -> ElementTree.Element:
    (folder / "tree.nwk").write_text(tree.newick(names), encoding="utf-8")
    (folder / "taxa").write_text("".join(name + "\n" for name in names), encoding="utf-8")
    command = [exe, str(folder / "tree.nwk"), str(folder / "taxa"), str(supports), title, *map(str, outgroup)]
    output = subprocess.run(command, stdout=subprocess.PIPE, check=True).stdout
    assert subprocess.run(command, stdout=subprocess.PIPE, check=True).stdout == output, "expected the same bytes again"
    return ElementTree.fromstring(output)


def depths_from_midpoint(tree: RandomTree) -> list[float]:
    """The distance of each tip from the middle of a longest path; all longest paths have the same middle."""
    def farthest(start: int) -> tuple[float, int]:
        return max((distance, node) for node, distance in tree.distances(start).items() if node < tree.num_tips)
    _, a = farthest(0)
    length, b = farthest(a)
    from_a, from_b = tree.distances(a), tree.distances(b)
    # The way of a tip joins the path in one point; from there it goes to the middle.
    result = []
    for tip in range(tree.num_tips):
        off_path = (from_a[tip] + from_b[tip] - length) / 2
        result.append(off_path + abs(from_a[tip] - off_path - length / 2))
    return result


def depths_from_edge(tree: RandomTree, a: int, b: int) -> list[float]:
    length, near = tree.edges[a][b], tree.side(a, b)
    from_a, from_b = tree.distances(a), tree.distances(b)
    return [length / 2 + (from_a if tip in near else from_b)[tip] for tip in range(tree.num_tips)]


def check_scale(svg: ElementTree.Element, tree: RandomTree, names: list[str], depths: list[float]) -> None:
    """Every name stands once, where the branch of its tip ends, and all branches have their lengths."""
    shown = {name: (x, y) for name, x, y in texts(svg, "taxon")}
    assert len(texts(svg, "taxon")) == tree.num_tips
    expected = [name.replace("\uffff", "\ufffd") for name in names]
    assert set(shown) == set(expected), set(shown) ^ set(expected)
    xs = [shown[name][0] for name in expected]
    deepest = max(range(tree.num_tips), key=lambda tip: depths[tip])
    left = 24.0  # of a tip at depth 0
    per_unit = (xs[deepest] - left) / depths[deepest]
    assert 600 < xs[deepest] - left < 900
    for tip in range(tree.num_tips):
        assert abs(xs[tip] - left - depths[tip] * per_unit) < 2 * ROUNDING, (names[tip], xs[tip], depths[tip])
    path = max((node.get("d") for node in svg.iter(SVG + "path")), key=len)
    across = [abs(float(b) - float(a)) for a, b in re.findall(r"M([\d.]+) [\d.]+H([\d.]+)", path)]
    assert len(across) == 2 * tree.num_tips - 1  # both halves of the edge at the root, and the root's own stub
    assert abs(sum(across) - 10 - tree.total() * per_unit) < len(across) * ROUNDING
    bar = next(node.get("d") for node in svg.iter(SVG + "path") if node.get("class") == "scale")
    begin, end = re.fullmatch(r"M([\d.]+) [\d.]+H([\d.]+)", bar).groups()
    unit = float(next(node.text for node in svg.iter(SVG + "text") if "substitutions" in (node.text or "")).split()[0])
    assert abs(float(end) - float(begin) - unit * per_unit) < 2 * ROUNDING and re.fullmatch(r"[125]e[+-]\d+", f"{unit:.0e}"), unit


def check_legible(svg: ElementTree.Element) -> None:
    """Nothing leaves the picture, and no label lies on another one."""
    width, height = float(svg.get("width")), float(svg.get("height"))
    boxes = []
    for name, x, y in texts(svg, "taxon"):
        boxes.append((x, x + 0.5 * NAME_EM * len(name), y - 0.7 * NAME_EM, y))
    for text, x, y in texts(svg, "support"):
        boxes.append((x - 0.5 * SUPPORT_EM * len(text), x, y - 0.7 * SUPPORT_EM, y))
    for left, right, top, bottom in boxes:
        assert 0 <= left and right <= width and 0 <= top and bottom <= height, (left, right, top, bottom)
    boxes.sort(key=lambda box: box[2])
    for i, (left, right, _, bottom) in enumerate(boxes):
        for other in boxes[i + 1:]:
            if other[2] >= bottom:
                break
            assert other[0] >= right or left >= other[1], "labels overlap"
    for node in svg.iter(SVG + "path"):
        for number in re.findall(r"[MH]([\d.]+)", node.get("d")):
            assert 0 <= float(number) <= width
        for number in re.findall(r"[V ]([\d.]+)", node.get("d")):
            assert 0 <= float(number) <= height


def random_trees(exe: str, folder: pathlib.Path) -> None:
    """4 to 5,000 tips, any names"""
    for num_tips, seed in [(4, seed) for seed in range(1, 20)] + [(n, 1) for n in (3, 5, 12, 50, 101, 500, 5000)]:
        tree = RandomTree(num_tips, seed)
        names = odd_names(num_tips, tree.draw)
        svg = drawn(exe, folder, tree, names, seed)
        check_scale(svg, tree, names, depths_from_midpoint(tree))
        check_legible(svg)
        dots = list(svg.iter(SVG + "circle"))
        assert len(texts(svg, "support")) + len(dots) == num_tips - 3, "expected a support at each inner edge"
        assert all(0 <= float(node[0].text) <= 100 for node in dots)
        plain = drawn(exe, folder, tree, names, 0)
        assert not texts(plain, "support") and not list(plain.iter(SVG + "circle"))


def outgroups(exe: str, folder: pathlib.Path) -> None:
    """The root is above the smallest subtree with the outgroup, whether or not that holds more"""
    for seed in range(1, 40):
        num_tips = 4 + seed % 9
        tree = RandomTree(num_tips, seed, zeros=0)
        names = [f"t{i}" for i in range(num_tips)]
        outgroup = set(tree.draw.sample(range(num_tips), 1 + seed % (num_tips - 1)))
        sides = [(len(side), a, b) for a in tree.edges for b in tree.edges[a] if outgroup <= (side := tree.side(a, b))]
        smallest = min(sides)[0]
        svg = drawn(exe, folder, tree, names, 0, *outgroup)
        assert [text for text, _, _ in texts(svg, "legend")] == ["rooted at the outgroup"]
        failures = []
        for _, a, b in (s for s in sides if s[0] == smallest):
            try:
                check_scale(svg, tree, names, depths_from_edge(tree, a, b))
                break
            except AssertionError as failure:
                failures.append(failure)
        else:
            raise failures[0]


def degenerate(exe: str, folder: pathlib.Path) -> None:
    """No length at all, one long branch, titles of any bytes"""
    tree = RandomTree(6, 1, zeros=1)
    names = [f"t{i}" for i in range(6)]
    svg = drawn(exe, folder, tree, names, 1)
    check_legible(svg)
    assert [text for text, _, _ in texts(svg, "legend")] == ["rooted at the midpoint of the longest path between two tips; blue: percentage of trees"]
    assert len(texts(svg, "taxon")) == 6 and not any("substitutions" in (node.text or "") for node in svg.iter(SVG + "text"))
    for a, row in tree.edges.items():
        for b in row:
            tree.edges[a][b] = 1e-6
    tip, node = 0, next(iter(tree.edges[0]))
    tree.edges[tip][node] = tree.edges[node][tip] = 100.0
    check_scale(drawn(exe, folder, tree, names, 1), tree, names, depths_from_midpoint(tree))
    for title in ("", "caf\udce9 <&>", "\x01\x02"):
        drawn(exe, folder, tree, names, 0, title=title)
    assert not math.isnan(float(svg.get("height")))


def main() -> int:
    for test in (random_trees, outgroups, degenerate):
        with tempfile.TemporaryDirectory() as folder:
            test(sys.argv[1], pathlib.Path(folder))
        print(f"{test.__doc__}: fine")
    return 0


if __name__ == "__main__":
    sys.exit(main())
