"""Makes files with the independent encoder: make_files.py ORACLE_FOLDER DESCRIPTIONS.json TARGET_FOLDER

DESCRIPTIONS is a list of files as tests/support/random_file.cpp describes them; file N becomes
TARGET_FOLDER/N.hipo. Texts and bytes are hexadecimal. The records of one file may differ in all that a
record can differ in.
"""
import json
import struct
import sys

sys.path.insert(0, sys.argv[1])
sys.dont_write_bytecode = True
import hipo_make as make  # noqa: E402
import hipo_ref as ref  # noqa: E402

plain_event_bytes = make.event_bytes


def event_bytes(event):
    """Like the encoder's own, with the oddities that its events have no place for."""
    odd = getattr(event, "odd", None)
    if odd is None:
        return plain_event_bytes(event)
    if odd["raw"] is not None:
        return bytes.fromhex(odd["raw"])
    body = plain_event_bytes(event) + bytes.fromhex(odd["trailing"])
    return odd["magic"].encode() + struct.pack("<I", len(body)) + body[8:]


make.event_bytes = event_bytes


def text(digits):
    return bytes.fromhex(digits).decode()


def build_event(description):
    event = ref.Event(description["tag"],
                      [ref.Structure(group, item, kind, format_length, bytes.fromhex(data))
                       for group, item, kind, format_length, data in description["banks"]],
                      description["reserved"])
    event.odd = description
    return event


def build_record(description, dictionary, number):
    extra = {}
    if description["layout"] == "perchunk":
        extra["user_header"] = bytes.fromhex(description["user_header"])
    events = [build_event(e) for e in description["events"]]
    return make.BUILDERS[description["layout"]](events, dictionary, description["codec"], description,
                                                number=number, words=tuple(description["words"]), **extra)


def dictionary_record(description, schemas):
    events = []
    for schema in schemas:
        structures = [] if description["dict_json"] == "only" else [
            ref.Structure(120, 2, 11, 0, schema.text().encode())]
        if description["dict_json"]:
            structures.insert(0, ref.Structure(120, 1, 11, 0, schema.json_text().encode()))
        events.append(ref.Event(0, structures))
    if description["tags"]:
        lines = "".join(f"{text(name)}={bit}\n" for name, bit in description["tags"])
        events.append(ref.Event(0, [ref.Structure(120, 3, 11, 0, lines.encode())]))
    for key, value in description["config"]:
        events.append(ref.Event(0, [ref.Structure(32555, 1, 6, 0, bytes.fromhex(key)),
                                    ref.Structure(32555, 2, 6, 0, bytes.fromhex(value))]))
    return make.whole_record(events, ref.Dictionary(), description["dict_codec"], description)


def trailer_record(description, rows):
    columns = list(zip(*rows)) if rows else [()] * 5
    bank = b"".join(struct.pack(f"<{len(rows)}{kind}", *column) for kind, column in zip("qiiqq", columns))
    event = ref.Event(0, [ref.Structure(32111, 1, 11, 0, bank)])
    return make.whole_record([event], ref.Dictionary(), description["trailer_codec"], description)


def build_file(description):
    dictionary = ref.Dictionary()
    schemas = [ref.parse_schema_text(text(s)) for s in description["schemas"]]
    for schema in schemas:
        dictionary.add(schema)
    head = dictionary_record(description, schemas)
    out = bytearray(56) + head
    rows = []
    for number, record in enumerate(description["records"], 1):
        stored = build_record(record, dictionary, number)
        if record["indexed"]:
            rows.append((len(out), len(stored), len(record["events"]), *record["words"]))
        out += stored
    trailer = len(out) if description["trailer"] else 0
    if trailer:
        out += trailer_record(description, rows)
    order = ">" if description["big_endian"] else "<"
    bits = 6 | 1 << 8 | (1 << 10 if trailer else 0) | 5 << 28
    out[0:56] = description["magic"].encode() + struct.pack(
        order + "7IQQII", 1, 14, 0, 0, bits, len(head), 0xC0DA0100, 0, trailer, 0, 0)
    return out


def main():
    with open(sys.argv[2], encoding="utf-8") as descriptions:
        for number, description in enumerate(json.load(descriptions)):
            with open(f"{sys.argv[3]}/{number}.hipo", "wb") as target:
                target.write(build_file(description))


if __name__ == "__main__":
    main()
