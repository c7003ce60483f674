#!/bin/bash
# After ./dev package: runs tests in podman's containers on a bare Debian, with podman's defaults
# (its seccomp filter, its capabilities), as root and as an unprivileged user. Simulated time must
# wait for the host there too, and five runs must give the same journal. Needs root, and a kernel
# that allows containers.
set -euo pipefail
cd "$(dirname "$0")/.."
root=$PWD/build/roots/podman
packaging/bare_root.sh make "$root"
packaging/bare_root.sh run "$root" sh -euc 'apt-get -qq update
    apt-get -qq -y --no-install-recommends install /src/build/package/debian/ptybot_*.deb python3-serial >/dev/null'
cp tests/hosts/kobuki_square_pyserial.py "$root/opt/"
cat >"$root/opt/five.sh" <<'END'
cd "$(mktemp -d)"
grep -q 'Seccomp:.*2' /proc/self/status
for i in 1 2 3 4 5; do
    ptybot test kobuki --warp max --journal $i -- sh -c 'exec python3 /opt/kobuki_square_pyserial.py "$PTYBOT_PORT_KOBUKI"' >said ||
        { cat said; exit 1; }
    grep '^held: ' said
    cmp 1 $i
done
echo "as user $(id -u): five equal runs"
END
for user in 0 1000; do
    # With runc and explicit limits, this also works on machines with cgroups v1, and if no limit
    # may be raised.
    podman --runtime runc --cgroup-manager cgroupfs run --rm --network host --user $user \
        --ulimit nofile=1024:1024 --ulimit nproc=1000:1000 --env PATH=/usr/bin:/bin \
        --rootfs "$root" /bin/sh -eu /opt/five.sh
done
