// SPDX-License-Identifier: BSL-1.0
#pragma once
#include <cstring>
#include <memory>
#include <string>

#include "axes.hpp"

// Cases whose op is a module: a model with given parameters, its output and updated buffers in training mode, and every
// gradient.
namespace conformance {

/// Paths of the buffers that given dropout masks go to, in the order of the forward pass.
template <text... Path>
struct words {};

/// <y, dy>: the loss whose gradient at y is dy.
struct dot_loss {
  ESPALIER_MODULE(dot_loss)
  template <class Prediction>
  struct target {
    using element_type = void;
    using type = Prediction;
  };
  constexpr auto forward(auto y, auto dy) const { return sum(y * dy); }
};

template <class S>
using zero_parameter = esp::parameter<S, nn::init::initialized_by<nn::init::zeros{}>>;
template <class S>
using zero_buffer = esp::buffer<S, nn::init::initialized_by<nn::init::zeros{}>>;
template <class Net, class In>
using output_of = std::remove_const_t<decltype(esp::output_shape<Net, In>)>;

/// Net with its input as a parameter, which makes the input's gradient one of the model's, and with its output of the
/// last training step in a buffer. What it is applied to is a shift of the input.
template <class Net, class In>
struct watched {
  zero_parameter<In> input{};
  Net net{};
  zero_buffer<output_of<Net, In>> output{};
  ESPALIER_MODULE(watched, input, net, output)

  constexpr auto forward(auto shift) const {
    auto const y = net(input + shift);
    return with_update(y, output, y);
  }
};

inline constexpr std::string_view inside = "net.";

template <class T>
std::span<T> as_span(auto&& storage) {
  return {storage.data(), static_cast<std::size_t>(storage.size())};
}

/// With -DCONFORMANCE_ALONE: that a result which is computed alone has the bits of the same result beside others.
template <class X>
void compare_alone(case_run& run, X const& alone, X const& beside) {
  for (std::int64_t i = 0; i < X::size(); ++i)
    if (std::memcmp(&alone.data()[i], &beside.data()[i], sizeof *alone.data()) != 0)
      return run.fail(join("element ", static_cast<int>(i), " of y computed alone is not that of y beside gradients: "),
                      std::to_string(alone.data()[i]) + ", " + std::to_string(beside.data()[i]));
}
/// The output of a watched model beside the gradients of its last training step, and its evaluation. Nets with
/// statistics or masks, which are buffers, have another formula in evaluation.
void check_alone([[maybe_unused]] case_run& run, [[maybe_unused]] auto& model, [[maybe_unused]] auto const& shift,
                 [[maybe_unused]] auto const& beside) {
#if defined(CONFORMANCE_ALONE)
  bool has_buffers = false;
  model.for_each_buffer([&](std::string_view name, auto const&, auto const&) { has_buffers |= name != "output"; });
  if (!has_buffers) compare_alone(run, std::remove_cvref_t<decltype(beside)>{model(shift)}, beside);
#endif
}

/// A watched model. Parameters of the case are those below `prefix`, by the rest of their path; those that the case
/// does not give keep their initial values.
/// The training program is made where it is used: nets that cannot be trained on a batch have none.
template <class T, class Net, class In>
class watched_model {
 public:
  using Out = output_of<Net, In>;

  explicit watched_model(case_run& run, std::string_view prefix = inside) : run_(run), prefix_(prefix) {
    model_.for_each_parameter([&](std::string_view name, esp::extents const&, auto values) {
      if (std::string_view const path = own(name); !path.empty() && run_.has(role::parameter, path))
        run_.read(role::parameter, path, as_span<T>(values));
    });
  }

