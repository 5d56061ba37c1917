// SPDX-License-Identifier: BSL-1.0
#pragma once
#include <cmath>
#include <map>
#include <stdexcept>
#include <vector>

#include <espalier/io/tflite_file.hpp>

/// Evaluates TensorFlow Lite models by the formulas of "LiteRT 8-bit quantization specification", in double: integers
/// are exact, and results of int8 are rounded to the nearest. TensorFlow Lite's own kernels scale with 31 bits, which
/// rounds differently in ties.
namespace test {

class tflite_interpreter {
  using integers = espalier::io::tflite::integers;
  using model_file = espalier::io::tflite::model_file;
  using tensor = espalier::io::tflite::tensor;
  using operation = espalier::io::tflite::operation;
  using element = espalier::io::tflite::element;
  using op = espalier::io::tflite::op;

 public:
  explicit tflite_interpreter(model_file const& file) : f_{file} {
    for (std::size_t t = 0; t < f_.tensors.size(); ++t)
      if (f_.tensors[t].buffer != 0) values_[static_cast<std::int64_t>(t)] = constant(f_.tensors[t]);
  }
  std::vector<double> operator()(float const* x) {
    auto& in = values_[f_.inputs.at(0)];
    in.assign(x, x + count(of(f_.inputs[0]).extents));
    for (operation const& o : f_.operations) run(o);
    return values_.at(f_.outputs.at(0));
  }

 private:
  tensor const& of(std::int64_t t) const { return f_.tensors.at(static_cast<std::size_t>(t)); }
  static std::int64_t count(integers const& s) {
    std::int64_t r = 1;
    for (auto const e : s) r *= e;
    return r;
  }
  /// Numbers that integers stand for.
  std::vector<double> constant(tensor const& t) const {
    std::string const& bytes = f_.buffers.at(t.buffer);
    std::size_t const each = size_of(t.type);
    std::vector<double> r(bytes.size() / each);
    std::int64_t inner = 1;
    if (!t.by.scales.empty())
      for (auto k = static_cast<std::size_t>(t.by.axis) + 1; k < t.extents.size(); ++k) inner *= t.extents[k];
    for (std::size_t i = 0; i < r.size(); ++i) {
      char const* const at = bytes.data() + i * each;
      if (t.type == element::float32) r[i] = static_cast<double>(load<float>(at));
      if (t.type == element::int32) r[i] = load<std::int32_t>(at);
      if (t.type == element::int8) r[i] = load<std::int8_t>(at);
      if (t.by.scales.empty()) continue;
      std::size_t const k = t.by.scales.size() == 1
                                ? 0
                                : static_cast<std::size_t>(static_cast<std::int64_t>(i) / inner) % t.by.scales.size();
      r[i] = (r[i] - static_cast<double>(t.by.zero_points[k])) * static_cast<double>(t.by.scales[k]);
    }
    return r;
  }
  template <class T>
  static T load(char const* at) {
    T x;
    std::memcpy(&x, at, sizeof x);
    return x;
  }
  void set(operation const& o, std::vector<double> y, double activated = 0) {
    tensor const& t = of(o.outputs.at(0));
    if (static_cast<std::int64_t>(y.size()) != count(t.extents)) throw std::runtime_error(t.name + ": another size");
    for (double& x : y) {
      if (activated == 1) x = std::fmax(x, 0);
      if (activated == 3) x = std::fmin(std::fmax(x, 0), 6);
      if (t.type != element::int8) continue;
      auto const scale = static_cast<double>(t.by.scales.at(0)), zero = static_cast<double>(t.by.zero_points.at(0));
      x = (std::fmin(std::fmax(std::nearbyint(x / scale) + zero, -128), 127) - zero) * scale;
    }
    values_[o.outputs[0]] = std::move(y);
  }
  std::vector<double> const& in(operation const& o, std::size_t i) const { return values_.at(o.inputs.at(i)); }
  integers const& shape(operation const& o, std::size_t i) const { return of(o.inputs.at(i)).extents; }
  static std::size_t at(std::int64_t i) { return static_cast<std::size_t>(i); }

