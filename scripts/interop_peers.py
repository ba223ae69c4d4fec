#!/usr/bin/env python3
"""Compares hipo-tool with other HIPO implementations; scripts/interop_peers.sh runs this.

  oxihipo reads what hipo-tool wrote     all 15 pairs, records of mixed layouts: tags, every value of
                                         every table and composite, dictionary, configuration, tag
                                         names; the digest of oxihipo's own copy. Version 3 of the
                                         per-column layout is read alike or refused as unknown
  hipo-tool reads what oxihipo wrote     all 15 pairs copied, and files made from columns
  C++ hipo4 reads what hipo-tool wrote   per-chunk none, lz4, lz4hc with --readable-by cpp
  hipo-tool reads what C++ hipo4 wrote   all column types, several event tags

The digest of every file is compared with that of its source, by hipo-tool and, where HIPO_ORACLE_DIR is
set, by an independent decoder. Content: files of HIPO_GOLDEN_DIR, `hipo-tool generate`, and files
made by the peers. Each peer runs in a process of its own, so that a crash is an answer too.
"""

import argparse
import concurrent.futures
import json
import multiprocessing
import os
import pathlib
import struct
import subprocess
import sys

import numpy as np

CODECS = ("none", "lz4", "lz4hc", "gzip", "zstd")
LAYOUTS = ("per-chunk", "per-bank", "per-column")
PAIRS = [(codec, layout) for codec in CODECS for layout in LAYOUTS]
DTYPES = {"B": np.int8, "S": np.int16, "I": np.int32, "F": np.float32, "D": np.float64, "L": np.int64}

GOLDEN = ("none_chunk", "oxihipo_sample", "cpp_lz4", "cpp_golden_lz4", "hipopy_test", "empty_events_column",
          "zero_events_chunk")
GENERATED = {"dst": 40, "raw": 20, "skim": 60, "tiny": 400}
# How oxihipo 0.9.0 refuses a version of a split layout that it does not know.
UNKNOWN_VERSION = "unsupported extension-format version"


class Disagreement(Exception):
    """What one side says and the other does not."""


def require(condition, what):
    if not condition:
        raise Disagreement(what)


# ---- oxihipo, in its own process


def oxihipo_name(codec, layout):
    return f"{codec}+{layout.replace('-', '')}"


def oxihipo_read(path, composites):
    """What the file says about itself, tags, and {bank: (offsets, {column: (values, array length)})}."""
    import oxihipo

    chain = oxihipo.open(path)
    tables = {}
    for bank in chain.keys():
        if bank in composites:
            offsets, fields = chain.composite_columns(bank)
            columns = {f"f{i}": (np.array(values), 1) for i, (_, values) in enumerate(fields)}
        else:
            try:
                _, offsets, found = chain.read_columns([(bank, [])])[0]
            except oxihipo.CorruptFileError as error:
                tables[bank] = str(error)
                continue
            columns = {name: (np.array(values), length) for name, values, length in found}
        tables[bank] = (np.array(offsets), columns)
    about = {"banks": chain.bank_ids, "columns": chain.typenames(), "configuration": chain.config,
             "tag names": chain.tag_names}
    return about, [int(tag) for tag in chain.event_tags()], tables


def oxihipo_copy(source, target, compression):
    import oxihipo

    return oxihipo.open(source).skim(target, compression).events


def oxihipo_create(path, compression, banks, tags):
    """`banks`: {name: {column: (type token, row counts, values)}}."""
    import awkward as ak
    import oxihipo

    def jagged(counts, values):
        return ak.unflatten(values, counts)

    with oxihipo.create(path, compression=compression, config={"origin": "columns"}) as writer:
        for item, (name, columns) in enumerate(banks.items(), 1):
            writer.new_bank(name, {column: token for column, (token, _, _) in columns.items()}, 900, item)
        writer.extend({name: {column: jagged(counts, values)
                              for column, (_, counts, values) in columns.items()}
                       for name, columns in banks.items()}, tags=tags)


