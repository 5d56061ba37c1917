#!/usr/bin/env python3
# SPDX-License-Identifier: BSL-1.0
"""The harness reports planted mistakes: self_test.py PROGRAM INDEX NUMBERS, on the cases of self/."""
import re
import subprocess
import sys

MUST_STAND = [
    r'FAILED planted/wrong_value \[double\] y\[1,0\]: got -3, expected -3\.5 \(2 of 4',
    r'FAILED planted/wrong_value \[float\] y\[1,0\]: got -3, expected -3\.5 ',
    r'FAILED planted/wrong_gradient \[double\] grad\.x\[1,0\]: got -1, expected 1 ',
    r'FAILED planted/wrong_evaluation \[double\] y#f64\[1,1\]: got -4, expected -5 ',
    r'FAILED planted/wrong_shape \[double\] y: shape \(2, 2\), expected \(4\)',
    r'FAILED planted/no_value \[double\] no value for z',
    r'FAILED planted/unknown_op .*no adapter for op no_such_op',
    r'FAILED planted/unknown_module .*module kind no_such_module',
    r'FAILED planted/within_float \[double\]',
    r'FAILED planted/does_not_compile op matmul does not compile: \S',
    r'planted +10 +1 +9\n',
]
MUST_NOT_STAND = [r'FAILED planted/right', r'FAILED planted/within_float \[float\]']

run = subprocess.run(sys.argv[1:], stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
wrong = ['missing: ' + p for p in MUST_STAND if not re.search(p, run.stdout)] + ['present: ' + p for p in MUST_NOT_STAND if re.search(p, run.stdout)]
if run.returncode != 1:
    wrong.append('exit status %d, expected 1' % run.returncode)
one = subprocess.run(sys.argv[1:] + ['--suite', 'planted', '--op', 'no_such_op'], stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
if one.returncode != 1 or not re.search(r'planted +1 +0 +1\n', one.stdout):
    wrong.append('the run of one op: ' + one.stdout)
nothing = subprocess.run(sys.argv[1:] + ['--only', 'no such case'], stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
if nothing.returncode != 1:
    wrong.append('a run of no case has exit status %d, expected 1' % nothing.returncode)
unreadable = subprocess.run([sys.argv[1], sys.argv[3], sys.argv[2]], stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
if unreadable.returncode != 2:
    wrong.append('exchanged files: exit status %d, expected 2' % unreadable.returncode)
if wrong:
    print(run.stdout)
    print('\n'.join(wrong))
    sys.exit(1)
