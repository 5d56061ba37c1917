#!/usr/bin/env python3
# SPDX-License-Identifier: BSL-1.0
"""Tests check_version.py against small trees."""
import pathlib
import sys
import tempfile
import unittest

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1]))
from check_version import FETCH, HEADER, PORT, WRAP, violations  # noqa: E402

NUMBERS = "#define ESPALIER_VERSION_MAJOR {}\n#define ESPALIER_VERSION_MINOR {}\n#define ESPALIER_VERSION_PATCH {}\n"


def tree(folder, numbers=(1, 2, 3), text="1.2.3", meson="1.2.3", changes="1.2.3", wrap="1.2.3", port="1.2.3", fetch="1.2.3"):
    root = pathlib.Path(folder)
    for name in (HEADER, WRAP, PORT, FETCH):
        (root / name).parent.mkdir(parents=True)
    (root / WRAP).write_text(f"[wrap-git]\nrevision = v{wrap}\n")
    (root / PORT).write_text(f'{{"name": "espalier", "version": "{port}"}}\n')
    (root / FETCH).write_text(f"FetchContent_Declare(espalier\n  GIT_TAG v{fetch})\n")
    (root / HEADER).write_text(NUMBERS.format(*numbers) + f'#define ESPALIER_VERSION_STRING "{text}"\n')
    (root / "meson.build").write_text(f"project('espalier', 'cpp',\n  version: '{meson}',\n  meson_version: '>=1.0.1')\n")
    (root / "CHANGELOG.md").write_text(f"# Changes\n\n## {changes}\n\n## 0.0.1\n")
    return root


class CheckVersion(unittest.TestCase):
    def found(self, **versions):
        with tempfile.TemporaryDirectory() as folder:
            return violations(tree(folder, **versions))

    def test_equal(self):
        self.assertEqual(self.found(), [])

    def test_each_place(self):
        self.assertEqual(self.found(text="1.2.4"), [f"{HEADER}, its text: 1.2.4, but 1.2.3 in {HEADER}"])
        self.assertEqual(self.found(meson="1.2"), [f"meson.build: 1.2, but 1.2.3 in {HEADER}"])
        self.assertEqual(self.found(changes="0.9.0"), [f"CHANGELOG.md, its newest heading: 0.9.0, but 1.2.3 in {HEADER}"])
        self.assertEqual(self.found(wrap="1.2.2"), [f"{WRAP}: 1.2.2, but 1.2.3 in {HEADER}"])
        self.assertEqual(self.found(port="1.2.2"), [f"{PORT}: 1.2.2, but 1.2.3 in {HEADER}"])
        self.assertEqual(self.found(fetch="1.2.2"), [f"{FETCH}: 1.2.2, but 1.2.3 in {HEADER}"])
        self.assertEqual(len(self.found(numbers=(1, 3, 0))), 6)

    def test_numbers_that_run_into_each_other(self):
        self.assertEqual(len(self.found(numbers=(1, 100, 0), text="1.100.0", meson="1.100.0", changes="1.100.0", wrap="1.100.0", port="1.100.0", fetch="1.100.0")), 1)

    def test_this_repository(self):
        self.assertEqual(violations(pathlib.Path(__file__).resolve().parents[3]), [])


if __name__ == "__main__":
    unittest.main()
