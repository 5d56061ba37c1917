#!/usr/bin/env python3
# SPDX-License-Identifier: BSL-1.0
"""Tests cuda_kernels.py with recorded lines of nm and with small programs:  test_cuda_kernels.py [COMPILER ARGUMENTS...]"""
import os
import pathlib
import subprocess
import sys
import tempfile
import unittest

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..", "..", "tools"))
import cuda_kernels  # noqa: E402

COMMAND = ["c++", "-std=c++20"]

PROGRAM = """
namespace espalier::on_cuda { template <class Kernel> struct device_function { static void const* address(); }; }
namespace espalier::on_device { enum class op : int { sum = -3, product }; }
namespace espalier::on_device { template <int...> struct row {}; template <class...> struct list {}; template <auto...> struct k {}; }
namespace mine { struct cube {}; inline namespace v1 { struct square {}; } }
namespace { struct hidden {}; }
inline auto lambda = [](int x) { return x; };
extern "C" int puts(char const*);
using namespace espalier;
#define ASK(...) (void)on_cuda::device_function<__VA_ARGS__>::address()
int main() {
  struct local {};
  puts("");
"""


class Kernels(unittest.TestCase):
    def asked(self, *kernels, more=""):
        """The kernels of a program that asks for these."""
        with tempfile.TemporaryDirectory() as folder:
            source, out = os.path.join(folder, "program.cpp"), os.path.join(folder, "program.o")
            pathlib.Path(source).write_text(more + PROGRAM + "".join(f"  ASK({k});\n" for k in kernels) + "}\n", encoding="utf-8")
            subprocess.run([*COMMAND, "-w", "-c", source, "-o", out], check=True)
            return cuda_kernels.wanted_kernels(cuda_kernels.undefined([out]))

    def assert_user_error(self, kernel, headers, *patterns):
        for pattern in patterns:
            with self.assertRaisesRegex(cuda_kernels.UserError, pattern):
                cuda_kernels.check_names(self.asked(kernel), headers)

    def test_sorted_and_each_once(self):
        lines = ["", "a.o:", "                 U puts", "                 U espalier::on_cuda::device_function<b<1> >::address()",
                 "0000 T main", "b.o:", "                 U espalier::on_cuda::device_function<a<float> >::address()",
                 "                 U espalier::on_cuda::device_function<b<1> >::address()", "  U other::device_function<a>::address()"]
        self.assertEqual(cuda_kernels.wanted_kernels(lines),
                         ["espalier::on_cuda::device_function<a<float> >", "espalier::on_cuda::device_function<b<1> >"])

    def test_defined_functions_are_not_wanted(self):
        self.assertEqual(cuda_kernels.wanted_kernels(["0000000 W espalier::on_cuda::device_function<a>::address()"]), [])

    def test_object(self):
        found = self.asked("on_device::row<3, -1>", "on_device::row<>", "on_device::k<on_device::op::sum, 5ul, true, 'c'>", "on_device::row<3, -1>")
        spaces = [name.replace(" ", "") for name in found]
        self.assertEqual(len(found), 3)
        self.assertIn("espalier::on_cuda::device_function<espalier::on_device::row<3,-1>>", spaces)
        self.assertIn("espalier::on_cuda::device_function<espalier::on_device::k<(espalier::on_device::op)-3,5ul,true,(char)99>>", spaces)
        cuda_kernels.check_names(found, [])

    def test_what_is_written_compiles(self):
        found = self.asked("on_device::row<3, -1>", "on_device::k<on_device::op::sum, 5ul, -7ll, true, 'c'>", "on_device::list<float const*, mine::square>")
        text = cuda_kernels.text_of(found, [], "cstddef")
        source = PROGRAM.split("#define")[0] + "template <class K> void const* espalier::on_cuda::device_function<K>::address() { return nullptr; }\n" + text
        done = subprocess.run([*COMMAND, "-w", "-fsyntax-only", "-x", "c++", "-"], input=source, text=True, capture_output=True)
        self.assertEqual(done.stderr, "")

    def test_long_names_stay_whole(self):
        rows = ", ".join(f"on_device::row<{', '.join(str(i * j) for j in range(16))}>" for i in range(1, 200))
        found = self.asked(f"on_device::list<{rows}>")
        self.assertEqual(len(found), 1)
        self.assertGreater(len(found[0]), 10000)
        self.assertTrue(found[0].replace(" ", "").endswith(",2985>>>"), found[0][-40:])

    def test_a_name_that_stays_mangled(self):
        with self.assertRaisesRegex(cuda_kernels.UserError, "cannot demangle"):
            cuda_kernels.wanted_kernels(["   U _ZN8espalier7on_cuda15device_functionIN5thingEE7addressEv"])

    def test_unnamed_namespace(self):
        self.assert_user_error("on_device::list<on_device::row<1, 2>, hidden, float>", ["mine.hpp"],
                            r"^\(anonymous namespace\)::hidden lies in an unnamed namespace", "--headers")

    def test_lambda(self):
        self.assert_user_error("on_device::list<int, decltype(lambda)>", ["mine.hpp"], "is the type of a lambda")

    def test_local_type(self):
        self.assert_user_error("on_device::list<int, on_device::list<local>>", ["mine.hpp"], r"^main::local is local to a function")

    def test_local_type_of_a_function(self):
        name = "espalier::on_cuda::device_function<espalier::on_device::list<int, espalier::f<int>(int, float) const::local, float> >"
        with self.assertRaisesRegex(cuda_kernels.UserError, r"^espalier::f<int>\(int, float\) const::local is local"):
            cuda_kernels.check_names([name], [])

    def test_types_of_functions_are_no_local_types(self):
        cuda_kernels.check_names(["espalier::on_cuda::device_function<espalier::on_device::list<void (*)(int, float const*)> >"], [])

    def test_ops_of_the_program_need_their_header(self):
        self.assert_user_error("on_device::list<int, mine::cube>", [], "^mine::cube is part of a kernel and no type of the library", "--headers")
        cuda_kernels.check_names(self.asked("on_device::list<int, mine::cube>"), ["mine.hpp"])

    def test_text(self):
        text = cuda_kernels.text_of(["espalier::on_cuda::device_function<a>"], ["<mine.hpp>", "ops/mine.hpp"])
        self.assertEqual(text.splitlines()[1:], ["#include <espalier/device/cuda/kernels.cuh>", "#include <mine.hpp>", '#include "ops/mine.hpp"', "",
                                                 "template struct espalier::on_cuda::device_function<a>;"])

    def test_written_only_when_it_changes(self):
        with tempfile.TemporaryDirectory() as folder:
            path = os.path.join(folder, "kernels.cu")
            self.assertTrue(cuda_kernels.write_if_changed(path, "a"))
            os.utime(path, (1, 1))
            self.assertFalse(cuda_kernels.write_if_changed(path, "a"))
            self.assertEqual(os.stat(path).st_mtime, 1)
            self.assertTrue(cuda_kernels.write_if_changed(path, "b"))

    def test_no_such_object(self):
        with self.assertRaisesRegex(cuda_kernels.UserError, "cannot read"):
            cuda_kernels.undefined(["/nowhere.o"])
        self.assertRegex(cuda_kernels.main(["-o", "/dev/null", "/nowhere.o"]), "cuda_kernels.py: nm cannot read")


if __name__ == "__main__":
    COMMAND = sys.argv[1:] or COMMAND
    unittest.main(argv=sys.argv[:1])
