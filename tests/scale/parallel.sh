#!/bin/sh
# GNU parallel over three ssh servers on loopback addresses (docs/scale/parallel.sh): the merged
# results equal those of one machine. Root; parallel, sshd.
#     tests/scale/parallel.sh [CASES, 1200] [bare|host]
set -eu
. "$(dirname "$0")/common.sh"
cases=${1:-1200} kind=${2:-bare}
need parallel "apt install parallel"
[ -x /usr/sbin/sshd ] || { say "skipped: sshd is not installed (apt install openssh-server)"; exit 77; }
servers=
trap 'kill $servers 2>/dev/null; rm -rf "$work"' EXIT
mkdir -p /run/sshd
ssh-keygen -q -t ed25519 -N '' -f "$work/key"
ssh-keygen -q -t ed25519 -N '' -f "$work/server"
cp "$work/key.pub" "$work/authorized"
chmod 755 "$work"
for i in 1 2 3; do
    /usr/sbin/sshd -D -f /dev/null -h "$work/server" -o "ListenAddress=127.0.77.$i" -o Port=2277 \
        -o "AuthorizedKeysFile=$work/authorized" -o StrictModes=no -o PidFile=none -o UsePAM=no \
        -o PermitRootLogin=yes -o "SetEnv=PATH=$(dirname "$ptybot"):/usr/bin:/bin" 2>"$work/sshd$i.log" &
    servers="$servers $!"
done
cat >"$work/ssh" <<END
#!/bin/sh
exec ssh -p 2277 -i $work/key -o StrictHostKeyChecking=no -o UserKnownHostsFile=/dev/null -o LogLevel=ERROR "\$@"
END
chmod +x "$work/ssh"
for i in 1 2 3; do
    for _ in $(seq 50); do "$work/ssh" "127.0.77.$i" true 2>/dev/null && break; sleep 0.2; done
done
cd "$work"
write_cases "$cases"
eval "set -- $(flags_of "$kind")"
"$ptybot" test cases.yaml "$@" --results one.ndjson >one.txt || true
begin=$(date +%s)
PARALLEL_SSH="$work/ssh" "$root/docs/scale/parallel.sh" 127.0.77.1,127.0.77.2,127.0.77.3 12 cases.yaml "$@" \
    >all.ndjson 2>parallel.log || fail "$(tail -3 parallel.log)"
say "three servers: $(($(date +%s) - begin)) s"
"$ptybot" merge all.ndjson --junit merged.xml --results merged.ndjson >merged.txt || true
tail -1 merged.txt
same merged.ndjson one.ndjson
"$ptybot" merge one.ndjson --junit one.xml >/dev/null || true
for file in merged one; do sed -E 's/ (time|timestamp)="[^"]*"//g' $file.xml >$file.steady; done
cmp merged.steady one.steady || fail "the JUnit files differ"
say "the same: $cases cases ($kind)"
