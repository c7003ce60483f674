# Of lines `edge FROM TO WHY`: a line for each circle, with its files and the edges that make it up.
# Nothing where there is none.
$1 == "edge" && $2 != $3 {
    if (($2, $3) in edge)
        edge[$2, $3] = edge[$2, $3] ", " $4
    else
        edge[$2, $3] = $4
    out[$2] = out[$2] " " $3
    into[$3] = into[$3] " " $2
    node[$2]; node[$3]
}

# Whether one of the files in a list is still there.
function is_any(list,    names, count, i) {
    count = split(list, names, " ")
    for (i = 1; i <= count; i++)
        if (names[i] in node)
            return 1
    return 0
}

# Marks all that START leads to in reached[START, ...].
function reach(start,    queue, head, tail, names, count, i) {
    queue[tail = 1] = start
    for (head = 1; head <= tail; head++) {
        count = split(out[queue[head]], names, " ")
        for (i = 1; i <= count; i++)
            if (names[i] in node && !((start, names[i]) in reached)) {
                reached[start, names[i]]
                queue[++tail] = names[i]
            }
    }
}

END {
    # Who calls nobody that is left, or is called by nobody, is in no circle.
    do {
        gone = 0
        for (name in node)
            if (!is_any(out[name]) || !is_any(into[name])) {
                delete node[name]
                gone++
            }
    } while (gone > 0)
    for (name in node)
        reach(name)
    for (name in node) {
        if (name in is_told || !((name, name) in reached))
            continue
        members = ""
        edges = ""
        for (other in node) {
            if (!((name, other) in reached && (other, name) in reached))
                continue
            is_told[other]
            members = members " " other
            for (third in node)
                if ((other, third) in edge && (third, name) in reached && (name, third) in reached)
                    edges = edges ", " other " needs " edge[other, third] " of " third
        }
        print substr(members, 2) ":" substr(edges, 2)
    }
}
