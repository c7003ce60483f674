#!/usr/bin/env python3
"""Checks that text keeps to plain technical English.

    words.py [ROOT]             report: hits per rule and class of text, worst files, lengths of sentences and cells
    words.py ROOT --rule NAME   print each hit of a rule as FILE:LINE: text
    words.py ROOT --sample N    print N random hits per rule, to find false positives
    words.py ROOT --against DIR compare the densities with those of reference documents
    words.py ROOT --final       exit with 1 unless documents, strings and scripts have no ERROR, keep to all budgets and lengths,
                                and codespell finds nothing
    words.py ROOT --gate FILE   --final and --selftest; also exit with 1 if comments have more hits than FILE allows
    words.py ROOT --write FILE  write the counts of comments into FILE; refuses to raise one
    words.py --selftest         check that each rule finds its planted error and no clean sentence

Text has four classes, which are counted separately: docs (Markdown), strings (of the program and the page), scripts
(strings and docstrings of Python, strings of shell) and comments (of all languages). An ERROR pattern may not occur;
`words: off RULE` on the same line is a justified exception. A BUDGET pattern is ordinary English in small doses; its
limit is a density per 1,000 words, twice that of reference documents.
"""
import argparse, ast, collections, io, json, os, random, re, shutil, subprocess, sys, tokenize

E, B = "error", "budget"
I = re.IGNORECASE
BE = r"(?:is|are|was|were|be|been|being)"
ADV = r"(?:\w+ly |not |then |also |only |never |once )?"

