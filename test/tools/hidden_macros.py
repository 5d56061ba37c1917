#!/usr/bin/env python3
# SPDX-License-Identifier: BSL-1.0
"""Checks base/hide_macros.hpp and base/restore_macros.hpp against hidden_macros.txt:  hidden_macros.py ROOT [--write]

The list is written once. --write writes both headers.
"""
import pathlib
import sys

LIST = pathlib.Path(__file__).resolve().parent / "hidden_macros.txt"
LICENCE = "// SPDX-License-Identifier: BSL-1.0"
HIDE, RESTORE = "include/espalier/base/hide_macros.hpp", "include/espalier/base/restore_macros.hpp"
# One mark for each name: a header of others that is first included behind the mark may define the name for good.
HIDE_HEAD = [LICENCE, "// Hides macros of other headers and of the program while it includes espalier: these names are used by the library, by",
             "// Boost.Hana, xsimd or the standard library. diagnostics_push.hpp includes this file, so it has no `#pragma once`.",
             "// Written by test/tools/hidden_macros.py."]
RESTORE_HEAD = [LICENCE, "// Restores what hide_macros.hpp hides. Written by test/tools/hidden_macros.py."]


def names():
    lines = LIST.read_text(encoding="utf-8").splitlines()
    return [name for line in lines if not line.startswith("#") for name in line.split()]


def hide():
    body = [f'#ifdef {n}\n#pragma push_macro("{n}")\n#undef {n}\n#define ESPALIER_HIDES_{n}\n#endif' for n in names()]
    return "\n".join([*HIDE_HEAD, *body]) + "\n"


def restore():
    body = [f'#ifdef ESPALIER_HIDES_{n}\n#pragma pop_macro("{n}")\n#undef ESPALIER_HIDES_{n}\n#endif' for n in names()]
    return "\n".join([*RESTORE_HEAD, *body]) + "\n"


def main(arguments):
    if not arguments or arguments[1:] not in ([], ["--write"]):
        sys.exit(__doc__)
    twice = sorted({n for n in names() if names().count(n) > 1})
    failed = [f"{LIST.name}: {n} is listed twice" for n in twice]
    for name, text in ((HIDE, hide()), (RESTORE, restore())):
        path = pathlib.Path(arguments[0]) / name
        if arguments[1:]:
            path.write_text(text, encoding="utf-8")
        elif not path.is_file() or path.read_text(encoding="utf-8") != text:
            failed.append(f"{name} differs from {LIST.name}: hidden_macros.py ROOT --write writes it")
    print("\n".join(failed) or f"{len(names())} macros are hidden and restored")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
