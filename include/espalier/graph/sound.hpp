// SPDX-License-Identifier: BSL-1.0
#pragma once
#include "../base/diagnostics_push.hpp"

#include "../base/sentence.hpp"
#include "program.hpp"

/// Reports the faults of a program as compile-time errors.
/// The sentence of a fault that some roots find before they make a program of it, to name the batch.
#define ESPALIER_STATISTICS_FIT "BatchNorm cannot learn from one value per channel; train with larger batches"
namespace espalier::graph {

/// True for subjects that a root reports with its own message, for example a module that does not list all its members.
template <class Subject>
inline constexpr bool is_reported_elsewhere = false;

/// Reports a fault that tracing found as a compile-time error. Subject is the user's net or function, Op the op of the
/// fault if it has one. A class is instantiated once, so a net that is trained and evaluated causes one error.
template <class Subject, fault Found, class Op = void>
struct sound {
  static constexpr bool agree = Found == fault::none;
  /// naming it instantiates this class; a root does so first, for a short trace
  using checked = void;
  static constexpr bool has_statistics = Found != fault::one_value_per_channel || is_reported_elsewhere<Subject>;
  static_assert(has_statistics, ESPALIER_SENTENCE(ESPALIER_STATISTICS_FIT ", or write evaluate(net, x) in the function",
                                                  ESPALIER_STATED(has_statistics, Subject)));
  static constexpr bool owns_its_parameters = Found != fault::foreign_parameter || is_reported_elsewhere<Subject>;
  static_assert(
      owns_its_parameters,
      ESPALIER_SENTENCE(
          "the formula uses a layer, parameter, buffer or random stream that the model does not own; make it a member of the module "
          "and list it in ESPALIER_MODULE",
          ESPALIER_STATED(owns_its_parameters, Subject)));
  static constexpr bool has_constant_tensors = Found != fault::unknown_tensor || is_reported_elsewhere<Subject>;
  static_assert(
      has_constant_tensors,
      ESPALIER_SENTENCE(
          "a formula uses a tensor whose elements are not compile-time constants; declare the tensor constexpr, pass it as an "
          "argument, or make it a buffer of the module",
          ESPALIER_STATED(has_constant_tensors, Subject)));
  static constexpr bool has_room_for_tensors = Found != fault::too_many_values || is_reported_elsewhere<Subject>;
  static_assert(
      has_room_for_tensors,
      ESPALIER_SENTENCE(
          "the constant tensors of a formula have more than 16384 elements in total; pass them as arguments, or make them "
          "buffers of the module",
          ESPALIER_STATED(has_room_for_tensors, Subject)));
  static constexpr bool has_room_for_operations = Found != fault::too_many_nodes || is_reported_elsewhere<Subject>;
  static_assert(
      has_room_for_operations,
      ESPALIER_SENTENCE("the program has more than 31744 operations; split it into several functions or models",
                        ESPALIER_STATED(has_room_for_operations, Subject)));
  static constexpr bool has_room_for_maps = Found != fault::too_many_maps || is_reported_elsewhere<Subject>;
  static_assert(
      has_room_for_maps,
      ESPALIER_SENTENCE(
          "the program has more than 4096 different slices, paddings and windows; split it into several functions or models",
          ESPALIER_STATED(has_room_for_maps, Subject)));
  static constexpr bool has_closed_forms = Found != fault::no_closed_form || is_reported_elsewhere<Subject>;
  static_assert(
      has_closed_forms,
      ESPALIER_SENTENCE(
          "the `pullback` of a composite is the gradient of its first operand, and the program differentiates another one; "
          "leave `pullback` out, and the formula of `expand` is differentiated",
          ESPALIER_STATED(has_closed_forms, Subject)));
  static constexpr bool changes_no_const_model = Found != fault::const_model || is_reported_elsewhere<Subject>;
  static_assert(
      changes_no_const_model,
      ESPALIER_SENTENCE(
          "the function changes a model that is const (net(x) in training mode updates running statistics); pass a model that is "
          "not const, or write evaluate(net, x)",
          ESPALIER_STATED(changes_no_const_model, Subject)));
  static constexpr bool updates_outside = Found != fault::update_in_derivative || is_reported_elsewhere<Subject>;
  static_assert(
      updates_outside,
      ESPALIER_SENTENCE(
          "a function that is differentiated updates a model; update it behind value_and_grad, or compute with "
          "map_parameters(f, net, gradients)",
          ESPALIER_STATED(updates_outside, Subject)));
  static constexpr bool has_room_for_updates = Found != fault::too_many_updates || is_reported_elsewhere<Subject>;
  static_assert(
      has_room_for_updates,
      ESPALIER_SENTENCE("an updater updates its model more than 8 times in one function; call the function in a loop",
                        ESPALIER_STATED(has_room_for_updates, Subject)));
  static constexpr bool updates_models = Found != fault::update_of_a_value || is_reported_elsewhere<Subject>;
  static_assert(
      updates_models,
      ESPALIER_SENTENCE(
          "only a model that is an argument of the function can be updated, not gradients or the result of map_parameters",
          ESPALIER_STATED(updates_models, Subject)));
  static constexpr bool updates_its_net = Found != fault::update_of_another_net || is_reported_elsewhere<Subject>;
  static_assert(
      updates_its_net,
      ESPALIER_SENTENCE(
          "updater.update(net, gradients), assign(net, values), accumulate(total, gradients): pass the model that the "
          "updater is for, and gradients or parameters of the same net and of its shapes",
          ESPALIER_STATED(updates_its_net, Subject)));
  static constexpr bool updates_in_one_way = Found != fault::two_kinds_of_update || is_reported_elsewhere<Subject>;
  static_assert(
      updates_in_one_way,
      ESPALIER_SENTENCE("one model is changed by an optimizer and by assign in the same function; use one of them",
                        ESPALIER_STATED(updates_in_one_way, Subject)));
  static constexpr bool has_integer_indices = Found != fault::computed_index || is_reported_elsewhere<Subject>;
  static_assert(
      has_integer_indices,
      ESPALIER_SENTENCE(
          "an index is an argument of std::int32_t, or a reshape of one; real numbers, slices and computed values are no "
          "indices: index first and slice the result",
          ESPALIER_STATED(has_integer_indices, Subject)));
  static constexpr bool has_numbers_in_range = Found != fault::number_out_of_range || is_reported_elsewhere<Subject>;
  static_assert(
      has_numbers_in_range,
      ESPALIER_SENTENCE(
          "a number is out of range: p of dropout in [0, 1), delta of huber above 0, weight of "
          "logistic_loss and eps of normalize, rms_normalize and unit at least 0, decay of update_average in [0, 1]",
          ESPALIER_STATED(has_numbers_in_range, Subject)));
  static constexpr bool has_integer_labels = Found != fault::real_labels || is_reported_elsewhere<Subject>;
  static_assert(
      has_integer_labels,
      ESPALIER_SENTENCE("class labels are an argument of std::int32_t, tensor<std::int32_t, S>; float and double "
                        "are no labels",
                        ESPALIER_STATED(has_integer_labels, Subject)));
  static constexpr bool has_no_random_samples = Found != fault::random_in_vmap || is_reported_elsewhere<Subject>;
  static_assert(has_no_random_samples,
                ESPALIER_SENTENCE("vmap(f): f uses random numbers, which would be the same for all samples; pass them "
                                  "as an argument, or write evaluate(net, x) in f",
                                  ESPALIER_STATED(has_no_random_samples, Subject)));
  static constexpr bool updates_no_samples = Found != fault::update_in_vmap || is_reported_elsewhere<Subject>;
  static_assert(updates_no_samples,
                ESPALIER_SENTENCE("vmap(f): f updates a model, or the running statistics of its BatchNorm, once for "
                                  "each sample; write evaluate(net, x) in f",
                                  ESPALIER_STATED(updates_no_samples, Subject)));
  static constexpr bool has_batched_ops = Found != fault::not_batched || is_reported_elsewhere<Subject>;
  static_assert(has_batched_ops,
                ESPALIER_SENTENCE("vmap(f): an operation in f cannot be computed for all samples at once, because its "
                                  "value would have more than 6 axes; reshape its operand to fewer axes",
                                  ESPALIER_STATED(has_batched_ops, Op)));
  static constexpr bool has_one_count = Found != fault::count_in_vmap || is_reported_elsewhere<Subject>;
  static_assert(
      has_one_count,
      ESPALIER_SENTENCE("vmap(f): the count of a loop in f is a mapped argument, and all samples run the same "
                        "number of steps; name the mapped arguments without it: vmap<0, 1>(f)",
                        ESPALIER_STATED(has_one_count, Subject)));
  static constexpr bool keeps_models_in_loops = Found != fault::update_in_loop || is_reported_elsewhere<Subject>;
  static_assert(keeps_models_in_loops,
                ESPALIER_SENTENCE("scan(step, state, xs): the step updates a model, or the running statistics of a "
                                  "BatchNorm; write evaluate(net, x), or make the statistics a part of the state",
                                  ESPALIER_STATED(keeps_models_in_loops, Subject)));
  static constexpr bool exchanges_outside = Found != fault::exchange_in_loop || is_reported_elsewhere<Subject>;
  static_assert(exchanges_outside,
                ESPALIER_SENTENCE("scan(step, state, xs), repeat<N>(step, state): the step has a SyncBatchNorm, whose "
                                  "statistics are exchanged between processes; call the layer before or after the loop",
                                  ESPALIER_STATED(exchanges_outside, Subject)));
  static constexpr bool keeps_values_in_loops = Found != fault::value_leaves_loop || is_reported_elsewhere<Subject>;
  static_assert(keeps_values_in_loops,
                ESPALIER_SENTENCE("scan(step, state, xs), repeat<N>(step, state): a value of the step is assigned to a "
                                  "variable outside of it and used there; return it from the step, as a part of the "
                                  "state or as an output",
                                  ESPALIER_STATED(keeps_values_in_loops, Subject)));
  static constexpr bool has_integer_counts = Found != fault::computed_count || is_reported_elsewhere<Subject>;
  static_assert(
      has_integer_counts,
      ESPALIER_SENTENCE("scan(step, state, xs, count), repeat<N>(step, state, count): the count is an argument "
                        "of one std::int32_t; real numbers, elements of a tensor and computed values are no "
                        "counts",
                        ESPALIER_STATED(has_integer_counts, Subject)));
  static constexpr bool has_one_narrow_type = Found != fault::two_narrow_types || is_reported_elsewhere<Subject>;
  static_assert(has_one_narrow_type,
                ESPALIER_SENTENCE("a function has models of half and models of bfloat16 among its arguments; on the "
                                  "processor, use one of the two types",
                                  ESPALIER_STATED(has_one_narrow_type, Subject)));
  static constexpr bool keeps_narrow_models = Found != fault::narrow_is_changed || is_reported_elsewhere<Subject>;
  static_assert(keeps_narrow_models,
                ESPALIER_SENTENCE("a model<Net, cpu, bfloat16> is for evaluation: the function updates it, its running "
                                  "statistics, or computes its gradient; write evaluate(net, x), or train a model<Net> "
                                  "and copy(model, other)",
                                  ESPALIER_STATED(keeps_narrow_models, Subject)));
  static constexpr bool has_room_for_kernels = Found != fault::too_many_groups || is_reported_elsewhere<Subject>;
  static_assert(has_room_for_kernels,
                ESPALIER_SENTENCE("the program has more than 4095 kernels; split it into several functions or models",
                                  ESPALIER_STATED(has_room_for_kernels, Subject)));
};

}  // namespace espalier::graph
#include "../base/diagnostics_pop.hpp"