# name, kind, limit per 1000 words (budget), pattern, what to write instead
RULES = [
 # -- reporting verbs: things do not "tell"; ptybot reports, prints, warns, returns
 ("told",        E, 0, rf"\b{BE} {ADV}told\b|\b(?:nothing|what|that) (?:is )?told\b", "is reported / ptybot reports"),
 ("tells",       E, 0, r"\b(?:tell|tells|telling) (?:that|what|a|an|no|nothing|of|which|how|where|is|theirs|all)\b|\b(?:signal|sensor|robot|counter|field|byte|message|firmware|error|failure)s? tells?\b", "reports, shows, contains"),
 ("said",        E, 0, rf"\b{BE} {ADV}said\b|\bsays? so\b|\bsaid again\b", "is reported; prints a message"),
 # -- negation by predicate noun
 ("is-none",     E, 0, rf"(?<!here )\b{BE} none\b(?! of)|\bof none\b|\bor none\b(?= of)", "is not a ...; does not exist"),
 ("is-no-noun",  E, 0, rf"(?<!here )(?<!ere's )\b(?:is|are|was|were) no (?!longer|more|less|need|way|doubt|such|other|single|guarantee)[a-z]+", "is not a ..."),
 # -- persons who are not there
 ("person",      E, 0, r"\b(?:nobody|somebody|whoever|anybody|everybody|whom)\b", "name the user, process or client"),
 ("who-noun",    E, 0, r"(?:^|[.;:,] )who (?!(?:is|are) (?:on|in) )(?:is|are|does|only|calls|reads|leaves|waits|ends|looks|still|has|can)\b", "a client that ..."),
 # -- existence and continuation
 ("is-there",    E, 0, rf"\b(?:is|are|was|were) there(?= (?:already|with|from|too|once|for)\b|[.,;:)]|$)", "exists, is available"),
 ("goes-on",     E, 0, r"\b(?:go|goes|went|going) on\b(?! (?:to|strike))", "continues; advances (time)"),
 # -- possessive by 'of'
 ("of-own",      E, 0, r"\bof (?:one's own|its own|his own|their own|your own|yours|ours|mine|theirs|this run alone|the same one)\b", "its own X; your X; separate"),
 ("alone",       B, .10, r"\b(?:of|by|from|in|on|with|for) [\w' ]{2,24} alone\b|\w+s? alone\b(?=[.,;:)]|$)", "only"),
 # -- instrument and manner
 ("by-itself",   E, 0, r"\bby (?:itself|themselves)\b", "automatically; alone"),
 ("as-it-is",    E, 0, r"\bas (?:it is|they are|it was|they were|it stands|they stand|as you like|ever)(?=[.,;:)]|$| and\b| in\b| here\b)", "unchanged"),
 ("beside",      E, 0, r"\bbeside\b", "next to (place); in addition to; compared with"),
 ("hold-against",E, 0, r"\b(?:hold|holds|held|holding)\b[^.;]{0,40}\b(?:against|beside)\b", "compare with"),
 ("become-of",   E, 0, r"\b(?:become|becomes|became|come|comes|came) of\b|\bis to (?:become|happen)\b", "happen to; result from"),
 ("archaic",     E, 0, r"\b(?:anew|in vain|for ever|ever new|at last|thereof|likewise|henceforth|by and by|now and then|nonsense|no matter(?! (?:how|what|which|where|if))|in good order|takes? no notice|all the same|mend|mends|mended|reckon(?:s|ed)?|spoiled|spoilt|foul|so much simulated|by the clock on the wall)\b", "plain word: again, without success, forever, cleanly, ..."),
 ("hands",       E, 0, r"\b(?:lay|lays|lend|lends|take|takes|taking) (?:a |it a |the same )?hands?\b|\bsame hands\b|\ball hands\b|\b(?:no|its) hands\b", "controls; interact with"),
 ("light-verb",  B, .15, r"\b(?:stands?|lies?|meets?|hears?|heard|unheard|minds?) (?:in|on|at|of|there|behind|beside|still|by|nothing|everything|a|the)\b", "is in; hits; receives"),
 # -- word order and verbless sentences
 ("of-start",    E, 0, r"(?:^|[.:;] )Of (?!course)(?:a|an|the|what|which|those|these|several|each|all|more|\d|[a-z]+)\b", "start with the subject: 'For a folder, ptybot runs ...'"),
 ("inversion",   E, 0, r"(?:^|[.;] )(?:Needed|Left out|Missing|Covered|Not read|Late|Right|Gone|Not there|Exact|Added) (?:is|are|was)\b|(?:^|[.;] )Nor (?:do|does|is|are|did)\b|, so (?:is|are|does|do) (?:a|an|the|what|his|that)\b|, and so (?:is|are|does|do|has|have|did)\b", "subject first"),
 ("else",        E, 0, r"(?:^|[.;] )[Ee]lse\b(?! if)(?!$)", "Otherwise,"),
 ("where-if",    B, .50, r"(?:^|[.;] )Where (?:a|an|it|that|this|the|there|they|time|nothing|one|some|none|no|what|[A-Z`])\b(?![^.]*\?)|, where (?:it|that|there|they|none|nothing|no|one)\b", "if / when"),
 ("what-clause", B, 1.0, r"\bwhat (?:is|are|was|were|comes?|came|goes|it|they|has|have|had|does|did|cannot|can|varies|fails|failed|came|runs|lasts)\b(?![^.]*\?)", "a concrete noun"),
 ("what-subject",E, 0, r"(?:^|[.;] )What [^.?!;]{3,80}? (?:is|are|does|gets?|has|counts?|stays?|goes|comes?)\b(?![^.]*\?)", "a concrete noun as the subject"),
 ("prep-which",  B, .60, r"\b(?:of|by|from|in|on|with|for|to|at|under|behind|beyond|above|below) (?:which|whom|that which|what)\b", "two sentences"),
 ("a-per",       E, 0, r"\b(?:an?|one) (?!half|quarter|few|lot|little|bit|such|many)\w+ an? (?:robot|line|verb|case|packet|channel|step|file|page|row|sample|processor|turn|object)\b|\bseconds a second\b|\b(?:times|pictures|rows|commands|packets|messages) a (?:robot|line|step)\b", "one X per Y"),
 ("some-number", E, 0, r"\bsome (?:\d[\d.,]*|half|ten|twenty|fifty|hundred|tens)\b", "about"),
 ("all-that",    E, 0, r"\ball (?:that|else|which|what|of that|of whom)\b(?! (?:is )?(?:said|matters|time)\b)", "everything; all + noun"),
 ("time-out",    E, 0, r"\btime-outs?\b", "timeout"),
 ("same-again",  E, 0, r"\b(?:the same again|come again|once more|do(?:es)? a run again|done again|does the run again|the run again)\b", "reproducible; replay"),
 ("one-pronoun", B, .15, r"\b(?:that|the other|this|an older|the latter|whose|no other) one\b|\bone (?:does|has|can|sees|writes|looks|wants|needs)\b|\bthe one (?:of|that|before|which|who)\b", "repeat the noun"),
 ("term",        E, 0, r"\b(?:verbs?|carriers?|storeys?|the house|bless(?:ed|es)?|first page|ten thousand runs)\b", "subcommand; transport; layer; design; update golden files"),
]
# strings of the program only
STRING_RULES = [
 ("note-start",  E, 0, r"^(?:of|by|as|that|which|at|until|after|from|with|in|on|to|than|ahead|another|instead) [a-z]", "start with a verb or a noun phrase"),
 ("let-it",      E, 0, r"^(?:[a-z ]+: )?let\b", "allow ..."),
 ("did-you-mean",E, 0, r"did you mean\b(?!.*\?)", "did you mean 'X'?"),
 ("vague-error", B, .50, r"^(?:%s: )?(?:it|this|that) (?:is|has|was|cannot|ends|holds) ", "name the thing: file, option, value"),
]
MEAN_SENTENCE, LONG_SHARE = 16, 1.5
LONG_SENTENCE, LONG_CELL, LONG_PAGE = 40, 160, 1500   # tests/e2e/test_e2e_help.c checks the width of the help
# Rules that need a capital at the start of a sentence.
CASED = ("of-start", "inversion", "what-subject", "else", "who-noun")
COMPILED = None

