"""Prints what pyarrow and DuckDB read in Parquet files, as one JSON object: file -> reader -> what it found.

usage: read_manifests.py FILE...

Of each reader: `columns`, every field in the order of the schema with its path, field id, type as the reader calls it
and whether it is required; `keys`, the key-value metadata; `rows`, every row with all its values and nulls. Numbers,
dates and times are integers in the unit of their type; decimals are "UNSCALEDe-SCALE"; floats are "0x" and their bits,
binaries "0x" and their bytes, both in hexadecimal; uuids are text.
"""

import decimal
import json
import struct
import sys
import uuid

import duckdb
import pyarrow as pa
import pyarrow.parquet as pq


def values(array):
    """The values of an Arrow array as what JSON can say."""
    if isinstance(array, pa.ChunkedArray):
        array = array.combine_chunks()
    kind = array.type
    if pa.types.is_struct(kind):
        members = [values(member) for member in array.flatten()]
        names = [kind.field(i).name for i in range(kind.num_fields)]
        rows = [dict(zip(names, row)) for row in zip(*members)]
        return [row if valid else None for row, valid in zip(rows, array.is_valid().to_pylist())]
    if pa.types.is_list(kind):
        return [values(item.values) if item.is_valid else None for item in array]
    if pa.types.is_date32(kind):
        array = array.cast(pa.int32())
    elif pa.types.is_time64(kind) or pa.types.is_timestamp(kind):
        array = array.cast(pa.int64())
    return [None if v is None else scalar(v, kind) for v in array.to_pylist()]


def scalar(value, kind):
    if isinstance(value, float):
        return "0x" + struct.pack(">f" if pa.types.is_float32(kind) else ">d", value).hex()
    if isinstance(value, bytes):
        return "0x" + value.hex()
    if isinstance(value, decimal.Decimal):
        sign, digits, exponent = value.as_tuple()
        number = int("".join(map(str, digits))) * (-1 if sign else 1)
        return f"{number}e{exponent}"
    if isinstance(value, uuid.UUID):
        return str(value)
    return value


def rows(table):
    columns = [values(column) for column in table.columns]
    return [dict(zip(table.column_names, row)) for row in zip(*columns)]


def column(path, field_id, kind, required):
    return {"path": path, "id": field_id, "type": kind, "required": required}


def arrow_columns(fields, prefix=""):
    for field in fields:
        path = prefix + field.name
        field_id = int((field.metadata or {}).get(b"PARQUET:field_id", -1))
        if pa.types.is_struct(field.type):
            yield column(path, field_id, "struct", not field.nullable)
            members = [field.type.field(i) for i in range(field.type.num_fields)]
            yield from arrow_columns(members, path + "/")
        elif pa.types.is_list(field.type):
            yield column(path, field_id, "list", not field.nullable)
            yield from arrow_columns([field.type.value_field.with_name("element")], path + "/")
        else:
            yield column(path, field_id, str(field.type), not field.nullable)


def read_with_pyarrow(name):
    return {
        "columns": list(arrow_columns(pq.read_schema(name))),
        "keys": {k.decode(): v.decode() for k, v in (pq.read_metadata(name).metadata or {}).items()},
        "rows": rows(pq.read_table(name)),
    }


def duckdb_columns(nodes, prefix, count):
    """Walks the next count nodes of the schema, which DuckDB lists parents before children."""
    for _ in range(count):
        name, repetition, children, converted, field_id, kind = next(nodes)
        path, field_id = prefix + name, -1 if field_id is None else field_id
        if converted == "LIST":
            next(nodes)  # the repeated group, which has no meaning of its own
            yield column(path, field_id, "list", repetition == "REQUIRED")
        elif children:
            yield column(path, field_id, "struct", repetition == "REQUIRED")
        else:
            yield column(path, field_id, kind, repetition == "REQUIRED")
        yield from duckdb_columns(nodes, path + "/", children or 0)


def read_with_duckdb(name):
    connection = duckdb.connect()
    nodes = iter(connection.execute(
        "SELECT name, repetition_type, num_children, converted_type, field_id, duckdb_type FROM parquet_schema(?)",
        [name]).fetchall())
    keys = connection.execute("SELECT decode(key), decode(value) FROM parquet_kv_metadata(?)", [name]).fetchall()
    root = next(nodes)
    return {
        "columns": list(duckdb_columns(nodes, "", root[2])),
        "keys": dict(keys),
        "rows": rows(connection.sql("SELECT * FROM read_parquet(?)", params=[name]).to_arrow_table()),
    }


def main(names):
    found = {name: {"pyarrow": read_with_pyarrow(name), "duckdb": read_with_duckdb(name)} for name in names}
    json.dump(found, sys.stdout, ensure_ascii=False)


main(sys.argv[1:])
