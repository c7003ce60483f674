"""Reads the page of a report (ptybot test --html) with a real parser, checks that it is one file that asks nobody for
anything, and prints what is asked for.

usage: page_say.py sections F.html   its headings
       page_say.py dots F.html       of each map how many dots are green, red and yellow
       page_say.py room F.html       whether the dots of the first map and the room painted below them have one scale:
                                     the corners of the floor, in meters
       page_say.py text F.html       all its words
"""
import base64
import re
import sys
import xml.etree.ElementTree as ET

COLORS = {"#2a9d5c": "green", "#c22e12": "red", "#e39b00": "yellow"}


def data(element):
    address = element.get("href") or element.get("src")
    kind, _, rest = address.partition(";base64,")
    assert kind in ("data:image/svg+xml", "data:image/png"), address[:60]
    return base64.b64decode(rest, validate=True)


def check(page):
    for element in page.iter():
        assert element.tag not in ("script", "link", "iframe", "object"), element.tag
        for key, value in element.items():
            assert not re.match(r"(https?:)?//", value), (key, value[:60])
            if key in ("src", "href"):
                assert value.startswith(("data:", "file://")), (key, value[:60])
    for image in page.iter("img"):
        assert data(image).startswith(b"\x89PNG\r\n"), image.get("alt")
    for style in page.iter("style"):
        assert "url(" not in style.text and "@import" not in style.text


def maps(page):
    return [svg for svg in page.iter("svg") if svg.find("g/circle") is not None]


def dots(svg):
    counts = {"green": 0, "red": 0, "yellow": 0}
    for dot in svg.findall("g"):
        counts[COLORS[dot.get("fill")]] += 1
        assert dot.find("title").text
    return counts


def room(svg):
    """Where a dot is tells the scale: two of them, in meters and in pixels."""
    places = []
    for dot in svg.findall("g"):
        x, y = map(float, re.search(r": x (\S+) m, y (\S+) m", dot.find("title").text).groups())
        circle = dot.find("circle")
        places.append((x, y, float(circle.get("cx")), float(circle.get("cy"))))
    low, high = min(places), max(places)
    scale = (high[2] - low[2]) / (high[0] - low[0])
    picture = ET.fromstring(data(svg.find("image")))
    # The first closed path with a fill that is no background: the floor.
    found = set()
    for path in picture.iter("{http://www.w3.org/2000/svg}path"):
        points = re.findall(r"[ML] (\S+) (\S+)", path.get("d", ""))
        if len(points) in (4, 5) and "Z" in path.get("d"):
            corners = [((float(px) - low[2]) / scale + low[0], low[1] - (float(py) - low[3]) / scale) for px, py in points]
            xs, ys = zip(*corners)
            found.add(tuple(round(value, 1) + 0.0 for value in (min(xs), min(ys), max(xs), max(ys))))
    return found


def main(verb, path):
    page = ET.parse(path).getroot()
    check(page)
    if verb == "sections":
        for element in page.iter():
            if element.tag in ("h1", "h2", "h3"):
                print(element.text)
    elif verb == "dots":
        for svg in maps(page):
            print(" ".join(f"{count} {color}" for color, count in dots(svg).items()))
    elif verb == "room":
        for bounds in sorted(room(maps(page)[0])):
            print(*bounds)
    elif verb == "text":
        print(re.sub(r"\s+", " ", " ".join(page.itertext())))


if __name__ == "__main__":
    main(*sys.argv[1:])
