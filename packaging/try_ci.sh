#!/bin/bash
# In a bare Debian (bare_root.sh) with the repository as /ptybot.git: what the files for continuous
# integration do, word by word; and how long the installation takes from a cache and without one.
set -euo pipefail
apt-get -qq update
# For this test, and for actions/checkout.
apt-get -qq -y --no-install-recommends install python3-yaml git ca-certificates >/dev/null
git clone -q /ptybot.git /action
time WHOLE=/ptybot.git /action/tests/ci/services.sh /jobs github gitlab jenkins
tail -n 3 /jobs/*/summary.md
