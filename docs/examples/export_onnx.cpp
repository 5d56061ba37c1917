// SPDX-License-Identifier: BSL-1.0
// A net with an op of our own goes out as ONNX files: for four images, and for as many as there are.
#include <espalier.hpp>
#include <espalier/io/onnx.hpp>

#include <cstdio>
#include <cstring>
#include <tuple>

namespace esp = espalier;
namespace nn = espalier::nn;

// [own_op]
struct bent_ {};
template <>
struct esp::rule<bent_> : esp::elementwise {
  static constexpr char const* name = "bent";
  template <class T>
  ESPALIER_HOST_DEVICE static constexpr T apply(T x) {
    return math::where(math::greater(x, T(0)), math::log(T(1) + x), x);
  }
};
template <>
inline constexpr bool esp::io::exports_formula<bent_> = true;  // Add, Log, Greater, Where
// [/own_op]

struct Bent {
  ESPALIER_MODULE(Bent)
  constexpr auto forward(auto x) const { return esp::apply<bent_>(x); }
};

// [net]
using Net =
    nn::Sequential<nn::ConvBN<3, 8, 3>, nn::MaxPool2d<2>, Bent, nn::Flatten, nn::Linear<8 * 4 * 4, 10>, nn::Softmax<>>;
// [/net]

/// A recurrent cell: two inputs, and two results.
struct Cell {
  nn::Linear<8, 16> input;
  nn::Linear<16, 16> state;
  nn::Linear<16, 4> output;
  ESPALIER_MODULE(Cell, input, state, output)
  constexpr auto forward(auto x, auto h) const {
    auto const next = tanh(input(x) + state(h));
    return std::tuple{output(next), next};
  }
};

namespace {

/// Whether a file is there and begins as ONNX files of the library do: version 8 of the format, produced by espalier.
bool begins_right(char const* path) {
  char start[12]{};
  std::FILE* const file = std::fopen(path, "rb");
  if (file == nullptr) return false;
  bool const whole = std::fread(start, 1, sizeof start, file) == sizeof start;
  std::fclose(file);
  return whole && std::memcmp(start,
                              "\x08\x08\x12\x08"
                              "espalier",
                              sizeof start) == 0;
}

}  // namespace

int main() {
  // [export]
  esp::model<Net> model{esp::seed{0}};  // train it, or load it
  esp::io::write_onnx<esp::batch<4, 3, 8, 8>>("four_images.onnx", model);
  esp::io::write_onnx<esp::io::any_batch<3, 8, 8>>("any_images.onnx", model,
                                                   {.name = "digits", .description = "Ten kinds of small images."});
  // [/export]

  // [several]
  esp::model<Cell> cell{esp::seed{0}};  // forward(x, h) returns std::tuple{scores, next}
  esp::io::write_onnx<esp::shapes<esp::io::any_batch<8>, esp::io::any_batch<16>>>("cell.onnx", cell);
  // [/several]

  // [errors]
  try {
    esp::io::write_onnx<esp::batch<1, 3, 8, 8>>("no/such/folder/net.onnx", model);
  } catch (esp::io::error const& error) {
    std::printf("%s\n", error.what());  // no/such/folder/net.onnx: cannot be written: No such file or directory
  }
  // [/errors]
  bool const right = begins_right("four_images.onnx") && begins_right("any_images.onnx") && begins_right("cell.onnx");
  std::remove("four_images.onnx");
  std::remove("any_images.onnx");
  std::remove("cell.onnx");
  return right ? 0 : 1;
}
