# Of `nm -A -g` over objects: a line `edge FROM TO SYMBOL` for each symbol, function or data, of which
# one source file needs the definition in another. A symbol with two definitions is nobody's.
{
    at = index($0, ".o:")
    path = substr($0, 1, at - 1) # source file: the object's path without what CMake puts in
    sub(/CMakeFiles\/[^\/]*\.dir\//, "", path)
    gsub(/\/\.\//, "/", path)
    rest = substr($0, at + 3)
    count = split(rest, word, " ")
    kind = word[count - 1]
    symbol = word[count]
    if (kind == "U" || kind == "w" || kind == "v")
        needs[path SUBSEP symbol]
    else if (kind ~ /^[A-Zu]$/) {
        if (symbol in owner && owner[symbol] != path)
            is_twofold[symbol]
        owner[symbol] = path
    }
}
END {
    for (need in needs) {
        split(need, part, SUBSEP)
        if (part[2] in owner && !(part[2] in is_twofold) && owner[part[2]] != part[1])
            print "edge", part[1], owner[part[2]], part[2]
    }
}
