#!/bin/sh
# In a bare Debian (bare_root.sh) with the sources in /ptybot: the commands of these documents, in the order
# in which a reader meets them, with those that install, build or take long.
set -eu
apt-get -qq update
# What Debian's own installer brings and a bare root lacks; ffmpeg is named by docs/how-to/pictures.md.
apt-get -qq -y --no-install-recommends install ca-certificates git man-db python3 ffmpeg >/dev/null
echo 'APT::Get::Assume-Yes "true";' >/etc/apt/apt.conf.d/yes # as a reader answers
cd /ptybot
for document in README.md docs/how-to/install.md docs/how-to/pictures.md CONTRIBUTING.md docs/how-to/adding-a-robot.md; do
    python3 tests/docs/read_along.py "$document" --everything
done
