#!/usr/bin/env python3
# SPDX-License-Identifier: BSL-1.0
"""Tries packaging/vcpkg or packaging/conan:  managers.py vcpkg|conan ROOT COMPILER...

vcpkg: the portfile runs in CMake, with functions that do what vcpkg's do (vcpkg/run.cmake), for vcpkg loads its own program from the network. conan: the package is
created in a folder of its own, without a network, beside packages of the installed Boost and xsimd. The program of test/consumer/find_package is built with
what was installed, and has to say the version. Exit status 77: CMake or Conan is not there.
"""
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile

sys.dont_write_bytecode = True
sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "tools"))
from check_version import HEADER, of_header  # noqa: E402

SKIPPED = 77
HERE = pathlib.Path(__file__).resolve().parent


class Missing(Exception):
    """The name of a program that is not installed."""


class Failed(Exception):
    """A sentence."""


class Manager:
    def __init__(self, root, work, compiler):
        self.root, self.work, self.compiler = pathlib.Path(root).resolve(), pathlib.Path(work), compiler
        self.version = of_header((self.root / HEADER).read_text(encoding="utf-8"))
        self.environment = os.environ | {"CXX": " ".join(compiler), "CONAN_HOME": str(self.work / "conan")}

    def run(self, *command, at=None):
        if not shutil.which(command[0]):
            raise Missing(command[0])
        done = subprocess.run(list(map(str, command)), cwd=at or self.work, env=self.environment, capture_output=True, text=True, errors="replace")
        if done.returncode:
            raise Failed(f"{' '.join(map(str, command))}: exit status {done.returncode}\n{done.stdout[-3000:]}{done.stderr[-6000:]}")
        return done.stdout

    def project(self):
        there = self.work / "project"
        shutil.copytree(self.root / "test/consumer/find_package", there)
        shutil.copy(self.root / "test/consumer/program.cpp", there)
        return there

    def check(self, project, *options):
        self.run("cmake", "-S", project, "-B", project / "build", "-DCMAKE_BUILD_TYPE=Release", *options)
        self.run("cmake", "--build", project / "build")
        said = self.run(project / "build/program")
        if said != f"espalier {self.version}: 14\n":
            raise Failed(f"the program said {said!r}")

    def vcpkg(self):
        self.run("cmake", f"-DPORT_FOLDER={self.root / 'packaging/vcpkg/espalier'}", f"-DWORK={self.work}", "-P", HERE / "vcpkg/run.cmake")
        installed = self.work / "packages/espalier"
        for name in ("include/espalier.hpp", "share/espalier/espalierConfig.cmake", "share/espalier/cuda_kernels.py", "share/espalier/copyright", "share/espalier/usage"):
            if not (installed / name).is_file():
                raise Failed(f"the port installs no {name}")
        if {path.name for path in installed.iterdir()} != {"include", "share"}:
            raise Failed(f"the port installs {sorted(path.name for path in installed.iterdir())}")
        self.check(self.project(), f"-DCMAKE_PREFIX_PATH={installed}")

    def installed_headers(self):
        """Packages of Boost and xsimd, where the compiler finds them."""
        found = {}
        for name, header in {"boost": "boost/hana.hpp", "xsimd": "xsimd/xsimd.hpp"}.items():
            folders = [folder for folder in ("/usr/include", "/usr/local/include") if pathlib.Path(folder, header).is_file()]
            if not folders:
                raise Missing(name)
            found[name] = folders[0]
        self.environment["ESPALIER_TEST_HEADERS"] = os.pathsep.join(sorted(set(found.values())))
        for name, version in {"boost": "1.74.0", "xsimd": "8.1.0"}.items():
            self.run("conan", "create", HERE / "conan/installed.py", "--no-remote", "--name", name, "--version", version)

    def conan(self):
        self.run("cmake", "--version")
        self.run("conan", "profile", "detect")
        self.installed_headers()
        self.run("conan", "create", self.root / "packaging/conan", "--no-remote")
        project = self.project()
        text = (HERE / "conan/conanfile.txt").read_text(encoding="utf-8")
        (project / "conanfile.txt").write_text(text.replace("@version@", self.version), encoding="utf-8")
        self.run("conan", "install", project, "--no-remote", "--output-folder", project / "conan")
        # The headers of the packages are found, not those of this machine.
        self.check(project, f"-DCMAKE_TOOLCHAIN_FILE={project / 'conan/conan_toolchain.cmake'}")
        cache = (project / "build/CMakeCache.txt").read_text(encoding="utf-8")
        for name in ("espalier_DIR", "espalier_BOOST_INCLUDE_DIR", "espalier_XSIMD_INCLUDE_DIR"):
            found = next((line.partition("=")[2] for line in cache.splitlines() if line.startswith(f"{name}:")), "")
            if not found.startswith(str(self.work)):
                raise Failed(f"{name} is {found!r}, which is not of Conan")


def main(arguments):
    if len(arguments) < 3 or arguments[0] not in ("vcpkg", "conan"):
        sys.exit(__doc__)
    with tempfile.TemporaryDirectory() as work:
        manager = Manager(arguments[1], work, arguments[2:])
        try:
            getattr(manager, arguments[0])()
        except Missing as name:
            print(f"skipped: there is no {name}")
            return SKIPPED
        except Failed as sentence:
            return f"{arguments[0]}: {sentence}"
    print(f"{arguments[0]}: built and run")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
