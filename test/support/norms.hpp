// SPDX-License-Identifier: BSL-1.0
#pragma once
#include "nets.hpp"

/// Norm layers against plain loops. A layer is described by two functions of an element's position: which statistic it
/// belongs to, which parameter.
namespace test {

template <class M>
using model_of = espalier::model<M, espalier::cpu, double>;

struct moments {
  double count = 0, mean = 0, variance = 0;
};

/// Mean and biased variance of each statistic's elements; Centered = false: 0 and the mean square.
template <bool Centered = true>
std::vector<moments> moments_of(auto const& x, auto group) {
  int groups = 0;
  for (int i = 0; i < x.size(); ++i) groups = std::max(groups, group(i) + 1);
  std::vector<moments> r(static_cast<std::size_t>(groups));
  auto const of = [&](int i) -> moments& { return r[static_cast<std::size_t>(group(i))]; };
  for (int i = 0; i < x.size(); ++i) of(i).count += 1;
  for (int i = 0; i < x.size(); ++i)
    if (Centered) of(i).mean += x[i] / of(i).count;
  for (int i = 0; i < x.size(); ++i) of(i).variance += (x[i] - of(i).mean) * (x[i] - of(i).mean) / of(i).count;
  return r;
}

/// What a norm makes of x with given statistics.
template <class X>
X normalized_by(X const& x, std::vector<moments> const& of, double eps, auto group) {
  X y;
  for (int i = 0; i < x.size(); ++i) {
    moments const& m = of[static_cast<std::size_t>(group(i))];
    y[i] = (x[i] - m.mean) / std::sqrt(m.variance + eps);
  }
  return y;
}
/// y weight + bias, of those that the model has.
template <class X>
X with_affine(X y, auto& model, auto channel) {
  auto const weight = model.find_parameter("weight"), bias = model.find_parameter("bias");
  for (int i = 0; i < y.size(); ++i) {
    if (weight) y[i] *= weight.span()[channel(i)];
    if (bias) y[i] += bias.span()[channel(i)];
  }
  return y;
}

/// The number of statistics, from outside: a changed element changes the outputs of those that share its statistic.
template <class M>
int statistics(auto const& x) {
  model_of<M> model;
  auto const y = training_output(model, x);
  std::vector<bool> seen(static_cast<std::size_t>(x.size()), false);
  int count = 0;
  for (int i = 0; i < x.size(); ++i) {
    if (seen[static_cast<std::size_t>(i)]) continue;
    ++count;
    auto changed = x;
    changed[i] += 1;
    auto const z = training_output(model, changed);
    for (int k = 0; k < x.size(); ++k)
      if (std::fabs(z[k] - y[k]) > 1e-9) seen[static_cast<std::size_t>(k)] = true;  // all that share a statistic move
  }
  return count;
}

/// A net of x + shift: the shift's gradient is the input's. The output of the last run of training can be read.
template <class M, class S>
struct watched {
  espalier::parameter<S, nn::init::initialized_by<nn::init::zeros{}>> shift{};
  M net{};
  espalier::buffer<S, nn::init::initialized_by<nn::init::zeros{}>> output{};
  ESPALIER_MODULE(watched, shift, net, output)
  constexpr auto forward(auto x) const {
    auto const y = net(x + shift);
    return with_update(y, output, y);
  }
};

/// Gradients of sum(y k) against the formula by sums of its own: dx = (dn - mean(dn) - normal mean(dn normal)) /
/// deviation, dn = k weight.
template <bool Centered, class X>
void check_gradients(auto& model, X const& x, X const& normal, std::vector<moments> const& of, double eps, auto group,
                     auto channel) {
  X const k = numbers<double, espalier::shape_of<X>>(77);
  auto const weight = model.find_parameter("weight");
  X dn = k;
  for (int i = 0; i < x.size(); ++i)
    if (weight) dn[i] *= weight.span()[channel(i)];
  std::vector<double> sums(of.size()), products(of.size());
  for (int i = 0; i < x.size(); ++i) {
    auto const g = static_cast<std::size_t>(group(i));
    sums[g] += dn[i] / of[g].count;
    products[g] += dn[i] * normal[i] / of[g].count;
  }
  X dx;
  for (int i = 0; i < x.size(); ++i) {
    auto const g = static_cast<std::size_t>(group(i));
    dx[i] = (dn[i] - (Centered ? sums[g] : 0) - normal[i] * products[g]) / std::sqrt(of[g].variance + eps);
  }
  // The input's gradient through a model whose input is a parameter.
  using M = typename std::remove_cvref_t<decltype(model)>::net_type;
  model_of<watched<M, espalier::shape_of<X>>> inside;
  model.for_each_parameter([&](char const* name, espalier::extents const&, auto span) {
    assign(inside.parameter((std::string("net.") + name).c_str()), copy(span));
  });
  auto const gradients = espalier::value_and_grad(inside, Weighted{})(x, k).gradients;
  auto const got = gradients.parameter("shift").span();
  for (int i = 0; i < x.size(); ++i)
    BOOST_TEST(near(got[i], dx[i], 1e-9), "gradient of x at " << i << ": " << got[i] << " for " << dx[i]);
  if (!weight) return;
  std::vector<double> dweight(static_cast<std::size_t>(weight.span().size())), dbias = dweight;
  for (int i = 0; i < x.size(); ++i) {
    dweight[static_cast<std::size_t>(channel(i))] += k[i] * normal[i];
    dbias[static_cast<std::size_t>(channel(i))] += k[i];
  }
  for (std::size_t c = 0; c < dweight.size(); ++c) {
    BOOST_TEST(near(gradients.parameter("net.weight").span()[static_cast<int>(c)], dweight[c], 1e-9));
    if (auto const bias = gradients.find_parameter("net.bias"))
      BOOST_TEST(near(bias.span()[static_cast<int>(c)], dbias[c], 1e-9));
  }
}

/// Output in both modes and the gradients in training mode of a norm that has no running statistics.
template <class M, bool Centered = true, class X>
void check_norm(X const& x, nn::norm options, auto group, auto channel) {
  model_of<M> model;
  scramble(model, 0.5, 2);
  auto const of = moments_of<Centered>(x, group);
  X const normal = normalized_by(x, of, options.eps, group), expected = with_affine(normal, model, channel);
  check_close("evaluation", model(x), expected, 1e-10);
  check_close("training", training_output(model, x), expected, 1e-10);
  check_gradients<Centered>(model, x, normal, of, options.eps, group, channel);
}

}  // namespace test
