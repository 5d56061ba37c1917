# SPDX-License-Identifier: BSL-1.0
"""What the tests of stack_frames.py and constants.py share: both compile a source and compare what is in its object with a limit."""
import pathlib
import subprocess
import sys
import tempfile

TOOLS = pathlib.Path(__file__).resolve().parents[1]


def run(tool, folder, text, limit, compiler):
    source = pathlib.Path(folder) / "program.cpp"
    source.write_text(text)
    return subprocess.run([sys.executable, TOOLS / tool, source, str(limit), "--", *compiler], capture_output=True, text=True)


def check(tool, small, large, named, few, compiler):
    """small: a source within 4096 bytes; large: one within 8192, whose report has `named`; few: what is said where there is nothing to compare."""
    with tempfile.TemporaryDirectory() as folder:
        within, above, allowed = (run(tool, folder, t, n, compiler) for t, n in ((small, 4096), (large, 4096), (large, 8192)))
        nothing, broken = run(tool, folder, "int f() { return 1; }\n", 4096, compiler), run(tool, folder, "int f( {\n", 4096, compiler)
    assert within.returncode == 0, within.stdout + within.stderr
    assert above.returncode == 1 and named in above.stdout and "at most 4096" in above.stdout, above.stdout + above.stderr
    assert allowed.returncode == 0, allowed.stdout
    assert nothing.returncode != 0 and few in nothing.stderr, nothing.stderr
    assert broken.returncode != 0
    print(f"{tool} itself: passed")
