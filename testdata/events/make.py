"""Makes the event files of this folder. Run once; the files are committed. See PROVENANCE.md."""

import datetime as dt
import decimal
import random

import duckdb
import pyarrow as pa
import pyarrow.parquet as pq

DAYS, FILES_PER_DAY, ROWS = 6, 4, 4500
REGIONS = ["ap-south", "eu-west", "sa-east", "us-east", "us-west"]
KINDS = ["click", "login", "purchase", "refund", "search", "view", None]
FIELD_IDS = {"event_id": 1, "ts": 2, "region": 3, "kind": 4, "user_name": 5, "amount": 6, "score": 7,
             "duration_ms": 8, "session": 9}


def rows(rng, day, part):
    start = dt.datetime(2026, 3, 1 + day, 6 * part, tzinfo=dt.timezone.utc)
    step = 6 * 3600 * 1_000_000 // ROWS
    for i in range(ROWS):
        ts = start + dt.timedelta(microseconds=i * step + rng.randrange(step))
        score = rng.gauss(50, 15)
        if day % 2 == 1 and rng.random() < 0.01:
            score = float("nan")
        yield {
            "event_id": (day * FILES_PER_DAY + part) * ROWS + i,
            "ts": ts,
            "region": rng.choice(REGIONS),
            "kind": rng.choice(KINDS),
            "user_name": f"user {rng.randrange(900):04d} " + rng.choice(["Ada", "Grace", "日本", "Ünal"]),
            "amount": None if rng.random() < 0.3 else decimal.Decimal(rng.randrange(-5000, 500000)).scaleb(-2),
            "score": None if rng.random() < 0.05 else score,
            "duration_ms": None if day == 5 else rng.randrange(60_000),
            "session": rng.randbytes(8),
        }


SCHEMA = pa.schema([
    pa.field("event_id", pa.int64(), nullable=False),
    pa.field("ts", pa.timestamp("us", tz="UTC"), nullable=False),
    pa.field("region", pa.string(), nullable=False),
    pa.field("kind", pa.string()),
    pa.field("user_name", pa.string()),
    pa.field("amount", pa.decimal128(9, 2)),
    pa.field("score", pa.float64()),
    pa.field("duration_ms", pa.int32()),
    pa.field("session", pa.binary()),
])


def main():
    rng = random.Random(20260301)
    con = duckdb.connect()
    con.execute("SET TimeZone='UTC'")
    ids = ", ".join(f"{name}: {id}" for name, id in FIELD_IDS.items())
    for day in range(DAYS):
        for part in range(FILES_PER_DAY):
            n = day * FILES_PER_DAY + part + 1
            table = pa.Table.from_pylist(list(rows(rng, day, part)), schema=SCHEMA)
            name = f"events-{n:02d}.parquet"
            if part == FILES_PER_DAY - 1:  # by pyarrow, without field ids: columns are found by name
                pq.write_table(table, name, row_group_size=2000, compression="zstd")
            else:
                con.register("batch", table)
                con.execute(f"COPY batch TO '{name}' (FORMAT parquet, COMPRESSION zstd, ROW_GROUP_SIZE 2048, "
                            f"FIELD_IDS {{{ids}}})")
                con.unregister("batch")


main()