def oxihipo_decorate(source, target, compression, scores):
    import oxihipo

    with oxihipo.update(source, target, compression=compression) as writer:
        writer.new_bank("Added::score", {"score": "F"}, 901, 1)
        writer.extend({"Added::score": {"score": scores}})


# ---- C++ hipo4, in its own process


def cpp_read(path):
    """Tags, {bank: (row counts, {column: values})}, and how many events each tag selects."""
    import hipopybind

    get = {"B": hipopybind.getBytes, "S": hipopybind.getShorts, "I": hipopybind.getInts,
           "F": hipopybind.getFloats, "D": hipopybind.getDoubles, "L": hipopybind.getLongs}
    reader = hipopybind.Reader()
    reader.open(path)
    dictionary = hipopybind.Dictionary()
    reader.readDictionary(dictionary)
    banks = {}
    for name in dictionary.getSchemaList():
        schema = dictionary.getSchema(name)
        body = schema.getSchemaString().strip().rpartition("{")[2].rstrip("}")
        columns = dict(column.split("/") for column in body.split(","))
        banks[name] = (hipopybind.Bank(schema), columns, [], {column: [] for column in columns})
    event = hipopybind.Event()
    tags = []
    while reader.next(event):
        tags.append(event.getTag())
        for bank, columns, counts, values in banks.values():
            event.getStructure(bank)
            counts.append(bank.getRows())
            if counts[-1]:
                for column, letter in columns.items():
                    values[column] += get[letter](bank, column)
    tables = {name: (np.array(counts, dtype=np.int64),
                     {column: np.array(values[column], dtype=DTYPES[columns[column]]) for column in columns})
              for name, (_, columns, counts, values) in banks.items()}
    return tags, tables, {tag: cpp_count(path, tag) for tag in sorted(set(tags))}


def cpp_count(path, tag):
    import hipopybind

    reader = hipopybind.Reader()
    reader.setTags(tag)
    reader.open(path)
    event = hipopybind.Event()
    count = 0
    while reader.next(event):
        count += event.getTag() == tag
    return count


def cpp_write(path, banks, tags):
    """`banks` as for oxihipo_create, scalar columns only; a bank without rows is left out of its event."""
    import hipopybind

    writer = hipopybind.Writer()
    dictionary = hipopybind.Dictionary()
    schemas = {}
    for item, (name, columns) in enumerate(banks.items(), 1):
        schemas[name] = hipopybind.Schema(name, 900, item)
        schemas[name].parse(",".join(f"{column}/{token}" for column, (token, _, _) in columns.items()))
        dictionary.addSchema(schemas[name])
    writer.addDictionary(dictionary)
    writer.open(path)
    at = {name: 0 for name in banks}
    for number, tag in enumerate(tags):
        event = hipopybind.Event(1 << 16)
        event.reset()
        event.setTag(tag)
        for name, columns in banks.items():
            rows = int(next(iter(columns.values()))[1][number])
            if rows == 0:
                continue
            bank = hipopybind.Bank(schemas[name], rows)
            put = {"B": bank.putByte, "S": bank.putShort, "I": bank.putInt, "F": bank.putFloat,
                   "D": bank.putDouble, "L": bank.putLong}
            for index, (token, _, values) in enumerate(columns.values()):
                for row in range(rows):
                    put[token](index, row, values[at[name] + row].item())
            event.addStructure(bank)
            at[name] += rows
        writer.addEvent(event)
    writer.close()


# ---- running them


def be_quiet():
    # hipo4 reports on stdout.
    os.dup2(os.open(os.devnull, os.O_WRONLY), 1)


def guarded(function, arguments):
    try:
        return function(*arguments), None
    except BaseException as error:  # panics of Rust code are BaseException
        return None, f"{type(error).__name__}: {error}"


