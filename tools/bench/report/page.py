"""A page in Markdown becomes one in HTML that needs no other file: pictures are in it, and tables scroll on narrow screens."""
import pathlib
import re
from html import escape

STYLE = """
:root { color-scheme: light; }
* { box-sizing: border-box; }
body { margin: 0 auto; padding: 1rem clamp(0.75rem, 3vw, 3rem) 4rem; max-width: 1560px; background: #fff; color: #1c1c1c;
       font: 16px/1.5 system-ui, -apple-system, "Segoe UI", "DejaVu Sans", sans-serif; overflow-wrap: break-word; }
h1 { font-size: 1.7rem; line-height: 1.2; margin: 0.5rem 0 1rem; }
h2 { font-size: 1.25rem; margin: 2.4rem 0 0.6rem; padding-top: 0.6rem; border-top: 1px solid #ddd; }
h3 { font-size: 1.05rem; margin: 1.6rem 0 0.4rem; }
p, ul { max-width: 85ch; margin: 0.5rem 0; }
a { color: #0b5394; }
code { font: 0.9em ui-monospace, "DejaVu Sans Mono", monospace; background: #f4f4f4; padding: 0 0.2em; border-radius: 3px; }
.wide { overflow-x: auto; margin: 0.8rem 0; }
table { border-collapse: collapse; font-size: 0.9rem; font-variant-numeric: tabular-nums; }
th, td { padding: 0.28rem 0.7rem; border-bottom: 1px solid #e4e4e4; text-align: left; vertical-align: top; }
th { background: #f6f6f6; white-space: nowrap; }
td[style*="right"], th[style*="right"] { white-space: nowrap; }
th:empty { display: none; }
td:first-child { min-width: 11rem; }
figure { margin: 1rem 0; overflow-x: auto; }
figure svg { display: block; height: auto; }
figcaption { font-size: 0.85rem; color: #555; }
.small, small { color: #555; font-size: 0.85rem; }
@page { size: A4; margin: 14mm; }
@media print {
  body { max-width: none; padding: 0; font-size: 9.5pt; }
  h2, h3 { break-after: avoid; }
  figure, tr { break-inside: avoid; }
  figure, .wide { overflow: visible; }
  figure svg { width: 100%; height: auto; max-height: 250mm; }
  table { font-size: 7.5pt; overflow-wrap: anywhere; }
  th, td, td[style*="right"], th[style*="right"] { padding: 1pt 3pt; white-space: normal; }
  td:first-child { min-width: 0; }
}
@media (max-width: 600px) {
  body { font-size: 15px; }
  table { font-size: 0.74rem; overflow-wrap: normal; }
  th, td, td[style*="right"], th[style*="right"] { padding: 0.25rem 0.3rem; white-space: normal; }
  td:first-child { min-width: 6.5rem; }
}
"""


def html(text: str, folder: pathlib.Path, title: str) -> str:
    """The page; empty without the package that knows Markdown. folder: where the pictures are."""
    try:
        import markdown
    except ImportError:
        return ""
    body = markdown.markdown(text, extensions=["tables", "toc", "sane_lists"])
    body = re.sub(r'<p><img alt="([^"]*)" src="([^"]+\.svg)" ?/?></p>', lambda found: figure(found[1], folder / found[2]), body)
    body = body.replace("<table>", '<div class="wide"><table>').replace("</table>", "</table></div>")
    head = '<meta charset="utf-8">\n<meta name="viewport" content="width=device-width, initial-scale=1">'
    return (f'<!doctype html>\n<html lang="en">\n<head>\n{head}\n'
            f"<title>{escape(title)}</title>\n<style>{STYLE}</style>\n</head>\n<body>\n{body}\n</body>\n</html>\n")


def figure(label: str, picture: pathlib.Path) -> str:
    """The picture itself. Its label is for readers that do not see it, such as screen readers."""
    svg = picture.read_text(encoding="utf-8")
    return "<figure>" + re.sub(r"<svg ", f'<svg role="img" aria-label="{label}" ', svg[svg.index("<svg"):], count=1).strip() + "</figure>"
