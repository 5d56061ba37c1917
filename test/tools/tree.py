# SPDX-License-Identifier: BSL-1.0
"""The files of a tree, for the scripts of this folder that read all of it."""
import subprocess


def files_of(root, suffixes):
    """Yields (name, path) of each file with one of these suffixes, in order: what git tracks or would track, or all where there is no checkout."""
    done = subprocess.run(["git", "-C", root, "ls-files", "--cached", "--others", "--exclude-standard"], stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True)
    names = done.stdout.split()
    if not names:  # an archive, or a copy that an outer checkout ignores
        names = [str(p.relative_to(root)) for p in root.rglob("*") if not p.relative_to(root).parts[0].startswith("build")]
    for name in sorted(names):
        if (root / name).suffix in suffixes and (root / name).is_file():
            yield name, root / name
