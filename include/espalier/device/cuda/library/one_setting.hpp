// SPDX-License-Identifier: BSL-1.0
#pragma once
#include "../../../base/diagnostics_push.hpp"

#include <cstdio>
#include <cstdlib>

#include "../../../base/supported.hpp"

/// ESPALIER_CUDNN changes the layout of cuda_backend. A program of object files with and without it would use memory
/// that is not there. So it ends when it starts, with a sentence.
namespace espalier::on_cuda::detail {

/// The setting of one of the program's files: each file has this variable, and the linker keeps one. It is volatile, so
/// that no compiler replaces it by the value of its file.
inline int volatile setting_of_the_program =
#if defined(ESPALIER_CUDNN)
    1;
#else
    0;
#endif

inline int check_setting(int of_this_file) {
  if (of_this_file == setting_of_the_program) return 0;
  std::fprintf(stderr,
               "espalier: some files of this program are compiled with -DESPALIER_CUDNN and others without it; compile "
               "all of them with it, or none\n");
  std::abort();
}

/// Every file checks its own setting. It is static, so that each has a copy.
[[maybe_unused]] static int const setting_of_this_file = check_setting(
#if defined(ESPALIER_CUDNN)
    1
#else
    0
#endif
);

}  // namespace espalier::on_cuda::detail
#include "../../../base/diagnostics_pop.hpp"
