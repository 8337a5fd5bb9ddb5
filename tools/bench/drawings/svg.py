"""The pieces of SVG that all pictures are made of."""
from xml.sax.saxutils import escape

COLOURS = ["#0072b2", "#56b4e9", "#009e73", "#d55e00", "#cc79a7", "#e69f00", "#555555", "#000000",  # Okabe, Ito: also for the colour-blind
           "#882255", "#44aa99", "#999933", "#6a3d9a"]  # Tol, Brewer


def document(width: float, height: float, left: float, title: str, elements: list[str]) -> str:
    """The whole file: a title above the elements, on white."""
    return "\n".join([
        f'<svg xmlns="http://www.w3.org/2000/svg" width="{width}" height="{height}" viewBox="0 0 {width} {height}" '
        'font-family="sans-serif" font-size="11">',
        f'<rect width="{width}" height="{height}" fill="#ffffff"/>',
        text(left, 22, title, font_size="15", font_weight="bold"), *elements, "</svg>", ""])


def in_lines(lengths: list[float], left: float, width: float) -> list[tuple[float, int]]:
    """Where the entries of a legend begin that are so long: x, and the number of the line, in as many lines as the width needs."""
    places, x, line = [], left, 0
    for length in lengths:
        if x > left and x + length > width:
            x, line = left, line + 1
        places.append((x, line))
        x += length
    return places


def text(x: float, y: float, content: str, **attributes: str) -> str:
    styled = "".join(f' {name.replace("_", "-")}="{entry}"' for name, entry in attributes.items())
    return f'<text x="{x:.1f}" y="{y:.1f}"{styled}>{escape(content)}</text>'
