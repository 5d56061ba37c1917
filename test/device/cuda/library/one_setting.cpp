// SPDX-License-Identifier: BSL-1.0
// Compiled twice for each program: as its main file, and, with ESPALIER_TEST_PART, as its other file. Where only one of
// them has ESPALIER_CUDNN, the program ends before main.
#include <espalier/device/cuda/library/one_setting.hpp>

#if defined(ESPALIER_TEST_PART)
int part() { return 0; }
#else
int part();
int main() { return part(); }
#endif
