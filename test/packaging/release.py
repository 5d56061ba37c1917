#!/usr/bin/env python3
# SPDX-License-Identifier: BSL-1.0
"""Tries tools/release.py:  release.py ROOT COMPILER...

In a repository of the tree as it is, two clones give the same bytes, and the sums are right. The archive has the committed files, and is installed by CMake; the
single header of the release is compiled by COMPILER. These are errors, and nothing is written: a changed tree, a version that differs, a tag at another commit, a
folder that exists. Exit status 77: there is no git or no CMake.
"""
import hashlib
import pathlib
import shutil
import subprocess
import sys
import tarfile
import tempfile
import zipfile

SKIPPED = 77
NEEDED = ("git", "cmake")


class Failed(Exception):
    """A sentence."""


def expect(truth, sentence):
    if not truth:
        raise Failed(sentence)


def run(*command, at=None):
    done = subprocess.run(list(map(str, command)), cwd=at, capture_output=True, text=True, errors="replace")
    expect(done.returncode == 0, f"{' '.join(map(str, command))}: exit status {done.returncode}\n{done.stdout[-2000:]}{done.stderr[-4000:]}")
    return done.stdout


def commit(repository, message):
    run("git", "add", "--all", at=repository)
    run("git", "-c", "user.name=nobody", "-c", "user.email=nobody@example.org", "commit", "--quiet", "--message", message, at=repository)


def repository_of(root, work):
    """A repository with what is in the tree and not ignored."""
    there = work / "repository"
    top = subprocess.run(["git", "-C", root, "rev-parse", "--show-toplevel"], capture_output=True, text=True)
    # A copy of the tree may lie in a folder that another repository ignores.
    is_repository = top.returncode == 0 and pathlib.Path(top.stdout.strip()).resolve() == root
    listed = subprocess.run(["git", "-C", root, "ls-files", "-z", "--cached", "--others", "--exclude-standard"], capture_output=True).stdout.decode()
    names = [name for name in listed.split("\0") if name] if is_repository else [
        path.relative_to(root).as_posix() for path in root.rglob("*") if path.is_file() and not path.relative_to(root).parts[0].startswith("build")]
    for name in names:
        if (root / name).is_file():
            (there / name).parent.mkdir(parents=True, exist_ok=True)
            shutil.copy(root / name, there / name)
    run("git", "init", "--quiet", at=there)
    commit(there, "all")
    return there


def release(repository, folder):
    done = subprocess.run([sys.executable, repository / "tools/release.py", "-o", folder], capture_output=True, text=True)
    return done.returncode, done.stdout + done.stderr


def check_refused(repository, work, wanted):
    status, said = release(repository, work / "refused")
    expect(status == 1 and wanted in said, f"expected an error with {wanted!r}, got exit status {status}: {said}")
    expect(not (work / "refused").exists(), f"files of a release were written, in spite of: {said}")


def check_refusals(repository, work):
    (repository / "added.txt").write_text("not committed\n")
    check_refused(repository, work, "expected a tree without changes, got\n?? added.txt")
    run("git", "tag", next((work / "first").glob("espalier-*.tar.gz")).name.replace("espalier-", "v").removesuffix(".tar.gz"), at=repository)
    commit(repository, "behind the tag")
    check_refused(repository, work, "is another commit")
    text = (repository / "meson.build").read_text(encoding="utf-8")
    (repository / "meson.build").write_text(text.replace("  version: '", "  version: '9", 1), encoding="utf-8")
    commit(repository, "another version")
    check_refused(repository, work, "meson.build: 9")
    status, said = release(repository, work / "first")
    expect(status == 1 and "exists" in said, f"a folder that exists was taken: {said}")


def check_archive(files, repository, work):
    """It has the committed files, and installs."""
    path = next(files.glob("espalier-*.tar.gz"))
    prefix = path.name.removesuffix(".tar.gz")
    with tarfile.open(path) as archive:
        names = sorted(member.name.removeprefix(prefix + "/") for member in archive.getmembers() if member.isfile())
        expect(names == sorted(run("git", "ls-files", at=repository).splitlines()), "the archive has other files than the commit")
        archive.extractall(work)
    run("cmake", "-S", work / prefix, "-B", work / "build", f"-DCMAKE_INSTALL_PREFIX={work / 'installed'}")
    run("cmake", "--install", work / "build")
    expect((work / "installed/include/espalier.hpp").is_file(), "the archive installs no espalier.hpp")


def check_header(files, compiler, work):
    (work / "program.cpp").write_text("#include <espalier-single.hpp>\nint main() { return espalier::parameter_count<espalier::nn::Linear<2, 1>> - 3; }\n")
    run(*compiler, "-std=c++20", f"-I{files}", work / "program.cpp", "-o", work / "program")
    run(work / "program")


def check_all(root, compiler, work):
    repository = repository_of(root, work)
    for name in ("first", "second"):
        run("git", "clone", "--quiet", repository, work / f"clone_{name}")
        status, said = release(work / f"clone_{name}", work / name)
        expect(status == 0, said)
    files = {path.name: path.read_bytes() for path in (work / "first").iterdir()}
    expect(files == {path.name: path.read_bytes() for path in (work / "second").iterdir()}, "the same commit gave other bytes")
    expect(len(files) == 4, f"a release has {sorted(files)}")
    listed = dict(reversed(line.split("  ")) for line in files.pop("SHA256SUMS").decode().splitlines())
    expect(listed == {name: hashlib.sha256(data).hexdigest() for name, data in files.items()}, "SHA256SUMS has other sums than the files")
    expect(zipfile.ZipFile(next((work / "first").glob("*.zip"))).testzip() is None, "the zip file is damaged")
    check_archive(work / "first", repository, work)
    check_header(work / "first", compiler, work)
    check_refusals(repository, work)


def main(arguments):
    if len(arguments) < 2:
        sys.exit(__doc__)
    missing = [name for name in NEEDED if not shutil.which(name)]
    if missing:
        print(f"skipped: there is no {' and no '.join(missing)}")
        return SKIPPED
    with tempfile.TemporaryDirectory() as work:
        try:
            check_all(pathlib.Path(arguments[0]).resolve(), arguments[1:], pathlib.Path(work))
        except Failed as sentence:
            return f"release: {sentence}"
    print("the same bytes twice; the archive installs, the header compiles")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
