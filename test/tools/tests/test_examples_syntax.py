#!/usr/bin/env python3
# SPDX-License-Identifier: BSL-1.0
"""Which commands examples_syntax.py runs, and what it says of a source that does not compile."""
import contextlib
import io
import json
import os
import pathlib
import sys
import tempfile
import unittest

sys.path.insert(0, os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
import examples_syntax  # noqa: E402

COMPILER = []


class ExamplesSyntax(unittest.TestCase):
    def run_on(self, **files):
        with tempfile.TemporaryDirectory() as folder:
            root = pathlib.Path(folder)
            (root / "examples").mkdir()
            (root / "other").mkdir()
            entries = []
            for name, text in files.items():
                source = root / ("other" if name.startswith("other") else "examples") / f"{name}.cpp"
                source.write_text(text, encoding="utf-8")
                for target in ("a", "b"):  # two targets of one source
                    words = [*COMPILER, f"-I{target}.p", "-Wall", "-MD", "-MQ", "x.o", "-MF", "x.d", "-o", "x.o", "-c", str(source)]
                    entries.append({"directory": folder, "command": " ".join(words), "file": str(source)})
            (root / "compile_commands.json").write_text(json.dumps(entries), encoding="utf-8")
            said = io.StringIO()
            with contextlib.redirect_stdout(said):
                status = examples_syntax.main([folder, str(root / "examples")])
            return status, said.getvalue(), sorted(os.listdir(folder))

    def test_right_sources_are_read_once_and_nothing_is_written(self):
        self.assertEqual(self.run_on(one="int main() {}\n", two="int f();\n", other="no C++"), (0, "2 sources, 0 failed\n", ["compile_commands.json", "examples", "other"]))

    def test_an_error_and_a_warning_fail(self):
        status, said, _ = self.run_on(one="int main() { return x; }\n", two="void f() { int unused; }\n")
        self.assertEqual(status, 1)
        self.assertIn("one.cpp: status 1", said)
        self.assertIn("two.cpp: status 1", said)
        self.assertIn("2 sources, 2 failed", said)

    def test_an_empty_selection_is_an_error(self):
        with self.assertRaises(SystemExit):
            self.run_on(other="int x;\n")


if __name__ == "__main__":
    COMPILER = sys.argv[1:] or ["g++"]
    unittest.main(argv=sys.argv[:1])
