# Reads `nm -A -g` of objects. Prints `object FILE` for each source file, and `edge FROM TO SYMBOL` for each
# symbol, function or data, that one source file needs from another. A symbol that two files define belongs
# to neither.
{
    at = index($0, ".o:")
    path = substr($0, 1, at - 1) # source file: the object's path without what CMake puts in
    sub(/CMakeFiles\/[^\/]*\.dir\//, "", path)
    gsub(/\/\.\//, "/", path)
    while (sub(/[^\/]+\/__\//, "", path)) # a source file of another folder
        ;
    if (!(path in is_object))
        print "object", path
    is_object[path]
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
