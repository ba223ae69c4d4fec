#!/usr/bin/env python3
"""Judges the samples of hipo-ratios: ratios of medians, their noise, and whether the limits hold.

Reads the lines of tests/bench/ratios.cpp from stdin; run by scripts/bench_floor.sh. The noise of a
row is 1.31 times the coefficient of variation of its ratios, round by round: with seven rounds 95 %
of medians lie within. A row above its limit by more than that is a miss.
"""
import os
import statistics
import sys

NOISE = 1.31


def judge(name, limit, samples):
    floor = [sample[0] for sample in samples]
    ours = [sample[1] for sample in samples]
    ratios = [b / a for a, b in zip(floor, ours)]
    ratio = statistics.median(ratios)
    noise = NOISE * statistics.stdev(ratios) / statistics.mean(ratios)
    same = all(sample[3] for sample in samples)
    verdict = "met" if ratio <= limit else "within the noise" if ratio <= limit * (1 + noise) else "MISSED"
    if not same:
        verdict = "CONTENT DIFFERS"
    extra = 100 * (samples[0][2][1] / samples[0][2][0] - 1)
    print(f"| {name} | {1000 * statistics.median(floor):.2f} | {1000 * statistics.median(ours):.2f} | {ratio:.2f} "
          f"({min(ratios):.2f} to {max(ratios):.2f}) | {limit:.2f} | {100 * noise:.0f} % | {extra:+.2f} % | {verdict} |")
    return verdict in ("met", "within the noise")


def main():
    rows = {}
    for line in sys.stdin:
        name, limit, _, floor, ours, floor_bytes, our_bytes, same = line.rstrip("\n").split("\t")
        rows.setdefault((name, float(limit)), []).append(
            (float(floor), float(ours), (int(floor_bytes), int(our_bytes)), same == "yes"))
    if not rows:
        sys.exit("no samples")
    count = min(len(samples) for samples in rows.values())
    print(f"\nn = {count} rounds, warm, load {os.getloadavg()[0]:.1f} at the end. Bytes: what we read, or "
          "compressed, beyond the floor.\n")
    print("| work | floor, ms | ours, ms | ratio (range) | limit | noise | bytes | |")
    print("|---|--:|--:|--:|--:|--:|--:|---|")
    good = [judge(name, limit, samples) for (name, limit), samples in rows.items()]
    sys.exit(0 if all(good) else 1)


if __name__ == "__main__":
    main()
