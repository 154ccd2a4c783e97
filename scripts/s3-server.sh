#!/usr/bin/env bash
# usage: s3-server.sh start | stop FOLDER | hold
#
# A server for tests that speaks the protocol of Amazon S3: moto, in a Python process, on a free port of 127.0.0.1,
# with its files in a new folder below TMPDIR. It takes any credentials, and holds nothing when it has ended.
#
#   start  starts one, waits until it listens, and prints
#              FIRN_S3=http://127.0.0.1:PORT
#              FIRN_S3_FOLDER=FOLDER
#   stop   stops the one in FOLDER and removes the folder
#   hold   starts one, prints the same, and stops it when standard input ends: a process that keeps the other end of
#          that pipe has a server for as long as it lives, however it ends
#
# FIRN_PYTHON names a Python with the packages of testdata/interop/requirements.txt; without it that of .venv is
# taken, or python3. Ends with 3 if that Python has no moto.
set -euo pipefail

script=$(cd "$(dirname "$0")" && pwd)/$(basename "$0")
. "$(dirname "$script")/test-server.sh"

find_python() {
	python=${FIRN_PYTHON:-$(dirname "$0")/../.venv/bin/python}
	[ -n "${FIRN_PYTHON:-}" ] || [ -x "$python" ] || python=python3
	"$python" -c 'import importlib.util as u, sys; sys.exit(not (u.find_spec("moto") and u.find_spec("werkzeug")))' 2>/dev/null ||
		fail 3 "$python has no moto: pip install -r testdata/interop/requirements.txt, or set FIRN_PYTHON or FIRN_S3"
}

# serve runs the server, which writes its endpoint into a file of the folder. moto looks whether an object is there
# and writes it in two steps, so requests are answered one at a time.
serve() {
	TMPDIR=$folder exec "$python" - "$folder" <<-'END'
		import io, os, sys, threading
		from moto.moto_server.werkzeug_app import DomainDispatcherApplication, MotoRequestHandler, create_backend_app
		from werkzeug.serving import make_server

		moto = DomainDispatcherApplication(create_backend_app)
		one_at_a_time = threading.Lock()

		def app(environ, start_response):
		    # a client that is slow to send holds up nobody
		    environ["wsgi.input"] = io.BytesIO(environ["wsgi.input"].read(int(environ.get("CONTENT_LENGTH") or 0)))
		    with one_at_a_time:
		        return list(moto(environ, start_response))

		server = make_server("127.0.0.1", 0, app, threaded=True, request_handler=MotoRequestHandler)
		started = os.path.join(sys.argv[1], "endpoint")
		with open(started + ".new", "w") as file:
		    file.write(f"http://127.0.0.1:{server.server_port}\n")
		os.rename(started + ".new", started)
		server.serve_forever()
	END
}

start() {
	find_python
	folder=$(mktemp -d "${TMPDIR:-/tmp}/firn-s3-XXXXXX")
	trap 'stop "$folder"' EXIT
	serve >"$folder/log" 2>&1 &
	pid=$!
	echo "$pid" >"$folder/pid"
	for _ in {1..600}; do
		[ ! -e "$folder/endpoint" ] || break
		kill -0 "$pid" 2>/dev/null || break
		sleep 0.1
	done
	[ -e "$folder/endpoint" ] || { cat "$folder/log" >&2; fail 1 "the server does not start"; }
	echo "FIRN_S3=$(cat "$folder/endpoint")"
	echo "FIRN_S3_FOLDER=$folder"
}

# stop stops the server in a folder that start has made, if it runs, and removes the folder.
stop() {
	trap - EXIT
	[ -e "$1/pid" ] || fail 2 "$1 is no folder of a server that this script started"
	kill -KILL "$(cat "$1/pid")" 2>/dev/null || true
	rm -rf "$1"
}

verb "$@"
