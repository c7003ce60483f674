#!/bin/bash
# In a bare Debian (bare_root.sh) with the repository as /ptybot.git: runs the steps of the files
# for continuous integration verbatim, and measures the time of the installation with and without a
# cache.
set -euo pipefail
apt-get -qq update
# For this test, and for actions/checkout.
apt-get -qq -y --no-install-recommends install python3-yaml git ca-certificates >/dev/null
git clone -q /ptybot.git /action
time WHOLE=/ptybot.git /action/tests/ci/services.sh /jobs github gitlab jenkins
tail -n 3 /jobs/*/summary.md
