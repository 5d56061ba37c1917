#!/usr/bin/env python3
# SPDX-License-Identifier: BSL-1.0
"""Copies files into a folder:  copy_files.py FOLDER FILE..."""
import shutil
import sys

for file in sys.argv[2:]:
    shutil.copy(file, sys.argv[1])
