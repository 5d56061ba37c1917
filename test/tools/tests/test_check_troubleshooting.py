#!/usr/bin/env python3
# SPDX-License-Identifier: BSL-1.0
"""What check_troubleshooting.py accepts and what it finds."""
import pathlib
import sys
import tempfile
import unittest

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1]))
import check_troubleshooting  # noqa: E402

HEADER = '''
static_assert(fits, "a layer does not fit "
                    "its input");
throw_error<error>("%s: expected a file, got: %s", name, text);
print("%s: %d", name, number);
put("the loss is \\"none\\"");
'''


class CheckTroubleshooting(unittest.TestCase):
    def found(self, page, errors="> a + b: shapes must\nbe equal\n"):
        with tempfile.TemporaryDirectory() as folder:
            root = pathlib.Path(folder)
            (root / "docs/examples").mkdir(parents=True)
            (root / "docs/examples/load.txt").write_text("net.npz does not fit:\n  nothing was loaded\n", encoding="utf-8")
            (root / "include").mkdir()
            (root / "include/a.hpp").write_text(HEADER, encoding="utf-8")
            (root / "docs/errors.md").write_text(errors, encoding="utf-8")
            (root / "docs/troubleshooting.md").write_text(page, encoding="utf-8")
            return check_troubleshooting.violations(root)

    def test_texts_that_are_printed(self):
        for quote in ("a + b: shapes must be equal", "a layer does not fit its input", 'the loss is "none"', "a layer … its input", "does not fit: nothing was loaded"):
            self.assertEqual(self.found(f"### entry\n\n> {quote}\n"), [], quote)

    def test_texts_that_are_not(self):
        self.assertEqual(self.found("x\n\n> a layer is wrong\n"), ["docs/troubleshooting.md:3: no error has the text: a layer is wrong"])
        self.assertEqual(self.found("> a layer … is wrong\n"), ["docs/troubleshooting.md:1: no error has the text: is wrong"])

    def test_formats(self):
        self.assertEqual(self.found("> net.npz: expected a file, got: No such file\n"), [])
        self.assertEqual(len(self.found("> net.npz: expected a folder\n")), 1)
        self.assertEqual(len(self.found("> anything: 7\n")), 1)  # "%s: %d" has too few characters of its own

    def test_texts_of_other_programs(self):
        self.assertEqual(self.found("<!-- printed by: ld -->\n> undefined reference\n"), [])
        self.assertEqual(len(self.found("<!-- printed by: ld -->\n> undefined reference\n\ntext\n\n> undefined reference\n")), 1)

    def test_entries_without_a_quote(self):
        self.assertEqual(self.found("## Part\n### one\ntext\n### two\n> a layer\n"), ["docs/troubleshooting.md:2: the entry quotes no error"])
        self.assertEqual(self.found("### one\n"), ["docs/troubleshooting.md:1: the entry quotes no error"])


if __name__ == "__main__":
    unittest.main()