class Peer:
    """One process for all calls, replaced when it dies."""

    def __init__(self):
        self.pool = None

    def __call__(self, function, *arguments):
        if self.pool is None:
            self.pool = concurrent.futures.ProcessPoolExecutor(
                1, multiprocessing.get_context("spawn"), initializer=be_quiet)
        try:
            result, error = self.pool.submit(guarded, function, arguments).result(timeout=300)
        except (concurrent.futures.process.BrokenProcessPool, TimeoutError) as failure:
            self.pool.shutdown(wait=False, cancel_futures=True)
            self.pool = None
            raise Disagreement(f"the peer's process died or hung ({type(failure).__name__})") from None
        require(error is None, error)
        return result


class Tool:
    def __init__(self, path, oracle):
        self.path = path
        self.oracle = oracle

    def run(self, *arguments):
        done = subprocess.run([self.path, *map(str, arguments)], capture_output=True, text=True)
        said = done.stderr.strip() or done.stdout.strip()
        require(done.returncode == 0, f"hipo-tool {arguments[0]}: exit {done.returncode}: {said}")
        return done.stdout

    def knows(self, command):
        return subprocess.run([self.path, command, "--help"], capture_output=True).returncode == 0

    def digest(self, path):
        """Digest, unordered digest, events: of a good file, and as the oracle has them."""
        ours = self.run("check", "--digest", path).split("\t")[:3]
        if self.oracle:
            done = subprocess.run([sys.executable, self.oracle, "--digest", path], capture_output=True, text=True)
            require(done.returncode == 0, f"the oracle refuses {path}: {done.stderr.strip()}")
            theirs = done.stdout.split("\t")[1:4]
            require(ours == theirs, f"hipo-tool's digest is {ours}, the oracle's {theirs}")
        return ours

    def events(self, path):
        return [json.loads(line) for line in self.run("dump", "--json", path).splitlines()]

    def recook(self, source, target, *options):
        return json.loads(self.run("recook", *source, "-o", target, "-f", "-q", "--json", *options))


# ---- comparing


class Content:
    """What `hipo-tool dump --json` says, by bank. Of a bank that an event holds twice only the first."""

    def __init__(self, events):
        self.tags = [event["tag"] for event in events]
        self.first = {}
        self.has_repeated_banks = False
        kinds = {}
        for number, event in enumerate(events):
            for bank in event["banks"]:
                kind = "composite" if "format" in bank else "table" if "columns" in bank else "opaque"
                kinds.setdefault(bank["name"], set()).add(kind)
                if self.first.setdefault(bank["name"], {}).setdefault(number, bank) is not bank:
                    self.has_repeated_banks = True
        # A bank that is not of one kind throughout has no columns to speak of.
        self.tables = {name for name, found in kinds.items() if found == {"table"}}
        self.composites = {name for name, found in kinds.items() if found == {"composite"}}

    def counts(self, bank):
        counts = np.zeros(len(self.tags), dtype=np.int64)
        for number, found in self.first.get(bank, {}).items():
            counts[number] = found["rows"]
        return counts

    def values(self, bank, column, dtype):
        cells = [cell for found in self.first.get(bank, {}).values() for cell in found["columns"][column]]
        return np.array(cells, dtype=dtype).reshape(-1)

    def columns(self, bank):
        return list(next(iter(self.first[bank].values()))["columns"])


def same_values(a, b):
    """Equal bit for bit, but for the payload of NaN, which JSON does not keep (the digest does)."""
    if a.dtype != b.dtype or a.shape != b.shape:
        return False
    if a.dtype.kind != "f":
        return np.array_equal(a, b)
    bits = np.dtype(f"u{a.dtype.itemsize}")
    return bool(np.all((a.view(bits) == b.view(bits)) | (np.isnan(a) & np.isnan(b))))


