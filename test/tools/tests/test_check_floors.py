#!/usr/bin/env python3
# SPDX-License-Identifier: BSL-1.0
"""Plants violations of the floors and checks that check_floors.py sees each."""
import os
import pathlib
import sys
import tempfile
import unittest

sys.path.insert(0, os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
import check_floors  # noqa: E402

HEAD = check_floors.LICENCE + "\n#pragma once\n"


class Floors(unittest.TestCase):
    def violations(self, headers):
        with tempfile.TemporaryDirectory() as root:
            for name, text in headers.items():
                path = pathlib.Path(root, "include", name)
                path.parent.mkdir(parents=True, exist_ok=True)
                path.write_text(text, encoding="utf-8")
            return check_floors.violations(root)

    def rejects(self, name, line, sentence, **others):
        house = {"espalier/shape/shape.hpp": HEAD, "espalier/plan/plan.hpp": HEAD, "espalier/operation/rule.hpp": HEAD, "espalier.hpp": HEAD,
                 "espalier/device/cuda/map.cuh": HEAD, "espalier/device/cpu/map.hpp": HEAD}
        self.assertEqual(self.violations(house), [])
        found = self.violations({**house, name: HEAD + line + "\n"})
        self.assertEqual(len(found), 1, found)
        self.assertRegex(found[0], sentence)
        self.assertTrue(found[0].startswith(f"include/{name}:3: "), found[0])

    def accepted(self, name, line):
        house = {"espalier/shape/shape.hpp": HEAD, "espalier/graph/program.hpp": HEAD, "espalier/plan/plan.hpp": HEAD}
        self.assertEqual(self.violations({**house, name: HEAD + line + "\n"}), [])

    def test_downwards_is_allowed(self):
        self.accepted("espalier/operation/exp.hpp", "#include <espalier/graph/program.hpp>")
        self.accepted("espalier/device/cpu/map.hpp", "#include <espalier/plan/plan.hpp>")
        self.accepted("espalier/device/cpu/map.hpp", "#include <xsimd/xsimd.hpp>")
        self.accepted("espalier/nn/linear.hpp", "#include <boost/hana/tuple.hpp>")
        self.accepted("espalier/device/cpu/thread/parallel.hpp", "#include <pthread.h>")
        self.accepted("espalier.hpp", "#include <espalier/plan/plan.hpp>")
        self.accepted("espalier/io/file.hpp", "#include <fstream>")
        self.accepted("espalier/storage/print.hpp", "#include <ostream>")
        self.accepted("espalier/plan.hpp", "#include <espalier/plan/plan.hpp>")

    def test_upwards(self):
        self.rejects("espalier/expression/node.hpp", "#include <espalier/operation/rule.hpp>", "stands above expression")
        self.rejects("espalier/shape/new.hpp", "  #  include <espalier/plan/plan.hpp>", "stands above shape")
        self.rejects("espalier/shape.hpp", "#include <espalier/plan/plan.hpp>", "stands above shape")

    def test_gathering(self):
        self.rejects("espalier/data/idx.hpp", "#include <espalier.hpp>", "gathers all floors")

    def test_forbidden(self):
        self.rejects("espalier/nn/linear.hpp", "#include <espalier/device/cpu/map.hpp>", "nn must not include device")
        self.rejects("espalier/device/cpu/run.hpp", "#include <espalier/device/cuda/map.cuh>", "only device/cuda")

    def test_other_libraries(self):
        self.rejects("espalier/plan/fuse.hpp", "#include <xsimd/xsimd.hpp>", "belongs into espalier/device/cpu/ alone")
        self.rejects("espalier/device/cuda/row.cuh", "#include <xsimd/xsimd.hpp>", "belongs into espalier/device/cpu/ alone")
        self.rejects("espalier/nn/linear.hpp", "#include <boost/hana.hpp>", "single headers")
        self.rejects("espalier/nn/linear.hpp", "#include <boost/mp11.hpp>", "neither ours")
        self.rejects("espalier/model/trainer.hpp", "#include <pthread.h>", "belongs into espalier/device/cpu/thread/ alone")
        self.rejects("espalier/shape/show.hpp", "#include <iostream>", "expensive")
        self.rejects("espalier/storage/tensor.hpp", "#include <ostream>", "expensive")

    def test_relative_includes(self):
        self.accepted("espalier/operation/exp.hpp", '#include "../graph/program.hpp"')
        self.accepted("espalier/device/cpu/map.hpp", '#include "../../plan/plan.hpp"')
        self.accepted("espalier/device/cpu/map.hpp", '#include "espalier/plan/plan.hpp"')
        self.rejects("espalier/shape/new.hpp", '#include "../plan/plan.hpp"', "stands above shape")

    def test_cycles(self):
        def house(**includes):
            return {f"espalier/shape/{name}.hpp": HEAD + "".join(f'#include "{target}.hpp"\n' for target in targets)
                    for name, targets in includes.items()}

        self.assertEqual(self.violations(house(a="bc", b="d", c="d", d="")), [])  # two ways to one header are no cycle
        self.assertEqual(self.violations(house(a="b", b="dc", c="a", d="")),
                         ["include/espalier/shape/c.hpp:3: closes a cycle of includes: "
                          "espalier/shape/a.hpp -> espalier/shape/b.hpp -> espalier/shape/c.hpp -> espalier/shape/a.hpp"])
        self.assertEqual(self.violations(house(a="b", b="c", c="b")),  # a header before the cycle is not part of it
                         ["include/espalier/shape/c.hpp:3: closes a cycle of includes: "
                          "espalier/shape/b.hpp -> espalier/shape/c.hpp -> espalier/shape/b.hpp"])
        self.assertEqual(len(self.violations(house(a="a"))), 1)
        self.assertEqual(len(self.violations(house(a="bd", b="a", c="d", d="c"))), 2)

    def test_headers_that_are_not_there(self):
        self.rejects("espalier/shape/new.hpp", '#include "rule.hpp"', "<espalier/shape/rule.hpp> does not exist")
        self.rejects("espalier/shape/new.hpp", "#include <espalier/shape/gone.hpp>", "does not exist")

    def test_what_cannot_work_is_refused_first(self):
        house = {check_floors.SUPPORTED: HEAD, "espalier/base/a.hpp": HEAD + '#include "supported.hpp"\n',
                 "espalier/shape/b.hpp": HEAD + '#include <cstdint>\n#include "../base/a.hpp"\n'}
        self.assertEqual(self.violations(house), [])
        found = self.violations({**house, "espalier/shape/c.hpp": HEAD + "#include <cstdint>\n"})
        self.assertEqual(len(found), 1, found)
        self.assertRegex(found[0], "^include/espalier/shape/c.hpp:3: includes no other header of ours")

    def test_globals_of_a_program_draw_no_warning(self):
        body = "namespace espalier {\nint x;\n}\n"
        with_include = {"espalier/shape/a.hpp": HEAD, "espalier/shape/b.hpp": HEAD + '#include "a.hpp"\n\n' + body}
        self.assertRegex(self.violations(with_include)[0], "b.hpp:3: does not include <espalier/base/diagnostics_push.hpp>")
        with tempfile.TemporaryDirectory() as root:
            for bracket in (check_floors.PUSH, check_floors.POP):
                path = pathlib.Path(root, "include", bracket)
                path.parent.mkdir(parents=True, exist_ok=True)
                path.write_text(check_floors.LICENCE + "\n#pragma GCC diagnostic push\n", encoding="utf-8")
            path = pathlib.Path(root, "include/espalier/shape/b.hpp")
            path.parent.mkdir(parents=True)
            path.write_text(HEAD + "#if defined(A)\n#include <cstdint>\n#define B\n#endif\n\n" + body, encoding="utf-8")
            check_floors.write(root)
            once = path.read_text(encoding="utf-8")
            self.assertEqual(check_floors.violations(root), [])
            self.assertTrue(once.endswith('}\n#include "../base/diagnostics_pop.hpp"\n'), once)
            self.assertTrue(once.startswith(HEAD + '#include "../base/diagnostics_push.hpp"\n\n#if'), once)
            check_floors.write(root)
            self.assertEqual(path.read_text(encoding="utf-8"), once)
            path.write_text(once.replace('#include "../base/diagnostics_pop.hpp"\n', ""), encoding="utf-8")
            self.assertRegex(check_floors.violations(root)[0], "at its end")
            path.write_text(once.replace("../base/diagnostics_push", "diagnostics_push"), encoding="utf-8")
            self.assertRegex(check_floors.violations(root)[0], "does not include|does not exist")

    def test_file_form(self):
        self.assertRegex(self.violations({"espalier/shape/a.hpp": "#pragma once\n"})[0], "does not start with")
        self.assertRegex(self.violations({"espalier/shape/a.hpp": check_floors.LICENCE + "\n"})[0], "#pragma once")
        self.assertRegex(self.violations({"espalier/attic/a.hpp": HEAD})[0], "no floor")
        self.assertRegex(self.violations({"other.hpp": HEAD})[0], "no floor")
        self.assertRegex(self.violations({"espalier/shape/a.cpp": HEAD})[0], "no header")


if __name__ == "__main__":
    unittest.main()
