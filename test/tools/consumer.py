#!/usr/bin/env python3
# SPDX-License-Identifier: BSL-1.0
"""Uses the library as somebody else's project does:  consumer.py WAY ROOT COMPILER... [-- ARGUMENTS...]

WAY is pkg_config, find_package, find_package_mpi, add_subdirectory, fetch_content, cuda_kernels, subproject, precompiled, import_module or single_header. The project of that way (test/consumer/WAY) is copied
to a folder of its own, built with COMPILER, and its program has to say which version it was built with. ARGUMENTS are the compiler's, for the ways without a
build system. Exit status 77: a program that the way needs is not installed.
"""
import filecmp
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile

sys.path[:0] = [str(pathlib.Path(__file__).resolve().parent), str(pathlib.Path(__file__).resolve().parents[1] / "device/cuda/on_device")]
from check_version import HEADER, of_header  # noqa: E402
from or_skip import devices  # noqa: E402

SKIPPED = 77
REPOSITORY = "https://where-your-copy-is.example/espalier.git"  # in what users are told to write
OF_BUILD = ["CMakeLists.txt", "LICENSE", "cmake", "include", "meson.build", "meson_options.txt", "tools"]  # what using the library takes
LIBRARY_ALONE = ["-Dtests=disabled", "-Dexamples=disabled", "-Dbenchmarks=disabled", "-Dcuda=disabled"]


class Missing(Exception):
    """The name of a program that is not installed."""


class Failed(Exception):
    """A sentence."""