def compiled():
    global COMPILED
    if COMPILED is None:
        COMPILED = [(n, k, l, re.compile(p, 0 if "[A-Z" in p or n in CASED else I), w, False) for n, k, l, p, w in RULES] + \
                   [(n, k, l, re.compile(p), w, True) for n, k, l, p, w in STRING_RULES]
    return COMPILED

# ---- text units: (file, line, kind, text) with kind prose | cell | heading | string ----

def plain(text):
    text = re.sub(r"!\[([^]]*)\]\([^)]*\)", r"\1", text)
    text = re.sub(r"\[([^]]*)\]\([^)]*\)", r"\1", text)
    text = re.sub(r"``.*?``|`[^`]*`", "X", text)
    text = re.sub(r"<[^>]{1,80}>|https?://\S+|\*\*|__|(?<!\w)\*(?=\w)|(?<=\w)\*(?!\w)", "", text)
    return re.sub(r"\s+", " ", text).strip()

def markdown(path, name):
    lines = open(path, encoding="utf-8", errors="replace").read().split("\n")
    fence, start, block = False, 0, []
    def flush():
        nonlocal block
        if block:
            yield (name, start, "prose", plain(" ".join(block)))
        block = []
    for n, line in enumerate(lines, 1):
        if re.match(r"\s*(```|~~~)", line):
            yield from flush(); fence = not fence; continue
        if fence: continue
        if re.match(r"( {4,}|\t)\S", line) and not block: continue          # indented code
        if re.match(r"\s*\|", line):
            yield from flush()
            if re.match(r"\s*\|[\s:|-]+$", line): continue
            for cell in re.split(r"(?<!\\)\|", line.strip().strip("|")):
                if plain(cell): yield (name, n, "cell", plain(cell))
            continue
        if not line.strip() or re.match(r"#{1,6} |[-*+] |\d+[.)] |> |\.\. |:::", line.lstrip()) :
            yield from flush()
            if not line.strip() or line.startswith(".. ") : continue
            if line.lstrip().startswith("#"):
                yield (name, n, "heading", plain(line.lstrip("# "))); continue
            line = re.sub(r"^\s*(?:[-*+]|\d+[.)]|>) ", "", line)
        if not block: start = n
        block.append(line.strip())
    yield from flush()

STRING = re.compile(r'"((?:[^"\\\n]|\\.)*)"')
def c_strings(path, name):
    """Adjacent literals are one string; comments and #include lines are not strings of the product."""
    raw = open(path, encoding="utf-8", errors="replace").read()
    src = re.sub(r"/\*.*?\*/", lambda m: "\n" * m.group().count("\n"), raw, flags=re.S)
    src = re.sub(r'(?m)//(?=[^"\n]*$).*$|^#\s*include.*$', "", src)
    pos, text, line = 0, None, 0
    for m in STRING.finditer(src):
        gap = src[pos:m.start()] if text is not None else None
        if text is not None and re.fullmatch(r"(?:\s|PRI[diux]\d+|EXIT_TEXT)*", gap):
            text += m.group(1)
        else:
            if text: yield from units(name, line, text)
            text, line = m.group(1), src.count("\n", 0, m.start()) + 1
        pos = m.end()
    if text: yield from units(name, line, text)

