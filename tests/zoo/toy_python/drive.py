"""Drives a Kobuki for a second with the toy driver in Python."""

import sys

import pytoy

pytoy.drive(sys.argv[1], 1)
