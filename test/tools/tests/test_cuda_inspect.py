#!/usr/bin/env python3
# SPDX-License-Identifier: BSL-1.0
"""Tests cuda_inspect.py with recorded text of ptxas and PTX; no nvcc is needed."""
import os
import pathlib
import sys
import tempfile
import unittest

sys.path.insert(0, os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
import cuda_inspect  # noqa: E402

ENTRY = "_ZN8espalier7on_cuda5entryIN4test7doubledIfLi100000EEELi16ELi16ELi1EEEvNT_5tableE"
OF_CLUSTERS = ENTRY.replace("ELi1EEEv", "ELi4EEEv")

LOG = """ptxas info    : 0 bytes gmem
ptxas info    : Compiling entry function '{entry}' for 'sm_80'
ptxas info    : Function properties for {entry}
    0 bytes stack frame, 0 bytes spill stores, 0 bytes spill loads
ptxas info    : Used 14 registers, used 1 barriers, 40 bytes smem, 376 bytes cmem[0]
ptxas info    : Compile time = 2.635 ms
ptxas info    : Function properties for _Z1ff
    0 bytes stack frame, 0 bytes spill stores, 0 bytes spill loads
ptxas info    : 0 bytes gmem
ptxas info    : Compiling entry function '{entry}' for 'sm_90'
ptxas info    : Function properties for {entry}
    0 bytes stack frame, 0 bytes spill stores, 0 bytes spill loads
ptxas info    : Used 12 registers, used 0 barriers
ptxas info    : Compile time = 3.501 ms
""".format(entry=ENTRY)

SPILLS = """ptxas info    : Compiling entry function '_Z5spillPKfPf' for 'sm_90'
ptxas info    : Function properties for _Z5spillPKfPf
    160 bytes stack frame, 172 bytes spill stores, 176 bytes spill loads
ptxas info    : Used 64 registers, used 1 barriers, 160 bytes cumulative stack size
"""

PTX = """
.version 9.0
.target sm_80
.address_size 64
.visible .entry {entry}(
	.param .align 8 .b8 {entry}_param_0[16]
)
{{
	ld.param.u64 	%rd3, [{entry}_param_0];
	{load}
	@%p1 bra 	$L__BB0_2;
	{store}
	st.shared.v4.f32 	[%r8], {{%f12, %f11, %f10, %f9}};
	ret;
}}
.func  (.param .b32 func_retval0) _Z1ff(
	.param .b32 _Z1ff_param_0
)
{{
	ld.global.v4.f32 	{{%f1, %f2, %f3, %f4}}, [%rd6];
	ret;
}}
"""
WIDE_LOAD, WIDE_STORE = "ld.global.nc.v4.f32 	{%f1, %f2, %f3, %f4}, [%rd6];", "st.global.v2.f64 	[%rd9], {%fd1, %fd2};"


def ptx(load=WIDE_LOAD, store=WIDE_STORE, arch="80"):
    return PTX.format(entry=ENTRY, load=load, store=store).replace("sm_80", f"sm_{arch}")


def both(load=WIDE_LOAD, store=WIDE_STORE):
    return ptx(load, store) + ptx(load, store, "90")


class Inspect(unittest.TestCase):
    def test_log(self):
        found = [(k.name, k.arch, k.entry, k.registers, k.barriers, k.shared) for k in cuda_inspect.parse_log(LOG)]
        self.assertEqual(found, [(ENTRY, "80", True, 14, 1, 40), ("_Z1ff", "80", False, 0, 0, 0), (ENTRY, "90", True, 12, 0, 0)])
        spill = cuda_inspect.parse_log(SPILLS)[0]
        self.assertEqual((spill.registers, spill.stack, spill.spill_stores, spill.spill_loads), (64, 160, 172, 176))

    def test_widths(self):
        widths = cuda_inspect.parse_ptx(both())
        self.assertEqual(widths[ENTRY, "80"], [16, 16])
        self.assertEqual(widths[ENTRY, "90"], [16, 16])
        self.assertEqual(widths["_Z1ff", "80"], [16, 0])
        self.assertEqual(cuda_inspect.parse_ptx(ptx("ld.global.f32 	%f1, [%rd6];", "st.global.v2.b32 [%rd9], {%r1, %r2};"))[ENTRY, "80"], [4, 8])
        self.assertEqual(cuda_inspect.parse_ptx(ptx("ld.v4.f32 	{%f1, %f2, %f3, %f4}, [%rd6];", ""))[ENTRY, "80"], [0, 0])

    def test_bytes(self):
        for kinds, count in (("global.v4.f32", 16), ("global.v2.b64", 16), ("global.nc.L1::no_allocate.v4.u32", 16), ("volatile.global.b16", 2), ("shared.v4.f32", 0),
                             ("param.u64", 0), ("global.v8.b32", 32), ("relaxed.gpu.global.s32", 4)):
            self.assertEqual(cuda_inspect.bytes_of(kinds.split(".")), count, kinds)

    def test_predicated_access(self):
        self.assertEqual(cuda_inspect.parse_ptx(ptx("@!%p1 ld.global.v2.f32 {%f1, %f2}, [%rd6];", ""))[ENTRY, "80"], [8, 0])

    def test_no_faults(self):
        self.assertEqual(cuda_inspect.faults(cuda_inspect.kernels_of(LOG, both())), [])

    def test_stack_and_spills(self):
        found = cuda_inspect.faults(cuda_inspect.kernels_of(SPILLS, ""))
        self.assertEqual(len(found), 2, found)
        self.assertRegex(found[0], r"^160 bytes of stack: .*spill.* for sm_90")
        self.assertRegex(found[1], r"^172 bytes spilled, 176 read back")

    def test_subroutines_of_double_precision(self):
        entry = "void espalier::on_cuda::entry<espalier::on_cuda::row_kernel<{}, 5, 4> >"
        self.assertEqual(cuda_inspect.frame_allowed(entry.format("double")), (64, 64))
        self.assertEqual(cuda_inspect.frame_allowed(entry.format("float")), (0, 0))
        self.assertEqual(cuda_inspect.frame_allowed("espalier::on_cuda::split_sweep_kernel<(espalier::plan::extent_class)2, 0, double, 5"), (64, 64))
        self.assertEqual(cuda_inspect.frame_allowed("espalier::on_cuda::row_kernel<float, 5, 4, espalier::leaf<double> >"), (0, 0))

    def test_sines(self):
        sine = "void espalier::on_cuda::entry<espalier::on_cuda::elementwise_kernel<float, 1, 8, 1, espalier::on_device::list<espalier::on_device::instruction<espalier::sin_, 1> > > >"
        self.assertEqual(cuda_inspect.frame_allowed(sine), (32, 0))
        self.assertEqual(cuda_inspect.frame_allowed(sine.replace("sin_", "asin_")), (0, 0))

    def test_stack_of_a_function_that_is_not_inlined(self):
        log = LOG.replace("for _Z1ff\n    0 bytes stack", "for _Z1ff\n    8 bytes stack")
        self.assertRegex(cuda_inspect.faults(cuda_inspect.kernels_of(log, both()))[0], "^8 bytes of stack")

    def test_narrow_load(self):
        found = cuda_inspect.faults(cuda_inspect.kernels_of(LOG, both(load="ld.global.f32 	%f1, [%rd6];")))
        self.assertEqual(len(found), 2, found)
        self.assertRegex(found[0], "the widest load has 4 bytes, not 16: .*doubled")

    def test_narrow_store(self):
        self.assertRegex(cuda_inspect.faults(cuda_inspect.kernels_of(LOG, both(store="")))[0], "the widest store has 0 bytes, not 16")

    def test_kernels_of_clusters_are_judged_where_they_are_launched(self):
        def of_clusters(text):
            return text.replace(ENTRY, OF_CLUSTERS)

        empty = ptx("", "")  # for sm_80: only a trap
        self.assertEqual(len(cuda_inspect.faults(cuda_inspect.kernels_of(LOG, empty + ptx(arch="90")))), 2)
        kernels = cuda_inspect.kernels_of(of_clusters(LOG), of_clusters(empty + ptx(arch="90")))
        self.assertEqual([(k.arch, k.entry) for k in kernels], [("80", False), ("90", True)])
        self.assertEqual(cuda_inspect.faults(kernels), [])
        narrow = cuda_inspect.kernels_of(of_clusters(LOG), of_clusters(empty + ptx(load="", arch="90")))
        self.assertRegex(cuda_inspect.faults(narrow)[0], "^the widest load has 0 bytes, not 16: .* for sm_90$")
        later = LOG.replace("'sm_90'", "'sm_100a'")
        self.assertEqual([k.arch for k in cuda_inspect.kernels_of(of_clusters(later), "")], ["80", "100a"])

    def test_promises(self):
        name = "void espalier::on_cuda::entry<{}>(espalier::on_cuda::kernel<{}>::table)"
        for arguments, width in (("espalier::on_cuda::row<float, 32, 8>, 16, 0, 1", (16, 0)), ("row<float>, 8, 16, 4", (8, 16)), ("row<float, 32>, 0, 0, 1", (0, 0))):
            self.assertEqual(cuda_inspect.promised(name.format(arguments, arguments)), width, arguments)
        self.assertEqual(cuda_inspect.promised("void user::kernel<float, 32, 16>(float*)"), (0, 0))
        self.assertEqual(cuda_inspect.promised("spill(float const*, float*)"), (0, 0))

    def test_table(self):
        lines = cuda_inspect.table(cuda_inspect.kernels_of(LOG, both()))
        self.assertEqual(lines[0], "| kernel | sm_80 | sm_90 | shared memory | barriers | load | store |")
        self.assertEqual(lines[2:], ["| `test::doubled<float, 100000>` | 14 | 12 | 40 | 1 | 16 | 16 |"])

    def test_long_names_are_cut_and_told_apart(self):
        names = [f"void espalier::on_cuda::entry<espalier::on_cuda::row<{'1, ' * 200}{last}>, 16, 16, 1>(espalier::on_cuda::table)" for last in (1, 2)]
        shorts = [cuda_inspect.short(name) for name in names]
        self.assertNotEqual(*shorts)
        self.assertTrue(all(len(s) < 100 and s.startswith("row<1, ") for s in shorts), shorts)

    def test_record(self):
        with tempfile.TemporaryDirectory() as folder:
            page = os.path.join(folder, "page.md")
            cuda_inspect.record(page, "b", ["| two |"])
            cuda_inspect.record(page, "a", ["| one |"])
            first = pathlib.Path(page).read_text(encoding="utf-8")
            self.assertTrue(first.startswith("# Registers"))
            self.assertTrue(first.endswith("\n\n## a\n\n| one |\n\n## b\n\n| two |\n"), first)
            cuda_inspect.record(page, "b", ["| two |"])
            self.assertEqual(pathlib.Path(page).read_text(encoding="utf-8"), first)
            cuda_inspect.record(page, "a", ["| three |"])
            self.assertEqual(pathlib.Path(page).read_text(encoding="utf-8"), first.replace("| one |", "| three |"))


if __name__ == "__main__":
    unittest.main()
