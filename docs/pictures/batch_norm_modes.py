# SPDX-License-Identifier: BSL-1.0
"""batch_norm_modes.svg: which mean and variance BatchNorm uses in training and in evaluation."""
import svg


def draw():
    parts = [svg.text(20, 24, "training", "bold", "start"), svg.text(430, 24, "evaluation", "bold", "start"), '<path class="line dash" d="M405 14V236"/>']
    # training: the batch gives its own statistics, and moves the running ones
    parts += svg.labelled(20, 50, 90, 40, "grey", "batch x", "(N, C)") + [svg.arrow((110, 70), (258, 70))]
    parts += [svg.box(260, 50, 120, 40, "green"), svg.text(320, 67, "normalise"), svg.text(320, 82, "by those of the batch", "muted", size=11)]
    parts += svg.labelled(130, 112, 110, 40, "yellow", "mean, variance of", "the batch")
    parts += [svg.arrow((65, 90), (65, 132), (128, 132)), svg.arrow((240, 132), (320, 132), (320, 92))]
    parts += svg.labelled(95, 190, 180, 40, "blue", "running mean, variance", "move towards the batch")
    parts += [svg.arrow((185, 152), (185, 188))]
    # evaluation: the running ones are used
    parts += svg.labelled(430, 50, 90, 40, "grey", "x", "any N") + [svg.arrow((520, 70), (628, 70))]
    parts += [svg.box(630, 50, 120, 40, "green"), svg.text(690, 67, "normalise"), svg.text(690, 82, "by the running ones", "muted", size=11)]
    parts += svg.labelled(600, 190, 180, 40, "blue", "running mean, variance", "unchanged") + [svg.arrow((690, 190), (690, 92))]
    return svg.picture(800, 246, parts, "BatchNorm in training and in evaluation")
