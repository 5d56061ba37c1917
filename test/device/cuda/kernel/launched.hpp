// SPDX-License-Identifier: BSL-1.0
#pragma once
#include <cmath>
#include <cstdint>
#include <cstring>
#include <vector>

#include <espalier/base/philox.hpp>
#include <espalier/device/cuda/simulator/fiber_context.hpp>
#include <espalier/storage/half.hpp>

#include "support/window_maps.hpp"

/// Kernels run on this processor, their results and what lies around them.
namespace launched {

namespace on_cuda = espalier::on_cuda;
using espalier::bfloat16;
using espalier::extents;
using espalier::half;
using espalier::index_map;
using std::int64_t;
using std::size_t;

/// Numbers in (-1, 1) that every T holds.
template <class T>
std::vector<T> random_numbers(int64_t size, std::uint64_t key) {
  std::vector<T> x(static_cast<size_t>(size));
  for (int64_t i = 0; i < size; ++i) {
    float const u = espalier::uniform_from_bits<float>(espalier::philox_bits(i, key, 0));
    x[static_cast<size_t>(i)] = static_cast<T>(std::round((2 * u - 1) * (sizeof(T) == 2 ? 64.0f : 65536.0f)) /
                                               (sizeof(T) == 2 ? 64.0f : 65536.0f));
  }
  return x;
}

/// Memory of a device: aligned, with a margin that must stay as it is.
template <class T>
class memory {
 public:
  explicit memory(std::vector<T> const& x) : bytes_(x.size() * sizeof(T) + 2 * margin, fill), size_(x.size()) {
    if (size_ > 0) std::memcpy(start(), x.data(), size_ * sizeof(T));
  }
  explicit memory(int64_t size)
      : bytes_(static_cast<size_t>(size) * sizeof(T) + 2 * margin, fill), size_(static_cast<size_t>(size)) {}
  void* data() { return start(); }
  std::vector<T> values() {
    std::vector<T> x(size_);
    if (size_ > 0) std::memcpy(static_cast<void*>(x.data()), start(), size_ * sizeof(T));
    return x;
  }
  bool untouched_around() {
    unsigned char const* const end = start() + size_ * sizeof(T);
    for (unsigned char const* at = bytes_.data(); at != bytes_.data() + bytes_.size(); ++at)
      if ((at < start() || at >= end) && *at != fill) return false;
    return true;
  }

 private:
  static constexpr size_t margin = 64;
  static constexpr unsigned char fill = 0xff;  // of every T nan, and no result
  unsigned char* start() {
    auto const at = reinterpret_cast<std::uintptr_t>(bytes_.data());
    return bytes_.data() + ((at + 31) / 32 * 32 - at) + 32;
  }
  std::vector<unsigned char> bytes_;
  size_t size_;
};

/// The result of a kernel of these operands, the same in several orders of its threads; empty where it wrote elsewhere,
/// or not the same.
template <class Kernel, class Y, class... X>
std::vector<Y> result(int64_t size, std::vector<X> const&... operand) {
  std::vector<Y> first;
  for (int order : {0, 1, 2}) {
    on_cuda::fiber_launcher launcher(order);
    memory<Y> y(size);
    [&](auto&&... x) {
      typename Kernel::table t{};
      int k = 0;
      ((t.pointer[k++] = x.data()), ...);
      t.pointer[k] = y.data();
      launcher.launch<Kernel>(t);
    }(memory<X>(operand)...);
    if (!y.untouched_around()) return {};
    auto const values = y.values();
    if (order == 0) first = values;
    else if (std::memcmp(first.data(), values.data(), values.size() * sizeof(Y)) != 0) return {};
  }
  return first;
}

/// The same elements, bit for bit.
template <class T>
bool same(std::vector<T> const& a, std::vector<T> const& b) {
  return a.size() == b.size() && (a.empty() || std::memcmp(a.data(), b.data(), a.size() * sizeof(T)) == 0);
}
/// The largest difference from a reference in units of one rounding of what was added up.
template <class T>
double off(std::vector<T> const& got, std::vector<double> const& sum, std::vector<double> const& magnitude) {
  double const unit = sizeof(T) == 2 ? 0x1p-8 : sizeof(T) == 4 ? 0x1p-24 : 0x1p-53;
  double worst = got.size() == sum.size() ? 0 : 1e9;
  for (size_t i = 0; i < sum.size() && i < got.size(); ++i) {
    double const x = static_cast<double>(got[i]);
    if (x == sum[i]) continue;
    double const e = std::fabs(x - sum[i]) / (unit * (magnitude[i] + 1e-30));
    worst = std::fmax(worst, std::isnan(e) ? 1e9 : e);
  }
  return worst;
}

using test::extents_of, test::map_of;

}  // namespace launched
