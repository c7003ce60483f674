#!/bin/sh
# Slurm with a controller and three nodes on this machine: an array of 12 shares the cases, one task is requeued in
# mid-run, one node is killed; the merged results equal those of one machine. Root; slurmctld,
# slurmd, munge.
#     tests/scale/slurm.sh [CASES, 1200] [bare|host]
set -eu
. "$(dirname "$0")/common.sh"
cases=${1:-1200} kind=${2:-bare}
need slurmctld "apt install slurmctld slurmd slurm-client munge"
need slurmd "apt install slurmd"
need munged "apt install munge"
[ "$(id -u)" = 0 ] || { say "skipped: needs root"; exit 77; }

node() { slurmd -N "n$1" -f "$work/slurm.conf" -D >"$work/n$1.out" 2>&1 & eval "node$1=$!"; }
stop() {
    scancel -u root 2>/dev/null || true
    kill $ctld $node1 $node2 $node3 2>/dev/null || true
    [ ! -e "$work/munged.pid" ] || kill "$(cat "$work/munged.pid")" 2>/dev/null || true
    wait 2>/dev/null || true
    if [ "$is_good" = 1 ]; then rm -rf "$work"; else say "kept: $work"; fi
}
ctld= node1= node2= node3= is_good=0
trap stop EXIT
trap 'exit 1' TERM INT

# ---- A cluster ----
chmod 755 "$work"
mkdir -p "$work/state" "$work/spool1" "$work/spool2" "$work/spool3" "$work/parts"
dd if=/dev/urandom of="$work/munge.key" bs=1024 count=1 2>/dev/null
chmod 400 "$work/munge.key"
munged --force --key-file="$work/munge.key" --socket="$work/munge.socket" --pid-file="$work/munged.pid" \
    --log-file="$work/munged.log" --seed-file="$work/munge.seed" --num-threads=2
host=$(hostname -s)
cat >"$work/slurm.conf" <<END
ClusterName=ptybot
SlurmctldHost=$host(127.0.0.1)
SlurmUser=root
SlurmdUser=root
AuthType=auth/munge
CredType=cred/munge
AuthInfo=socket=$work/munge.socket
SlurmctldPort=16817
StateSaveLocation=$work/state
SlurmdSpoolDir=$work/spool%n
SlurmctldPidFile=$work/slurmctld.pid
SlurmdPidFile=$work/slurmd%n.pid
SlurmctldLogFile=$work/slurmctld.log
SlurmdLogFile=$work/slurmd-%n.log
ProctrackType=proctrack/linuxproc
TaskPlugin=task/none
SwitchType=switch/none
MpiDefault=none
SelectType=select/linear
ReturnToService=2
SlurmdTimeout=10
JobRequeue=1
InactiveLimit=0
KillWait=5
MinJobAge=300
SchedulerParameters=batch_sched_delay=0,sched_interval=2
NodeName=n1 NodeHostname=$host NodeAddr=127.0.0.1 Port=16821 CPUs=1 State=UNKNOWN
NodeName=n2 NodeHostname=$host NodeAddr=127.0.0.1 Port=16822 CPUs=1 State=UNKNOWN
NodeName=n3 NodeHostname=$host NodeAddr=127.0.0.1 Port=16823 CPUs=1 State=UNKNOWN
PartitionName=all Nodes=n1,n2,n3 Default=YES MaxTime=INFINITE State=UP
END
mkdir -p "$work/spooln1" "$work/spooln2" "$work/spooln3"
export SLURM_CONF="$work/slurm.conf"
slurmctld -D -f "$work/slurm.conf" >"$work/ctld.out" 2>&1 &
ctld=$!
node 1; node 2; node 3
for i in $(seq 60); do
    [ "$(sinfo -h -o '%t %D' 2>/dev/null | grep -c 'idle 3')" = 1 ] && break
    sleep 1
done
sinfo -N -h || fail "no cluster: $(tail -3 "$work/slurmctld.log")"

# ---- One machine, then the array ----
write_cases "$cases"
eval "set -- $(flags_of "$kind")"
cd "$work"
say "$cases cases ($kind) on one machine"
begin=$(date +%s)
"$ptybot" test cases.yaml "$@" --results one.ndjson >one.txt || true
tail -1 one.txt
say "one machine: $(($(date +%s) - begin)) s"
cat >task.sh <<END
#!/bin/sh
cd $work
exec $ptybot test cases.yaml $(flags_of "$kind") --results parts/\$SLURM_ARRAY_TASK_ID.ndjson --resume
END
begin=$(date +%s)
job=$(sbatch --parsable --array=0-11 --requeue --open-mode=append --output="$work/task-%a.out" task.sh)
lines() { cat parts/"$1".ndjson 2>/dev/null | wc -l; }
mid() { # waits until a task is in mid-run
    for i in $(seq 600); do
        [ "$(lines "$1")" -gt 2 ] && return 0
        sleep 0.1
    done
    fail "task $1 does not run: $(squeue)"
}
running() { squeue -h -t R -o '%K %N' | awk -v node="$1" '$2 == node { print $1; exit }'; }

# A task of node 1 is requeued in mid-run, and then node 2 is killed with all its processes.
task=; while [ -z "$task" ]; do task=$(running n1); sleep 0.1; done
mid "$task"
scontrol requeue "${job}_$task"
say "task $task requeued with $(lines "$task") lines of $((cases / 12 + 1))"
tests=
while [ -z "$tests" ]; do # a task may end while we look
    task=; while [ -z "$task" ]; do task=$(running n2); sleep 0.1; done
    mid "$task"
    tests=$(pgrep -f "results parts/$task.ndjson" | tr '\n' ' ')
done
first=${tests%% *}
step=$(ps -o ppid= -p "$first" | tr -d ' ')
case $(ps -o comm= -p "$step") in slurmstepd*) ;; *) fail "task $task is not below slurmstepd" ;; esac
kill -9 $node2 "$step" # nobody is left to tell the controller
kill -9 $tests 2>/dev/null || true
say "node n2 killed in task $task with $(lines "$task") lines"

while [ -n "$(squeue -h -j "$job" 2>/dev/null)" ]; do sleep 2; done
say "array: $(($(date +%s) - begin)) s; $(sinfo -h -N -o '%N %t' | tr '\n' ' ')"

# ---- Comparison ----
"$ptybot" merge parts/*.ndjson --junit merged.xml --results merged.ndjson >merged.txt || true
tail -1 merged.txt
same merged.ndjson one.ndjson
"$ptybot" merge one.ndjson --junit one.xml >/dev/null || true
for file in merged one; do sed -E 's/ (time|timestamp)="[^"]*"//g' $file.xml >$file.steady.xml; done
cmp merged.steady.xml one.steady.xml || fail "the JUnit files differ"
say "the same: $(wc -l <merged.ndjson) lines, $(wc -c <merged.steady.xml) bytes of JUnit"
is_good=1
