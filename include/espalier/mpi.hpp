// SPDX-License-Identifier: BSL-1.0
#pragma once
#include "base/diagnostics_push.hpp"

/// Training by several processes that mpirun has started: esp::model<Net, esp::distributed<>>. Include it together with
/// <espalier.hpp>. It needs MPI 3: its header mpi.h, and its library for the linker (mpicxx, or the meson option mpi).
#include "device/distributed/library/mpi_processes.hpp"
#include "distributed.hpp"
#include "base/diagnostics_pop.hpp"
