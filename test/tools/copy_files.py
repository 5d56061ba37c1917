#!/usr/bin/env python3
# SPDX-License-Identifier: BSL-1.0
"""Copies files into a folder, each with its name or another one:  copy_files.py FOLDER FILE[=NAME]..."""
import os
import shutil
import sys

for entry in sys.argv[2:]:
    file, _, name = entry.partition("=")
    shutil.copy(file, os.path.join(sys.argv[1], name))
