#!/usr/bin/env python3
"""How long hipo-tool takes to start, and to sum up a large file.

  scripts/bench_start.py --tool TOOL [--folder DIR] [--size 1GB] [--runs 21]

TOOL is a release build of hipo-tool. Times `--version`, and `stats` of a generated per-column file that
was read before, from the start of the process to its end; the processor time of the process stands beside
it, which other work on the machine does not lengthen. `true` shows what starting any process takes. Prints
Markdown; exits 1 where a median of the time is above its limit.
"""
import argparse
import os
import pathlib
import statistics
import subprocess
import sys
import tempfile
import time

DEVICE = os.open(os.devnull, os.O_WRONLY)


def run(words):
    """Seconds until the process has ended, and its seconds on the processor."""
    begin = time.perf_counter()
    child = os.posix_spawnp(words[0], words, os.environ, file_actions=[(os.POSIX_SPAWN_DUP2, DEVICE, 1)])
    _, status, usage = os.wait4(child, 0)
    seconds = time.perf_counter() - begin
    if status != 0:
        sys.exit(f"{' '.join(words)}: failed")
    return seconds, usage.ru_utime + usage.ru_stime


def spread(samples):
    values = [1000 * sample for sample in samples]
    return f"{statistics.median(values):.1f} ({min(values):.1f} to {max(values):.1f})"


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--tool", required=True)
    parser.add_argument("--folder", help="for the file (default: a temporary folder)")
    parser.add_argument("--size", default="1GB")
    parser.add_argument("--runs", type=int, default=21)
    arguments = parser.parse_args()
    with tempfile.TemporaryDirectory(dir=arguments.folder) as name:
        file = pathlib.Path(name) / "split.hipo"
        subprocess.run([arguments.tool, "generate", file, "--quiet", "--profile", "dst", "--raw-size", arguments.size, "--layout",
                        "per-column", "--codec", "lz4"], check=True, capture_output=True)
        work = [("true", ["true"], None), ("--version", [arguments.tool, "--version"], 0.010),
                (f"stats, {arguments.size} raw, {file.stat().st_size / 1e6:.0f} MB per-column lz4",
                 [arguments.tool, "stats", str(file)], 0.150)]
        print(f"n = {arguments.runs} rounds in turns, load {os.getloadavg()[0]:.1f} at the start\n")
        print("| work | ms (range) | processor, ms (range) | limit, ms |\n|---|--:|--:|--:|")
        samples = [[] for _ in work]
        for turn in range(arguments.runs + 1):
            for (_, words, _), mine in zip(work, samples):
                result = run(words)
                if turn > 0:
                    mine.append(result)
        late = False
        for (what, _, limit), mine in zip(work, samples):
            real, processor = zip(*mine)
            late = late or (limit is not None and statistics.median(real) > limit)
            print(f"| {what} | {spread(real)} | {spread(processor)} | {f'{1000 * limit:.0f}' if limit else ''} |")
    sys.exit(1 if late else 0)


if __name__ == "__main__":
    main()
