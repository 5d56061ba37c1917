// SPDX-License-Identifier: BSL-1.0
#pragma once
/// The library for the CPU: tensors, ops, layers, optimizers, models and trainers.
// Headers in the order of the layers, lowest first: compilers print the include path of an error, and this order keeps
// it short.
#include "espalier/base/version.hpp"
#include "espalier/shape/shape.hpp"
#include "espalier/storage/tensor.hpp"
#include "espalier/storage/view.hpp"
#include "espalier/expression/traced.hpp"
#include "espalier/expression/call.hpp"
#include "espalier/expression/mode.hpp"
#include "espalier/operation/operation.hpp"
#include "espalier/storage/all_close.hpp"
#include "espalier/storage/argmax.hpp"
#include "espalier/storage/print.hpp"
#include "espalier/tracing/trace.hpp"
#include "espalier/device/cpu/thread/float_control.hpp"
#include "espalier/eager/compiled.hpp"
#include "espalier/nn/nn.hpp"
#include "espalier/optim/optim.hpp"
#include "espalier/model/frozen.hpp"
#include "espalier/model/assign.hpp"
#include "espalier/model/parameter_of.hpp"
#include "espalier/model/prediction_plan.hpp"
#include "espalier/model/trainer.hpp"
