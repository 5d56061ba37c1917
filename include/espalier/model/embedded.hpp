// SPDX-License-Identifier: BSL-1.0
#pragma once
#include "model.hpp"

#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wshadow"
namespace espalier {

/// read_only_model<Net, Weights>: a net with the numbers of a header of weights (io::write_header), which predictors and frozen nets read where they lie:
/// on a machine that has such, in memory that cannot be written. It has no memory of its own.
///
///     static constexpr esp::read_only_model<Net, digits_weights> model;
///     esp::predictor classify{model, esp::batch<1, 8, 8>{}, room};
///
/// shape    as of the net, which is compared with the header by the compiler
/// memory   none; a predictor's bytes are its workspace alone, a frozen net's have a copy of what the parameters became
/// threads  with cpu_parallel<N> (which is not constexpr), N - 1 that help predictors
/// errors   a header that misses a tensor, has one too many, or one of other extents or elements, does not compile; neither does one that was edited so
///          that its numbers do not lie as a model's do: model{embedded<Weights>{}} takes a copy of such
template <class Net, class Weights, class Device = cpu, class Fit = detail::embedded_fit<Weights, Net, typename Weights::value_type, true>>
class read_only_model {
  static_assert(Fit::agree, ESPALIER_SENTENCE("read_only_model<Net, Weights>: " ESPALIER_HEADER_FITS, Fit));
  static_assert(detail::computes_on_host<Device>::agree,
                ESPALIER_SENTENCE("read_only_model<Net, Weights, Device>: the numbers are the host's; use model<Net, cuda>{embedded<Weights>{}}",
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

  /// All parameters in a row; gaps of zeros align each of them.
  static constexpr span<value_type const> parameters() noexcept { return {Weights::numbers, slots_of<Net>.parameters.storage}; }
  static constexpr span<value_type const> buffers() noexcept {
    return {Weights::numbers + detail::first_buffer_number<Net, value_type>, slots_of<Net>.buffers.storage};
  }

  /// What runs this model's programs: the processor.
  constexpr engine_type const& engine() const noexcept { return engine_; }
  /// The start of a program's table of pointers. Evaluation only reads what they point to.
  detail::program_bases bases() const noexcept {
    detail::program_bases b{};
    b.at[plan::base::parameters] = const_cast<value_type*>(parameters().data());
    b.at[plan::base::buffers] = const_cast<value_type*>(buffers().data());
    return b;
  }

 private:
  [[no_unique_address]] engine_type engine_{};
};

}  // namespace espalier
#pragma GCC diagnostic pop
