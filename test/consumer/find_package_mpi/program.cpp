// SPDX-License-Identifier: BSL-1.0
// A program of several processes in somebody else's project.
#include <espalier.hpp>
#include <espalier/mpi.hpp>

#include <cstdio>

int main() {
  espalier::mpi processes;
  std::printf("espalier " ESPALIER_VERSION_STRING ": process %d of %d\n", processes.rank(), processes.size());
}
