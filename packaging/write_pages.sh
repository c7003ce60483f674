#!/bin/sh
# write_pages.sh FOLDER PROGRAM...: writes the manual pages and completions of a program into
# FOLDER. The words after FOLDER start the program.
set -eu
to=$1
shift
rm -rf "$to"
mkdir -p "$to/man1" "$to/completion"
"$@" help --man >"$to/man1/ptybot.1"
for verb in $("$@" help --man | sed -n 's/^\.BR ptybot\\-\([a-z]*\) (1)$/\1/p'); do
    "$@" help "$verb" --man >"$to/man1/ptybot-$verb.1"
done
gzip -9n "$to"/man1/*
"$@" help --completion bash >"$to/completion/ptybot"
"$@" help --completion zsh >"$to/completion/_ptybot"
"$@" help --completion fish >"$to/completion/ptybot.fish"
touch "$to/done"