def compare_tables(content, tags, tables, names):
    """Returns how many values were compared. `tables`: {bank: (row counts, {column: values})}."""
    require(tags == content.tags, f"event tags differ: {tags[:5]}... and {content.tags[:5]}...")
    compared = 0
    for bank in sorted(names):
        require(bank in tables, f"{bank} is missing")
        counts, columns = tables[bank]
        expected = content.counts(bank)
        require(np.array_equal(counts, expected),
                f"{bank}: other row counts, first in event {int(np.argmax(counts != expected))}"
                if len(counts) == len(expected) else f"{bank}: {len(counts)} events")
        require(set(columns) == set(content.columns(bank)), f"{bank}: columns {sorted(columns)}")
        for column, values in columns.items():
            wanted = content.values(bank, column, values.dtype)
            require(same_values(values, wanted), f"{bank}.{column}: {values[:4]}... and {wanted[:4]}...")
            compared += values.size
    return compared


class Tally:
    def __init__(self):
        self.passed = self.failed = self.refused = self.values = 0

    def check(self, title, work):
        refused = self.refused
        try:
            self.values += work() or 0
        except Disagreement as failure:
            self.failed += 1
            print(f"FAILED {title}: {str(failure)[:600]}")
            return
        self.passed += self.refused == refused


class Source:
    """Content that goes through the implementations."""

    def __init__(self, tool, path):
        self.path = path
        self.digest = tool.digest(path)
        self.content = Content(tool.events(path))
        self.events = len(self.content.tags)
        self.has_array_columns = None  # known when oxihipo has seen the dictionary


