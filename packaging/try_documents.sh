#!/bin/sh
# In a bare Debian (bare_root.sh) with the sources in /ptybot: runs the commands of these documents
# in reading order, including those that install, build or take long.
set -eu
apt-get -qq update
# Packages that Debian's own installer installs and a bare root lacks; docs/how-to/pictures.md
# requires ffmpeg.
apt-get -qq -y --no-install-recommends install ca-certificates git man-db python3 ffmpeg >/dev/null
echo 'APT::Get::Assume-Yes "true";' >/etc/apt/apt.conf.d/yes # as a reader answers
cd /ptybot
for document in README.md docs/how-to/install.md docs/how-to/pictures.md CONTRIBUTING.md docs/how-to/adding-a-robot.md; do
    python3 tests/docs/read_along.py "$document" --everything
done
