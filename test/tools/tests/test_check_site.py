#!/usr/bin/env python3
# SPDX-License-Identifier: BSL-1.0
"""Tests check_site.py, and how docs/site/build.py copies pages, on small trees."""
import importlib.util
import pathlib
import sys
import tempfile
import unittest

sys.dont_write_bytecode = True
sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1]))
from check_site import faults_of  # noqa: E402

FILES = {"README.md": "# a\n", "CHANGELOG.md": "", "CONTRIBUTING.md": "", "SECURITY.md": "", "docs/00_one.md": "", "docs/01_two.md": "", "include/a.hpp": "int a;\n",
         "test/README.md": "", "test/fuzz/README.md": "", "docs/net.svg": "<svg/>"}
NAV = ["README.md", "CHANGELOG.md", "CONTRIBUTING.md", "SECURITY.md", "docs/00_one.md", "docs/01_two.md", "test/README.md"]


class CheckSite(unittest.TestCase):
    def tree(self, folder, files):
        root = pathlib.Path(folder).resolve()
        for name, text in files.items():
            (root / name).parent.mkdir(parents=True, exist_ok=True)
            (root / name).write_text(text, encoding="utf-8")
        return root

    def faults(self, nav):
        with tempfile.TemporaryDirectory() as folder:
            listed = "".join(f"      - {page}\n" for page in nav)
            return faults_of(self.tree(folder, {**FILES, "docs/site/mkdocs.yml": f"site_name: a\nnav:\n  - Pages:\n{listed}"}))

    def test_all_pages(self):
        self.assertEqual(self.faults(NAV), [])

    def test_a_missing_page(self):
        self.assertEqual(len(self.faults(NAV[:4] + NAV[5:])), 1)
        self.assertIn("docs/00_one.md is not in the navigation", self.faults(NAV[:4] + NAV[5:])[0])

    def test_other_faults(self):
        self.assertIn("docs/site/mkdocs.yml: there is no docs/none.md", self.faults([*NAV, "docs/none.md"]))
        self.assertIn("docs/site/mkdocs.yml has README.md twice", self.faults([*NAV, "README.md"]))
        turned = NAV[:4] + ["docs/01_two.md", "docs/00_one.md", "test/README.md"]
        self.assertEqual(self.faults(turned), ["docs/site/mkdocs.yml: the numbered pages of docs/ are not in their order"])

    def copied(self, text):
        """The copy of docs/00_one.md, and the names of all files of the copy."""
        spec = importlib.util.spec_from_file_location("build_site", pathlib.Path(__file__).resolve().parents[3] / "docs/site/build.py")
        build = importlib.util.module_from_spec(spec)
        spec.loader.exec_module(build)
        with tempfile.TemporaryDirectory() as folder, tempfile.TemporaryDirectory() as to:
            root = self.tree(folder, {**FILES, "docs/00_one.md": text})
            build.Copy(root, pathlib.Path(to)).copy(root / "docs/00_one.md")
            names = sorted(path.relative_to(to).as_posix() for path in pathlib.Path(to).rglob("*") if path.is_file())
            return (pathlib.Path(to) / "docs/00_one.md").read_text(encoding="utf-8"), names

    def test_links(self):
        text, names = self.copied("[a](01_two.md#b) [`c`](../include/a.hpp) ![d](net.svg) [e](../include/) [f](../test/) [g](https://example.org/)\n`[h](i.hpp)`\n")
        self.assertEqual(text, "[a](01_two.md#b) [`c`](../include/a.hpp.md) ![d](net.svg) [e](../include.md) [f](../test/README.md) [g](https://example.org/)\n`[h](i.hpp)`\n")
        self.assertEqual(names, ["docs/00_one.md", "docs/net.svg", "include.md", "include/a.hpp.md"])

    def test_sentences_of_the_compiler(self):
        self.assertEqual(self.copied("> f<S>(x): write [](auto x) and `a<b>`\n")[0], "> f&lt;S>(x): write []\\(auto x) and `a<b>`\n")

    def test_empty_lines_before_lists_and_tables(self):
        self.assertEqual(self.copied("a\n- b\n- c\n  d\n")[0], "a\n\n- b\n- c\n  d\n")
        self.assertEqual(self.copied("a\n| b |\n|---|\n")[0], "a\n\n| b |\n|---|\n")
        self.assertEqual(self.copied("```text\na\n- b\n```\n")[0], "```text\na\n- b\n```\n")


if __name__ == "__main__":
    unittest.main()
