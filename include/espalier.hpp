// SPDX-License-Identifier: BSL-1.0
#pragma once
/// Everything for the CPU.
#include "espalier/base/version.hpp"
#include "espalier/device/cpu/float_control.hpp"
#include "espalier/eager/compiled.hpp"
#include "espalier/model/frozen.hpp"
#include "espalier/model/prediction_plan.hpp"
#include "espalier/model/trainer.hpp"
#include "espalier/nn/nn.hpp"
#include "espalier/operation/operation.hpp"
#include "espalier/optim/optim.hpp"
#include "espalier/storage/all_close.hpp"
#include "espalier/storage/argmax.hpp"
#include "espalier/storage/print.hpp"
