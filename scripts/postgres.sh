#!/usr/bin/env bash
# usage: postgres.sh start | stop FOLDER | hold
#
# A PostgreSQL server for tests, with its data in a new folder below TMPDIR, on a free port of 127.0.0.1. It syncs
# nothing to the disk. Since the server refuses to run as root, root runs it as the user postgres, else nobody.
#
#   start  starts one, waits until it answers, and prints
#              FIRN_POSTGRES=postgres://firn:PASSWORD@127.0.0.1:PORT/postgres?sslmode=disable
#              FIRN_POSTGRES_FOLDER=FOLDER
#   stop   stops the one in FOLDER and removes the folder
#   hold   starts one, prints the same, and stops it when standard input ends: a process that keeps the other end of
#          that pipe has a server for as long as it lives, however it ends
#
# Ends with 3 if the server's programs are not on the machine.
set -euo pipefail

script=$(cd "$(dirname "$0")" && pwd)/$(basename "$0")
. "$(dirname "$script")/test-server.sh"

# program NAME prints where a program of the server is; the newest version of Debian's folders wins.
program() {
	command -v "$1" || find /usr/lib/postgresql -path "*/bin/$1" 2>/dev/null | sort -V | tail -n 1 | grep . ||
		fail 3 "$1 is not there: install PostgreSQL's server (Debian: apt-get install postgresql), or set FIRN_POSTGRES"
}

# as_user runs a command as the user of the server.
as_user() {
	if [ "$(id -u)" != 0 ]; then
		"$@"
	elif command -v setpriv >/dev/null; then
		setpriv --reuid="$user" --regid="$(id -g "$user")" --clear-groups "$@"
	else
		runuser -u "$user" -- "$@"
	fi
}

# launch starts the server on a port below those that the system gives to clients, another one if it is taken.
launch() {
	for _ in {1..20}; do
		port=$((20000 + RANDOM % 12000))
		if as_user "$pg_ctl" start --silent --wait --timeout=60 --pgdata="$folder/data" --log="$folder/log" --options="-p $port" >&2; then
			return
		fi
		grep -q 'could not bind\|could not create any TCP' "$folder/log" || break
		: >"$folder/log"
	done
	cat "$folder/log" >&2
	fail 1 "the server does not start"
}

start() {
	initdb=$(program initdb)
	folder=$(mktemp -d "${TMPDIR:-/tmp}/firn-postgres-XXXXXX")
	trap 'stop "$folder"' EXIT
	password=$(od -An -N16 -tx1 /dev/urandom | tr -d ' \n')
	printf '%s' "$password" >"$folder/password"
	[ "$(id -u)" != 0 ] || chown -R "$user" "$folder"
	as_user "$initdb" --pgdata="$folder/data" --username=firn --pwfile="$folder/password" --auth=scram-sha-256 \
		--encoding=UTF8 --locale=C --no-sync >"$folder/initdb.log" 2>&1 || { cat "$folder/initdb.log" >&2; fail 1 "initdb failed"; }
	as_user tee -a "$folder/data/postgresql.conf" >/dev/null <<-END
		listen_addresses = '127.0.0.1'
		unix_socket_directories = ''
		fsync = off
		full_page_writes = off
	END
	launch
	echo "FIRN_POSTGRES=postgres://firn:$password@127.0.0.1:$port/postgres?sslmode=disable"
	echo "FIRN_POSTGRES_FOLDER=$folder"
}

# stop stops the server in a folder that start has made, if it runs, and removes the folder.
stop() {
	trap - EXIT
	[ -e "$1/password" ] || fail 2 "$1 is no folder of a server that this script started"
	if [ -e "$1/data/postmaster.pid" ]; then
		as_user "$pg_ctl" stop --silent --mode=immediate --pgdata="$1/data" >&2 || true
	fi
	rm -rf "$1"
}

user=postgres
id "$user" >/dev/null 2>&1 || user=nobody
pg_ctl=$(program pg_ctl)
cd / # a folder that the other user may enter
verb "$@"