class Consumer:
    def __init__(self, root, work, compiler, arguments):
        self.root, self.work, self.compiler, self.arguments = pathlib.Path(root).resolve(), pathlib.Path(work), compiler, arguments
        self.version = of_header((self.root / HEADER).read_text(encoding="utf-8"))
        kept = {name: value for name, value in os.environ.items() if not name.startswith(("GIT_", "MESON", "PKG_CONFIG", "CMAKE"))}
        self.environment = kept | {"CXX": " ".join(compiler), "HOME": str(self.work), "XDG_CONFIG_HOME": str(self.work)}

    def run(self, *command, at=None, **more):
        program = shutil.which(command[0])
        if not program:
            raise Missing(command[0])
        done = subprocess.run([program, *map(str, command[1:])], cwd=at or self.work, env=self.environment | more, capture_output=True, text=True, errors="replace")
        if done.returncode:
            raise Failed(f"{' '.join(map(str, command))}: exit status {done.returncode}\n{done.stdout[-4000:]}{done.stderr[-8000:]}")
        return done.stdout

    def check(self, program, wanted=": 14"):
        said = self.run(program)
        if not re.fullmatch(f"espalier {re.escape(self.version)}{wanted}\n", said):
            raise Failed(f"the program said {said!r}")

    def project(self, way):
        """A copy of that way's project."""
        there = self.work / way
        shutil.copytree(self.root / "test/consumer" / way, there)
        if not (there / "program.cpp").exists():
            shutil.copy(self.root / "test/consumer/program.cpp", there)
        return there

    def repository(self):
        """The URL of a git repository of the tree as it is, with a tag for the version: in the place of the one that users clone."""
        there = self.work / "repository"
        there.mkdir()
        for name in OF_BUILD:
            source = self.root / name
            shutil.copytree(source, there / name, ignore=shutil.ignore_patterns("__pycache__")) if source.is_dir() else shutil.copy(source, there / name)
        self.run("git", "init", "--quiet", at=there)
        self.run("git", "add", "--all", at=there)
        self.run("git", "-c", "user.name=nobody", "-c", "user.email=nobody@example.org", "commit", "--quiet", "--message", "all", at=there)
        self.run("git", "tag", f"v{self.version}", at=there)
        return there.as_uri()

    def with_repository(self, path):
        text = path.read_text(encoding="utf-8")
        if text.count(REPOSITORY) != 1:
            raise Failed(f"{path.name} does not name {REPOSITORY}")
        path.write_text(text.replace(REPOSITORY, self.repository()), encoding="utf-8")

    def installed(self):
        there = self.work / "installed"
        self.run("meson", "setup", self.work / "install", self.root, "--prefix", there, *LIBRARY_ALONE)
        self.run("meson", "install", "-C", self.work / "install")
        return there

    def cmake(self, project, *options):
        generator = ["-G", "Ninja"] if shutil.which("ninja") else []
        self.run("cmake", "-S", project, "-B", project / "build", *generator, *options)
        self.run("cmake", "--build", project / "build")
        return project / "build/program"

    def pkg_config(self):
        where = {"PKG_CONFIG_PATH": str(self.installed() / "share/pkgconfig")}
        if self.run("pkg-config", "--modversion", "espalier", **where).strip() != self.version:
            raise Failed("pkg-config names another version")
        flags = self.run("pkg-config", "--cflags", "espalier", **where).split()
        if not pathlib.Path(self.run("pkg-config", "--variable=cuda_kernels", "espalier", **where).strip()).is_file():
            raise Failed("pkg-config's cuda_kernels is no file")
        self.run(*self.compiler, *self.arguments, *flags, self.root / "test/consumer/program.cpp", "-o", self.work / "program")
        self.check(self.work / "program")

    def find_package(self):
        self.run("cmake", "--version")
        first, moved, second = self.installed(), self.work / "moved", self.work / "installed_by_cmake"
        self.run("cmake", "-S", self.root, "-B", self.work / "by_cmake", f"-DCMAKE_INSTALL_PREFIX={second}")
        self.run("cmake", "--install", self.work / "by_cmake")
        first.rename(moved)  # what is installed may be moved
        files = {p.relative_to(moved) for p in moved.rglob("*") if p.is_file() and p.suffix != ".pc"}
        if files != {p.relative_to(second) for p in second.rglob("*") if p.is_file()}:
            raise Failed("meson and CMake install other files")
        differ = [str(p) for p in sorted(files) if not filecmp.cmp(moved / p, second / p, shallow=False)]
        if differ:
            raise Failed(f"meson and CMake install other {', '.join(differ)}")
        self.check(self.cmake(self.project("find_package"), f"-DCMAKE_PREFIX_PATH={moved}"))
        versions = self.project("versions")
        self.run("cmake", "-S", versions, "-B", versions / "build", f"-DCMAKE_PREFIX_PATH={moved}", f"-DVERSION={self.version}")

    def find_package_mpi(self):
        """The component for <espalier/mpi.hpp>, and what is said of a component that there is not."""
        self.run("cmake", "--version")
        self.run("mpicxx", "--version")
        there, project = self.installed(), self.project("find_package_mpi")
        program = self.cmake(project, f"-DCMAKE_PREFIX_PATH={there}")
        said = self.run("mpirun", "-n", "1", program, OMPI_ALLOW_RUN_AS_ROOT="1", OMPI_ALLOW_RUN_AS_ROOT_CONFIRM="1")
        if said != f"espalier {self.version}: process 0 of 1\n":
            raise Failed(f"the program said {said!r}")
        lists = project / "CMakeLists.txt"
        lists.write_text(lists.read_text(encoding="utf-8").replace("COMPONENTS mpi", "COMPONENTS mp"), encoding="utf-8")
        try:
            self.run("cmake", "-S", project, "-B", project / "other", f"-DCMAKE_PREFIX_PATH={there}")
        except Failed as error:
            if "there is no component mp; espalier has mpi" not in " ".join(str(error).split()):
                raise
        else:
            raise Failed("a component that there is not is found")

    def add_subdirectory(self):
        project = self.project("add_subdirectory")
        (project / "espalier").symlink_to(self.root)
        self.check(self.cmake(project))

    def fetch_content(self):
        self.run("cmake", "--version")
        project = self.project("fetch_content")
        self.with_repository(project / "CMakeLists.txt")
        self.check(self.cmake(project))

    def cuda_kernels(self):
        """Kernels for a graphics processor by nvcc; the program runs to its end on a machine without one, too."""
        self.run("cmake", "--version")
        nvcc = shutil.which("nvcc", path=os.environ["PATH"] + ":/usr/local/cuda/bin")
        if not nvcc:
            raise Missing("nvcc")
        program = self.cmake(self.project("cuda_kernels"), f"-DCMAKE_PREFIX_PATH={self.installed()}", "-DCMAKE_CUDA_ARCHITECTURES=90",
                             f"-DCUDAToolkit_ROOT={pathlib.Path(nvcc).resolve().parents[1]}")
        self.check(program, ": 14" if devices() else ": no device")

    def subproject(self):
        project = self.project("subproject")
        self.with_repository(project / "subprojects/espalier.wrap")
        self.run("meson", "setup", project / "build", project)
        self.run("meson", "compile", "-C", project / "build")
        self.check(project / "build/program")

    def precompiled(self):
        """With precompiled headers, by both build systems, installed and as a folder of the project."""
        self.run("cmake", "--version")
        there, project = self.installed(), self.project("precompiled")
        self.check(self.cmake(project, f"-DCMAKE_PREFIX_PATH={there}"))
        self.run("meson", "setup", project / "by_meson", project, PKG_CONFIG_PATH=str(there / "share/pkgconfig"))
        inside = self.work / "inside"
        shutil.copytree(project, inside, ignore=shutil.ignore_patterns("build", "by_meson"))
        (inside / "subprojects").mkdir()
        (inside / "subprojects/espalier").symlink_to(self.root)
        lists = inside / "CMakeLists.txt"
        lists.write_text(re.sub(r"^find_package\(.*\)$", "add_subdirectory(subprojects/espalier)", lists.read_text(encoding="utf-8"), flags=re.M), encoding="utf-8")
        self.check(self.cmake(inside))
        self.run("meson", "setup", inside / "by_meson", inside, "--force-fallback-for=espalier")
        for by_meson in (project / "by_meson", inside / "by_meson"):
            self.run("meson", "compile", "-C", by_meson)
            self.check(by_meson / "program")
        for build in (project / "build", project / "by_meson", inside / "build", inside / "by_meson"):
            if not [*build.rglob("*.gch"), *build.rglob("*.pch")]:
                raise Failed(f"there is no precompiled header in {build}")
        # What programs that train include: a file that includes nothing has it from there.
        (self.work / "more.cpp").write_text("using espalier::data::loader, espalier::trainer, espalier::optim::Adam, espalier::nn::Linear;\n")
        self.run(*self.compiler, *self.arguments, f"-I{there / 'include'}", "-fsyntax-only", "-include", there / "share/espalier/espalier_precompiled.hpp", self.work / "more.cpp")

    def import_module(self):
        """By `import espalier;`, with the commands of the documentation and with CMake: one file imports, another one includes."""
        if "clang" not in self.run(*self.compiler, "--version"):
            raise Missing("clang")
        self.run("cmake", "--version")
        there, project = self.installed(), self.project("import_module")
        command = [*self.compiler, *self.arguments, f"-I{there / 'include'}"]
        module, objects = self.work / "espalier.pcm", [self.work / "espalier.o"]
        self.run(*command, "--precompile", there / "include/espalier.cppm", "-o", module)
        self.run(*self.compiler, *self.arguments, "-c", module, "-o", objects[0])
        for unit in ("program", "unit"):
            objects.append(self.work / f"{unit}.o")
            self.run(*command, f"-fmodule-file=espalier={module}", "-c", project / f"{unit}.cpp", "-o", objects[-1])
        self.run(*self.compiler, *objects, "-o", self.work / "program")
        wanted = ": loss small, 32 of 32"
        self.check(self.work / "program", wanted)
        self.check(self.cmake(project, f"-DCMAKE_PREFIX_PATH={there}"), wanted)

    def single_header(self):
        sources = self.root / "test/consumer/single_header"
        tool = [sys.executable, self.root / "tools/amalgamate.py", "-o"]
        header, again = self.work / "espalier-single.hpp", self.work / "again.hpp"
        self.run(*tool, header)
        self.run(*tool, again, at=self.root, PYTHONHASHSEED="1")
        if not filecmp.cmp(header, again, shallow=False):
            raise Failed("the same headers gave other bytes")
        objects = []
        for unit in ("program", "unit"):
            objects.append(self.work / f"{unit}.o")
            self.run(*self.compiler, *self.arguments, f"-I{self.work}", "-c", sources / f"{unit}.cpp", "-o", objects[-1])
        self.run(*self.compiler, *objects, "-o", self.work / "program")
        self.check(self.work / "program", r": loss \d\.\d+, \d+ of 32")
        # More of the library, in another order: headers that stand in several places.
        entries = ["espalier/parallel.hpp", "espalier/simulated_cuda.hpp", "espalier/data/loader.hpp", "espalier.hpp"]
        self.run(*tool, again, *(f"--entry={entry}" for entry in entries))
        if again.read_text(encoding="utf-8").count("\n// ---- espalier/model/trainer.hpp\n") != 1:
            raise Failed("a header that is always needed does not stand there once")
        (self.work / "more.cpp").write_text('#include "again.hpp"\n#include "again.hpp"\n'
                                            'int main() { return espalier::parameter_count<espalier::nn::Linear<2, 1>> - 3; }\n')
        self.run(*self.compiler, *self.arguments, "-fsyntax-only", self.work / "more.cpp")


WAYS = [name for name in vars(Consumer) if (pathlib.Path(__file__).resolve().parents[1] / "consumer" / name).is_dir()] + ["pkg_config"]


def main(arguments):
    if len(arguments) < 3 or arguments[0] not in WAYS:
        sys.exit(__doc__)
    split = arguments.index("--") if "--" in arguments else len(arguments)
    with tempfile.TemporaryDirectory() as work:
        consumer = Consumer(arguments[1], work, arguments[2:split], arguments[split + 1:])
        try:
            getattr(consumer, arguments[0])()
        except Missing as name:
            print(f"skipped: there is no {name}")
            return SKIPPED
        except Failed as sentence:
            return f"{arguments[0]}: {sentence}"
    print(f"{arguments[0]}: built and run")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
