# SPDX-License-Identifier: BSL-1.0
"""Small programs for tests of what compiles many at a time."""
import os
import tempfile

import compile_fail


def checked(check, texts):
    """What check says of files with these texts, program_a.cpp and so on, and how often the compiler was called for them."""
    calls = []
    compile_, compile_fail.compile_ = compile_fail.compile_, lambda *arguments: calls.append(arguments) or compile_(*arguments)
    try:
        with tempfile.TemporaryDirectory() as folder:
            paths = [os.path.join(folder, f"program_{chr(ord('a') + number // 26)}{chr(ord('a') + number % 26)}.cpp") for number in range(len(texts))]
            for path, text in zip(paths, texts):
                with open(path, "w", encoding="utf-8") as file:
                    file.write(text)
            return check(paths), len(calls)
    finally:
        compile_fail.compile_ = compile_
