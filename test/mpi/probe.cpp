// SPDX-License-Identifier: BSL-1.0
// Whether MPI works here at all, without the library: two processes add their ranks.
#define OMPI_SKIP_MPICXX 1
#define MPICH_SKIP_MPICXX 1
#include <mpi.h>

int main() {
  MPI_Init(nullptr, nullptr);
  int own = 0, sum = 0;
  MPI_Comm_rank(MPI_COMM_WORLD, &own);
  MPI_Allreduce(&own, &sum, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
  MPI_Finalize();
  return sum == 1 ? 0 : 1;
}
