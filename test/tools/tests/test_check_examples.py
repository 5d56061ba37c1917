#!/usr/bin/env python3
# SPDX-License-Identifier: BSL-1.0
"""What check_examples.py accepts and what it finds."""
import os
import pathlib
import sys
import tempfile
import unittest

sys.path.insert(0, os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
import check_examples  # noqa: E402

README = "# Examples\n## Demos\n| program | prints |\n|---|---|\n| [a.cpp](a.cpp) | [a.txt](a.txt) |\n## More\n| [b.cpp](b.cpp) |\n"
BUILD = "examples = {\n  'a': {'run': [meson.current_source_dir() / 'a.txt']},\n  'b': {},\n}\n"


class CheckExamples(unittest.TestCase):
    def found(self, readme=README, build=BUILD, **files):
        """What is found with these programs of so many lines (NAME=lines) and these texts (NAME_txt=text)."""
        with tempfile.TemporaryDirectory() as root:
            folder = pathlib.Path(root) / "docs/examples"
            folder.mkdir(parents=True)
            (folder / "README.md").write_text(readme, encoding="utf-8")
            (folder / "meson.build").write_text(build, encoding="utf-8")
            for name, value in ({"a": 70, "b": 200, "a_txt": "1\n"} | files).items():
                if value is not None:
                    path = folder / (name.replace("_txt", ".txt") if name.endswith("_txt") else f"{name}.cpp")
                    path.write_text(value if isinstance(value, str) else "x\n" * value, encoding="utf-8")
            return check_examples.violations(root)

    def test_what_is_right(self):
        self.assertEqual(self.found(), [])
        self.assertEqual(self.found(build="  'a': {'check': 'expected.py'},\n"), [])

    def test_a_program_that_is_not_listed(self):
        self.assertEqual(self.found(c=3), ["docs/examples/c.cpp is not in README.md"])

    def test_a_demo_that_is_too_long_or_not_there(self):
        self.assertEqual(self.found(a=71), ["docs/examples/a.cpp has 71 lines, and a demo 1 to 70"])
        self.assertIn("has 0 lines", self.found(a=None)[0])
        self.assertEqual(self.found(readme=README.replace("Demos", "Other")), ["docs/examples/README.md lists no demos"])

    def test_a_demo_without_what_it_prints(self):
        self.assertEqual(self.found(a_txt=None), ["docs/examples/a.cpp: what it prints does not stand beside it"])
        self.assertEqual(self.found(readme=README.replace("[a.txt](a.txt)", "")), ["docs/examples/a.cpp: what it prints does not stand beside it"])

    def test_a_text_that_nobody_compares(self):
        self.assertEqual(self.found(build="  'a': {},\n  'b': {'check': 'expected.py'},\n"), ["docs/examples/a.txt is compared by no test"])
        self.assertEqual(self.found(b_txt="2\n"), ["docs/examples/b.txt is compared by no test"])


if __name__ == "__main__":
    unittest.main()
