// SPDX-License-Identifier: BSL-1.0
#pragma once
#include <cassert>

#include "../base/math.hpp"
#include "../base/philox.hpp"
#include "../storage/element.hpp"

#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wshadow"
/// How parameters begin. An initializer is a small value: from_draw(draw) maps one random number to one element, and
/// fill(initializer, elements, stream) draws the numbers.
///
/// order     one seed; every tensor has a stream number of its own, given in the order of declaration, so a tensor's numbers do not depend
///           on the size of those before it. Element i of a stream comes from word i % 4 of Philox block i / 4.
///           The seed is Philox' key; its counter is (block, stream number, "init"), so that other uses of the seed meet other numbers.
/// uniform   draw = (word >> 8) 2^-24, in [0, 1), for float and double alike: both begin with the same numbers
/// normal    Box and Muller: words 0 and 1 of a block give elements 0 and 1, words 2 and 3 give 2 and 3:
///           r = sqrt(-2 log(1 - u)), (r cos(2 pi v), r sin(2 pi v)); |draw| < 5.8
/// accuracy  draws are computed in double by base/constant_math.hpp and rounded once: the same numbers in constant expressions,
///           at run time and on every machine (where a compiler fuses multiplication and addition, the last digit of a double may differ)
/// source    X. Glorot and Y. Bengio 2010 (Xavier); K. He et al. 2015 (Kaiming); needle's init.py for their meaning
namespace espalier::nn::init {

/// What an initializer draws for each element.
enum class draws { nothing, uniform, normal };

/// Every element is 0.
struct zeros {
  static constexpr draws needs = draws::nothing;
  template <class T>
  constexpr T from_draw(T) const {
    return T(0);
  }
};

/// Every element is 1.
struct ones {
  static constexpr draws needs = draws::nothing;
  template <class T>
  constexpr T from_draw(T) const {
    return T(1);
  }
};

/// Every element is value.
struct constant {
  double value = 0;

  static constexpr draws needs = draws::nothing;
  template <class T>
  constexpr T from_draw(T) const {
    return static_cast<T>(value);
  }
};

/// Uniform in [low, high).
struct uniform {
  double low = 0, high = 1;

  static constexpr draws needs = draws::uniform;
  template <class T>
  constexpr T from_draw(T draw) const {
    return static_cast<T>(static_cast<double>(draw) * (high - low) + low);
  }
};

/// Normal with a mean and a standard deviation.
struct normal {
  double mean = 0, deviation = 1;

  static constexpr draws needs = draws::normal;
  template <class T>
  constexpr T from_draw(T draw) const {
    return static_cast<T>(static_cast<double>(draw) * deviation + mean);
  }
};

/// True with probability p: draw <= p. Fills booleans, or 1 and 0 of another type.
struct bernoulli {
  double p = 0.5;

  static constexpr draws needs = draws::uniform;
  template <class T>
  constexpr bool from_draw(T draw) const {
    return static_cast<double>(draw) <= p;
  }
};

/// Uniform in [-bound, bound), bound = gain sqrt(6 / (fan_in + fan_out)).
struct xavier_uniform {
  int fan_in, fan_out;
  double gain = 1;

  static constexpr draws needs = draws::uniform;
  constexpr double bound() const { return gain * math::sqrt(6.0 / (static_cast<double>(fan_in) + fan_out)); }
  template <class T>
  constexpr T from_draw(T draw) const {
    return static_cast<T>((2 * static_cast<double>(draw) - 1) * bound());
  }
};

/// Normal with mean 0 and deviation gain sqrt(2 / (fan_in + fan_out)).
struct xavier_normal {
  int fan_in, fan_out;
  double gain = 1;

