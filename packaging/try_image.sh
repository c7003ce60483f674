#!/bin/bash
# Builds the images of the Containerfile on a bare Debian, with buildah, without a daemon or a
# downloaded image. Checks that they run without privileges, that a driver reaches a robot in them,
# and that the layers of the headless image add less than 60 MB to its base. Needs root, and the
# archive that `bare_root.sh keep` makes.
set -euo pipefail
cd "$(dirname "$0")/.."
# All files are in this tree. buildah uses plain folders instead of an overlay file system, and a
# chroot instead of a container.
store=$PWD/build/images
export STORAGE_DRIVER=vfs BUILDAH_ISOLATION=chroot
of_store() { buildah --root "$store" --runroot "$store/run" "$@"; }
clean() { { of_store rm --all || :; } >/dev/null 2>&1; rm -rf "$store"; }
clean
trap clean EXIT
mkdir -p "$store"

base=$(of_store from scratch)
of_store add --quiet "$base" build/roots/bookworm.tar / >/dev/null
of_store config --env PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin "$base"
of_store commit --quiet "$base" localhost/bare >/dev/null
for target in headless picture; do
    of_store bud --layers --build-arg BASE=localhost/bare --target $target --tag localhost/ptybot-$target \
        --build-arg SOURCE_DATE_EPOCH="$(git log -1 --format=%ct)" .
    of_store push --quiet localhost/ptybot-$target "oci:$store/$target"
done

# Unpacked size of the layers above the base.
above_base() {
    python3 - "$store/$1" <<'END'
import glob, gzip, json, os, sys
def blob(digest):
    return os.path.join(sys.argv[1], "blobs", *digest.split(":"))
index = json.load(open(os.path.join(sys.argv[1], "index.json")))
manifest = json.load(open(blob(index["manifests"][0]["digest"])))
print(sum(len(gzip.open(blob(layer["digest"])).read()) for layer in manifest["layers"][1:]))
END
}
for target in headless picture; do
    echo "$target: $(above_base $target) bytes in layers above the base"
done
[ "$(above_base headless)" -lt 60000000 ]

# run TARGET SCRIPT: as the user of the image, in its folder.
run() {
    container=$(of_store from localhost/ptybot-"$1")
    of_store run "$container" -- sh -euxc "$2"
}
run headless '[ "$(id -u)" -ne 0 ] && ! touch /etc/anything && cd && ptybot run kobuki --for 0.5 &&
    ptybot test kobuki -- sh -c "head -c 81 \$PTYBOT_PORT_KOBUKI | od -An -tx1 | grep -q \"aa 55\"" &&
    ptybot help --docs | head -n 1'
run picture 'cd && ptybot shot kobuki_room -o room.png && [ -s room.png ] &&
    ptybot shot kobuki_room -o room.html && [ -s room.html ] && ptybot run kobuki --for 0.5 --web-allow-remote && [ "$(id -u)" -ne 0 ]'
entry=$(of_store inspect --type image --format '{{.OCIv1.Config.Entrypoint}} {{.OCIv1.Config.User}}' localhost/ptybot-headless)
[ "$entry" = '[ptybot] ptybot' ]