def units(name, line, text):
    text = text.replace('\\"', '"').replace("\\t", " ")
    for part in re.split(r"(?:\\n){2,}", text):
        part = part.replace("\\n", " ").strip()
        if re.search(r"[a-z]{2,} [a-z]{2,}", part) and not re.search(r"[{}<>]{2}|[;{][a-z-]+:[^ ]|\bvar\b|function|^\s*local |=> |=\s*%|^\{s:", part):
            yield (name, line, "string", re.sub(r"`[^`]*`", "X", part))

def js_strings(path, name):
    for n, line in enumerate(open(path, encoding="utf-8", errors="replace"), 1):
        for m in re.finditer(r'"([^"\\]{8,})"|`([^`\\]{8,})`|>([^<>{}]{8,})<', line):
            part = next(g for g in m.groups() if g)
            if re.search(r"[a-z]{2,} [a-z]{2,}", part) and "import" not in line: yield (name, n, "string", part)

def paragraphs(name, lines, kind):
    """Units of consecutive comment lines, given as (number, text)."""
    start, block, last = 0, [], -1
    for n, text in list(lines) + [(None, "")]:
        if n is None or n != last + 1 or not text:
            if block: yield (name, start, kind, plain(" ".join(block)))
            block, start = [], n
        if text:
            if not block: start = n
            block.append(text)
        last = n if n is not None else last

def c_comments(path, name):
    raw = open(path, encoding="utf-8", errors="replace").read()
    text = re.sub(r'"(?:[^"\\\n]|\\.)*"|\'(?:[^\'\\\n]|\\.)*\'', lambda m: '"' * len(m.group()), raw)
    lines = []
    for m in re.finditer(r"/\*(.*?)\*/|//([^\n]*)", text, re.S):
        n = text.count("\n", 0, m.start()) + 1
        body = (m.group(1) if m.group(1) is not None else m.group(2)).split("\n")
        lines += [(n + i, re.sub(r"^\s*\*? ?", "", part).strip()) for i, part in enumerate(body)]
    yield from paragraphs(name, lines, "comment")

def hash_comments(path, name):
    lines = open(path, encoding="utf-8", errors="replace").read().split("\n")
    found = [(n, re.sub(r"^\s*# ?", "", line).strip()) for n, line in enumerate(lines, 1)
             if re.match(r"\s*#(?!!)", line)]
    yield from paragraphs(name, found, "comment")

def python_units(path, name):
    source = open(path, encoding="utf-8", errors="replace").read()
    try:
        tokens = list(tokenize.generate_tokens(io.StringIO(source).readline))
    except (tokenize.TokenError, SyntaxError, IndentationError):
        return
    comments = [(t.start[0], t.string.lstrip("# ").strip()) for t in tokens
                if t.type == tokenize.COMMENT and not t.string.startswith("#!")]
    yield from paragraphs(name, comments, "comment")
    for t in tokens:
        if t.type != tokenize.STRING: continue
        formatted = re.match(r"[rR]?[fF][rR]?(?=['\"])", t.string)
        try: text = ast.literal_eval(re.sub(r"\{[^{}]*\}", "X", t.string[formatted.end():]) if formatted else t.string)
        except (ValueError, SyntaxError): continue
        if isinstance(text, str): yield from script_units(name, t.start[0], text)

def shell_strings(path, name):
    source = open(path, encoding="utf-8", errors="replace").read()
    source = re.sub(r"(?m)^[ \t]*#.*$", "", source)
    for m in re.finditer(r'"((?:[^"\\]|\\.)*)"|\'([^\']*)\'', source):
        yield from script_units(name, source.count("\n", 0, m.start()) + 1, m.group(1) or m.group(2) or "")

def script_units(name, line, text):
    for part in re.split(r"\n{2,}", text):
        part = " ".join(part.split())
        if re.search(r"[a-z]{2,} [a-z]{2,} [a-z]", part) and not re.search(r"[{}<>;]{2}|[;{][a-z-]+:[^ ]|=> |\$\(|&&|\|\||\w\.\w+\([^)]|; \w+\.\w", part):
            yield (name, line, "script", re.sub(r"`[^`]*`", "X", part))

