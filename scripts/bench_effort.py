#!/usr/bin/env python3
"""What --effort auto and --encodings auto cost and save, on generated (synthetic) files.

  scripts/bench_effort.py --tool TOOL [--folder DIR] [--size 200MB] [--rounds 5] [--profiles dst,raw,skim] [--codecs lz4hc,zstd]

TOOL is a release build of hipo-tool. For each profile an lz4 per-chunk file is recooked per-column,
with --verify none --reencode and one thread, in each of the ways below, in turns. Times are the
user seconds of the process: they hold reading, decoding and gathering, too, which is the same for all.
Each way is held against the one named, within a round, so that a machine whose clock drifts treats
both alike; the median of these quotients is shown. Prints Markdown; exits 1 where what is wanted
(WANTED below) does not hold.
"""
import argparse
import os
import pathlib
import statistics
import subprocess
import sys
import tempfile

# Options, and the row that they are held against.
WAYS = {
    "lz4hc:9": (["--codec", "lz4hc", "--level", "9"], None),
    "lz4hc --effort auto": (["--codec", "lz4hc", "--effort", "auto"], "lz4hc:9"),
    "zstd:3": (["--codec", "zstd", "--level", "3"], None),
    "zstd --effort auto": (["--codec", "zstd", "--effort", "auto"], "zstd:3"),
    "zstd:3 --encodings best": (["--codec", "zstd", "--level", "3", "--encodings", "best"], "zstd:3"),
    "zstd:3 --encodings auto": (["--codec", "zstd", "--level", "3", "--encodings", "auto"], "zstd:3"),
    "lz4hc:4": (["--codec", "lz4hc", "--level", "4"], None),
    "lz4hc:4 --encodings best": (["--codec", "lz4hc", "--level", "4", "--encodings", "best"], "lz4hc:4"),
    "lz4hc:4 --encodings auto": (["--codec", "lz4hc", "--level", "4", "--encodings", "auto"], "lz4hc:4"),
}
LEAST_SPEED_UP, MOST_GROWTH = 2.0, 0.01  # lz4hc --effort auto against level 9
LEAST_GAIN, MOST_TIME = 0.90, 0.15       # --encodings auto: of the gain of best, and extra time


def user_seconds(*words):
    process = subprocess.Popen([str(word) for word in words], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    _, status, usage = os.wait4(process.pid, 0)
    process.returncode = os.waitstatus_to_exitcode(status)
    if process.returncode != 0:
        sys.exit(f"{' '.join(str(word) for word in words)}: exit code {process.returncode}")
    return usage.ru_utime


def recook(tool, source, target, options):
    return user_seconds(tool, "recook", source, target, "--force", "--quiet", "--layout", "per-column", "--verify", "none",
                        "--reencode", "--threads", 1, *options)


def spread(samples):
    return f"{statistics.median(samples):.2f} ({min(samples):.2f} to {max(samples):.2f})"


def measure(arguments, ways, profile, folder):
    """Seconds of each round, and bytes, for every way."""
    source, target = folder / "source.hipo", folder / "out.hipo"
    user_seconds(arguments.tool, "generate", source, "--force", "--quiet", "--profile", profile, "--raw-size",
                 arguments.size, "--layout", "per-chunk", "--codec", "lz4")
    seconds, sizes = {name: [] for name in ways}, {}
    for _ in range(arguments.rounds):
        for name, (options, _) in ways.items():
            seconds[name].append(recook(arguments.tool, source, target, options))
            sizes[name] = target.stat().st_size
    return seconds, sizes


def failures(profile, times, growth):
    effort = "lz4hc --effort auto"
    if effort in times and 1 / times[effort] < LEAST_SPEED_UP:
        yield f"{profile}: {effort} is {1 / times[effort]:.2f} times faster, {LEAST_SPEED_UP} is wanted"
    if effort in times and growth[effort] > MOST_GROWTH:
        yield f"{profile}: {effort} is {100 * growth[effort]:.2f} % larger, {100 * MOST_GROWTH:.0f} % is allowed"
    for best in [way for way in times if way.endswith("--encodings best")]:
        auto = best.replace("best", "auto")
        if growth[best] < 0 and growth[auto] / growth[best] < LEAST_GAIN:
            yield f"{profile}: {auto} has {100 * growth[auto] / growth[best]:.0f} % of the gain of best"
        if times[auto] - 1 > MOST_TIME:
            yield f"{profile}: {auto} takes {100 * (times[auto] - 1):.0f} % more time"


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--tool", required=True)
    parser.add_argument("--folder", help="for the files (default: a temporary folder)")
    parser.add_argument("--size", default="200MB")
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--profiles", default="dst,raw,skim")
    parser.add_argument("--codecs", default="lz4hc,zstd")
    arguments = parser.parse_args()
    ways = {name: way for name, way in WAYS.items() if way[0][1] in arguments.codecs.split(",")}
    wrong = []
    with tempfile.TemporaryDirectory(dir=arguments.folder) as name:
        print(f"n = {arguments.rounds} rounds in turns, {arguments.size} raw, one thread, load {os.getloadavg()[0]:.1f} at the "
              "start\n")
        print("| profile | codec and options | user s (range) | bytes | against | time | size |")
        print("|---|---|--:|--:|---|--:|--:|")
        for profile in arguments.profiles.split(","):
            seconds, sizes = measure(arguments, ways, profile, pathlib.Path(name))
            times, growth = {}, {}
            for way, (_, base) in ways.items():
                compared = "| | |"
                if base:
                    times[way] = statistics.median(a / b for a, b in zip(seconds[way], seconds[base]))
                    growth[way] = sizes[way] / sizes[base] - 1
                    compared = f"{base} | x {times[way]:.2f} | {100 * growth[way]:+.2f} % |"
                print(f"| {profile} | {way} | {spread(seconds[way])} | {sizes[way]:,} | {compared}", flush=True)
            wrong += failures(profile, times, growth)
    print("\n" + ("\n".join(wrong) or "All that is wanted holds."))
    sys.exit(1 if wrong else 0)


if __name__ == "__main__":
    main()
