// SPDX-License-Identifier: BSL-1.0
#pragma once
#include "../base/diagnostics_push.hpp"

#include <cassert>
#include <exception>

#include "../base/math.hpp"
#include "../base/philox.hpp"
#include "../base/raise.hpp"
#include "../storage/element.hpp"

/// Initial values of parameters. An initializer is a small object: from_random(random) maps one random number to one
/// element. fill(initializer, elements, stream) generates the random numbers.
///
/// order     one seed; every tensor has its own stream number, assigned in the order of declaration. So its numbers do
///           not depend on the size of tensors before it. Element i of a stream comes from word i % 4 of Philox
///           block i / 4. The seed is the key of Philox; the counter is (block, stream number, "init"), so other uses
///           of the seed have other numbers.
/// uniform   random = (word >> 8) 2^-24, in [0, 1), for float and double: both start with the same numbers
/// normal    Box and Muller: words 0 and 1 of a block give elements 0 and 1, words 2 and 3 give 2 and 3:
///           r = sqrt(-2 log(1 - u)), (r cos(2 pi v), r sin(2 pi v)); |random| < 5.8
/// range     fans are at least 1, probabilities in [0, 1], deviations not negative, and low <= high; elements are
///           finite. largest() is the greatest absolute value of the elements, or -1 if a number is out of its range
/// accuracy  random numbers are computed in double by base/constant_math.hpp and rounded once: the same in constant
///           expressions, at run time and on every machine. If a compiler fuses multiplication and addition, the last
///           digit of a double may differ
/// source    X. Glorot and Y. Bengio 2010 (Xavier); K. He et al. 2015 (Kaiming); needle's init.py for their meaning
namespace espalier::nn::init {

namespace detail {
/// The greatest absolute value of a normal random number.
inline constexpr double largest_normal = 5.8;
}  // namespace detail

/// The random number that an initializer requires for each element.
enum class distribution { none, uniform, normal };

/// Every element is 0.
struct zeros {
  static constexpr distribution needs = distribution::none;
  template <class T>
  constexpr T from_random(T) const {
    return T(0);
  }
};

/// Every element is 1.
struct ones {
  static constexpr distribution needs = distribution::none;
  template <class T>
  constexpr T from_random(T) const {
    return T(1);
  }
};

/// Every element is value.
struct constant {
  double value = 0;

  static constexpr distribution needs = distribution::none;
  constexpr double largest() const { return math::abs(value); }
  template <class T>
  constexpr T from_random(T) const {
    return static_cast<T>(value);
  }
};

/// Uniform in [low, high).
struct uniform {
  double low = 0, high = 1;

  static constexpr distribution needs = distribution::uniform;
  constexpr double largest() const {
    double const a = math::abs(low), b = math::abs(high);
    return !(low <= high && high - low <= __DBL_MAX__) ? -1 : a > b ? a : b;
  }
  template <class T>
  constexpr T from_random(T random) const {
    return static_cast<T>(static_cast<double>(random) * (high - low) + low);
  }
};

/// Normal with a mean and a standard deviation.
struct normal {
  double mean = 0, deviation = 1;

  static constexpr distribution needs = distribution::normal;
  constexpr double largest() const {
    return deviation >= 0 ? math::abs(mean) + detail::largest_normal * deviation : -1;
  }
  template <class T>
  constexpr T from_random(T random) const {
    return static_cast<T>(static_cast<double>(random) * deviation + mean);
  }
};

/// True with probability p: random <= p. Fills booleans, or 1 and 0 of another type.
struct bernoulli {
  double p = 0.5;

  static constexpr distribution needs = distribution::uniform;
  constexpr double largest() const { return p >= 0 && p <= 1 ? 1 : -1; }
  template <class T>
  constexpr bool from_random(T random) const {
    return static_cast<double>(random) <= p;
  }
};

/// Uniform in [-bound, bound), bound = gain sqrt(6 / (fan_in + fan_out)).
struct xavier_uniform {
  int fan_in, fan_out;
  double gain = 1;

  static constexpr distribution needs = distribution::uniform;
  constexpr double largest() const { return fan_in >= 1 && fan_out >= 1 ? math::abs(bound()) : -1; }
  constexpr double bound() const { return gain * math::sqrt(6.0 / (static_cast<double>(fan_in) + fan_out)); }
  template <class T>
  constexpr T from_random(T random) const {
    return static_cast<T>((2 * static_cast<double>(random) - 1) * bound());
  }
};

/// Normal with mean 0 and deviation gain sqrt(2 / (fan_in + fan_out)).
struct xavier_normal {
  int fan_in, fan_out;
  double gain = 1;

  static constexpr distribution needs = distribution::normal;
  constexpr double largest() const {
    return fan_in >= 1 && fan_out >= 1 ? detail::largest_normal * math::abs(deviation()) : -1;
  }
  constexpr double deviation() const { return gain * math::sqrt(2.0 / (static_cast<double>(fan_in) + fan_out)); }
  template <class T>
  constexpr T from_random(T random) const {
    return static_cast<T>(static_cast<double>(random) * deviation());
  }
};

/// Uniform in [-bound, bound), bound = gain sqrt(3 / fan_in). The gain sqrt(2) is that of ReLU.
struct kaiming_uniform {
  int fan_in;
  double gain = 1.4142135623730951;

