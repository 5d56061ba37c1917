#!/usr/bin/env python3
# SPDX-License-Identifier: BSL-1.0
"""Builds the documentation as a site with search:  build.py ROOT [--output DIR] [--no-api]

mkdocs runs on a copy of the pages, in the folders of the repository, and fails on a link or an anchor that leads nowhere. Source files that pages link to
become pages; the API reference is made by doxygen, formulas are typeset by KaTeX (Debian: libjs-katex). The page that
trains a net in the browser is made by clang (docs/browser/build.py). Each of the three is left out where it is missing.
Without mkdocs (pip install -r docs/site/requirements.txt) nothing is made. Nothing of the site is loaded from other machines:
python3 -m http.server -d DIR shows it.
"""
import argparse
import importlib.util
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile

LINK = re.compile(r"\]\(([^)\s]+)\)")
FENCE = re.compile(r"^ *(```|~~~)")
ITEM = re.compile(r" *([-*]|\d+\.) ")
LANGUAGES = {".hpp": "cpp", ".cpp": "cpp", ".cu": "cpp", ".cuh": "cpp", ".py": "python", ".build": "meson", ".csv": "text", ".txt": "text", ".svg": None}
KATEX = pathlib.Path("/usr/share/javascript/katex")
NEEDED = ["mkdocs", "material", "pymdownx", "mdx_truly_sane_lists"]


def pages_of(root):
    """The pages of the site, as paths in the repository."""
    return [root / name for name in ("README.md", "CHANGELOG.md", "CONTRIBUTING.md", "SECURITY.md")] + sorted(
        [*root.glob("docs/**/*.md"), *root.glob("test/**/README.md")])


class Copy:
    """The pages in another folder, with links to what is not a page led to copies of it."""

    def __init__(self, root, to):
        self.root, self.to = root, to
        self.pages = {page.resolve() for page in pages_of(root)}

    def write(self, path, text):
        target = self.to / path.relative_to(self.root)
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_text(text, encoding="utf-8")

    def source_page(self, path):
        """A page with the text of a file, or with the list of a folder; its name."""
        page, head = path.with_name(path.name + ".md"), f"---\nsearch:\n  exclude: true\n---\n\n# {path.relative_to(self.root)}\n\n"
        if path.is_dir():
            listed = "\n".join(f"- `{name.name}{'/' if name.is_dir() else ''}`" for name in sorted(path.iterdir()) if name.name[0] not in "._")
            self.write(page, f"{head}{listed}\n")
        else:
            text = path.read_text(encoding="utf-8")
            self.write(page, f"{head}````{LANGUAGES.get(path.suffix, 'text')}\n{text}\n````\n")
        return page.name

    def led(self, page, link):
        """Where a link of a page leads in the copy."""
        path, mark, anchor = link.partition("#")
        if not path or re.match(r"[\w+.-]+:", path):
            return link
        target = (page.parent / path).resolve()
        if target in self.pages:
            return link
        if target.is_dir() and target / "README.md" in self.pages:
            return f"{path.rstrip('/')}/README.md{mark}{anchor}"
        if not target.exists() or self.root not in [target, *target.parents]:
            return link  # mkdocs finds it
        if target.suffix in (".svg", ".png"):
            (self.to / target.relative_to(self.root)).parent.mkdir(parents=True, exist_ok=True)
            shutil.copy(target, self.to / target.relative_to(self.root))
            return link
        return path.rstrip("/").rpartition("/")[0] + ("/" if "/" in path.rstrip("/") else "") + self.source_page(target)

    def text(self, page, text, quoted):
        """Text outside of code. Quoted sentences of the compiler have types and lambdas, and neither tags nor links."""
        if quoted:
            return text.replace("\\<", "&lt;").replace("<", "&lt;").replace("](", "]\\(")
        return LINK.sub(lambda found: f"]({self.led(page, found[1])})", text)

    def copy(self, page):
        """Lists and tables get the empty line before them that mkdocs needs; comments go."""
        lines, inside, before = [], False, ""
        for line in page.read_text(encoding="utf-8").splitlines():
            if FENCE.match(line):
                inside = not inside
            elif not inside:
                begins = (ITEM.match(line) and not ITEM.match(before) and not before.startswith(" ")) or (line.startswith("|") and not before.startswith("|"))
                if begins and before.strip():
                    lines.append("")
                line = re.sub(r"<!-- .*? -->", "", line)
                line = "".join(part if k % 2 else self.text(page, part, line.startswith("> ")) for k, part in enumerate(re.split(r"(`+[^`]*`+)", line)))
            lines.append(line)
            before = line
        self.write(page, "\n".join(lines) + "\n")


