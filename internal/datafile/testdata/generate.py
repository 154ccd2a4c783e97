"""Writes the Parquet files of written/ with pyarrow and DuckDB, and beside each the values of its columns.

Run once with pyarrow 26.0.1 and DuckDB 2.0.1; the files are kept because their bytes are the point.

expected.json: "arrow" or "duckdb" -> column -> list of values in file order, null for null. Integers, dates and instants are
numbers in Iceberg's unit, floats their bits, decimals their unscaled value as text, bytes hex, text as text.
"""
import datetime
import decimal
import json
import math
import os
import struct
import uuid

import duckdb
import pyarrow as pa
import pyarrow.parquet as pq

HERE = os.path.join(os.path.dirname(os.path.abspath(__file__)), "written")
decimal.getcontext().prec = 60
EPOCH = datetime.datetime(1970, 1, 1)
ROWS = 150


def scalar_columns():
    n = range(ROWS)
    hole = lambda f: [None if i % 7 == 3 else f(i) for i in n]
    seconds = lambda i: EPOCH + datetime.timedelta(days=17000, seconds=977 * i)
    return {
        "b": (pa.bool_(), hole(lambda i: i % 3 == 0)),
        "i": (pa.int32(), hole(lambda i: i * 7919 - 500000)),
        "i8": (pa.int8(), hole(lambda i: i % 100 - 50)),
        "u32": (pa.uint32(), hole(lambda i: 2**31 + 3 * i)),
        "l": (pa.int64(), hole(lambda i: (i - 75) * 2**40)),
        "f": (pa.float32(), hole(lambda i: math.nan if i == 20 else i / 3)),
        "d": (pa.float64(), hole(lambda i: -0.0 if i == 0 else (75 - i) / 7 if i < 75 else i * 1.5)),
        "dt": (pa.date32(), hole(lambda i: datetime.date(1969, 12, 1) + datetime.timedelta(days=i))),
        "t_ms": (pa.time32("ms"), hole(lambda i: datetime.time(i % 24, 59, 1, 5000))),
        "t_us": (pa.time64("us"), hole(lambda i: datetime.time(i % 24, 59, 1, 123))),
        "ts_ms": (pa.timestamp("ms"), hole(seconds)),
        "ts": (pa.timestamp("us"), hole(lambda i: seconds(i) + datetime.timedelta(microseconds=i))),
        "tsz": (pa.timestamp("us", "UTC"), hole(seconds)),
        "tn": (pa.timestamp("ns"), hole(seconds)),
        "dec9": (pa.decimal128(9, 2), hole(lambda i: decimal.Decimal(i * 1001 - 70000) / 100)),
        "dec30": (pa.decimal128(30, 3), hole(lambda i: (decimal.Decimal(10) ** 25 * (i - 75)).quantize(decimal.Decimal("0.001")))),
        "s": (pa.string(), hole(lambda i: "shared prefix of some length " + "\u00e9" * (i % 5) + str(i % 40))),
        "bin": (pa.binary(), hole(lambda i: bytes([i % 256]) * (i % 20))),
        "fx": (pa.binary(3), hole(lambda i: bytes([i, 255 - i, 7]))),
        "u": (pa.uuid(), hole(lambda i: uuid.UUID(int=(i * 2**120 + i) % 2**128).bytes)),
        "none": (pa.null(), [None] * ROWS),
        "same": (pa.int64(), [42] * ROWS),
    }


def canon(typ, v):
    if v is None:
        return None
    micros = lambda t: ((t.hour * 60 + t.minute) * 60 + t.second) * 10**6 + t.microsecond
    if pa.types.is_boolean(typ):
        return int(v)
    if pa.types.is_float32(typ):
        return struct.unpack("<I", struct.pack("<f", v))[0]
    if pa.types.is_float64(typ):
        return struct.unpack("<q", struct.pack("<d", v))[0]
    if pa.types.is_date(typ):
        return (v - EPOCH.date()).days
    if pa.types.is_time(typ):
        return micros(v)
    if pa.types.is_timestamp(typ):
        delta = v.replace(tzinfo=None) - EPOCH
        us = (delta.days * 86400 + delta.seconds) * 10**6 + delta.microseconds
        return us * 1000 if typ.unit == "ns" else us
    if pa.types.is_decimal(typ):
        return str(int(v.scaleb(typ.scale)))
    if isinstance(v, bytes):
        return v.hex()
    return v


