// SPDX-License-Identifier: BSL-1.0
#pragma once
#include "../base/diagnostics_push.hpp"

#include "model.hpp"

namespace espalier {

/// read_only_model<Net, Weights>: a net whose numbers stay in a header of weights (io::write_header), for example in
/// read-only memory. Predictors and frozen nets read them there. The model itself has no memory.
///
///     static constexpr esp::read_only_model<Net, digits_weights> model;
///     esp::predictor classify{model, esp::batch<1, 8, 8>{}, room};
///
/// shape    as the net's; the compiler compares the header with it
/// memory   none; a predictor's bytes are only its workspace, a frozen net's include a copy of the transformed
///          parameters
/// threads  with cpu_parallel<N> (which is not constexpr), N - 1 threads that help predictors
/// errors   a header with a missing tensor, an additional one, other extents or another element type does not compile.
///          Neither does an edited header whose numbers are not laid out as a model's; model{embedded<Weights>{}}
///          copies the numbers of such a header
template <class Net, class Weights, class Device = cpu,
          class Fit = detail::embedded_fit<Weights, Net, typename Weights::value_type, true>>
class read_only_model {
  static_assert(Fit::agree, ESPALIER_SENTENCE("read_only_model<Net, Weights>: " ESPALIER_HEADER_FITS, Fit));
  static_assert(
      detail::computes_on_host<Device>::agree,
      ESPALIER_SENTENCE(
          "read_only_model<Net, Weights, Device>: the numbers are the host's; use model<Net, cuda>{embedded<Weights>{}}",
          detail::computes_on_host<Device>));
  using Written = model<Net, Device, typename Weights::value_type>;

 public:
  using engine_type = typename Written::engine_type;
  using net_type = Net;
  using value_type = typename Weights::value_type;
  using device_type = Device;

  static constexpr std::int64_t parameter_count = Written::parameter_count;
  static constexpr std::size_t bytes = 0;

  constexpr read_only_model() noexcept {}

  /// All parameters, contiguous; zeros fill the gaps that align each tensor.
  static constexpr span<value_type const> parameters() noexcept {
    return {Weights::numbers, slots_of<Net>.parameters.storage};
  }
  static constexpr span<value_type const> buffers() noexcept {
    return {Weights::numbers + detail::first_buffer_number<Net, value_type>, slots_of<Net>.buffers.storage};
  }

  /// The engine that runs this model's programs: the processor.
  constexpr engine_type const& engine() const noexcept { return engine_; }
  /// The pointers to parameters and buffers in a program's table of bases. Evaluation only reads the parameters and
  /// buffers.
  detail::program_bases bases() const noexcept {
    detail::program_bases b;
    b.at[plan::base::parameters] = const_cast<value_type*>(parameters().data());
    b.at[plan::base::buffers] = const_cast<value_type*>(buffers().data());
    return b;
  }

 private:
  [[no_unique_address]] engine_type engine_{};
};

}  // namespace espalier
#include "../base/diagnostics_pop.hpp"
