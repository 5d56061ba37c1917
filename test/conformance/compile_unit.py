#!/usr/bin/env python3
# SPDX-License-Identifier: BSL-1.0
"""Compiles one generated unit: compile_unit.py SOURCE OBJECT DEPENDENCIES COMPILER [ARGUMENT...]

A unit that compiles costs one compiler run. In one that does not, each case type is compiled alone, and those that fail are left out: the program then
reports their cases as failures, with the compiler's first error. Only a unit that fails without any of its types is an error of the build.
"""
import re
import subprocess
import sys


def compiled(command, source, target, extra):
    return subprocess.run(command + extra + ['-c', source, '-o', target], stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)


def first_error(output):
    found = re.search(r'error: (.*)', output)
    return ' '.join((found.group(1) if found else output.strip().split('\n')[-1] or 'the compiler ended without a message').split())[:300]


def main():
    source, target, dependencies, command = sys.argv[1], sys.argv[2], sys.argv[3], sys.argv[4:]
    described = ['-MD', '-MF', dependencies, '-MT', target]
    whole = compiled(command, source, target, described)
    if whole.returncode == 0:
        sys.stderr.write(whole.stdout)
        return 0
    with open(source, encoding='utf-8') as file:
        count = int(re.search(r'^// types: (\d+)$', file.read(), re.MULTILINE).group(1))
    without = ['-DWITHOUT_%d=""' % k for k in range(count)]
    bare = compiled(command, source, target, described + without)
    if bare.returncode != 0:
        sys.stderr.write(bare.stdout)
        return bare.returncode
    without = []
    for k in range(count):
        alone = compiled(command, source, target, ['-DWITHOUT_%d=""' % j for j in range(count) if j != k])
        if alone.returncode != 0:
            why = first_error(alone.stdout)
            print('%s: type %d does not compile: %s' % (source, k, why), file=sys.stderr)
            without.append('-DWITHOUT_%d="%s"' % (k, re.sub(r'[^ -~]', '?', why).replace('\\', '\\\\').replace('"', '\\"')))
    rest = compiled(command, source, target, described + without)
    sys.stderr.write(rest.stdout)
    return rest.returncode


if __name__ == '__main__':
    sys.exit(main())
