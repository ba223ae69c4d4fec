#!/usr/bin/env python3
"""Judges the samples of hipo-ratios: ratios of medians, their noise, and whether the limits hold.

Reads the lines of tests/bench/ratios.cpp from stdin; run by scripts/bench_floor.sh. The noise of a
row is 1.31 times the coefficient of variation of its ratios, round by round: with seven rounds 95 %
of medians lie within. A row above its limit by more than that is a miss.
"""
import os
import re
import statistics
import sys

NOISE = 1.31


# With N threads: how much of one thread's ratio may be lost, and how a row tells its threads.
SCALING = 1.08
THREADS = re.compile(r", (\d+)t$")


def noise_of(values):
    return NOISE * statistics.stdev(values) / statistics.mean(values)


def ratios_of(samples):
    return [ours / floor for floor, ours, _, _ in samples]


def verdict_of(ratio, limit, noise):
    if not limit:
        return ""
    return "met" if ratio <= limit else "within the noise" if ratio <= limit * (1 + noise) else "MISSED"


def judge(name, limit, samples):
    ratios = ratios_of(samples)
    ratio = statistics.median(ratios)
    noise = noise_of(ratios)
    verdict = verdict_of(ratio, limit, noise)
    if not all(sample[3] for sample in samples):
        verdict = "CONTENT DIFFERS"
    floor, ours = (1000 * statistics.median(sample[i] for sample in samples) for i in (0, 1))
    extra = 100 * (samples[0][2][1] / samples[0][2][0] - 1)
    print(f"| {name} | {floor:.2f} | {ours:.2f} | {ratio:.2f} ({min(ratios):.2f} to {max(ratios):.2f}) | "
          f"{f'{limit:.2f}' if limit else ''} | {100 * noise:.0f} % | {extra:+.2f} % | {verdict} |")
    return verdict in ("", "met", "within the noise")


def judge_scaling(name, one, many):
    """Our time over the floor's with N threads, over the same with one: 1 is as good as the floor."""
    quotients = [b / a for a, b in zip(ratios_of(one), ratios_of(many))]
    quotient = statistics.median(quotients)
    noise = noise_of(quotients)
    verdict = verdict_of(quotient, SCALING, noise)
    gains = [statistics.median(a[i] / b[i] for a, b in zip(one, many)) for i in (0, 1)]
    print(f"| {name} | {gains[0]:.2f} | {gains[1]:.2f} | {quotient:.3f} ({min(quotients):.2f} to {max(quotients):.2f}) | "
          f"{SCALING} | {100 * noise:.0f} % | {verdict} |")
    return verdict != "MISSED"


def main():
    rows = {}
    limits = {}
    for line in sys.stdin:
        name, limit, _, floor, ours, floor_bytes, our_bytes, same = line.rstrip("\n").split("\t")
        limits[name] = float(limit)
        rows.setdefault(name, []).append(
            (float(floor), float(ours), (int(floor_bytes), int(our_bytes)), same == "yes"))
    if not rows:
        sys.exit("no samples")
    count = min(len(samples) for samples in rows.values())
    print(f"\nn = {count} rounds, warm, load {os.getloadavg()[0]:.1f} at the end. Bytes: what we read, or "
          "compressed, beyond the floor.\n")
    print("| work | floor, ms | ours, ms | ratio (range) | limit | noise | bytes | |")
    print("|---|--:|--:|--:|--:|--:|--:|---|")
    good = [judge(name, limits[name], samples) for name, samples in rows.items()]
    print("\nWhat more threads gain over one, sync apart:\n")
    print("| work | the floor | ours | quotient (range) | limit | noise | |")
    print("|---|--:|--:|--:|--:|--:|---|")
    for name, samples in rows.items():
        one = rows.get(THREADS.sub(", 1t", name))
        if one is not None and one is not samples:
            good.append(judge_scaling(name, one, samples))
    sys.exit(0 if all(good) else 1)


if __name__ == "__main__":
    main()
