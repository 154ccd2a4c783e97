// Package interop holds the tests that put firn and other implementations of the format side by side: manifests
// and tables that Apache's Java code wrote are read by firn, what firn writes is read by pyarrow, DuckDB and
// Apache's Java code, and firn and pyiceberg share a catalog. It has no code of its own.
//
// A test whose other side is not on the machine is skipped, and says what it misses. The environment variable
// FIRN_REQUIRE, a list of parts separated by commas, turns that into a failure:
//
//   - python: FIRN_PYTHON, or else .venv/bin/python at the root of the repository, is a Python that has the
//     packages of testdata/interop/requirements.txt;
//   - postgres: FIRN_POSTGRES is the URI of a PostgreSQL server, or the programs of one are on the machine, so that
//     scripts/postgres.sh can start it;
//   - java: FIRN_JAVA_READER is a command that lists the live files of a table with Apache's libraries, as
//     scripts/interop-java.sh describes it.
package interop
