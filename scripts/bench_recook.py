#!/usr/bin/env python3
"""Recook speed against the codecs alone, and peak memory, on generated (synthetic) files.

  scripts/bench_recook.py --tool TOOL --floor FLOOR [--folder DIR] [--size 500MB] [--pairs 5]

TOOL is a release build of hipo-tool, FLOOR the program hipo-floor from tests/bench: N independent
loops around the bare libraries that inflate, compress, inflate and compare the same bytes. Runs are
interleaved (floor, tool, floor, tool, ...) and medians are compared, so that a machine whose clock
drifts treats both alike. The last column says how well two threads are used: the time with two over
that with one, held against the same quotient of the floor; at most 1.08 is wanted. Prints Markdown.
"""
import argparse
import json
import os
import pathlib
import statistics
import subprocess
import tempfile

CODECS = [("lz4hc", 9), ("zstd", 3)]
LIMIT = 1.08


def run(*words):
    return subprocess.run([str(word) for word in words], check=True, capture_output=True, text=True).stdout


def recook(tool, source, target, *options):
    return json.loads(run(tool, "recook", source, target, "-f", "--json", "--quiet", *options))


def spread(samples):
    return f"{min(samples):.2f} to {max(samples):.2f}"


def timings(arguments, source, streams, target, codec, level, threads):
    words = run(arguments.floor, source, streams, "--codec", codec, "--level", level, "--threads", threads).split()
    report = recook(arguments.tool, source, target, "--layout", "per-column", "--codec", codec, "-j", threads)
    return {"floor": float(words[0]), "floor_cpu": float(words[1]),
            "tool": report["real_seconds"] - report["sync_seconds"], "tool_cpu": report["cpu_seconds"],
            "sync": report["sync_seconds"]}


def speed_rows(arguments, folder):
    source, target, streams = folder / "dst.hipo", folder / "out.hipo", folder / "streams.hipo"
    for codec, level in CODECS:
        recook(arguments.tool, source, streams, "--layout", "per-column", "--codec", codec)
        samples = {threads: [] for threads in (1, 2)}
        for _ in range(arguments.pairs):
            for threads in samples:
                samples[threads].append(timings(arguments, source, streams, target, codec, level, threads))
        median = {threads: {key: statistics.median(row[key] for row in rows) for key in rows[0]}
                  for threads, rows in samples.items()}
        for threads, rows in samples.items():
            m = median[threads]
            scaling = ""
            if threads == 2:
                ours, floor = m["tool"] / median[1]["tool"], m["floor"] / median[1]["floor"]
                scaling = f"{ours:.3f} / {floor:.3f} = {ours / floor:.3f}{'' if ours / floor <= LIMIT else ' (above 1.08)'}"
            yield (f"| {codec}:{level} | {threads} | {m['floor']:.2f} ({spread([r['floor'] for r in rows])}) "
                   f"| {m['tool']:.2f} ({spread([r['tool'] for r in rows])}) | {m['sync']:.2f} "
                   f"| {m['tool'] / m['floor']:.2f} | {m['tool_cpu'] / m['floor_cpu']:.2f} | {scaling} |")


def memory_rows(arguments, folder):
    target = folder / "out.hipo"
    cases = [("500 MB raw, 8 MiB records", ["--raw-size", "500MB"]),
             ("2 GB raw, 8 MiB records", ["--raw-size", "2GB"]),
             ("100,000 records of one event", ["--events", "100000", "--profile", "tiny",
                                               "--record-events", "1"])]
    for name, options in cases:
        source = folder / "memory.hipo"
        run(arguments.tool, "generate", source, "-f", "--quiet", *options)
        peaks = [recook(arguments.tool, source, target, "--layout", "per-column", "--codec", codec,
                        "-j", "2")["peak_memory_bytes"] for codec in ("lz4", "zstd")]
        yield f"| {name} | {peaks[0] / 2**20:.0f} | {peaks[1] / 2**20:.0f} |"
        source.unlink()


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--tool", required=True)
    parser.add_argument("--floor", required=True)
    parser.add_argument("--folder", help="for the files, some gigabytes (default: a temporary folder)")
    parser.add_argument("--size", default="500MB")
    parser.add_argument("--pairs", type=int, default=5)
    parser.add_argument("--memory-only", action="store_true")
    arguments = parser.parse_args()
    with tempfile.TemporaryDirectory(dir=arguments.folder) as name:
        folder = pathlib.Path(name)
        load = os.getloadavg()[0]
        print(f"n = {arguments.pairs} interleaved pairs, {arguments.size} raw, warm, load {load:.1f} at the start\n")
        if not arguments.memory_only:
            run(arguments.tool, "generate", folder / "dst.hipo", "--profile", "dst", "--raw-size", arguments.size, "--quiet")
            print("| codec | threads | floor, s (range) | recook, s (range) | sync, s | recook / floor | the same of CPU "
                  "| 2 threads / 1: recook, floor, quotient |")
            print("|---|--:|--:|--:|--:|--:|--:|---|")
            for row in speed_rows(arguments, folder):
                print(row, flush=True)
        print("\n| input | peak MiB, lz4 | peak MiB, zstd |\n|---|--:|--:|")
        for row in memory_rows(arguments, folder):
            print(row, flush=True)


if __name__ == "__main__":
    main()