class Interop:
    def __init__(self, tool, folder):
        self.tool = tool
        self.folder = folder
        self.tally = Tally()
        self.oxihipo = Peer()
        self.cpp = Peer()

    def path(self, name):
        return str(self.folder / f"{name}.hipo")

    def stage(self, title, work):
        """Runs checks and says in a line what they took."""
        names = ("passed", "failed", "refused", "values")
        before = [getattr(self.tally, name) for name in names]
        work()
        passed, failed, refused, values = (getattr(self.tally, name) - then for name, then in zip(names, before))
        print(f"{title}: {passed + failed + refused} files" + (f", {values} values" if values else "") +
              (f"; {refused} of version 3 refused" if refused else "") + (f"; {failed} FAILED" if failed else ""),
              flush=True)

    def recook_plain(self, source):
        """As every implementation reads it: HIPO, little-endian, per-chunk, not compressed."""
        plain = self.path("plain")
        self.tool.recook([source], plain, "--layout", "per-chunk", "--codec", "none")
        return plain

    # -- oxihipo reads

    def oxihipo_reads(self, path, source_digest, content, about=None):
        digest = self.tool.digest(path)
        require(digest == source_digest, f"digest {digest}, of the source {source_digest}")
        said, tags, found = self.oxihipo(oxihipo_read, path, content.composites)
        require(about in (None, said), f"what oxihipo says about the file: {said}, about its source: {about}")
        tables = {}
        for bank in content.tables | content.composites:
            if bank in found:  # banks without a schema have no columns for oxihipo
                require(not isinstance(found[bank], str), f"{bank}: {found[bank]}")
                offsets, columns = found[bank]
                tables[bank] = (np.diff(offsets), {name: values for name, (values, _) in columns.items()})
        compared = compare_tables(content, tags, tables, tables.keys())
        copy = self.path("copy-by-oxihipo")
        pathlib.Path(copy).unlink(missing_ok=True)
        require(self.oxihipo(oxihipo_copy, path, copy, "none+perchunk") == len(tags), "copied other events")
        copied = self.tool.digest(copy)
        require(copied == source_digest, f"oxihipo's copy has digest {copied}, the source {source_digest}")
        return compared

    def read_by_oxihipo(self, name, source):
        about = self.oxihipo(oxihipo_read, self.recook_plain(source.path), source.content.composites)[0]
        source.has_array_columns = any("[" in word for word in about["columns"].values())
        variants = [(pair, "none") for pair in PAIRS] + [((codec, "per-column"), "best") for codec in CODECS]
        for (codec, layout), encodings in variants:
            target = self.path("by-hipo-tool")

            def work():
                self.tool.recook([source.path], target, "--codec", codec, "--layout", layout, "--encodings", encodings,
                                 "--record-events", max(source.events // 3, 1))
                try:
                    return self.oxihipo_reads(target, source.digest, source.content, about)
                except Disagreement as failure:
                    if encodings == "none" or UNKNOWN_VERSION not in str(failure):
                        raise
                    self.tally.refused += 1

            self.tally.check(f"oxihipo reads {name} as {codec}/{layout}, encodings {encodings}", work)

    def read_mixed(self, name, sources):
        """Events that a split layout cannot hold go into per-chunk records of the same file."""
        for codec, layout in (("lz4hc", "per-column"), ("zstd", "per-bank"), ("none", "per-column")):
            target = self.path("mixed")

            def work():
                report = self.tool.recook(sources, target, "--codec", codec, "--layout", layout)
                require(0 < report["records_fallen_back"] < report["records_out"],
                        f"not mixed: {report['records_fallen_back']} of {report['records_out']} records per-chunk")
                digest = [report["digest"], report["unordered_digest"], str(report["events"])]
                return self.oxihipo_reads(target, digest, Content(self.tool.events(target)))

            self.tally.check(f"oxihipo reads {name} as {codec}, {layout} and per-chunk", work)

    # -- oxihipo writes

    def copied_by_oxihipo(self, name, source):
        pairs = PAIRS
        others = ["zstd1+percolumn", "zstd6+perbank"]
        if source.content.has_repeated_banks:
            # Its split layouts store such events wrongly (docs/format.md section 8.4).
            pairs = [(codec, layout) for codec, layout in PAIRS if layout == "per-chunk"]
            others = []
        readable = self.recook_plain(source.path)
        for compression in [oxihipo_name(*pair) for pair in pairs] + others:
            target = self.path("by-oxihipo")

            def work():
                pathlib.Path(target).unlink(missing_ok=True)
                self.oxihipo(oxihipo_copy, readable, target, compression)
                written = self.tool.digest(target)
                require(written == source.digest, f"digest {written}, of the source {source.digest}")

            self.tally.check(f"hipo-tool reads {name} as oxihipo stored it, {compression}", work)

    def created_by_oxihipo(self, target, compression, banks, tags):
        pathlib.Path(target).unlink(missing_ok=True)
        self.oxihipo(oxihipo_create, target, compression, banks, tags)
        self.tool.digest(target)
        return self.compare_with_input(target, banks, tags)

    def compare_with_input(self, path, banks, tags):
        content = Content(self.tool.events(path))
        tables = {name: (np.array(next(iter(columns.values()))[1]),
                         {column: np.asarray(values).reshape(-1) for column, (_, _, values) in columns.items()})
                  for name, columns in banks.items()}
        return compare_tables(content, list(tags), tables, tables.keys())

    def decorated_by_oxihipo(self, source):
        scores = np.linspace(-1, 1, source.events, dtype=np.float32)
        target = self.path("decorated")
        for compression in ("zstd+percolumn", "lz4+perbank", "gzip"):

            def work():
                pathlib.Path(target).unlink(missing_ok=True)
                self.oxihipo(oxihipo_decorate, source.path, target, compression, scores)
                require(self.tool.digest(target)[2] == str(source.events), "another number of events")
                after = Content(self.tool.events(target))
                added = after.values("Added::score", "score", np.float32)
                require(same_values(added, scores), f"Added::score: {added[:4]}...")
                del after.first["Added::score"]
                require(source.content.first == after.first, "banks that were there before differ")
                return added.size

            self.tally.check(f"hipo-tool reads what oxihipo added a bank to, {compression}", work)

    # -- C++ hipo4

    def read_by_cpp(self, name, source):
        for codec in ("none", "lz4", "lz4hc"):
            target = self.path("for-cpp")

            def work():
                self.tool.recook([source.path], target, "--readable-by", "cpp", "--drop-config", "--codec", codec,
                                 "--record-events", max(source.events // 3, 1))
                written = self.tool.digest(target)
                require(written == source.digest, f"digest {written}, of the source {source.digest}")
                tags, tables, _ = self.cpp(cpp_read, target)
                return compare_tables(source.content, tags, tables, source.content.tables)

            self.tally.check(f"C++ hipo4 reads {name} as {codec}/per-chunk", work)

    def written_by_cpp(self, target, banks, tags):
        self.cpp(cpp_write, target, banks, tags)
        self.tool.digest(target)
        # The library keeps one record open per tag, so events are grouped by tag.
        order = np.argsort(np.array(tags), kind="stable")
        return self.compare_with_input(target, reordered(banks, order), [tags[i] for i in order])

    def routed_by_tag(self, source, tags):
        """C++ finds events of a tag by the record's user word, which a rewrite keeps."""
        target = self.path("routed")
        self.tool.recook([source], target, "--readable-by", "cpp", "--codec", "lz4")
        by_tag = self.cpp(cpp_read, target)[2]
        expected = {tag: tags.count(tag) for tag in sorted(set(tags))}
        require(by_tag == expected, f"selects {by_tag} by tag, there are {expected}")


# ---- content


def columns_of_all_types(events, arrays, seed):
    """Random bits of every type, the extremes among them, 0 to 5 rows an event."""
    random = np.random.default_rng(seed)
    counts = random.integers(0, 6, events)
    rows = int(counts.sum())

    def column(letter, length):
        dtype = np.dtype(DTYPES[letter])
        values = random.integers(0, 256, (rows * length, dtype.itemsize), dtype=np.uint8).view(dtype).reshape(-1)
        if dtype.kind == "f":
            # A signalling NaN may be quieted on its way through a float; that is nobody's fault.
            values[np.isnan(values)] = 0
            special = [np.nan, np.inf, -np.inf, -0.0, np.finfo(dtype).tiny, np.finfo(dtype).max]
        else:
            special = [np.iinfo(dtype).min, np.iinfo(dtype).max, -1]
        values[:len(special)] = special
        return values.reshape(rows, length) if length > 1 else values

    banks = {"All::types": {letter.lower(): (letter, counts, column(letter, 1)) for letter in DTYPES}}
    if arrays:
        banks["All::arrays"] = {f"a{letter.lower()}": (f"{letter}#{length}", counts, column(letter, length))
                                for length, letter in enumerate(DTYPES, 2)}
    banks["One::row"] = {"number": ("I", np.ones(events, dtype=np.int64), np.arange(events, dtype=np.int32))}
    return banks


def reordered(banks, order):
    """The same columns with their events in another order."""
    result = {}
    for name, columns in banks.items():
        result[name] = {}
        for column, (token, counts, values) in columns.items():
            begins = np.concatenate(([0], np.cumsum(counts)))
            parts = [values[begins[i]:begins[i + 1]] for i in order]
            result[name][column] = (token, np.asarray(counts)[order], np.concatenate(parts))
    return result


def with_reserved_words(source, target, every):
    """An uncompressed per-chunk file whose every n-th event has a reserved word, which no split layout keeps."""
    data = bytearray(pathlib.Path(source).read_bytes())
    at = 56 + struct.unpack_from("<I", data, 24)[0]
    end = struct.unpack_from("<Q", data, 40)[0]
    number = 0
    while at < end:
        words, _, header_words, events = struct.unpack_from("<4I", data, at)
        index = at + 4 * header_words
        event = index + 4 * events
        for size in struct.unpack_from(f"<{events}I", data, index):
            if number % every == 0:
                struct.pack_into("<I", data, event + 12, 0xC0FFEE)
            event += size
            number += 1
        at += 4 * words
    pathlib.Path(target).write_bytes(data)


def find_sources(tool, folder, golden):
    sources = {}
    if golden:
        sources |= {name: str(pathlib.Path(golden) / f"{name}.hipo") for name in GOLDEN}
    if tool.knows("generate"):
        for profile, events in GENERATED.items():
            path = str(folder / f"generated-{profile}.hipo")
            tool.run("generate", path, "--profile", profile, "--events", events, "-q")
            sources[f"generated {profile}"] = path
    return sources


def compare_with_oxihipo(interop, sources):
    for name, source in sources.items():
        interop.stage(f"oxihipo reads {name}", lambda: interop.read_by_oxihipo(name, source))
    base = sources.get("none_chunk") or sources["columns by oxihipo"]
    plain = interop.path("plain")
    reserved = interop.path("reserved-words")
    interop.tool.recook([base.path], plain, "--layout", "per-chunk", "--codec", "none", "--record-events", 100)
    with_reserved_words(plain, reserved, 50)
    interop.stage("oxihipo reads mixed layouts (reserved words)",
                  lambda: interop.read_mixed("reserved words", [reserved]))
    if "hipopy_test" in sources:
        repeated = [sources["hipopy_test"].path, sources["cpp_golden_lz4"].path]
        interop.stage("oxihipo reads mixed layouts (repeated banks)",
                      lambda: interop.read_mixed("repeated banks", repeated))
    for name, source in sources.items():
        interop.stage(f"hipo-tool reads {name} from oxihipo", lambda: interop.copied_by_oxihipo(name, source))
    interop.stage("hipo-tool reads decorated files from oxihipo", lambda: interop.decorated_by_oxihipo(base))


def compare_with_cpp(interop, sources):
    for name, source in sources.items():
        # It reads array columns wrongly and dies where there is no record (docs/format.md section 11).
        if not source.has_array_columns and source.events:
            interop.stage(f"C++ hipo4 reads {name}", lambda: interop.read_by_cpp(name, source))


def peer_made_sources(interop):
    """Files that the peers write from columns; checked, and then content like any other."""
    made = {}
    with_arrays = columns_of_all_types(150, True, 1)
    tags = [int(tag) for tag in np.random.default_rng(2).integers(0, 2**32, 150)]

    def by_oxihipo():
        for pair in PAIRS:
            compression = oxihipo_name(*pair)
            target = interop.path(f"columns-{compression}")
            interop.tally.check(f"hipo-tool reads columns from oxihipo, {compression}",
                                lambda: interop.created_by_oxihipo(target, compression, with_arrays, tags))
        made["columns by oxihipo"] = interop.path("columns-zstd+percolumn")

    interop.stage("hipo-tool reads columns from oxihipo", by_oxihipo)
    scalars = columns_of_all_types(150, False, 3)
    cpp_tags = [number % 3 for number in range(150)]

    def by_cpp():
        target = interop.path("columns-cpp")
        interop.tally.check("hipo-tool reads columns from C++ hipo4",
                            lambda: interop.written_by_cpp(target, scalars, cpp_tags))
        interop.tally.check("C++ hipo4 selects by tag after a rewrite",
                            lambda: interop.routed_by_tag(target, cpp_tags))
        made["columns by C++ hipo4"] = target

    interop.stage("hipo-tool reads columns from C++ hipo4", by_cpp)
    return made


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--tool", required=True, help="the hipo-tool to test")
    parser.add_argument("--folder", required=True, type=pathlib.Path, help="where files are made")
    arguments = parser.parse_args()
    golden = os.environ.get("HIPO_GOLDEN_DIR")
    oracle = os.environ.get("HIPO_ORACLE_DIR")
    for name, value in (("HIPO_GOLDEN_DIR", golden), ("HIPO_ORACLE_DIR", oracle)):
        if not value:
            print(f"{name} is not set: what needs it is left out")
            if os.environ.get("CI") == "true":
                return 1
    tool = Tool(arguments.tool, str(pathlib.Path(oracle) / "hipo_ref.py") if oracle else None)
    interop = Interop(tool, arguments.folder)
    paths = find_sources(tool, arguments.folder, golden) | peer_made_sources(interop)
    sources = {name: Source(tool, path) for name, path in paths.items()}
    compare_with_oxihipo(interop, sources)
    compare_with_cpp(interop, sources)
    print(f"{interop.tally.values} values compared")
    print(f"interop: {interop.tally.passed} passed, {interop.tally.failed} failed, {interop.tally.refused} skipped")
    return 1 if interop.tally.failed else 0


if __name__ == "__main__":
    sys.exit(main())
