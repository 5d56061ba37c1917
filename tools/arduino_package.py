#!/usr/bin/env python3
# SPDX-License-Identifier: BSL-1.0
"""Writes the library for Arduino and PlatformIO:  arduino_package.py -o FOLDER [--boost DIR] [--url URL]

FOLDER gets src/espalier.hpp (the single header of amalgamate.py), the headers of Boost.Hana that it reads, the files of packaging/arduino and the weights of the digits.
DIR holds boost/ (a compiler's folder of headers). URL is where your copy of the library is, for its description. Equal headers give equal bytes.
"""
import argparse
import pathlib
import re
import shutil
import sys

sys.dont_write_bytecode = True
sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent))
from amalgamate import LICENCE, UserError, amalgamate, version_of  # noqa: E402

ROOT = pathlib.Path(__file__).resolve().parents[1]
URL = "https://where-your-copy-is.example/espalier"  # in what users replace
BOOST = ("/usr/include", "/usr/local/include", "/opt/homebrew/include")
ENTRIES = ("espalier.hpp", "espalier/model/embedded.hpp")
FORWARDED = ("espalier/base/embedded.hpp", "espalier/model/embedded.hpp")  # what headers of weights and programs with them include
INCLUDE = re.compile(r'^[ \t]*#[ \t]*include[ \t]*[<"](boost/[^>"]+)[>"]', re.M)


def boost_headers(boost, text):
    """The headers of Boost that a text includes, and those that they include: their names."""
    found, waiting = set(), INCLUDE.findall(text)
    while waiting:
        name = waiting.pop()
        if name in found:
            continue
        if not (boost / name).is_file():
            raise UserError(f"<{name}> is not in {boost}")
        found.add(name)
        waiting += INCLUDE.findall((boost / name).read_text(encoding="utf-8"))
    return sorted(found)


def write(folder, boost=None, url=URL):
    """Writes the library into a folder, which must not exist."""
    folder = pathlib.Path(folder)
    places = [pathlib.Path(place) for place in ([boost] if boost else BOOST)]
    at = next((place for place in places if (place / "boost/hana.hpp").is_file()), None)
    if not at:
        raise UserError(f"there is no boost/hana.hpp in {', '.join(map(str, places))}: name its folder by --boost")
    if folder.exists():
        raise UserError(f"{folder} exists")
    header = amalgamate(ROOT / "include", ENTRIES)
    shutil.copytree(ROOT / "packaging/arduino", folder)
    for name in ("library.properties", "library.json"):
        text = (folder / name).read_text(encoding="utf-8")
        (folder / name).write_text(text.replace("@version@", version_of(ROOT / "include")).replace("@url@", url), encoding="utf-8")
    shutil.copy(ROOT / "LICENSE", folder)
    for name in ("digits_net.hpp", "digits_weights.hpp"):
        text = (ROOT / "docs/examples/support" / name).read_text(encoding="utf-8")
        (folder / "examples/digits" / name).write_text(text.replace("<espalier/nn/nn.hpp>", "<espalier.hpp>"), encoding="utf-8")
    source = folder / "src"
    source.mkdir()
    (source / "espalier.hpp").write_text(header, encoding="utf-8")  # it hides the macros of hidden_macros.txt itself
    for name in FORWARDED:
        (source / name).parent.mkdir(parents=True, exist_ok=True)
        (source / name).write_text(f"{LICENCE}\n#pragma once\n#include <espalier.hpp>\n", encoding="utf-8")
    for name in boost_headers(at, header):
        (source / name).parent.mkdir(parents=True, exist_ok=True)
        shutil.copyfile(at / name, source / name)


def main(arguments):
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("-o", dest="output", required=True, help="the folder to write")
    parser.add_argument("--boost", help="the folder that holds boost/")
    parser.add_argument("--url", default=URL, help="where your copy of the library is")
    given = parser.parse_args(arguments)
    try:
        write(given.output, given.boost, given.url)
    except UserError as sentence:
        return f"arduino_package.py: {sentence}"
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