PRODUCT = ("app/", "sim/", "base/", "pty/", "protocols/", "physics/", "viewer/", "clients/")
CLASS = {"prose": "docs", "cell": "docs", "heading": "docs", "string": "strings", "script": "scripts", "comment": "comments"}
# Pages made from tables (correct the tables), scripts in other languages, texts that are wrong on purpose.
EXEMPT = ("docs/protocols/", "app/cli/completion.c", "app/lab/recording/dissector.c", "tests/words/", "tests/gates/", "tests/fuzz/corpus/")
def files(root):
    listed = subprocess.run(["git", "-C", root, "ls-files", "-co", "--exclude-standard"], capture_output=True, text=True).stdout.split("\n")
    if len(listed) < 2:
        listed = [os.path.relpath(os.path.join(d, f), root) for d, _, fs in os.walk(root) for f in fs]
    return sorted(n for n in listed if n and os.path.isfile(os.path.join(root, n)))

# Names of registers, commands and tyre treads, and a message of the firmware of the e-puck2 with its spelling.
SPELLED = "extint,heigth,wont,tread"
def spelling(root):
    """Misspelled words of documents, sources and scenes, as FILE:LINE: WRONG ==> RIGHT."""
    if not shutil.which("codespell"):
        print("words: codespell is not installed: spelling was not checked"); return []
    read = [n for n in files(root) if n.endswith(".md") or (n.startswith(PRODUCT + ("include/", "scenes/", "scripts/")) and
            n.endswith((".c", ".h", ".mjs", ".html", ".py", ".js", ".ts", ".yaml", ".sh")))]
    run = subprocess.run(["codespell", "-q", "3", "-L", SPELLED, *read], cwd=root, capture_output=True, text=True)
    return run.stdout.splitlines() + ([] if run.returncode in (0, 65) else [run.stderr.strip()])

def collect(root, strings=True):
    for name in files(root):
        path = os.path.join(root, name)
        if name.startswith(EXEMPT): continue
        if name.endswith((".md", ".rst")) and "CHANGELOG" not in name:
            yield from markdown(path, name)
        if not strings: continue
        if name.startswith(PRODUCT) and name.endswith((".c", ".h")):
            yield from c_strings(path, name)
        if name.startswith(("viewer/web/page/", "clients/node/")) and name.endswith((".mjs", ".js", ".html")):
            yield from js_strings(path, name)
        if name.endswith((".c", ".h", ".js", ".mjs", ".ts", ".css", ".in", ".lua")):
            yield from c_comments(path, name)
        if name.endswith(".py"):
            yield from python_units(path, name)
        if name.endswith((".cmake", "CMakeLists.txt", ".sh", ".yaml", ".yml", ".awk")) or name in ("dev", ".ci/run"):
            yield from hash_comments(path, name)
        if name.endswith(".sh") or name in ("dev", ".ci/run"):
            yield from shell_strings(path, name)

# ---- measures ----

ABBR = re.compile(r"\b(e\.g|i\.e|etc|vs|cf|al|No|Fig|approx)\.$")
def sentences(text):
    out, at = [], 0
    for m in re.finditer(r"[.!?](?=\s+(?:[A-Z`\"'(X\d]|ptybot\b))|:\s*$", text):
        if ABBR.search(text[:m.end()]): continue
        out.append(text[at:m.end()].strip()); at = m.end()
    out.append(text[at:].strip())
    return [s for s in out if len(s.split()) > 1]

def words(text): return len(re.findall(r"[A-Za-z][A-Za-z'-]*|\d+", text))

LINES = {}
def source_line(root, name, line):
    if name not in LINES: LINES[name] = open(os.path.join(root, name), encoding="utf-8", errors="replace").read().split("\n")
    return LINES[name][line - 1] if line <= len(LINES[name]) else ""

def scan(root, strings=True):
    LINES.clear()
    r = dict(hits=collections.defaultdict(list), words=collections.Counter(), files=collections.Counter(),
             sent=[], cells=[], pages=collections.Counter())
    for name, line, kind, text in collect(root, strings):
        n, group = words(text), CLASS[kind]; r["words"][group] += n
        if group == "docs": r["pages"][name] += n
        if kind == "cell" and len(text) > LONG_CELL: r["cells"].append((len(text), name, line, text))
        if kind in ("prose", "string"): r["sent"] += [(words(s), name, line, s) for s in sentences(text)]
        for rule, k, limit, pattern, instead, only_strings in compiled():
            if only_strings and kind not in ("string", "script"): continue
            for m in pattern.finditer(text):
                if f"words: off {rule}" in source_line(root, name, line): break
                r["hits"][group, rule].append((name, line, kind, text[max(0, m.start() - 45):m.end() + 45], m.group()))
                r["files"][name] += 1
    return r

