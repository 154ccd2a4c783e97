# What the scripts of test servers share; sourced, not run. Each defines start, which prints what tests need and sets
# folder, and stop FOLDER.

# fail CODE MESSAGE
fail() {
	echo "$(basename "$0"): $2" >&2
	exit "$1"
}

# verb start | stop FOLDER | hold, as the usage of the scripts has it
verb() {
	case ${1-} in
	start)
		start
		trap - EXIT
		;;
	stop)
		stop "${2:?which folder}"
		;;
	hold)
		trap '' INT TERM # an interrupt reaches the tests too: what ends them ends standard input
		start
		cat >/dev/null
		stop "$folder"
		;;
	*)
		sed -n 's/^# usage: /usage: /p' "$script" >&2
		exit 2
		;;
	esac
}
