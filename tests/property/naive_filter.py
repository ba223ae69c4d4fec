"""Filters events by the plainest code that can: naive_filter.py ORACLE_FOLDER CASES.json

For each case one line: whether the digest of the events that a predicate chooses from the file `in` is that
of the file `out`, that of the others is that of the file `inverse`, and the two add up. Only the independent
decoder reads files here. tests/property/tag_filter_test.cpp writes the cases.
"""
import json
import struct
import sys

sys.path.insert(0, sys.argv[1])
sys.dont_write_bytecode = True
import hipo_ref as ref  # noqa: E402

MASK = (1 << 128) - 1


def open_file(path):
    with open(path, "rb") as stream:
        return ref.HipoFile(stream.read(), strict=False)


def events_of(file):
    """Pairs of an event and the first user word of its record."""
    for offset, header in file.records:
        for event in file.events_of(offset, header):
            yield event, header.user1


def digest(dictionary, events):
    hashes = [ref.xxh128(ref.event_canonical_bytes(dictionary, event)) for event in events]
    chain = b"".join(h.to_bytes(16, "big") for h in hashes)
    return ref.xxh128(chain), sum(hashes) & MASK, len(hashes)


def first_bank(event, key):
    found = [s for s in event.structures if [s.group, s.item] == key]
    return found[0] if found else None


def table_of(dictionary, event, key):
    bank = first_bank(event, key)
    if bank is None:
        return None
    kind, schema = ref.classify(dictionary, bank)
    return (bank.data, schema, len(bank.data) // schema.row_size) if kind == "table" else None


def condition_holds(condition, dictionary, event):
    table = table_of(dictionary, event, condition["bank"])
    rows = table[2] if table else 0
    if condition["kind"] == "count":
        return rows > condition["number"]
    if not table:
        return False
    column = table[1].columns[condition["column"]]
    at = rows * column.offset
    cells = struct.unpack(f"<{rows * column.length}{ref.TYPE_FMT[column.letter]}",
                          table[0][at:at + rows * column.width])
    return any(cell > condition["number"] for cell in cells)


def clause_holds(clause, dictionary, event, word):
    kind = clause["kind"]
    if kind == "require":
        return first_bank(event, clause["bank"]) is not None
    if kind in ("count", "column"):
        return condition_holds(clause, dictionary, event)
    words = {"event": [event.tag], "record": [word], "either": [event.tag, word]}[clause["by"]]
    number = clause["number"]
    tests = {"value": lambda tag: tag == number, "any": lambda tag: tag & number != 0,
             "all": lambda tag: tag & number == number, "none": lambda tag: tag & number == 0}
    return any(tests[kind](tag) for tag in words)


def give_tag(tagging, dictionary, event):
    tag = event.tag & ~tagging["clear"]
    rule = tagging["rule"]
    if rule and condition_holds(rule["condition"], dictionary, event):
        tag = (tag if rule["value"] is None else rule["value"]) | rule["bits"]
    event.tag = tag | tagging["set"]


def verdict(case):
    source, out, inverse = (open_file(case[name]) for name in ("in", "out", "inverse"))
    chosen, others = [], []
    for event, word in events_of(source):
        if case["tagging"]:
            give_tag(case["tagging"], source.dict, event)
        holds = [clause_holds(clause, source.dict, event, word) for clause in case["clauses"]]
        (chosen if (any if case["or"] else all)(holds) else others).append(event)
    everything = digest(source.dict, chosen + others)
    for events, file, name in ((chosen, out, "out"), (others, inverse, "inverse")):
        found = digest(file.dict, [event for event, _ in events_of(file)])
        expected = digest(source.dict, events)
        if found != expected:
            return f"{name} has {found[2]} events, the plain filter {expected[2]}, or others"
    both = sum(digest(f.dict, [e for e, _ in events_of(f)])[1] for f in (out, inverse)) & MASK
    return f"good {len(chosen)} {len(others)}" if both == everything[1] else "the two do not add up"


def main():
    with open(sys.argv[2], encoding="utf-8") as cases:
        for case in json.load(cases):
            print(verdict(case))


if __name__ == "__main__":
    main()
