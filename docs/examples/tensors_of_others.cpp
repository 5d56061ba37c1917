// SPDX-License-Identifier: BSL-1.0
// Tensors of another library in the same process, through DLPack: no element is copied. The other library of this
// program is a struct; with PyTorch it would be at::toDLPack(x) and at::fromDLPack(y).
#include <cstdio>
#include <utility>

#include <espalier.hpp>
#include <espalier/io/dlpack.hpp>

namespace esp = espalier;
namespace io = espalier::io;
namespace nn = espalier::nn;

struct other_library {
  float elements[6] = {1, 2, 3, 4, 5, 6};
  std::int64_t shape[2] = {2, 3};
  io::dlpack_managed_tensor matrix{
      .dl_tensor = {.data = elements,
                    .device = {.device_type = 1, .device_id = 0},
                    .ndim = 2,
                    .dtype = {.code = 2, .bits = 32, .lanes = 1},
                    .shape = shape,
                    .strides = nullptr,
                    .byte_offset = 0},
      .manager_ctx = nullptr,
      .deleter = [](io::dlpack_managed_tensor*) { std::puts("the other library frees it"); }};
};

int main() {
  other_library other;
  io::dlpack_managed_tensor* const matrix = &other.matrix;
  // [read]
  try {
    auto const x = io::from_dlpack<float, esp::shape<3, 2>>(matrix);
  } catch (io::dlpack_error const& error) {
    std::puts(error.what());  // the matrix is still the other library's
  }
  {
    auto const x = io::from_dlpack<float const, esp::shape<2, 3>>(matrix);
    esp::tensor<float, esp::shape<2>> const sums = evaluate(sum<1>(x.view()));
    std::printf("%g %g\n", sums(0), sums(1));
  }  // here its deleter runs
  // [/read]
  // [give]
  esp::tensor<float, esp::shape<2, 2>> y{{1, 2}, {3, 4}}, z = y;
  io::dlpack_managed_tensor* const lent = io::to_dlpack(y);              // y must exist until the deleter runs
  io::dlpack_managed_tensor* const given = io::to_dlpack(std::move(z));  // the other library owns the elements
  // [/give]
  std::printf("%d axes, %d bytes\n", lent->dl_tensor.ndim, lent->dl_tensor.dtype.bits / 8);
  std::printf("%g\n", static_cast<float const*>(given->dl_tensor.data)[3]);
  lent->deleter(lent);
  given->deleter(given);
}
