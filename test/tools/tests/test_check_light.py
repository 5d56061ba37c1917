#!/usr/bin/env python3
# SPDX-License-Identifier: BSL-1.0
"""Tests of check_light.py: on a small tree with one header too many."""
import pathlib
import sys
import tempfile

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1]))
import check_light  # noqa: E402

with tempfile.TemporaryDirectory() as folder:
    root = pathlib.Path(folder).resolve()

    def write(name, text):
        path = root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")
        return path

    write("include/espalier/base/text.hpp", "#include <string>\n")
    write("include/espalier/storage/tensor.hpp", '#include "../base/text.hpp"\n')
    write("include/espalier/plan/plan.hpp", "")
    write("include/espalier.hpp", '#include "espalier/plan/plan.hpp"\n')
    near = write("docs/near.hpp", "#include <espalier/storage/tensor.hpp>\n")
    start = write("docs/main.cpp", '#include "near.hpp"\n#include <cstdio>\n')
    assert set(check_light.reached(root, start)) == {start, near, root / "include/espalier/storage/tensor.hpp", root / "include/espalier/base/text.hpp"}
    assert check_light.faults(root, start, ["base", "storage"]) == []
    assert check_light.faults(root, start, ["storage"]) == [
        "docs/main.cpp includes docs/near.hpp includes include/espalier/storage/tensor.hpp includes include/espalier/base/text.hpp"]
    heavy = write("docs/heavy.cpp", "#include <espalier.hpp>\n")
    assert check_light.faults(root, heavy, ["base", "storage"]) == [
        "docs/heavy.cpp includes include/espalier.hpp", "docs/heavy.cpp includes include/espalier.hpp includes include/espalier/plan/plan.hpp"]
    assert check_light.main([str(root), "docs/main.cpp", "base", "storage"]) == 0
    assert check_light.main([str(root), "docs/heavy.cpp", "base", "storage"]) == 1
    alone = write("docs/alone.cpp", "int main() {}\n")
    assert check_light.main([str(root), "docs/alone.cpp", "base"]) == 1
print("passed")