def write_scalars(expected):
    cols = scalar_columns()
    table = pa.table({k: pa.array(v, t) for k, (t, v) in cols.items()})
    delta = {"i": "DELTA_BINARY_PACKED", "l": "DELTA_BINARY_PACKED", "ts": "DELTA_BINARY_PACKED",
             "s": "DELTA_BYTE_ARRAY", "bin": "DELTA_LENGTH_BYTE_ARRAY", "fx": "DELTA_BYTE_ARRAY", "b": "RLE"}
    split = {k: "BYTE_STREAM_SPLIT" for k in ("i", "l", "f", "d", "fx")}
    variants = {
        "arrow-v1-dictionary-snappy": dict(compression="snappy", use_dictionary=True, data_page_version="1.0"),
        "arrow-v2-delta-zstd": dict(compression="zstd", use_dictionary=False, column_encoding=delta,
                                    data_page_version="2.0", data_page_size=400, write_page_checksum=True),
        "arrow-v1-split-gzip": dict(compression="gzip", use_dictionary=False, column_encoding=split,
                                    data_page_version="1.0", store_decimal_as_integer=True),
        "arrow-v2-dictionary-brotli": dict(compression="brotli", use_dictionary=True, data_page_version="2.0"),
        "arrow-v1-delta-lz4": dict(compression="lz4", use_dictionary=False, column_encoding=delta, data_page_version="1.0"),
    }
    for name, options in variants.items():
        pq.write_table(table, os.path.join(HERE, name + ".parquet"), row_group_size=100, **options)
    expected["arrow"] = {k: [canon(t, v) for v in vals] for k, (t, vals) in cols.items()}
    pq.write_table(pa.table({"id": pa.array([1, 2], pa.int64()), "at": pa.array([EPOCH, EPOCH], pa.timestamp("ns"))}),
                   os.path.join(HERE, "arrow-int96.parquet"), use_deprecated_int96_timestamps=True)


def write_nested():
    rows = [
        {"id": 1, "who": {"name": "a", "born": 3}, "tags": ["x", "y"], "m": {"k": 1}, "pairs": [{"l": 1, "r": 2}]},
        {"id": 2, "who": {"name": None, "born": 4}, "tags": [], "m": {}, "pairs": []},
        {"id": 3, "who": None, "tags": None, "m": None, "pairs": [None, {"l": None, "r": 9}]},
    ]
    typ = pa.schema([
        pa.field("id", pa.int64(), nullable=False),
        pa.field("who", pa.struct([("name", pa.string()), ("born", pa.int32())])),
        pa.field("tags", pa.list_(pa.string())),
        pa.field("m", pa.map_(pa.string(), pa.int64())),
        pa.field("pairs", pa.list_(pa.struct([("l", pa.int32()), ("r", pa.int32())]))),
    ])
    pq.write_table(pa.Table.from_pylist(rows, typ), os.path.join(HERE, "arrow-nested.parquet"))


def write_duckdb(expected):
    con = duckdb.connect()
    con.execute("""create table t as select i::bigint as id, (i % 5)::int as k, 'name ' || (i // 10) as s,
        case when i % 4 = 0 then null else i / 8 end::double as d, timestamp '2026-01-01' + interval (i) second as ts,
        date '2026-01-01' + (i // 50)::int as dt, (i * 1.25)::decimal(9,2) as amount, i % 2 = 0 as even,
        ('00000000-0000-0000-0000-0000000000' || lpad((i % 100)::varchar, 2, '0'))::uuid as u
        from range(300) r(i)""")
    for version in ("V1", "V2"):
        name = "duckdb-" + version.lower()
        path = os.path.join(HERE, name + ".parquet")
        con.execute(f"copy t to '{path}' (format parquet, parquet_version {version}, row_group_size 2048)")
    rows = con.execute("select * from t").fetchall()
    columns = {"id": pa.int64(), "k": pa.int32(), "s": pa.string(), "d": pa.float64(), "ts": pa.timestamp("us"),
               "dt": pa.date32(), "amount": pa.decimal128(9, 2), "even": pa.bool_(), "u": pa.uuid()}
    plain = lambda v: v.bytes if isinstance(v, uuid.UUID) else v
    expected["duckdb"] = {c: [canon(t, plain(r[j])) for r in rows] for j, (c, t) in enumerate(columns.items())}


expected = {}
write_scalars(expected)
write_nested()
write_duckdb(expected)
with open(os.path.join(HERE, "expected.json"), "w") as f:
    json.dump(expected, f, separators=(",", ":"), sort_keys=True)
    f.write("\n")