GROUPS = ("docs", "strings", "scripts", "comments")
def density(r, rule, groups):
    hits = sum(len(r["hits"][g, rule]) for g in groups)
    return 1000 * hits / max(1, sum(r["words"][g] for g in groups))

def report(r, ref=None):
    print("words: " + ", ".join(f"{r['words'][g]} in {g}" for g in GROUPS))
    print(f"{'rule':14}{'kind':8}" + "".join(f"{g:>10}" for g in GROUPS) + f"{'/1000':>8}" + (f"{'ref':>7}" if ref else "") + "  write instead")
    for rule, k, limit, p, instead, only in compiled():
        row = f"{rule:14}{k:8}" + "".join(f"{len(r['hits'][g, rule]):10}" for g in GROUPS) + f"{density(r, rule, GROUPS[:3]):8.2f}"
        print(row + (f"{density(ref, rule, GROUPS[:1]):7.2f}" if ref else "") + "  " + instead)
    for g in GROUPS:
        total = sum(len(r["hits"][g, rule]) for rule, *_ in compiled())
        print(f"{g}: {total} hits, {1000 * total / max(1, r['words'][g]):.1f} per 1,000 words")
    long = [s for s in r["sent"] if s[0] > LONG_SENTENCE]
    mean = sum(s[0] for s in r["sent"]) / max(1, len(r["sent"]))
    print(f"sentences: {len(r['sent'])}, mean {mean:.1f} words, {len(long)} over {LONG_SENTENCE}; "
          f"cells over {LONG_CELL}: {len(r['cells'])}, longest {max([c[0] for c in r['cells']], default=0)}; "
          f"pages over {LONG_PAGE} words: {sum(1 for v in r['pages'].values() if v > LONG_PAGE)}")
    print("worst files: " + ", ".join(f"{f} {n}" for f, n in r["files"].most_common(12)))

def count(r):
    return {f"comments/{rule}": len(r["hits"]["comments", rule]) for rule, *_ in compiled()}

def gate(r, path):
    """Exit code: 1 if comments have more hits than the file allows."""
    old, counts = json.load(open(path)), count(r)
    worse = {key: n for key, n in counts.items() if n > old.get(key, 0)}
    for key, n in worse.items():
        print(f"words: {key}: {n} hits, allowed {old.get(key, 0)}; "
              f"tests/words/words.py . --rule {key} lists them")
    lower = sum(n < old.get(key, 0) for key, n in counts.items())
    if lower and not worse:
        print(f"words: {lower} counts have fallen; ./dev words --write lowers the baseline")
    return 1 if worse else 0

def write(r, path):
    """Exit code: 1 if a count would rise."""
    if os.path.exists(path) and gate(r, path): return 1
    with open(path, "w") as file:
        json.dump({k: v for k, v in count(r).items() if v}, file, indent=1, sort_keys=True)
        file.write("\n")
    return 0

def final(r, root):
    """Exit code: 1 unless the text of readers keeps to all limits. Comments are exempt."""
    readers = GROUPS[:3]
    bad = [f"{n}: {sum(len(r['hits'][g, n]) for g in readers)} hits, allowed 0; tests/words/words.py . --rule {n} lists them"
           for n, k, *_ in compiled() if k == E and any(r["hits"][g, n] for g in readers)]
    bad += [f"{n}: {density(r, n, readers):.2f} per 1,000 words, limit {l}" for n, k, l, *_ in compiled()
            if k == B and density(r, n, readers) > l]
    bad += [f"long-cell: {f}:{l}: {n} characters, limit {LONG_CELL}" for n, f, l, _ in r["cells"]]
    bad += [f"long-page: {f}: {n} words, limit {LONG_PAGE}; split it" for f, n in r["pages"].items() if n > LONG_PAGE]
    lengths = [s[0] for s in r["sent"]] or [0]
    mean, share = sum(lengths) / len(lengths), 100 * sum(n > LONG_SENTENCE for n in lengths) / len(lengths)
    bad += [f"mean sentence length: {mean:.1f} words, limit {MEAN_SENTENCE}"] * (mean > MEAN_SENTENCE)
    bad += [f"long-sentence: {share:.2f} % of sentences, limit {LONG_SHARE}"] * (share > LONG_SHARE)
    bad += [f"spelling: {line}" for line in spelling(root)]
    for b in bad: print("words: " + b)
    return 1 if bad else 0

