"""All mutants of a source file in one text: `a + b` becomes `(ptybot_mutant == 7 ? (a - b) : (a + b))`,
so that one program holds them all and a number selects the active mutant; 0: none."""
from dataclasses import dataclass, field

from clang.cindex import Index

HEAD = b"extern __attribute__((visibility(\"hidden\"))) int ptybot_mutant;\n#line 1\n"
# The number of the active mutant, in a separate object in addition to those of the library.
NUMBER = b"""#include <stdlib.h>
__attribute__((visibility("hidden"))) int ptybot_mutant;
__attribute__((constructor(101))) static void mutant_choose(void) {
    const char *number = getenv("PTYBOT_MUTANT");
    ptybot_mutant = number ? atoi(number) : 0;
}
"""
FORMS = ["jump", "void", "value"]  # from the outside to the inside, where they begin and end alike


@dataclass
class Part:
    """A piece of the text that is chosen, with the pieces inside it."""
    start: int
    end: int
    form: str
    sites: list = field(default_factory=list)
    inner: list = field(default_factory=list)


def nested(sites, end):
    """A part that is the whole text, with all others in it, and the sites that do not fit into it."""
    parts, left = {}, []
    for site in sites:
        if site.whole[2]:
            parts.setdefault(site.whole, Part(*site.whole)).sites.append(site)
        else:
            left.append(site)
    above = [Part(0, end, "")]
    for part in sorted(parts.values(), key=lambda part: (part.start, -part.end, FORMS.index(part.form))):
        while above[-1].end <= part.start:
            above.pop()
        if part.end > above[-1].end:
            left += part.sites
        else:
            above[-1].inner.append(part)
            above.append(part)
    return above[0], left


class Writer:
    def __init__(self, text, numbers):
        self.text, self.numbers = text, numbers
        self.out, self.spans = bytearray(HEAD), []  # spans: from, to, the sites that stand there

    def choice(self, part, site):
        number = self.numbers[site.id]
        if part.form == "jump":
            self.out += b"if (ptybot_mutant == %d) {} else " % number
            return
        from_ = len(self.out)
        # Without its sign a pointer would be an address.
        new = "!!" if site.old == "!" else site.new
        changed = self.text[part.start:site.start] + new.encode() + self.text[site.end:part.end]
        cast = b"(void)" if part.form == "void" else b""
        self.out += b"(ptybot_mutant == %d ? %s(%s) : " % (number, cast, changed)
        self.spans.append((from_, len(self.out), [site]))

    def part(self, part):
        from_ = len(self.out)
        for site in part.sites:
            self.choice(part, site)
        is_expression = part.form in ("value", "void")
        self.out += {"value": b"(", "void": b"(void)("}.get(part.form, b"")
        at = part.start
        for inner in part.inner:
            self.out += self.text[at:inner.start]
            self.part(inner)
            at = inner.end
        self.out += self.text[at:part.end] + b")" * (is_expression * (1 + len(part.sites)))
        self.spans.append((from_, len(self.out), part.sites))


def wrong_sites(written, at):
    """Those that an error at AT comes from: of the least span around it, or the next one."""
    spans = [span for span in written.spans if span[2]]
    return min(spans, key=lambda span: (max(span[0] - at, at - span[1], 0), span[1] - span[0]))[2]


def combine(path, text, arguments, sites, numbers):
    """The text of the file at PATH with all of SITES in it that compile there, and those that do not."""
    index = Index.create()
    whole, left = nested(sites, len(text))
    dropped = {site.id for site in left}
    while True:
        kept = [site for site in sites if site.id not in dropped]
        written = Writer(text, numbers)
        written.part(nested(kept, len(text))[0])
        unit = index.parse(path, args=[*arguments, "-w", "-ferror-limit=0"], unsaved_files=[(path, bytes(written.out))])
        errors = [one.location.offset if one.location.file and one.location.file.name == path else 0
                  for one in unit.diagnostics if one.severity >= 3]
        if not errors or not kept:
            return bytes(written.out), [site for site in sites if site.id in dropped]
        for at in errors:
            dropped |= {site.id for site in wrong_sites(written, at)}