  void input(std::string_view name) { run_.read(role::input, name, as_span<T>(model_.parameter("input").span())); }
  void input(esp::tensor<T, In> const& x) {
    auto const to = model_.parameter("input").span();
    for (std::int64_t i = 0; i < In::size; ++i) to[i] = x[i];
  }
  /// Fills a parameter or buffer of the net from a given input.
  void parameter(std::string_view path, std::string_view given) {
    run_.read(role::input, given, as_span<T>(model_.parameter(join(inside, path).c_str()).span()));
  }
  void buffer(std::string_view path, std::string_view given) {
    run_.read(role::input, given, as_span<T>(model_.buffer(join(inside, path).c_str()).span()));
  }
  template <text... Path>
  void masks(words<Path...>, [[maybe_unused]] std::string_view before, [[maybe_unused]] std::string_view after = {}) {
    [[maybe_unused]] int number = 0;
    (buffer(Path.view(), join(before, number++, after)), ...);
  }

  /// One forward pass in training mode: the output, and the buffers are updated.
  esp::tensor<T, Out> train() { return step(esp::tensor<T, Out>{}); }
  esp::tensor<T, Out> evaluate() { return model_(shift_); }

  /// Gradients of <y, dy> in training mode: grad.<input> and grad.<parameter>. Updates the buffers again.
  /// parameter_shape: what the case calls the shape of the net's parameters, where that is another than the net's.
  void gradients(std::string_view input, esp::tensor<T, Out> const& dy, esp::extents const* parameter_shape = nullptr) {
    step(dy);
    T const* const parameters = model_.parameters().data();
    T const* const gradients = trainer().gradients().data();
    model_.for_each_parameter([&](std::string_view name, esp::extents const& shape, auto values) {
      std::span<T const> const gradient{gradients + (values.data() - parameters),
                                        static_cast<std::size_t>(values.size())};
      if (name == "input") run_.result(join("grad.", input), gradient, shape);
      else if (std::string_view const path = own(name); !path.empty())
        run_.result(join("grad.", path), gradient, parameter_shape ? *parameter_shape : shape);
    });
  }
  /// Every buffer of the net as the result <before><path><after>.
  void buffers(std::string_view before = {}, std::string_view after = {}) {
    model_.for_each_buffer([&](std::string_view name, esp::extents const& shape, auto values) {
      if (std::string_view const path = own(name); !path.empty())
        run_.result(join(before, path, after), as_span<T const>(values), shape);
    });
  }

 private:
  /// A learning rate of 0 leaves the parameters as they are.
  esp::tensor<T, Out> step(esp::tensor<T, Out> const& dy) {
    trainer().step(shift_, dy);
    esp::tensor<T, Out> y;
    auto const seen = model_.buffer("output").span();
    for (std::int64_t i = 0; i < Out::size; ++i) y.data()[i] = seen.data()[i];
    check_alone(run_, model_, shift_, y);
    return y;
  }
  std::string_view own(std::string_view name) const {
    return name.substr(0, prefix_.size()) == prefix_ ? name.substr(prefix_.size()) : std::string_view{};
  }

  using model_type = esp::model<watched<Net, In>, esp::cpu, T>;
  case_run& run_;
  std::string_view prefix_;
  model_type model_{esp::seed{0}};
  template <class Model = model_type>
  auto& trainer() {
    using trainer_type = esp::trainer<Model, dot_loss, optim::SGD<>, In>;
    if (trainer_ == nullptr)
      trainer_ = std::make_shared<trainer_type>(model_, dot_loss{}, optim::SGD<>{.learning_rate = 0}, In{});
    return *static_cast<trainer_type*>(trainer_.get());
  }
  std::shared_ptr<void> trainer_;
  esp::tensor<T, In> shift_;
};

/// y in training mode, the gradients where the case wants them, and the buffers by their paths.
template <class Case, class T, class Net, class In = input_shape<Case>, class Masks = words<>>
void run_module(case_run& run, std::string_view prefix = inside, esp::extents const* parameter_shape = nullptr) {
  watched_model<T, Net, In> watched(run, prefix);
  watched.input("x");
  watched.masks(Masks{}, "mask");
  auto const y = watched.train();
  report_result(run, "y", y);
  watched.buffers();
  if constexpr (Case::gradient) watched.gradients("x", gradient_of_loss(run, y), parameter_shape);
}

}  // namespace conformance
