// The weights of a net, written by espalier. Load them with
//   #include <espalier/model/embedded.hpp>
//   espalier::model<Net> model{espalier::embedded<odd_weights>{}};
#pragma once
#include <espalier/base/embedded.hpp>

struct odd_weights {
  using value_type = float;

  static constexpr espalier::embedded_tensor tensors[] = {
      {"0.module.weight", espalier::tensor_role::parameter, 64, 2, {3, 4}},
      {"0.module.bias", espalier::tensor_role::parameter, 80, 2, {1, 4}},
      {"1.weight", espalier::tensor_role::parameter, 0, 1, {4}},
      {"1.bias", espalier::tensor_role::parameter, 16, 1, {4}},
      {"3.weight", espalier::tensor_role::parameter, 32, 2, {4, 2}},
      {"3.bias", espalier::tensor_role::parameter, 48, 2, {1, 2}},
      {"1.running_mean", espalier::tensor_role::buffer, 96, 1, {4}},
      {"1.running_var", espalier::tensor_role::buffer, 112, 1, {4}},
  };

  alignas(64) static constexpr float numbers[] = {
      // 1.weight
      -9.0f, 0x5p1f, 0x1p24f, 0x1p-1f,
      0.0f, 0.0f, 0.0f, 0.0f, 0.0f, 0.0f, 0.0f, 0.0f, 0.0f, 0.0f, 0.0f, 0.0f,
      // 1.bias
      0x800001p-23f, 0.0f, -0.0f, 0xcccccdp-27f,
      0.0f, 0.0f, 0.0f, 0.0f, 0.0f, 0.0f, 0.0f, 0.0f, 0.0f, 0.0f, 0.0f, 0.0f,
      // 3.weight
      -0xaaaaabp-25f, 0xffffffp104f, -0xffffffp104f, 0x1p-126f, 0x1p-149f, -0x1p-149f, 0x7fffffp-149f,
      espalier::float_of_bits(0x7f800000),
      0.0f, 0.0f, 0.0f, 0.0f, 0.0f, 0.0f, 0.0f, 0.0f,
      // 3.bias
      espalier::float_of_bits(0xff800000), espalier::float_of_bits(0xffc00000),
      0.0f, 0.0f, 0.0f, 0.0f, 0.0f, 0.0f, 0.0f, 0.0f, 0.0f, 0.0f, 0.0f, 0.0f, 0.0f, 0.0f,
      // 0.module.weight
      0.0f, -0.0f, 0xcccccdp-27f, -0xaaaaabp-25f, 0xffffffp104f, -0xffffffp104f, 0x1p-126f, 0x1p-149f, -0x1p-149f,
      0x7fffffp-149f, espalier::float_of_bits(0x7f800000), espalier::float_of_bits(0xff800000),
      0.0f, 0.0f, 0.0f, 0.0f,
      // 0.module.bias
      espalier::float_of_bits(0xffc00000), espalier::float_of_bits(0xffc01234), 0x1p-23f, 1.0f,
      0.0f, 0.0f, 0.0f, 0.0f, 0.0f, 0.0f, 0.0f, 0.0f, 0.0f, 0.0f, 0.0f, 0.0f,
      // 1.running_mean
      espalier::float_of_bits(0xffc01234), 0x1p-23f, 1.0f, -9.0f,
      0.0f, 0.0f, 0.0f, 0.0f, 0.0f, 0.0f, 0.0f, 0.0f, 0.0f, 0.0f, 0.0f, 0.0f,
      // 1.running_var
      0x5p1f, 0x1p24f, 0x1p-1f, 0x800001p-23f,
      0.0f, 0.0f, 0.0f, 0.0f, 0.0f, 0.0f, 0.0f, 0.0f, 0.0f, 0.0f, 0.0f, 0.0f,
  };
};
