"""Reads the page of a report (ptybot test --html) as a browser without JavaScript does, checks that it is one file that
requests nothing, and prints:

usage: page_say.py sections F.html   its headings
       page_say.py text F.html       all its words
       page_say.py tags F.html       its elements in their order
"""
import base64
import json
import re
import sys
from html.parser import HTMLParser


class Page(HTMLParser):
    def __init__(self):
        super().__init__()
        self.tags, self.sections, self.words = [], [], []
        self.inside, self.parts = "", {"script": "", "style": ""}

    def handle_starttag(self, tag, attrs):
        self.inside = tag
        self.tags.append(tag)
        if tag in ("h1", "h2", "h3"):
            self.sections.append("")
        for key, value in attrs:
            value = value or ""
            assert not key.startswith("on"), key
            assert not re.match(r"(https?:)?//", value), (key, value[:60])
            if key in ("src", "href"):
                assert value.startswith(("data:", "file://")), (key, value[:60])
            if tag == "img" and key == "src" and value.startswith("data:image/png;base64,"):
                assert base64.b64decode(value[22:], validate=True).startswith(b"\x89PNG\r\n")
            if key == "id" and value == "bundle":
                self.inside = "bundle"
                self.parts["bundle"] = ""

    def handle_endtag(self, tag):
        self.inside = ""

    def handle_data(self, data):
        if self.inside in self.parts:
            self.parts[self.inside] += data
        else:
            self.words.append(data)
        if self.inside in ("h1", "h2", "h3"):
            self.sections[-1] += data

    def check(self):
        assert self.tags.count("script") == 2 and self.tags.count("style") == 1, self.tags
        assert not {"iframe", "object", "base", "form"} & set(self.tags), self.tags
        assert "url(" not in self.parts["style"] and "@import" not in self.parts["style"]
        assert not re.search(r"^import |fetch\(|innerHTML", self.parts["script"], re.M)
        assert isinstance(json.loads(self.parts["bundle"]), dict)


def main(verb, path):
    page = Page()
    with open(path, encoding="utf-8") as file:
        page.feed(file.read())
    page.close()
    page.check()
    if verb == "sections":
        print("\n".join(page.sections))
    elif verb == "text":
        print(re.sub(r"\s+", " ", " ".join(page.words)))
    elif verb == "tags":
        print(" ".join(page.tags))


if __name__ == "__main__":
    main(*sys.argv[1:])
