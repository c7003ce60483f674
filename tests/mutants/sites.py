"""The places of a source file that a mutant may change, found in clang's syntax tree: operators,
constants, conditions, statements, results, arguments. Results of macros are left out."""
import hashlib
import re
from dataclasses import dataclass, field

from clang.cindex import CursorKind as Kind
from clang.cindex import Index, StorageClass, TypeKind

# The replacements of an operator; each entry is a separate mutant.
OPERATORS = {
    "+": ["-"], "-": ["+"], "*": ["/"], "/": ["*"], "%": ["*"],
    "<": ["<=", ">="], "<=": ["<", ">"], ">": [">=", "<="], ">=": [">", "<"], "==": ["!="], "!=": ["=="],
    "&&": ["||"], "||": ["&&"],
    "&": ["|"], "|": ["&"], "^": ["&"], "<<": [">>"], ">>": ["<<"],
    "+=": ["-="], "-=": ["+="], "*=": ["/="], "/=": ["*="], "%=": ["*="],
    "&=": ["|="], "|=": ["&="], "^=": ["&="], "<<=": [">>="], ">>=": ["<<="],
}
KINDS = {"+": "arithmetic", "-": "arithmetic", "*": "arithmetic", "/": "arithmetic", "%": "arithmetic",
         "<": "relation", ">": "relation", "=": "relation", "!": "relation"}
INTEGER = re.compile(r"(0[xX][0-9a-fA-F]+|[0-9]+)[uUlL]*$")
REAL = re.compile(r"[0-9.]+([eE][-+]?[0-9]+)?[fF]?$")
BRANCHES = {Kind.IF_STMT, Kind.FOR_STMT, Kind.WHILE_STMT, Kind.DO_STMT}
REALS = {TypeKind.DOUBLE, TypeKind.FLOAT}


@dataclass(frozen=True)
class Site:
    """One mutant: the bytes START to END of FILE become NEW."""
    file: str
    function: str  # "" outside of all
    kind: str
    line: int
    start: int
    end: int
    new: str
    old: str
    code: str  # the line as it stands
    id: str = ""
    # The code that is selected at run time: the bytes START to END of FILE, a "value", an
    # expression as a statement ("void") or a "jump"; "" if nothing is computed, as in a table.
    whole: tuple = field(default=(0, 0, ""), compare=False)


def operator_kind(old):
    if old in ("&&", "||"):
        return "logic"
    if old in ("<", "<=", ">", ">=", "==", "!="):
        return "relation"
    return "arithmetic" if old[0] in "+-*/%" else "bits"


