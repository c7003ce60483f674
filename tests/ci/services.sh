#!/bin/bash
# services.sh WORK SERVICE...: runs the unchanged shell steps of the files for GitHub, GitLab and
# Jenkins, in a project with a driver that passes and with a driver that fails. WHOLE=REPOSITORY: on
# a bare Debian, with the steps that install ptybot from REPOSITORY; otherwise these steps are
# omitted, and ptybot is in the PATH.
set -euo pipefail
here=$(cd "$(dirname "$0")" && pwd)
root=$(cd "$here/../.." && pwd)
work=$1
shift
fail() { echo "services: $*" >&2; exit 1; }

# The repository of a user who tests a driver.
make_project() {
    mkdir -p "$1/tests"
    cat >"$1/tests/drive.yaml" <<'END'
world: {size: {x: 4, y: 4}}
robots:
  - {name: kobuki, type: kobuki, pose: {x: 1, y: 2}}
expect:
  - {that: "kobuki.x_m > 1.1", within: 20}
END
    cat >"$1/driver" <<'END'
#!/bin/sh
exec 3<>"$PTYBOT_PORT_KOBUKI"
stty raw -echo 115200 <&3
for _ in 1 2 3 4 5 6 7 8 9 10; do
    printf '\252\125\006\001\004\310\000\000\000'"$1" >&3
    sleep 0.1
done
END
    chmod +x "$1/driver"
}

# job SERVICE CHECKSUM: one job in a fresh project, whose driver ends its frames with CHECKSUM. Its exit
# code is the job's.
job() {
    project=$work/$1
    make_project "$project"
    cd "$project"
    rm -rf ptybot-out summary.md output
    export GITHUB_OUTPUT=$PWD/output GITHUB_STEP_SUMMARY=$PWD/summary.md
    without=(--without install.sh)
    [ -z "${WHOLE:-}" ] || without=()
    case $1 in
    github) given=("driver=./driver '$2'" "arguments=--host-timeout 60") ;;
    *)
        given=("DRIVER=./driver '$2'" "ARGUMENTS=--host-timeout 60" "PTYBOT=${WHOLE:-}" PTYBOT_VERSION=HEAD)
        [ -n "${WHOLE:-}" ] || ln -sfn "$root" .ptybot
        ;;
    esac
    # The content of GitLab's cache, here taken from the earlier job for GitHub.
    if [ "$1" = gitlab ] && [ -n "${WHOLE:-}" ] && [ ! -e .ptybot ]; then
        mkdir -p .ptybot/build/package
        cp -r "$root/build/package/debian" .ptybot/build/package/
    fi
    "$here/steps.py" "$1" "${without[@]}" "${given[@]}" >job.sh || fail "$1: no steps"
    code=0
    bash job.sh >said 2>&1 || code=$?
    [ "$1" = github ] || cp ptybot-out/summary.md .
    return $code
}

rm -rf "$work"
mkdir -p "$work"
for service; do
    job "$service" '\313' || { cat "$work/$service/said"; fail "$service: a driver that is right does not pass"; }
    grep -q '^\*\*passed: 3 of 3\*\*$' summary.md || fail "$service: $(cat summary.md)"
    if job "$service" '\000'; then fail "$service: a driver that is wrong passes"; fi
    grep -q '^\*\*FAILED: [12] of [23]\*\*$' summary.md || fail "$service: $(cat summary.md)"
    grep -q '^| drive | \*\*FAILED\*\* | <code>kobuki.x_m &gt; 1.1 within 20 s</code> |' summary.md ||
        fail "$service: $(cat summary.md)"
    # The printed replay command must repeat the run.
    replay=$(sed -n 's/.*again, to the byte: `\(.*\)`$/\1/p' summary.md)
    [ -n "$replay" ] && $replay >again 2>&1 || grep -q 'the same' again || fail "$service: $replay: $(cat again)"
    # If no test was run, the summary reports it.
    rm -rf ptybot-out/result.xml && "$root/packaging/ci/summary.sh" ptybot-out >none.md
    grep -q 'No test was run' none.md || fail "$service: $(cat none.md)"
    cd "$work"
    echo "$service: passes, fails, is reported and repeated"
done
