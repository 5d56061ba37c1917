#!/usr/bin/env python3
# SPDX-License-Identifier: BSL-1.0
"""Tests of errors_page.py: on two errors, one of which changes:  test_errors_page.py COMPILER ARGUMENTS..."""
import pathlib
import sys
import tempfile

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1]))
import errors_page  # noqa: E402

SOURCE = """// SPDX-License-Identifier: BSL-1.0
// expect: three is not four
template <int N>
void four() { static_assert(N == 4, "three is not four"); }
#ifdef SHOULD_FAIL
void f() { four<3>(); }
#else
void f() { four<4>(); }
#endif
"""

with tempfile.TemporaryDirectory() as folder:
    root = pathlib.Path(folder).resolve()
    (root / "test/compile_fail").mkdir(parents=True)
    (root / "docs").mkdir()
    page = root / "docs/errors.md"
    page.write_text("# Errors\n\nwords\n", encoding="utf-8")
    first, second = root / "test/compile_fail/first.cpp", root / "test/compile_fail/second.cpp"
    first.write_text(SOURCE, encoding="utf-8")
    second.write_text(SOURCE.replace("#ifdef SHOULD_FAIL", "#if defined(SHOULD_FAIL)"), encoding="utf-8")

    for said, shown in (("tensor<T, S>(x) or [](auto x)", "tensor\\<T, S>(x) or \\[](auto x)"), ("write `view<T, S>` for <S>", "write `view<T, S>` for \\<S>")):
        assert errors_page.escaped(said) == shown and errors_page.unescaped(shown) == said
    assert errors_page.difference(SOURCE) == "- void f() { four<3>(); }\n+ void f() { four<4>(); }"
    assert len(errors_page.faults(root)) == 2  # no entries yet
    assert errors_page.main([str(root), "--write", *sys.argv[1:]]) == 0
    text = page.read_text(encoding="utf-8")
    assert text.startswith("# Errors\n\nwords\n") and text.count("> three is not four\n") == 2, text
    assert errors_page.faults(root) == []
    assert errors_page.main([str(root), "--write", *sys.argv[1:]]) == 0
    assert page.read_text(encoding="utf-8") == text  # written twice is written once

    second.write_text(SOURCE.replace("four<3>", "four<5>"), encoding="utf-8")
    assert errors_page.faults(root) == ["docs/errors.md: the code of second is no longer that of its file"]
    second.write_text(SOURCE.replace("expect: three", "expect: five"), encoding="utf-8")
    assert errors_page.faults(root) == ["docs/errors.md: the test of second does not expect its sentence: three is not four"]
    second.unlink()
    assert errors_page.faults(root) == ["docs/errors.md: there is no error second"]
    first.write_text("int main() {}\n", encoding="utf-8")
    assert errors_page.main([str(root), "--write", *sys.argv[1:]]) == 1  # it says nothing
print("passed")