def add_reference(root, to):
    """Doxygen's pages as docs/reference, and a link to them. False where there is no doxygen."""
    if not shutil.which("doxygen"):
        return False
    with tempfile.TemporaryDirectory() as scratch:
        subprocess.run([sys.executable, root / "test/tools/check_api.py", root, "--output", scratch], check=True, stdout=subprocess.DEVNULL)
        shutil.copytree(pathlib.Path(scratch) / "html", to / "docs/reference", ignore=shutil.ignore_patterns("*.md5", "*.map"))
    page = to / "docs/api.md"
    heading, _, rest = page.read_text(encoding="utf-8").partition("\n")
    page.write_text(f"{heading}\n\n[**Open the reference**](reference/index.html)\n{rest}", encoding="utf-8")
    return True


def add_browser(root, to):
    """The page that trains a net, as docs/browser/digits.html, and a link to it. False where there is no clang for WebAssembly."""
    (to / "docs/browser").mkdir(exist_ok=True)
    done = subprocess.run([sys.executable, root / "docs/browser/build.py", "-o", to / "docs/browser/digits.html"], capture_output=True, text=True)
    if done.returncode == 77:
        return False
    if done.returncode:
        sys.exit(f"docs/browser/build.py: {done.stderr}")
    page = to / "docs/how_to_run_in_a_browser.md"
    heading, _, rest = page.read_text(encoding="utf-8").partition("\n")
    page.write_text(f"{heading}\n\n[**Open the page**](browser/digits.html)\n{rest}", encoding="utf-8")
    return True


def add_assets(root, to):
    site = to / "site"
    site.mkdir()
    for name in ("math.js", "site.css"):
        shutil.copy(root / "docs/site" / name, site)
    (site / "katex").mkdir()
    for name in ("katex.min.js", "katex.min.css"):
        if (KATEX / name).exists():
            shutil.copy(KATEX / name, site / "katex")
        else:
            (site / "katex" / name).write_text("", encoding="utf-8")
    if (KATEX / "fonts").exists():
        shutil.copytree(KATEX / "fonts", site / "katex/fonts")
    return (KATEX / "katex.min.js").exists()


def main():
    options = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    options.add_argument("root", type=pathlib.Path)
    options.add_argument("--output", type=pathlib.Path, default=pathlib.Path("build/site"))
    options.add_argument("--no-api", action="store_true", help="without the API reference")
    options.add_argument("--again", action="store_true", help=argparse.SUPPRESS)
    chosen = options.parse_args()
    root, output = chosen.root.resolve(), chosen.output.resolve()
    missing = [name for name in NEEDED if not importlib.util.find_spec(name)]
    python = shutil.which("python3") or sys.executable  # of a virtual environment, where meson has another one
    if missing and "--again" not in sys.argv and subprocess.run([python, "-c", f"import {', '.join(NEEDED)}"], stderr=subprocess.DEVNULL).returncode == 0:
        sys.exit(subprocess.run([python, *sys.argv, "--again"]).returncode)
    if missing:
        print(f"skipped: {', '.join(missing)} not found; pip install -r docs/site/requirements.txt installs what the site needs")
        return
    with tempfile.TemporaryDirectory() as scratch:
        to = pathlib.Path(scratch) / "pages"
        copy = Copy(root, to)
        for page in sorted(copy.pages):
            copy.copy(page)
        with_reference = not chosen.no_api and add_reference(root, to)
        with_browser = add_browser(root, to)
        with_math = add_assets(root, to)
        settings = (root / "docs/site/mkdocs.yml").read_text(encoding="utf-8")
        (pathlib.Path(scratch) / "mkdocs.yml").write_text(f"{settings}docs_dir: pages\nsite_dir: {output}\n", encoding="utf-8")
        # --strict counts only what is printed, so that --quiet would hide faults from it
        done = subprocess.run([sys.executable, "-m", "mkdocs", "build", "--strict", "--clean", "-f", f"{scratch}/mkdocs.yml"], capture_output=True, text=True)
        if done.returncode:
            sys.exit("\n".join(line for line in done.stderr.splitlines() if not line.startswith("INFO")))
    print(f"{output}/index.html" + ("" if with_reference else ", without the API reference") + (
        "" if with_browser else ", without the page that trains (clang, wasi-libc)") + ("" if with_math else ", without typeset formulas (libjs-katex)"))


if __name__ == "__main__":
    main()
