"""What pyiceberg's SqlCatalog finds in a database, as JSON.

usage: sql_catalog.py URI CATALOG create WAREHOUSE NAMESPACE.NAME
       sql_catalog.py URI CATALOG list

`create` makes a table of one column and prints its metadata location. `list` prints every table that is listed, by
its name with dots: `row` is the metadata location of its row, `loaded` the one of the table that pyiceberg loads, and
`error` why it loads none.
"""

import json
import sys

from pyiceberg.catalog.sql import IcebergTables, SqlCatalog
from pyiceberg.schema import Schema
from pyiceberg.types import LongType, NestedField
from sqlalchemy import select
from sqlalchemy.orm import Session


def create(catalog, warehouse, name):
    namespace = name.rsplit(".", 1)[0]
    catalog.create_namespace(namespace)
    schema = Schema(NestedField(1, "id", LongType(), required=True))
    return catalog.create_table(name, schema, location=f"{warehouse}/{name}").metadata_location


def namespaces(catalog, parent=()):
    """All namespaces below one, their own below each."""
    for child in catalog.list_namespaces(parent):
        yield child
        yield from namespaces(catalog, child)


def found(catalog, table):
    with Session(catalog.engine) as session:
        row = session.scalar(
            select(IcebergTables.metadata_location).where(
                IcebergTables.catalog_name == catalog.name,
                IcebergTables.table_namespace == ".".join(table[:-1]),
                IcebergTables.table_name == table[-1],
            )
        )
    try:
        return {"row": row, "loaded": catalog.load_table(table).metadata_location, "error": ""}
    except Exception as error:  # of any kind: what it says is the answer
        return {"row": row, "loaded": "", "error": f"{type(error).__name__}: {error}"}


uri, name, command, *arguments = sys.argv[1:]
catalog = SqlCatalog(name, uri=uri)
if command == "create":
    answer = create(catalog, *arguments)
else:
    answer = {".".join(t): found(catalog, t) for n in namespaces(catalog) for t in catalog.list_tables(n)}
json.dump(answer, sys.stdout)