  void run(operation const& o) {
    switch (o.code) {
      case op::quantize:
      case op::dequantize:
      case op::reshape:
        return set(o, in(o, 0));
      case op::relu:
        return set(o, in(o, 0), 1);
      case op::logistic:
        return map(o, [](double x) { return 1 / (1 + std::exp(-x)); });
      case op::tanh:
        return map(o, [](double x) { return std::tanh(x); });
      case op::add: {
        std::vector<double> y = in(o, 0);
        for (std::size_t i = 0; i < y.size(); ++i) y[i] += in(o, 1)[i % in(o, 1).size()];
        return set(o, y, o.fields.at(0));
      }
      case op::transpose:
        return transpose(o);
      case op::padv2:
        return pad(o);
      case op::mean: {  // of rows and columns
        integers const& s = shape(o, 0);
        std::vector<double> y(at(s[0] * s[3]));
        for (std::size_t i = 0; i < in(o, 0).size(); ++i)
          y[i / at(s[1] * s[2] * s[3]) * at(s[3]) + i % at(s[3])] += in(o, 0)[i] / static_cast<double>(s[1] * s[2]);
        return set(o, y);
      }
      case op::fully_connected: {
        integers const& k = shape(o, 1);
        std::vector<double> y(in(o, 0).size() / at(k[1]) * at(k[0]));
        for (std::size_t i = 0; i < y.size(); ++i) {
          std::size_t const row = i / at(k[0]), column = i % at(k[0]);
          y[i] = in(o, 2)[column];
          for (std::size_t d = 0; d < at(k[1]); ++d)
            y[i] += in(o, 0)[row * at(k[1]) + d] * in(o, 1)[column * at(k[1]) + d];
        }
        return set(o, y, o.fields.at(0));
      }
      case op::conv_2d:
      case op::depthwise_conv_2d:
      case op::max_pool_2d:
      case op::average_pool_2d:
        return windows(o);
      default:
        throw std::runtime_error("not evaluated here: " + name_of(o.code));
    }
  }
  template <class F>
  void map(operation const& o, F f) {
    std::vector<double> y = in(o, 0);
    for (double& x : y) x = f(x);
    set(o, y);
  }
  template <class F>
  void each_index(integers const& s, F f) {
    integers index(s.size());
    for (std::int64_t i = 0; i < count(s); ++i) {
      f(at(i), index);
      for (std::size_t k = s.size(); k-- > 0 && ++index[k] == s[k];) index[k] = 0;
    }
  }
  static std::size_t offset(integers const& s, integers const& index) {
    std::int64_t r = 0;
    for (std::size_t k = 0; k < s.size(); ++k) r = r * s[k] + index[k];
    return at(r);
  }
  void transpose(operation const& o) {
    integers const &s = shape(o, 0), &to = of(o.outputs[0]).extents;
    std::vector<double> y(in(o, 0).size());
    each_index(to, [&](std::size_t i, integers const& index) {
      integers from(s.size());
      for (std::size_t k = 0; k < s.size(); ++k) from[at(static_cast<std::int64_t>(in(o, 1)[k]))] = index[k];
      y[i] = in(o, 0)[offset(s, from)];
    });
    set(o, y);
  }
  void pad(operation const& o) {
    integers const &s = shape(o, 0), &to = of(o.outputs[0]).extents;
    std::vector<double> y(at(count(to)), in(o, 2).at(0));
    each_index(s, [&](std::size_t i, integers index) {
      for (std::size_t k = 0; k < s.size(); ++k) index[k] += static_cast<std::int64_t>(in(o, 1)[2 * k]);
      y[offset(to, index)] = in(o, 0)[i];
    });
    set(o, y);
  }
  void windows(operation const& o) {
    bool const depthwise = o.code == op::depthwise_conv_2d, product = o.code == op::conv_2d || depthwise;
    integers const &s = shape(o, 0), &to = of(o.outputs[0]).extents;
    auto const field = [&](std::size_t i) { return static_cast<std::int64_t>(o.fields.at(i)); };
    std::size_t const dilation = depthwise ? 5 : 4;
    std::int64_t const taps[] = {product ? shape(o, 1)[1] : field(4), product ? shape(o, 1)[2] : field(3)},
                       stride[] = {field(2), field(1)},
                       step[] = {product ? field(dilation + 1) : 1, product ? field(dilation) : 1};
    std::int64_t before[2];
    for (std::size_t i = 0; i < 2; ++i) {
      std::int64_t const all = (to[i + 1] - 1) * stride[i] + (taps[i] - 1) * step[i] + 1 - s[i + 1];
      before[i] = field(0) == 0 && all > 0 ? all / 2 : 0;
    }
    std::vector<double> y(at(count(to)));
    each_index(to, [&](std::size_t i, integers const& index) {
      double sum = product ? in(o, 2)[at(index[3])] : 0, largest = -1e300;
      int counted = 0;
      for (std::int64_t r = 0; r < taps[0]; ++r)
        for (std::int64_t c = 0; c < taps[1]; ++c) {
          std::int64_t const row = index[1] * stride[0] + r * step[0] - before[0],
                             column = index[2] * stride[1] + c * step[1] - before[1];
          if (row < 0 || row >= s[1] || column < 0 || column >= s[2]) continue;
          ++counted;
          auto const pixel = [&](std::int64_t channel) {
            return in(o, 0)[offset(s, {index[0], row, column, channel})];
          };
          if (!product) {
            sum += pixel(index[3]);
            largest = std::fmax(largest, pixel(index[3]));
          } else if (depthwise) {
            integers const& k = shape(o, 1);
            sum += pixel(index[3] / (k[3] / s[3])) * in(o, 1)[offset(k, {0, r, c, index[3]})];
          } else {
            integers const& k = shape(o, 1);
            std::int64_t const group = index[3] / (k[0] / (s[3] / k[3]));
            for (std::int64_t d = 0; d < k[3]; ++d)
              sum += pixel(group * k[3] + d) * in(o, 1)[offset(k, {index[3], r, c, d})];
          }
        }
      y[i] = o.code == op::max_pool_2d ? largest : o.code == op::average_pool_2d ? sum / counted : sum;
    });
    set(o, y, o.fields.at(o.code == op::conv_2d ? 3 : depthwise ? 4 : 5));
  }

  model_file const& f_;
  std::map<std::int64_t, std::vector<double>> values_{};
};

}  // namespace test
