# SPDX-License-Identifier: BSL-1.0
"""residual.svg: what a residual block adds, and the two ways of its gradient."""
import svg


def draw():
    parts = [svg.text(20, 22, "forward", "bold", "start"), svg.text(30, 74, "x", "code", size=14), svg.arrow((40, 70), (118, 70))]
    parts += svg.labelled(120, 50, 150, 40, "green", "F: layers of the branch") + [svg.arrow((270, 70), (338, 70)), svg.circle(352, 70, 13, "yellow"), svg.text(352, 75, "+", size=16)]
    parts += [svg.arrow((90, 70), (90, 22), (352, 22), (352, 55)), svg.text(210, 17, "unchanged", "muted"), svg.arrow((365, 70), (418, 70)),
              svg.text(480, 74, "y = x + F(x)", "code", size=14)]
    parts += [svg.text(20, 132, "backward", "bold", "start"), svg.text(480, 184, "dy", "code", size=14), svg.arrow((462, 180), (368, 180)), svg.circle(352, 180, 6, "blue")]
    parts += [svg.arrow((346, 180), (272, 180))] + svg.labelled(120, 160, 150, 40, "blue", "backward of F")
    parts += [svg.arrow((352, 174), (352, 132), (88, 132), (88, 165)), svg.text(210, 127, "dy itself: depth does not shrink it", "muted"), svg.arrow((118, 180), (103, 180)),
              svg.circle(88, 180, 13, "yellow"), svg.text(88, 185, "+", size=16), svg.arrow((75, 180), (48, 180)), svg.text(30, 184, "dx", "code", size=14)]
    return svg.picture(560, 216, parts, "A residual block, forward and backward")
