#!/usr/bin/env python3
# SPDX-License-Identifier: BSL-1.0
"""What amalgamate.py makes of small trees, judged by its text and by a preprocessor:  test_amalgamate.py COMPILER..."""
import pathlib
import subprocess
import sys
import tempfile
import unittest

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[3] / "tools"))
from amalgamate import LICENCE, UserError, amalgamate  # noqa: E402

VERSION = '#define ESPALIER_VERSION_STRING "1.2.3"\n'
compiler = ["c++"]


class Amalgamate(unittest.TestCase):
    def made(self, files, *entries, defines=(), brackets=()):
        """The single header of the files; self.seen: what the preprocessor leaves of it, and has to leave of the headers themselves."""
        with tempfile.TemporaryDirectory() as folder:
            top, others = pathlib.Path(folder) / "include", pathlib.Path(folder) / "others"
            for name in ("z.h", "y.h"):
                (others / "other").mkdir(parents=True, exist_ok=True)
                (others / "other" / name).write_text("#pragma once\n")
            for name, text in ({"espalier/base/version.hpp": VERSION} | files).items():
                (top / name).parent.mkdir(parents=True, exist_ok=True)
                once = "" if name in brackets else "#pragma once\n"
                (top / name).write_text(f"{LICENCE}\n{once}{text}", encoding="utf-8")
            text = amalgamate(top, entries or ("espalier.hpp",))
            (top / "single.cpp").write_text(text + text, encoding="utf-8")
            (top / "many.cpp").write_text("".join(f"#include <{e}>\n" for e in entries or ("espalier.hpp",)), encoding="utf-8")
            seen = []
            for unit in ("single.cpp", "many.cpp"):
                command = [*compiler, "-E", "-P", f"-I{top}", f"-I{others}", *(f"-D{d}" for d in defines), top / unit]
                done = subprocess.run(command, capture_output=True, text=True)
                self.assertEqual(done.returncode, 0, done.stderr)
                seen.append(done.stdout.split())
            self.assertEqual(*seen)
            self.seen = " ".join(seen[0])
            return text

    def test_each_header_once_where_it_is_read_first(self):
        text = self.made({"espalier.hpp": '#include "espalier/a.hpp"\n#include <espalier/b.hpp>\nint last;\n', "espalier/a.hpp": '#include "b.hpp"\nint a;\n',
                          "espalier/b.hpp": "int b;\n"})
        self.assertEqual(self.seen, "int b; int a; int last;")
        self.assertEqual(text.count("int b;"), 1)
        self.assertNotIn("pragma once", text)
        self.assertEqual(text.count(LICENCE), 1)
        self.assertIn("espalier 1.2.3 in one header", text)

    def test_headers_without_pragma_once_stand_wherever_they_are_included(self):
        own = '#include "push.hpp"\nint x;\n#include "pop.hpp"\n'
        text = self.made({"espalier.hpp": '#include "espalier/a.hpp"\n#include "espalier/b.hpp"\n', "espalier/a.hpp": own, "espalier/b.hpp": own.replace("x", "y"),
                          "espalier/push.hpp": "// why\n#pragma GCC diagnostic push\n", "espalier/pop.hpp": "#pragma GCC diagnostic pop\n"},
                         brackets=("espalier/push.hpp", "espalier/pop.hpp"))
        words = [line for line in text.splitlines() if line.startswith(("#pragma GCC", "int"))]
        self.assertEqual(words, ["#pragma GCC diagnostic push", "int x;", "#pragma GCC diagnostic pop", "#pragma GCC diagnostic push", "int y;",
                                 "#pragma GCC diagnostic pop"])

    def test_headers_that_need_each_other(self):
        self.made({"espalier.hpp": '#include "espalier/c/a.hpp"\n', "espalier/c/a.hpp": 'int before;\n#include "../d/b.hpp"\nint a;\n',
                   "espalier/d/b.hpp": '#include "../c/a.hpp"\nint b;\n'})
        self.assertEqual(self.seen, "int before; int b; int a;")

    def test_headers_of_others(self):
        text = self.made({"espalier.hpp": '#include <other/z.h>\n#include "espalier/a.hpp"\nint x;\n#  include <other/y.h>  // why\n',
                          "espalier/a.hpp": "#include <other/z.h>\n#if defined(MISSING)\n#include <no/such/header.hpp>\n#endif\n"})
        self.assertLess(text.index("#include <other/y.h>\n#include <other/z.h>\n"), text.index("int x;"))
        self.assertEqual(text.count("<other/"), 2)
        self.assertLess(text.index("#if defined(MISSING)"), text.index("<no/such/header.hpp>"))

    CONDITIONS = {"espalier.hpp": '#if defined(A)\n#include "espalier/a.hpp"\n#elif defined(B)\n#include "espalier/b.hpp"\n#else\nint neither;\n#endif\n'
                                  '#include "espalier/b.hpp"\nint last;\n',
                  "espalier/a.hpp": '#include "c.hpp"\nint a;\n', "espalier/b.hpp": '#include "c.hpp"\n#include "c.hpp"\nint b;\n', "espalier/c.hpp": "int c;\n"}

    def test_conditions(self):
        for defines, wanted in [([], "int neither; int c; int b; int last;"), (["A"], "int c; int a; int b; int last;"), (["B"], "int c; int b; int last;")]:
            text = self.made(self.CONDITIONS, defines=defines)
            self.assertEqual(self.seen, wanted)
        self.assertEqual(text.count("int a;"), 1)
        self.assertEqual(text.count("int b;"), 2)
        self.assertNotIn("ESPALIER_SINGLE_ESPALIER_A_HPP", text)

    def test_a_condition_inside_of_what_is_there(self):
        text = self.made({"espalier.hpp": '#include "espalier/a.hpp"\n#ifdef A\n#include "espalier/a.hpp"\n#endif\n', "espalier/a.hpp": "int a;\n"}, defines=["A"])
        self.assertEqual(text.count("int a;"), 1)

    def test_entries(self):
        files = {"espalier.hpp": "int first;\n", "espalier/more.hpp": '#include "../espalier.hpp"\nint more;\n'}
        self.made(files, "espalier/more.hpp", "espalier.hpp")
        self.assertEqual(self.seen, "int first; int more;")

    def test_comments_in_literals(self):
        self.made({"espalier.hpp": 'char const* s = "a/*"; // "\\" /* \nchar const* t = "\\"/*";\n'})
        self.assertIn('"a/*"', self.seen)

    def test_refusals(self):
        for files, sentence in [({"espalier.hpp": '#include "espalier/a.hpp"\n'}, "espalier.hpp includes espalier/a.hpp, which does not exist"),
                                ({"espalier.hpp": "#include <espalier/a.hpp>\n"}, "which does not exist"),
                                ({"espalier.hpp": "#if 1\n"}, "espalier.hpp leaves a condition open"),
                                ({"espalier.hpp": "#endif\n"}, "espalier.hpp closes a condition"),
                                ({"espalier.hpp": "/* x\n"}, "has a comment"),
                                ({"espalier/a.hpp": ""}, "espalier.hpp does not exist")]:
            with self.assertRaisesRegex(UserError, sentence):
                self.made(files)


if __name__ == "__main__":
    compiler = sys.argv[1:] or compiler
    unittest.main(argv=sys.argv[:1])
