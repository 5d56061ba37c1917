#!/usr/bin/env python3
# SPDX-License-Identifier: BSL-1.0
"""Writes the files of a release:  release.py -o FOLDER [--boost DIR] [--url URL]

FOLDER gets what is committed here as espalier-VERSION.tar.gz, the single header, the library for Arduino and PlatformIO as a zip file, and SHA256SUMS, which
`sha256sum -c SHA256SUMS` checks. Times in the archives are that of the commit: the same commit gives the same bytes. A tree with changes that are not
committed, versions that differ, and a tag of this version at another commit are errors, and then nothing is written.
"""
import argparse
import gzip
import hashlib
import io
import pathlib
import shutil
import subprocess
import sys
import tarfile
import tempfile
import time
import zipfile

sys.dont_write_bytecode = True
ROOT = pathlib.Path(__file__).resolve().parents[1]
sys.path[:0] = [str(ROOT / "tools"), str(ROOT / "test/tools")]
import arduino_package  # noqa: E402
from amalgamate import UserError, amalgamate, version_of  # noqa: E402
from check_version import violations  # noqa: E402


def git(*words):
    done = subprocess.run(["git", "-C", ROOT, *words], capture_output=True)
    if done.returncode:
        raise UserError(f"git {' '.join(words)}: {done.stderr.decode(errors='replace').strip()}")
    return done.stdout


def checked_time(version):
    """The time of the commit, if it can be released."""
    if changed := git("status", "--porcelain").decode():
        raise UserError(f"expected a tree without changes, got\n{changed.rstrip()}")
    if wrong := violations(ROOT):
        raise UserError("\n".join(wrong))
    tagged = git("tag", "--list", f"v{version}").decode().strip()
    if tagged and git("rev-list", "-n", "1", tagged) != git("rev-list", "-n", "1", "HEAD"):
        raise UserError(f"the tag {tagged} is another commit than the one that is checked out")
    return int(git("log", "-1", "--format=%ct").decode())


def archive(prefix, seconds):
    """What is committed, as a tar file: names in order, no owner, and the time of the commit."""
    given, made = tarfile.open(fileobj=io.BytesIO(git("archive", "--format=tar", "HEAD"))), io.BytesIO()
    with tarfile.open(fileobj=made, mode="w", format=tarfile.PAX_FORMAT) as out:
        for member in sorted(given.getmembers(), key=lambda each: each.name):
            member.name, member.mtime = f"{prefix}/{member.name}", seconds
            member.uid = member.gid = 0
            member.uname = member.gname = ""
            member.mode = 0o755 if member.isdir() or member.mode & 0o100 else 0o644
            member.pax_headers = {}
            out.addfile(member, given.extractfile(member) if member.isfile() else None)
    return gzip.compress(made.getvalue(), 9, mtime=seconds)


def zipped(folder, prefix, seconds):
    """A folder as a zip file, whose times begin in 1980."""
    made, when = io.BytesIO(), max(time.gmtime(seconds)[:6], (1980, 1, 1, 0, 0, 0))
    with zipfile.ZipFile(made, "w") as out:
        for path in sorted(path for path in folder.rglob("*") if path.is_file()):
            entry = zipfile.ZipInfo(f"{prefix}/{path.relative_to(folder).as_posix()}", when)
            entry.compress_type, entry.external_attr, entry.create_system = zipfile.ZIP_DEFLATED, 0o644 << 16, 3
            out.writestr(entry, path.read_bytes(), compresslevel=9)
    return made.getvalue()


def files_of_release(boost, url):
    version = version_of(ROOT / "include")
    seconds = checked_time(version)
    with tempfile.TemporaryDirectory() as folder:
        library = pathlib.Path(folder) / "espalier"
        arduino_package.write(library, boost, url)
        files = {
            f"espalier-{version}.tar.gz": archive(f"espalier-{version}", seconds),
            "espalier-single.hpp": amalgamate(ROOT / "include").encode(),
            f"espalier-arduino-{version}.zip": zipped(library, "espalier", seconds),
        }
    sums = "".join(f"{hashlib.sha256(data).hexdigest()}  {name}\n" for name, data in sorted(files.items()))
    return files | {"SHA256SUMS": sums.encode()}


def main(arguments):
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("-o", dest="output", required=True, type=pathlib.Path, help="the folder to write, which must not exist")
    parser.add_argument("--boost", help="the folder that holds boost/")
    parser.add_argument("--url", default=arduino_package.URL, help="where your copy of the library is")
    given = parser.parse_args(arguments)
    try:
        if given.output.exists():
            raise UserError(f"{given.output} exists")
        if not shutil.which("git"):
            raise UserError("there is no git")
        files = files_of_release(given.boost, given.url)
    except UserError as sentence:
        return f"release.py: {sentence}"
    given.output.mkdir(parents=True)
    for name, data in files.items():
        (given.output / name).write_bytes(data)
        print(f"{given.output / name}: {len(data)} bytes")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