PLANTED = {
 "told": "A full disk is told once.", "tells": "The sensor tells that nothing is seen.", "said": "That is said once.",
 "is-none": "A file that is none stays.", "is-no-noun": "'x' is no number.", "person": "Nothing changes while somebody looks.",
 "who-noun": "Wait a little; who reads late gets less.", "is-there": "With the flag it is there.", "goes-on": "The run goes on without it.",
 "of-own": "It gets a folder of its own.", "alone": "It is for cameras alone.", "by-itself": "It starts by itself.",
 "as-it-is": "It stays as it is.", "beside": "A second one beside the first.", "hold-against": "Results are held against old ones.",
 "become-of": "Nothing becomes of it.", "archaic": "It begins anew.", "hands": "The page takes the same hands.",
 "light-verb": "The value stands in the file.", "of-start": "Of a folder, all files.", "inversion": "Needed are two packages.",
 "else": "Give a port. Else it is chosen.", "where-if": "Where it fails, a warning is printed.", "what-clause": "It prints what it found.",
 "what-subject": "What the host prints is kept.", "prep-which": "The folder in which it runs.", "a-per": "It writes an object a line.",
 "some-number": "It takes some 20 s.", "all-that": "It keeps all that came in.", "time-out": "The time-out is 10 s.",
 "same-again": "It is the same again.", "one-pronoun": "Not this one.", "term": "This verb has no flags.",
 "note-start": "of all randomness", "let-it": "of a test: let the page do it", "did-you-mean": "did you mean %s", "vague-error": "it is of another version",
}
CLEAN = ["ptybot reports an error if the file does not exist.", "Set the seed of the random generator.", "There is no such robot type.",
         "The driver opens the port within 10 s.", "If the test fails, ptybot keeps its folder.", "Run each test in its own process."]
def selftest():
    for rule, k, l, pattern, w, only in compiled():
        assert pattern.search(PLANTED[rule]), f"{rule} does not find its planted error"
        for c in CLEAN: assert not pattern.search(c), f"{rule} hits clean text: {c}"
    assert len(sentences("One. Two words here. Three words here.")) == 2
    print(f"{len(COMPILED)} rules, each found its planted error and no clean sentence")

def main():
    a = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    a.add_argument("root", nargs="?", default="."); a.add_argument("--rule"); a.add_argument("--sample", type=int)
    a.add_argument("--against"); a.add_argument("--gate"); a.add_argument("--write"); a.add_argument("--selftest", action="store_true")
    a.add_argument("--docs", action="store_true"); a.add_argument("--long", action="store_true"); a.add_argument("--final", action="store_true")
    o = a.parse_args()
    if o.selftest or o.gate: selftest()
    if o.selftest: return 0
    r = scan(o.root, not o.docs)
    if not sum(r["words"].values()):
        print(f"words: {o.root} has no text"); return 2
    if o.long:
        for n, f, l, s in sorted(r["sent"], reverse=True)[:25]: print(n, f"{f}:{l}", s[:300])
        for n, f, l, s in sorted(r["cells"], reverse=True)[:15]: print(n, f"{f}:{l}", s[:120])
        return 0
    if o.rule:
        for (group, rule), hits in sorted(r["hits"].items()):
            if o.rule in (rule, group, f"{group}/{rule}"):
                for name, line, kind, text, m in hits: print(f"{name}:{line}: [{m}] {text}")
        return 0
    if o.sample:
        random.seed(1)
        for (group, rule), hits in sorted(r["hits"].items()):
            print(f"== {group}/{rule} ({len(hits)})")
            for name, line, kind, text, m in random.sample(hits, min(o.sample, len(hits))): print(f"  {name}:{line}: [{m}] {text}")
        return 0
    if o.gate: return max(final(r, o.root), gate(r, o.gate))
    if o.write: return write(r, o.write)
    if o.final: return final(r, o.root)
    report(r, scan(o.against, False) if o.against else None)
    return 0

if __name__ == "__main__":
    sys.exit(main())
