# SPDX-License-Identifier: BSL-1.0
"""Boost and xsimd as packages of Conan, for a test without a network: the headers that are installed on this machine."""
import os

from conan import ConanFile
from conan.tools.files import copy


class Installed(ConanFile):
    package_type = "header-library"
    options = {"header_only": [True, False]}
    default_options = {"header_only": True}

    def package(self):
        for folder in os.environ["ESPALIER_TEST_HEADERS"].split(os.pathsep):
            copy(self, f"{self.name}/*", src=folder, dst=os.path.join(self.package_folder, "include"))

    def package_id(self):
        self.info.clear()

    def package_info(self):
        self.cpp_info.bindirs = []
        self.cpp_info.libdirs = []
