"""A drawing of boxes, arrows and text, as SVG. Units are pixels; text is 13 pixels high and 7.8 wide."""
from html import escape

COLORS = {"plain": "#ffffff", "blue": "#d6e4f0", "green": "#d9ead3", "yellow": "#fff2cc", "red": "#f4cccc", "gray": "#e8e8e8"}
LINE = 17  # the distance of two lines of text


class Drawing:
    """Collects elements, and knows how large they are together."""

    def __init__(self, title):
        self.title = title
        self.elements = []
        self.right = self.bottom = 0

    def cover(self, x, y):
        self.right, self.bottom = max(self.right, x), max(self.bottom, y)

    def text(self, x, y, words, anchor="start", style=""):
        """Lines of text; y is the base line of the first one."""
        for number, line in enumerate(words.split("\n")):
            at = y + number * LINE
            self.elements.append(f'<text x="{x:g}" y="{at:g}" text-anchor="{anchor}"{style}>{escape(line)}</text>')
            width = len(line) * 7.8
            self.cover(x + {"start": width, "middle": width / 2, "end": 0}[anchor], at + 5)

    def title_text(self, x, y, words, anchor="start"):
        self.text(x, y, words, anchor, ' font-weight="bold"')

    def note(self, x, y, words, anchor="start"):
        self.text(x, y, words, anchor, ' fill="#666"')

    def box(self, x, y, width, height, words="", color="plain", dashed=False):
        """A box with lines of text in its middle."""
        dash = ' stroke-dasharray="4 3"' if dashed else ""
        self.elements.append(f'<rect x="{x:g}" y="{y:g}" width="{width:g}" height="{height:g}" fill="{COLORS[color]}" stroke="#333"{dash}/>')
        self.cover(x + width, y + height)
        lines = words.split("\n") if words else []
        first = y + height / 2 + 4.5 - (len(lines) - 1) * LINE / 2
        for number, line in enumerate(lines):
            self.text(x + width / 2, first + number * LINE, line, "middle")

    def row(self, x, y, width, height, words, color="plain"):
        """Boxes side by side: words and colors are lists, or one color for all."""
        for number, word in enumerate(words):
            self.box(x + number * width, y, width, height, word, color[number] if isinstance(color, list) else color)

    def line(self, *points, dashed=False, arrow=False, color="#333"):
        """A line through the points [(x, y)]."""
        path = " ".join(f"{x:g},{y:g}" for x, y in points)
        dash = ' stroke-dasharray="4 3"' if dashed else ""
        head = ' marker-end="url(#head)"' if arrow else ""
        self.elements.append(f'<polyline points="{path}" fill="none" stroke="{color}" stroke-width="1.3"{dash}{head}/>')
        for point in points:
            self.cover(*point)

    def arrow(self, *points, words="", dashed=False):
        """The same with a head at its end, and a text above its middle."""
        self.line(*points, dashed=dashed, arrow=True)
        if words:
            (x1, y1), (x2, y2) = points[0], points[-1]
            self.note((x1 + x2) / 2, (y1 + y2) / 2 - 5 - (words.count("\n") * LINE), words, "middle")

    def svg(self):
        width, height = int(self.right + 12), int(self.bottom + 12)
        body = "\n".join(self.elements)
        return f"""<svg xmlns="http://www.w3.org/2000/svg" viewBox="-12 -12 {width + 12} {height + 12}" width="{width + 12}" \
xml:space="preserve" font-family="monospace" font-size="13">
<title>{escape(self.title)}</title>
<defs><marker id="head" viewBox="0 0 10 10" refX="9" refY="5" markerWidth="8" markerHeight="8" orient="auto">\
<path d="M0,1 L10,5 L0,9 z" fill="#333"/></marker></defs>
<rect x="-12" y="-12" width="100%" height="100%" fill="#ffffff"/>
{body}
</svg>
"""