class Finder:
    def __init__(self, path, name):
        self.name = name
        with open(path, "rb") as file:
            self.text = file.read()
        self.found = []
        self.function = ""
        self.is_static = True  # in static data, which exists before the program runs

    def slice(self, cursor):
        return cursor.extent.start.offset, cursor.extent.end.offset

    def old(self, start, end):
        return self.text[start:end].decode("utf-8", "replace")

    def add(self, kind, start, end, new, whole=None, form="value"):
        """WHOLE is the expression that START to END is a part of, if it is only a part."""
        first = self.text.rfind(b"\n", 0, start) + 1
        last = self.text.find(b"\n", start)
        self.found.append(Site(file=self.name, function=self.function, kind=kind,
                               line=self.text.count(b"\n", 0, start) + 1, start=start, end=end, new=new,
                               old=self.old(start, end), code=self.old(first, last).strip(),
                               whole=(*(whole or (start, end)), "" if self.is_static else form)))

    def is_plain(self, cursor):
        """Whether its text is its own: it comes from no macro."""
        start, end = self.slice(cursor)
        return start < end and not cursor.extent.start.file is None

    def operator(self, cursor):
        left, right = list(cursor.get_children())[:2]
        start, end = self.slice(left)[1], self.slice(right)[0]
        between = self.old(start, end)
        old = between.strip()
        if start >= end or old not in OPERATORS:
            return
        start += between.index(old)
        for new in OPERATORS[old]:
            self.add(operator_kind(old), start, start + len(old), new, self.slice(cursor))

    def unary(self, cursor, parent):
        start, end = self.slice(cursor)
        text = self.old(start, end)
        if text[:1] in ("!", "~") or (text[:1] == "-" and text[1:2] != "-"):
            self.add("sign" if text[0] == "-" else "logic", start, start + 1, " ", (start, end))
        # A loop that counts in the other direction only hangs.
        for old, new in (("++", "--"), ("--", "++")):
            if parent.kind == Kind.FOR_STMT:
                continue
            if text.startswith(old):
                self.add("arithmetic", start, start + 2, new, (start, end))
            elif text.endswith(old):
                self.add("arithmetic", end - 2, end, new, (start, end))

    def literal(self, cursor):
        start, end = self.slice(cursor)
        text = self.old(start, end)
        if text in ("true", "false"):
            self.add("constant", start, end, "false" if text == "true" else "true")
        elif cursor.kind == Kind.INTEGER_LITERAL and INTEGER.match(text):
            self.add("constant", start, end, f"({text} + 1)")
            if text != "0":
                self.add("constant", start, end, f"({text} - 1)")
        elif cursor.kind == Kind.FLOATING_LITERAL and REAL.match(text):
            self.add("constant", start, end, "1.0" if float(text.rstrip("fF")) == 0 else f"({text} * 1.25)")

    def condition(self, cursor):
        start, end = self.slice(cursor)
        text = self.old(start, end)
        # A relation or a negation has separate mutants.
        if text and not text.startswith("!") and cursor.kind != Kind.BINARY_OPERATOR and "(" != text:
            self.add("condition", start, end, f"!({text})")

    def statement(self, cursor):
        start, end = self.slice(cursor)
        if start >= end or cursor.kind == Kind.CSTYLE_CAST_EXPR:
            return
        kind = cursor.kind
        if kind == Kind.CALL_EXPR:
            self.add("call removed", start, end, "(void)0", form="void")
        elif kind in (Kind.COMPOUND_ASSIGNMENT_OPERATOR, Kind.UNARY_OPERATOR) or (
                kind == Kind.BINARY_OPERATOR and b"=" in self.text[start:end]):
            self.add("statement removed", start, end, "(void)0", form="void")
        elif kind in (Kind.CONTINUE_STMT, Kind.BREAK_STMT) or (
                kind == Kind.RETURN_STMT and not list(cursor.get_children())):
            self.add("statement removed", start, end, "(void)0", form="jump")

    def result(self, cursor):
        values = list(cursor.get_children())
        if not values:
            return
        start, end = self.slice(values[0])
        text = self.old(start, end)
        kind = values[0].type.get_canonical().kind
        if start >= end or text in ("0", "true", "false", "NULL"):
            return
        if kind == TypeKind.BOOL:
            self.add("result", start, end, f"!({text})")
        elif kind in REALS or TypeKind.CHAR_U.value <= kind.value <= TypeKind.INT128.value:
            self.add("result", start, end, "0")

    def arguments(self, cursor):
        given = list(cursor.get_arguments())
        for one, two in zip(given, given[1:]):
            a, b = self.slice(one), self.slice(two)
            texts = self.old(*a), self.old(*b)
            if (a[0] < a[1] <= b[0] < b[1] and texts[0] != texts[1] and
                    one.type.get_canonical() == two.type.get_canonical()):
                self.add("arguments swapped", a[0], b[1], texts[1] + self.old(a[1], b[0]) + texts[0],
                         self.slice(cursor))

    def visit(self, cursor, parent):
        kind = cursor.kind
        if kind in (Kind.BINARY_OPERATOR, Kind.COMPOUND_ASSIGNMENT_OPERATOR):
            self.operator(cursor)
        elif kind == Kind.UNARY_OPERATOR:
            self.unary(cursor, parent)
        elif kind in (Kind.INTEGER_LITERAL, Kind.FLOATING_LITERAL):
            # The size of an array that is a variable or field only affects memory.
            if parent.kind not in (Kind.VAR_DECL, Kind.FIELD_DECL) or parent.type.kind != TypeKind.CONSTANTARRAY:
                self.literal(cursor)
        elif kind == Kind.RETURN_STMT:
            self.result(cursor)
        elif kind == Kind.CALL_EXPR:
            self.arguments(cursor)
        children = list(cursor.get_children())
        if kind in (Kind.IF_STMT, Kind.WHILE_STMT, Kind.CONDITIONAL_OPERATOR) and children:
            self.condition(children[0])
        if kind == Kind.COMPOUND_STMT or kind in BRANCHES:
            for child in children if kind == Kind.COMPOUND_STMT else children[1:]:
                is_head = kind == Kind.FOR_STMT and child != children[-1]
                if not is_head:
                    self.statement(child)
        for child in children:
            self.enter(child, cursor)

    def enter(self, cursor, parent):
        start, end = self.slice(cursor)
        if start > end:
            return
        if cursor.kind == Kind.FUNCTION_DECL:
            self.function, self.is_static = cursor.spelling, False
            self.visit(cursor, parent)
            self.function, self.is_static = "", True
        elif cursor.kind == Kind.VAR_DECL and cursor.storage_class == StorageClass.STATIC:
            outside, self.is_static = self.is_static, True
            self.visit(cursor, parent)
            self.is_static = outside
        elif cursor.kind != Kind.ENUM_DECL or parent.kind == Kind.TRANSLATION_UNIT:
            self.visit(cursor, parent)


def named(found):
    """Each with a name that stays when lines move: of its place in its function and what changes."""
    seen, sites = {}, []
    for site in sorted(set(found), key=lambda site: (site.start, site.end, site.new)):
        key = f"{site.file}|{site.function}|{site.code}|{site.old}|{site.new}"
        seen[key] = seen.get(key, 0) + 1
        name = hashlib.sha1(f"{key}|{seen[key]}".encode()).hexdigest()[:10]
        sites.append(Site(**{**site.__dict__, "id": name}))
    return sites


def find(path, name, arguments):
    """All mutants of the file at PATH, called NAME, which the compiler reads with ARGUMENTS."""
    unit = Index.create().parse(path, args=arguments)
    worst = [one for one in unit.diagnostics if one.severity >= 3]
    if worst:
        raise RuntimeError(f"{name}: {worst[0].spelling}")
    finder = Finder(path, name)
    for cursor in unit.cursor.get_children():
        if cursor.location.file and cursor.location.file.name == path:
            finder.enter(cursor, unit.cursor)
    return named(finder.found)
