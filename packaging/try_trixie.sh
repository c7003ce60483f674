#!/bin/sh
# In a bare Debian 13 (bare_root.sh), with a clone at /home/ptybot-source: makes the packages, runs
# all tests, then runs the pytest tests with the installed packages.
set -eu
export DEBIAN_FRONTEND=noninteractive
apt-get -qq update
# Compilers and languages of the drivers that the tests run.
apt-get -qq -y --no-install-recommends install git ca-certificates procps python3 python3-serial g++ nodejs >/dev/null
cd /home/ptybot-source
./dev package
# Wireshark 4.4 loads no scripts as root, and the commands of that page are run as root here.
./dev test -E '^read_docs_how-to_wireshark_md$'
/src/packaging/try_pytest.sh /home/ptybot-source/build/package/debian
