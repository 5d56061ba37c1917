// SPDX-License-Identifier: BSL-1.0
#pragma once
#include "../../base/diagnostics_push.hpp"

#include "../../graph/attribute.hpp"
#include "gradient_exchange.hpp"

/// Values that all processes have in common within a step, such as the statistics of a batch norm.
namespace espalier::on_device {

namespace detail {

/// Combines the values of processes (graph::process_exchange), in the order of their ranks. Values of processes without
/// samples are not read. Sums are in double: they are few, and a mean of numbers far from 0 keeps its digits.
/// part     by process: its value of `size` elements
/// samples  by process
/// Arch is in the name so that translation units for other instruction sets have their own function.
template <class T, class Arch = on_cpu::default_arch>
[[gnu::noinline]] void combine_parts(T* out, T const* const* part, std::int64_t const* samples, int processes,
                                     std::int64_t size, graph::process_exchange as) {
  constexpr std::int64_t block = 32;
  double all = 0;
  for (int k = 0; k < processes; ++k) all += static_cast<double>(samples[k]);
  std::int64_t const moments = as.moments, means = moments > 0 ? moments : size;
  auto const each_block = [&](std::int64_t begin, std::int64_t end, auto const& add) {
    for (std::int64_t i = begin; i < end; i += block) {
      std::int64_t const count = end - i < block ? end - i : block;
      double sum[block]{};
      for (int k = 0; k < processes; ++k)
        if (samples[k] > 0) add(sum, i, count, k, static_cast<double>(samples[k]) / all);
      for (std::int64_t j = 0; j < count; ++j) out[i + j] = static_cast<T>(sum[j]);
    }
  };
  each_block(0, means, [&](double* sum, std::int64_t i, std::int64_t count, int k, double weight) {
    for (std::int64_t j = 0; j < count; ++j) sum[j] += weight * static_cast<double>(part[k][i + j]);
  });
  each_block(means, means + moments, [&](double* sum, std::int64_t i, std::int64_t count, int k, double weight) {
    for (std::int64_t j = 0; j < count; ++j) {
      double const off = static_cast<double>(part[k][i + j - moments]) - static_cast<double>(out[i + j - moments]);
      sum[j] += weight * (static_cast<double>(part[k][i + j]) + off * off);
    }
  });
  each_block(means + moments, size, [&](double* sum, std::int64_t i, std::int64_t count, int k, double) {
    for (std::int64_t j = 0; j < count; ++j) sum[j] += static_cast<double>(part[k][i + j]);
  });
}

}  // namespace detail

/// The exchange of gradients, and of values that the forward and backward pass wait for. Each process sends its value
/// to all others, and combines the values of all by itself, so that all have the same bits after one message time.
/// memory   allocated by meet_values: the largest value of each process, and once the buffers of the model
/// order    nothing is sent before all processes are known to train, as in gradient_exchange
template <class T>
class statistics_exchange : public gradient_exchange<T> {
 public:
  using gradient_exchange<T>::gradient_exchange;
  statistics_exchange(statistics_exchange const&) = delete;
  statistics_exchange& operator=(statistics_exchange const&) = delete;
  ~statistics_exchange() {
    // An exchange that was cut off may still use its memory.
    if (sending_.pending) this->all().keep(memory_);
    else delete memory_;
  }

  /// Prepares for values of at most `size` elements, and for buffers of so many bytes.
  void meet_values(std::int64_t size, std::int64_t buffer_bytes) {
    int const n = this->all().size();
    std::int64_t const of_values = n * lines_of(size * bytes_of_element), of_buffers = lines_of(buffer_bytes);
    memory_ = new memory;
    memory_->lines = detail::sized_array<cache_line>(of_values > of_buffers ? of_values : of_buffers);
    memory_->counts = detail::sized_array<int>(n);
    memory_->firsts = detail::sized_array<int>(n);
    parts_ = detail::sized_array<T const*>(n);
    samples_of_ = detail::sized_array<std::int64_t>(n);
  }

  /// Replaces a value of this process by that of all, and waits for it.
  /// errors   distributed_error
  void combine(T* value, std::int64_t size, graph::process_exchange as) {
    int const n = this->all().size();
    gather(value, size);
    for (int k = 0; k < n; ++k) parts_[k] = part(k);
    detail::combine_parts(value, parts_.data(), samples_of_.data(), n, size, as);
  }
  /// The same for a process without samples, which has no value.
  void pass(std::int64_t size) { gather(nullptr, size); }

  /// Copies the buffers of a process that took part in the latest step to those that had joined before. All processes
  /// call it.
  /// errors   distributed_error, which changes no buffer
  void share_buffers(void* buffers, std::int64_t bytes) {
    int const n = this->all().size();
    for (int k = 0; k < n; ++k) {
      memory_->counts[k] = k == trained_ ? static_cast<int>(lines_of(bytes)) : 0;
      memory_->firsts[k] = 0;
    }
    __builtin_memcpy(memory_->lines.data(), buffers, static_cast<std::size_t>(bytes));
    send();
    __builtin_memcpy(buffers, memory_->lines.data(), static_cast<std::size_t>(bytes));
  }

 private:
  static constexpr auto line = static_cast<std::int64_t>(processes::line);
  static constexpr auto bytes_of_element = static_cast<std::int64_t>(sizeof(T));
  static constexpr std::int64_t lines_of(std::int64_t bytes) { return (bytes + line - 1) / line; }
  struct alignas(processes::line) cache_line {
    unsigned char at[processes::line];
  };
  struct memory : processes::kept_memory {
    detail::sized_array<cache_line> lines;
    detail::sized_array<int> counts, firsts;
  };

  T* part(int k) const { return reinterpret_cast<T*>(&memory_->lines[memory_->firsts[k]]); }
  void send() {
    // Exchanges of this channel are started one after the other, in the order of the program.
    this->all().gather(sending_, processes::channel::others, memory_->lines.data(),
                       {memory_->counts.data(), memory_->firsts.data()});
    this->all().wait(sending_, this->step());
  }
  void gather(T const* own, std::int64_t size) {
    this->wait_for_headers();
    int const n = this->all().size(), lines = static_cast<int>(lines_of(size * bytes_of_element));
    trained_ = n;
    for (int k = 0; k < n; ++k) {
      memory_->counts[k] = lines;
      memory_->firsts[k] = lines * k;
      samples_of_[k] = this->samples_of(k);
      if (trained_ == n && samples_of_[k] > 0) trained_ = k;
    }
    if (own != nullptr)
      __builtin_memcpy(part(this->all().rank()), own, static_cast<std::size_t>(size * bytes_of_element));
    send();
  }

  memory* memory_ = nullptr;
  processes::transfer sending_;
  detail::sized_array<T const*> parts_;
  detail::sized_array<std::int64_t> samples_of_;
  int trained_ = 0;  ///< the first process with samples in the latest step
};

}  // namespace espalier::on_device
#include "../../base/diagnostics_pop.hpp"
