"""Dumps every value of the Parquet manifests below this folder by field id, with pyarrow.

One line per row and non-null struct: row, the ids on the path to the struct separated by dots, then id=value
for every member that is not null and no struct. Numbers are decimal, floats their bits in hex, binaries,
uuids and decimals wider than 64 bits hex, strings JSON without the quotes, lists [a,b].
"""

import glob
import json
import os
import struct

import pyarrow as pa
import pyarrow.parquet as pq

ID = b"PARQUET:field_id"


def scalar(typ, v):
    if pa.types.is_boolean(typ):
        return "true" if v.as_py() else "false"
    if pa.types.is_floating(typ):
        return struct.pack(">f" if typ.bit_width == 32 else ">d", v.as_py()).hex()
    if pa.types.is_integer(typ):
        return str(v.as_py())
    if pa.types.is_date(typ) or pa.types.is_time(typ) or pa.types.is_timestamp(typ):
        return str(v.value)
    if pa.types.is_decimal(typ):
        return str(int(v.as_py().scaleb(typ.scale)))
    if pa.types.is_string(typ):
        return json.dumps(v.as_py(), ensure_ascii=False)[1:-1]
    if isinstance(typ, pa.BaseExtensionType):
        return v.value.as_py().hex()
    return v.as_py().hex()


def dump(out, row, path, fields, values):
    members = []
    nested = []
    for field, v in zip(fields, values):
        if not v.is_valid:
            continue
        fid = int(field.metadata[ID])
        typ = field.type
        if pa.types.is_struct(typ):
            nested.append((fid, typ, v))
        elif pa.types.is_list(typ):
            members.append((fid, "[" + ",".join(scalar(typ.value_type, e) for e in v.values) + "]"))
        else:
            members.append((fid, scalar(typ, v)))
    members.sort()
    out.append("\t".join([str(row), path] + [f"{i}={v}" for i, v in members]))
    for fid, typ, v in sorted(nested, key=lambda n: n[0]):
        sub = [typ.field(i) for i in range(typ.num_fields)]
        dump(out, row, (path + "." if path else "") + str(fid), sub, [v[i] for i in range(typ.num_fields)])


here = os.path.dirname(os.path.abspath(__file__))
for name in sorted(glob.glob(os.path.join(here, "*", "*.parquet"))):
    table = pq.read_table(name)
    out = []
    for row in range(table.num_rows):
        dump(out, row, "", list(table.schema), [table.column(i)[row] for i in range(table.num_columns)])
    with open(name.removesuffix(".parquet") + ".tsv", "w", encoding="utf-8") as f:
        f.write("\n".join(out) + "\n")
