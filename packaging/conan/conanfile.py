# SPDX-License-Identifier: BSL-1.0
"""The library of the repository that this recipe is part of:  conan create packaging/conan"""
import os
import re

from conan import ConanFile
from conan.tools.files import copy, load
from conan.tools.cmake import CMake, CMakeToolchain
from conan.tools.layout import basic_layout

required_conan_version = ">=2.0"


class Espalier(ConanFile):
    name = "espalier"
    description = "Neural networks whose shapes, graph, backward pass and memory layout are fixed by the compiler (header-only)"
    license = "BSL-1.0"
    package_type = "header-library"
    settings = "os", "arch", "compiler", "build_type"

    @property
    def _root(self):
        return os.path.join(self.recipe_folder, "..", "..")

    def set_version(self):
        text = load(self, os.path.join(self._root, "include/espalier/base/version.hpp"))
        self.version = re.search(r'^#define ESPALIER_VERSION_STRING "([^"]*)"$', text, re.M)[1]

    def export_sources(self):
        for pattern in ("CMakeLists.txt", "LICENSE", "cmake/*", "include/*", "tools/*.py"):
            copy(self, pattern, src=self._root, dst=self.export_sources_folder)

    def layout(self):
        basic_layout(self)

    def requirements(self):
        self.requires("boost/[>=1.74]", options={"header_only": True}, transitive_headers=True)
        self.requires("xsimd/[>=8.1]", transitive_headers=True)

    def generate(self):
        CMakeToolchain(self).generate()

    def build(self):
        cmake = CMake(self)
        cmake.configure()

    def package(self):
        CMake(self).install()
        copy(self, "LICENSE", src=self.source_folder, dst=os.path.join(self.package_folder, "licenses"))

    def package_id(self):
        self.info.clear()

    def package_info(self):
        self.cpp_info.bindirs = []
        self.cpp_info.libdirs = []
        # CMake finds the library's own package, which has the function for kernels of graphics processors, too.
        self.cpp_info.set_property("cmake_find_mode", "none")
        self.cpp_info.builddirs = ["share/cmake/espalier"]
        self.cpp_info.set_property("pkg_config_name", "espalier")
