// SPDX-License-Identifier: BSL-1.0
#include "pedals.hpp"

#include <espalier/io/nam.hpp>
#include <espalier/nn/nam.hpp>
#include <espalier/stream.hpp>

#include <cstdio>
#include <cstring>
#include <memory>
#include <string>

namespace esp = espalier;
namespace nam = espalier::nn::nam;

namespace {

using namespace bench;

/// The text of a .nam file.
std::string file_of(float const* numbers) {
  std::string const dilations = R"("dilations":[1,2,4,8,16,32,64,128,256,512],"activation":"Tanh","gated":false)";
  std::string text =
      R"({"version":"0.5.4","architecture":"WaveNet","config":{"layers":[{"input_size":1,"condition_size":1,)"
      R"("head_size":8,"channels":16,"kernel_size":3,)" +
      dilations +
      R"(,"head_bias":false},{"input_size":16,"condition_size":1,"head_size":1,"channels":8,"kernel_size":3,)" +
      dilations + R"(,"head_bias":true}],"head":null,"head_scale":0.02},"weights":[)";
  char number[32];
  for (int i = 0; i < pedal_numbers; ++i) {
    std::snprintf(number, sizeof number, "%.9g,", static_cast<double>(numbers[i]));
    text += number;
  }
  return text + "0.02]}";
}

work prepare(operands o) {
  using block = esp::batch<1, pedal_block, 1>;
  using pedal = esp::model<nam::Standard>;
  auto const model = std::make_shared<pedal>(esp::seed{0});
  std::string const text = file_of(o.in[1]);
  esp::io::file_bytes bytes{static_cast<std::int64_t>(text.size())};
  std::memcpy(bytes.data(), text.data(), text.size());
  esp::io::detail::restore_from_nam(esp::io::parse_nam("operands", bytes), *model);
  auto const stream = std::make_shared<esp::stream<pedal, block>>(*model, block{});
  return {repeated([=] {
    (void)model;  // kept while the stream is
    for (int i = 0; i < pedal_samples; i += pedal_block)
      (*stream)(esp::view<float const, block>(o.in[0] + i), esp::view<float, block>(o.out[0]));
  })};
}

row const what{pedal_row, pedal_in(), pedal_out(), 0, 2. * pedal_numbers* pedal_samples};
implementation const own{pedal_row, "espalier", prepare};

}  // namespace
