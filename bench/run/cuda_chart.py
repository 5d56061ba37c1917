#!/usr/bin/env python3
# SPDX-License-Identifier: BSL-1.0
"""Draws what bench_cuda and cuda_torch.py have timed:  cuda_chart.py CUDA.CSV [TORCH.CSV] -o CHART.SVG

A bar for each row: the share of a copy of the same bytes. Ticks: PyTorch's, the best of its modes; beside a training step, its time by espalier's. Standard
library only.
"""
import argparse
import csv
import html

COLORS = {"espalier": "#4477aa", "PyTorch": "#ee8866"}


def read(path):
    with open(path, newline="", encoding="ascii") as file:
        return list(csv.DictReader(file))


def best_of(lines):
    """(family, shape) -> the fastest line."""
    found = {}
    for line in lines:
        key = line["family"], line["shape"]
        if line["median_us"] and (key not in found or float(line["median_us"]) < float(found[key]["median_us"])):
            found[key] = line
    return found


def chart(rows, torch):
    left, width, line, top = 330, 470, 16, 60
    height = top + line * len(rows) + 30
    most = 1.1

    def x(share):
        return left + width * min(share, most) / most
    out = [f'<svg xmlns="http://www.w3.org/2000/svg" width="{left + width + 170}" height="{height}" font-family="sans-serif" font-size="11">',
           '<rect width="100%" height="100%" fill="white"/>',
           '<text x="10" y="20" font-size="14">Time of a copy of the same bytes / time of the kernels (1 is the limit)</text>']
    for i, (name, color) in enumerate(COLORS.items()):
        out.append(f'<rect x="{left + 110 * i}" y="30" width="12" height="12" fill="{color}"/><text x="{left + 110 * i + 17}" y="40">{name}</text>')
    for mark in (0, 0.25, 0.5, 0.75, 1):
        out.append(f'<line x1="{x(mark):.1f}" x2="{x(mark):.1f}" y1="{top - 8}" y2="{height - 22}" stroke="{"black" if mark == 1 else "#dddddd"}"/>'
                   f'<text x="{x(mark):.1f}" y="{height - 8}" text-anchor="middle">{mark:g}</text>')
    for i, row in enumerate(rows):
        y = top + line * i
        other = torch.get((row["family"], row["shape"]))
        out.append(f'<text x="{left - 8}" y="{y + 10}" text-anchor="end">{html.escape(row["family"])} {html.escape(row["shape"])}</text>')
        if row["of_a_copy"]:
            share = float(row["of_a_copy"])
            out.append(f'<rect x="{left}" y="{y}" width="{x(share) - left:.1f}" height="11" fill="{COLORS["espalier"]}"/>'
                       f'<text x="{left + width + 8}" y="{y + 10}">{share:.2f}</text>')
            if other and other["of_a_copy"]:
                theirs = float(other["of_a_copy"])
                out.append(f'<rect x="{x(theirs) - 2:.1f}" y="{y - 1}" width="4" height="13" fill="{COLORS["PyTorch"]}"/>'
                           f'<text x="{left + width + 48}" y="{y + 10}">{theirs:.2f} {other["mode"]}</text>')
        elif row["median_us"]:
            text = f'{float(row["median_us"]):.0f} us'
            if other:
                text += f'; PyTorch ({other["mode"]}) {float(other["median_us"]):.0f} us, {float(other["median_us"]) / float(row["median_us"]):.2f} times as long'
            out.append(f'<text x="{left + 6}" y="{y + 10}">{text}</text>')
    return "\n".join(out + ["</svg>", ""])


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("cuda", help="what bench_cuda --csv wrote")
    parser.add_argument("torch", nargs="?", help="what cuda_torch.py --csv wrote")
    parser.add_argument("-o", "--out", required=True)
    options = parser.parse_args()
    rows = [row for row in read(options.cuda) if row["median_us"]]
    if not rows:
        raise SystemExit(f"{options.cuda} has no times: bench_cuda was run without a processor")
    with open(options.out, "w", encoding="utf-8") as file:
        file.write(chart(rows, best_of(read(options.torch)) if options.torch else {}))
    print(f"{options.out}: {len(rows)} rows")


if __name__ == "__main__":
    main()
