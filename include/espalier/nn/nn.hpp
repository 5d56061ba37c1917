// SPDX-License-Identifier: BSL-1.0
#pragma once
/// Every module, one line each.
#include "activation.hpp"
#include "dropout.hpp"
#include "flatten.hpp"
#include "linear.hpp"
#include "loss.hpp"
#include "norm.hpp"
#include "residual.hpp"
#include "sequential.hpp"
