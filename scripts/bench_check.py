#!/usr/bin/env python3
"""How long checks take, on generated (synthetic) files.

  scripts/bench_check.py --tool TOOL --read READ [--folder DIR] [--files 1000] [--size 200MB] [--pairs 5]

TOOL is a release build of hipo-tool, READ the program hipo-read from tests/bench: a plain full read by
the library's scan, with nothing done to the events. First many small files, two of them bad, and
`check --quick -j 2` on all; exactly those two must be named. Then `check --full` against the plain
read of one file in several layouts, interleaved (read, check, read, check, ...), medians compared: the
speed of the check as a share of that of the read, of which at least 0.80 is wanted. Both must see the
same events. Prints Markdown.
"""
import argparse
import json
import os
import pathlib
import statistics
import subprocess
import sys
import tempfile
import time

WANTED_SHARE = 0.80
WANTED_QUICK_SECONDS = 2.0
STORAGE = [("per-chunk", "lz4"), ("per-chunk", "gzip"), ("per-column", "lz4hc"), ("per-column", "zstd")]


def run(*words, allowed=(0,)):
    done = subprocess.run([str(word) for word in words], capture_output=True, text=True)
    if done.returncode not in allowed:
        sys.exit(f"{' '.join(map(str, words))}: exit code {done.returncode}\n{done.stderr}")
    return done.stdout


def timed(*words, allowed=(0,)):
    start = time.perf_counter()
    output = run(*words, allowed=allowed)
    return time.perf_counter() - start, output


def median_and_range(samples):
    return f"{statistics.median(samples):.3f} ({min(samples):.3f} to {max(samples):.3f})"


def make_many(tool, folder, count):
    """One generated file many times over; one copy is cut, another one's trailer is overwritten."""
    first = folder / "0000.hipo"
    run(tool, "generate", first, "--profile", "dst", "--raw-size", "2MB", "--record-size", "256KiB", "--quiet")
    content = first.read_bytes()
    for number in range(1, count):
        (folder / f"{number:04}.hipo").write_bytes(content)
    cut, spoilt = folder / f"{count // 3:04}.hipo", folder / f"{count // 2:04}.hipo"
    cut.write_bytes(content[:-1000])
    trailer = int.from_bytes(content[40:48], "little")
    spoilt.write_bytes(content[:trailer + 28] + bytes(4) + content[trailer + 32:])
    return content, {str(cut), str(spoilt)}


def quick_row(arguments, folder):
    content, bad = make_many(arguments.tool, folder, arguments.files)
    seconds = []
    for _ in range(arguments.pairs):
        elapsed, output = timed(arguments.tool, "check", "--quick", "-j", "2", folder, allowed=(20,))
        named = {line.split("\t")[0] for line in output.splitlines()}
        if named != bad:
            sys.exit(f"check --quick named {sorted(named)}, bad are {sorted(bad)}")
        seconds.append(elapsed)
    verdict = "" if statistics.median(seconds) < WANTED_QUICK_SECONDS else " (above 2 s)"
    return f"| {arguments.files} | {len(content) / 1e6:.1f} MB | {median_and_range(seconds)}{verdict} |"


def full_rows(arguments, folder):
    source = folder / "source.hipo"
    run(arguments.tool, "generate", source, "--profile", "dst", "--raw-size", arguments.size, "--quiet")
    for layout, codec in STORAGE:
        file = folder / "stored.hipo"
        run(arguments.tool, "recook", source, file, "-f", "-q", "--layout", layout, "--codec", codec)
        for threads in (1, 2):
            reads, checks = [], []
            for _ in range(arguments.pairs):
                elapsed, output = timed(arguments.read, file, "--threads", threads)
                reads.append(elapsed)
                events = int(output.split()[1])
                elapsed, output = timed(arguments.tool, "check", "--full", "--json", "-j", threads, file)
                checks.append(elapsed)
                if json.loads(output)["events_recoverable"] != events:
                    sys.exit(f"{file}: the check saw other events than the read")
            share = statistics.median(reads) / statistics.median(checks)
            note = "" if share >= WANTED_SHARE else " (below 0.80)"
            yield (f"| {codec}/{layout} | {threads} | {median_and_range(reads)} | {median_and_range(checks)} "
                   f"| {share:.2f}{note} |")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--tool", required=True)
    parser.add_argument("--read", required=True)
    parser.add_argument("--folder", help="for the files (default: a temporary folder)")
    parser.add_argument("--files", type=int, default=1000)
    parser.add_argument("--size", default="200MB")
    parser.add_argument("--pairs", type=int, default=5)
    arguments = parser.parse_args()
    with tempfile.TemporaryDirectory(dir=arguments.folder) as name:
        folder = pathlib.Path(name)
        print(f"n = {arguments.pairs}, warm, load {os.getloadavg()[0]:.1f} at the start\n")
        many = folder / "many"
        many.mkdir()
        print("| files | each | check --quick -j 2, s (range) |\n|--:|--:|--:|")
        print(quick_row(arguments, many), flush=True)
        print("\n| stored as | threads | plain read, s (range) | check --full, s (range) | speed of the check / of the read |")
        print("|---|--:|--:|--:|--:|")
        for row in full_rows(arguments, folder):
            print(row, flush=True)


if __name__ == "__main__":
    main()