  static constexpr distribution needs = distribution::uniform;
  constexpr double largest() const { return fan_in >= 1 ? math::abs(bound()) : -1; }
  constexpr double bound() const { return gain * math::sqrt(3.0 / fan_in); }
  template <class T>
  constexpr T from_random(T random) const {
    return static_cast<T>((2 * static_cast<double>(random) - 1) * bound());
  }
};

/// Normal with mean 0 and deviation gain / sqrt(fan_in). The gain sqrt(2) is that of ReLU.
struct kaiming_normal {
  int fan_in;
  double gain = 1.4142135623730951;

  static constexpr distribution needs = distribution::normal;
  constexpr double largest() const { return fan_in >= 1 ? detail::largest_normal * math::abs(deviation()) : -1; }
  constexpr double deviation() const { return gain * math::sqrt(1.0 / fan_in); }
  template <class T>
  constexpr T from_random(T random) const {
    return static_cast<T>(static_cast<double>(random) * deviation());
  }
};

/// Rows that are 1 at their label and 0 elsewhere. The row length is the number of elements divided by the number of
/// labels.
/// errors  a label outside the row is asserted
struct one_hot {
  span<std::int32_t const> labels;
};

template <class X>
concept Initializer = requires(X const& scheme, double random) {
  X::needs;
  scheme.from_random(random);
};

/// An initializer as a type, for the parameters of a module: initialized_by<kaiming_uniform{64}>. A Scheme that is no
/// initializer has no value here, and a model of such a module does not compile.
template <auto Scheme>
struct initialized_by {};
template <auto Scheme>
  requires Initializer<decltype(Scheme)>
struct initialized_by<Scheme> {
  static constexpr auto value = Scheme;
};

/// The greatest finite number of an element type.
template <class T>
inline constexpr double largest_element = std::is_same_v<T, double>     ? __DBL_MAX__
                                          : std::is_same_v<T, half>     ? 65504.0
                                          : std::is_same_v<T, bfloat16> ? 0x1.fep127
                                                                        : __FLT_MAX__;
/// Whether the numbers of an initializer are in their ranges and give finite elements of type T. An initializer of the
/// user states it by largest(), or not at all.
template <class T, class Scheme>
constexpr bool gives_elements(Scheme const& scheme) {
  if constexpr (requires { scheme.largest(); }) return scheme.largest() >= 0 && scheme.largest() <= largest_element<T>;
  else return true;
}

/// init::fill() got an initializer with numbers out of their ranges, or of elements that are not finite. Nothing is
/// written.
class initializer_error : public std::exception {
 public:
  char const* what() const noexcept override {
    return "init::fill: expected fans of at least 1, a probability in [0, 1], a deviation of at least 0, low <= high, "
           "and elements that are finite in the element type, got an initializer with other numbers";
  }
};

/// Identifies the random numbers of one tensor: the seed is the same for all tensors, the number differs.
struct stream {
  std::uint64_t seed = 0;
  std::uint32_t number = 0;
};

namespace detail {

/// Four random numbers.
struct random_numbers {
  double at[4];
};

constexpr double from_word(std::uint32_t word) { return static_cast<double>(word >> 8) * 0x1p-24; }

template <distribution Kind>
constexpr random_numbers random_block(stream from, std::uint64_t block) {
  static_assert(Kind != distribution::none);
  constexpr std::uint32_t purpose = 0x696e6974;  // "init"
  auto const low = [](std::uint64_t x) { return static_cast<std::uint32_t>(x & 0xffffffffu); };
  auto const random =
      philox({{low(block), low(block >> 32), from.number, purpose}}, {{low(from.seed), low(from.seed >> 32)}});
  random_numbers result{};
  if constexpr (Kind == distribution::uniform) {
    for (int i = 0; i < 4; ++i) result.at[i] = from_word(random.word[i]);
  } else {
    for (int i = 0; i < 4; i += 2) {
      double const r = math::sqrt(-2 * math::constant::log(1 - from_word(random.word[i])));
      double const angle = 6.283185307179586 * from_word(random.word[i + 1]);
      result.at[i] = r * math::constant::cos(angle);
      result.at[i + 1] = r * math::constant::sin(angle);
    }
  }
  return result;
}

}  // namespace detail

/// Fills elements from a stream; an initializer may define its own fill(elements, stream).
/// errors  initializer_error for numbers out of their ranges
template <Initializer Scheme, class T>
constexpr void fill(Scheme const& scheme, span<T> elements, stream from = {}) {
  if (!gives_elements<T>(scheme)) espalier::detail::raise(initializer_error{});
  if constexpr (requires { scheme.fill(elements, from); }) {
    scheme.fill(elements, from);
  } else if constexpr (Scheme::needs == distribution::none) {
    for (T& element : elements) element = static_cast<T>(scheme.from_random(0.0));
  } else {
    for (std::int64_t i = 0; i < elements.size(); i += 4) {
      auto const random = detail::random_block<Scheme::needs>(from, static_cast<std::uint64_t>(i) / 4);
      for (int k = 0; k < 4 && i + k < elements.size(); ++k)
        elements[i + k] = static_cast<T>(scheme.from_random(random.at[k]));
    }
  }
}

template <class T>
constexpr void fill(one_hot const& scheme, span<T> elements) {
  assert(scheme.labels.size() > 0 && elements.size() % scheme.labels.size() == 0);
  std::int64_t const count = elements.size() / scheme.labels.size();
  for (T& element : elements) element = T(0);
  for (std::int64_t row = 0; row < scheme.labels.size(); ++row) {
    assert(scheme.labels[row] >= 0 && scheme.labels[row] < count);
    elements[row * count + scheme.labels[row]] = T(1);
  }
}

}  // namespace espalier::nn::init
#include "../base/diagnostics_pop.hpp"
