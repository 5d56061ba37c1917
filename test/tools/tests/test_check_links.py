#!/usr/bin/env python3
# SPDX-License-Identifier: BSL-1.0
"""What check_links.py accepts and what it finds."""
import os
import pathlib
import sys
import tempfile
import unittest

sys.path.insert(0, os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
import check_links  # noqa: E402


class CheckLinks(unittest.TestCase):
    def found(self, readme, **pages):
        """What is found where README.md has this text and docs/NAME.md another."""
        with tempfile.TemporaryDirectory() as folder:
            root = pathlib.Path(folder)
            (root / "docs/pictures").mkdir(parents=True)
            (root / "docs/pictures/net.svg").write_text("<svg/>", encoding="utf-8")
            (root / "README.md").write_text(readme, encoding="utf-8")
            for name, text in pages.items():
                path = root / "docs" / f"{name.replace('__', '/').removeprefix('n')}.md"
                path.parent.mkdir(exist_ok=True)
                path.write_text(text, encoding="utf-8")
            return check_links.violations(root)

    def test_links_that_lead_somewhere(self):
        self.assertEqual(self.found("[a](docs/page.md) [b](docs/page.md#two-words) [c](https://example.org/x#y) ![d](docs/pictures/net.svg)\n",
                                    page="# Page\n## Two words\n[up](../README.md) [here](#page) [pictures](pictures)\n"), [])

    def test_links_that_do_not(self):
        self.assertIn("README.md:2: the link to docs/none.md leads nowhere", self.found("x\n[a](docs/none.md)\n"))
        self.assertIn("docs/page.md:1: the link to pictures/none.svg leads nowhere", self.found("[a](docs/page.md)\n", page="![a](pictures/none.svg)\n"))

    def test_headings(self):
        self.assertIn("README.md:1: docs/page.md has no heading three", self.found("[a](docs/page.md#three)\n", page="# One\n## Two\n"))
        self.assertIn("README.md:1: the page has no heading one", self.found("[a](#one)\n# Two\n"))
        self.assertEqual(self.found("[a](#what-it-costs-esptrainer) [b](#again-1)\n# What it costs: `esp::trainer`\n# Again\n# Again\n"), [])

    def test_blocks_of_code_are_no_links(self):
        self.assertEqual(self.found("```cpp\nx[1](none.md);\n```\nand `y[1](none.md)`\n"), [])
        self.assertIn("no heading of-a-shell", self.found("[a](#of-a-shell)\n```sh\n# of a shell\n```\n")[0])

    def test_paths_in_words(self):
        self.assertEqual(self.found("`docs/pictures/net.svg`, `docs/pictures/*.svg`, `docs/pictures`, `include <x>`\n"), [])
        self.assertEqual(self.found("`docs/none.cpp`\n"), ["README.md:1: there is no docs/none.cpp"])
        self.assertEqual(self.found("`docs/pictures/*.png`\n"), ["README.md:1: there is no docs/pictures/*.png"])

    def test_pages_that_nobody_finds(self):
        self.assertEqual(self.found("none\n", page="x\n"), ["docs/page.md: no link leads here from README.md"])
        self.assertEqual(self.found("[a](docs/first.md)\n", first="[b](second.md)\n", second="x\n"), [])
        self.assertEqual(self.found("[all](docs/more)\n", more__one="x\n"), [])
        self.assertEqual(self.found("[all](docs/more)\n", more__README="none\n", more__one="x\n"), ["docs/more/one.md: no link leads here from README.md"])

    def test_the_chain(self):
        pages = {"n00_a": "[next](01_b.md)\n", "n01_b": "[before](00_a.md) [next](02_c.md)\n", "n02_c": "[before](01_b.md)\n"}
        self.assertEqual(self.found("[a](docs/00_a.md)\n", **pages), [])
        self.assertEqual(self.found("[a](docs/00_a.md)\n", **pages | {"n02_c": "end\n"}), ["docs/02_c.md: no link to 01_b.md"])
        self.assertIn("docs/00_a.md: no link to 01_b.md", self.found("[a](docs/01_b.md)\n", **pages | {"n00_a": "start\n"}))
        self.assertEqual(self.found("[a](docs/course)\n", course__01_a="x\n", course__02_b="[before](01_a.md)\n"), ["docs/course/01_a.md: no link to 02_b.md"])


if __name__ == "__main__":
    unittest.main()