  static constexpr draws needs = draws::normal;
  constexpr double deviation() const { return gain * math::sqrt(2.0 / (static_cast<double>(fan_in) + fan_out)); }
  template <class T>
  constexpr T from_draw(T draw) const {
    return static_cast<T>(static_cast<double>(draw) * deviation());
  }
};

/// Uniform in [-bound, bound), bound = gain sqrt(3 / fan_in). The gain sqrt(2) is that of ReLU.
struct kaiming_uniform {
  int fan_in;
  double gain = 1.4142135623730951;

  static constexpr draws needs = draws::uniform;
  constexpr double bound() const { return gain * math::sqrt(3.0 / fan_in); }
  template <class T>
  constexpr T from_draw(T draw) const {
    return static_cast<T>((2 * static_cast<double>(draw) - 1) * bound());
  }
};

/// Normal with mean 0 and deviation gain / sqrt(fan_in). The gain sqrt(2) is that of ReLU.
struct kaiming_normal {
  int fan_in;
  double gain = 1.4142135623730951;

  static constexpr draws needs = draws::normal;
  constexpr double deviation() const { return gain * math::sqrt(1.0 / fan_in); }
  template <class T>
  constexpr T from_draw(T draw) const {
    return static_cast<T>(static_cast<double>(draw) * deviation());
  }
};

/// Rows that are 1 at their label and 0 elsewhere; the row length is what is to be filled divided by the number of labels.
/// errors  a label outside the row is asserted
struct one_hot {
  span<std::int32_t const> labels;
};

template <class X>
concept Initializer = requires(X const& how, double draw) {
  X::needs;
  how.from_draw(draw);
};

/// An initializer as a type, where a module's parameter names it: initialized_by<kaiming_uniform{64}>.
template <auto How>
  requires Initializer<decltype(How)>
struct initialized_by {
  static constexpr auto value = How;
};

/// The random numbers of one tensor: a seed for all, a number for each.
struct stream {
  std::uint64_t seed = 0;
  std::uint32_t number = 0;
};

namespace detail {

/// Four draws.
struct drawn {
  double at[4];
};

constexpr double from_word(std::uint32_t word) { return static_cast<double>(word >> 8) * 0x1p-24; }

template <draws Kind>
constexpr drawn draw_block(stream from, std::uint64_t block) {
  static_assert(Kind != draws::nothing);
  constexpr std::uint32_t purpose = 0x696e6974;  // "init"
  auto const low = [](std::uint64_t x) { return static_cast<std::uint32_t>(x & 0xffffffffu); };
  auto const random = philox({{low(block), low(block >> 32), from.number, purpose}}, {{low(from.seed), low(from.seed >> 32)}});
  drawn result{};
  if constexpr (Kind == draws::uniform) {
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

/// Fills elements from a stream; an initializer may have a way of its own, fill(elements, stream).
template <Initializer How, class T>
constexpr void fill(How const& how, span<T> elements, stream from = {}) {
  if constexpr (requires { how.fill(elements, from); }) {
    how.fill(elements, from);
  } else if constexpr (How::needs == draws::nothing) {
    for (T& element : elements) element = static_cast<T>(how.from_draw(0.0));
  } else {
    for (std::int64_t i = 0; i < elements.size(); i += 4) {
      auto const draw = detail::draw_block<How::needs>(from, static_cast<std::uint64_t>(i) / 4);
      for (int k = 0; k < 4 && i + k < elements.size(); ++k) elements[i + k] = static_cast<T>(how.from_draw(draw.at[k]));
    }
  }
}

template <class T>
constexpr void fill(one_hot const& how, span<T> elements) {
  assert(how.labels.size() > 0 && elements.size() % how.labels.size() == 0);
  std::int64_t const count = elements.size() / how.labels.size();
  for (T& element : elements) element = T(0);
  for (std::int64_t row = 0; row < how.labels.size(); ++row) {
    assert(how.labels[row] >= 0 && how.labels[row] < count);
    elements[row * count + how.labels[row]] = T(1);
  }
}

}  // namespace espalier::nn::init
#pragma GCC diagnostic pop
