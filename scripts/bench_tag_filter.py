#!/usr/bin/env python3
"""What tag-filter reads, inflates and takes for 1 % of the events of a large per-column file (synthetic).

  scripts/bench_tag_filter.py --tool TOOL --read READ [--folder DIR] [--size 1GB] [--runs 5]

TOOL is hipo-tool, READ the program hipo-read from tests/bench, both built the same way. One hundredth of the
events gets a tag of its own twice: those at the beginning, which fill one hundredth of the records, and one in
128, which are in all of them. For the first, bytes and streams are counted: of the whole file, of what
lies outside of the streams (a read of the tags alone), and of a run that writes the events. For the second the
time of such a run is held against that of reading and inflating everything (READ) and of encoding the events
chosen (a recook of the result, which reads and inflates them once more). Runs are interleaved, medians compared.
Prints Markdown.
"""
import argparse
import json
import os
import pathlib
import statistics
import subprocess
import tempfile

TAG = 64
SHARE = 100
RECORD_SIZE = "2MiB"


def run(*words):
    return subprocess.run([str(word) for word in words], check=True, capture_output=True, text=True).stdout


def counted(*words):
    """The output of a program and the bytes that it read."""
    text = run("sh", "-c", '"$@" && cat /proc/$$/io', "sh", *words)
    document, _, counts = text.partition("\n")
    before = int(run("sh", "-c", "true && cat /proc/$$/io").split()[1])
    return json.loads(document), int(counts.split()[1]) - before


def report(tool, verb, source, target, *options):
    return json.loads(run(tool, verb, source, target, "-f", "--json", "--quiet", *options))


def marked(tool, folder, name, condition):
    target = folder / f"{name}.hipo"
    report(tool, "tag-filter", folder / "plain.hipo", target, "--set-tag", f"tag == 0 && {condition} => {TAG}",
           "--record-size", RECORD_SIZE)
    return target


def counts_rows(tool, source, out):
    words = [tool, "tag-filter", source, "--json"]
    everything = json.loads(run(*words, "-o", out, "-f", "--quiet", "--none", "0"))
    outside, outside_bytes = counted(*words, "--count")
    chosen, chosen_bytes = counted(*words, "-o", out, "-f", "--quiet", "--tag", TAG)
    file_bytes, streams = source.stat().st_size, everything["streams_inflated"]
    records = everything["records_in"]
    yield f"| all of the file | {records} | {everything['events']} | {file_bytes} | {streams} |"
    yield f"| tags alone (`--count`) | {records} | {outside['events']} | {outside_bytes} | 0 |"
    yield (f"| `--tag {TAG}` | {records - chosen['records_passed_over']} | {chosen['events']} | {chosen_bytes} "
           f"| {chosen['streams_inflated']} |")
    yield (f"| beyond the tags, of the whole | {100 * (records - chosen['records_passed_over']) / records:.2f} % "
           f"| {100 * chosen['events'] / everything['events']:.2f} % "
           f"| {100 * (chosen_bytes - outside_bytes) / file_bytes:.2f} % "
           f"| {100 * chosen['streams_inflated'] / streams:.2f} % |")


def spread(samples):
    return f"{statistics.median(samples):.2f} ({min(samples):.2f} to {max(samples):.2f})"


def timing_rows(arguments, source, out):
    for threads in (1, 2):
        samples = {"filter": [], "read": [], "encode": [], "ratio": []}
        for _ in range(arguments.runs):
            samples["read"].append(float(run(arguments.read, source, "--threads", threads).split()[0]))
            filtered = report(arguments.tool, "tag-filter", source, out, "--tag", TAG, "-j", threads)
            encoded = report(arguments.tool, "recook", out, out.with_suffix(".again"), "--reencode", "-j", threads,
                             "--codec", "lz4")
            samples["filter"].append(filtered["real_seconds"])
            samples["encode"].append(encoded["real_seconds"])
            samples["ratio"].append(samples["filter"][-1] / (samples["read"][-1] + samples["encode"][-1]))
        yield (f"| {threads} | {spread(samples['read'])} | {spread(samples['encode'])} | {spread(samples['filter'])} "
               f"| {spread(samples['ratio'])} |")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--tool", required=True)
    parser.add_argument("--read", required=True)
    parser.add_argument("--folder", help="for the files, three times the size (default: a temporary folder)")
    parser.add_argument("--size", default="1GB", help="raw bytes of events")
    parser.add_argument("--runs", type=int, default=5)
    arguments = parser.parse_args()
    tool = arguments.tool
    with tempfile.TemporaryDirectory(dir=arguments.folder) as name:
        folder = pathlib.Path(name)
        made = json.loads(run(tool, "generate", folder / "plain.hipo", "--raw-size", arguments.size, "--layout",
                              "per-column", "--codec", "lz4", "--record-size", RECORD_SIZE, "--json", "--quiet"))
        print(f"{made['events']} events in {made['records_out']} records, {made['bytes_out']} bytes per-column lz4, "
              f"n = {arguments.runs}, load {os.getloadavg()[0]:.1f} at the start\n")
        last = made["events"] // SHARE
        number = run(tool, "dump", folder / "plain.hipo", "--events", f"{last}:{last + 1}", "--only", "--columns",
                     "RUN::config.event", "--csv").split(",")[-1].strip()
        first = marked(tool, folder, "first", f"RUN::config.event < {number}")
        print("| | records | events | bytes read | streams inflated |\n|---|--:|--:|--:|--:|")
        for row in counts_rows(tool, first, folder / "out.hipo"):
            print(row, flush=True)
        first.unlink()
        every = marked(tool, folder, "every", "RUN::config.event & 127 == 0")
        print("\n| threads | fetch and inflate all, s | encode the events chosen, s | tag-filter, s | tag-filter / both |"
              "\n|--:|--:|--:|--:|--:|")
        for row in timing_rows(arguments, every, folder / "out.hipo"):
            print(row, flush=True)


if __name__ == "__main__":
    main()
