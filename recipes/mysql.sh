#!/bin/sh
# Exports the Performance Schema of a MySQL or MariaDB server for queryscope: one file of tab-separated values per table.
#
#   sh mysql.sh FOLDER [SECONDS] [-- OPTIONS OF THE CLIENT]
#
#   sh mysql.sh out                          what the server has recorded, with the client's own option files
#   sh mysql.sh out 30 -- -h db1 -u admin    records for 30 seconds first: turns on what is off, and off again afterwards
#
# When it records, it exports the server's own sums first, so that they can be compared with the events.
# It freezes the instrumentation while it reads, so that all tables are of one moment, and puts every setting back, even
# when it is interrupted. The user needs SELECT on performance_schema, and UPDATE on its setup tables to freeze and record.
# The client asks for a password once per table: use an option file, --login-path or MYSQL_PWD. MYSQL names the client.
#
# Statements are exported as they were run: SQL_TEXT may hold what nobody else should see.
set -u

[ $# -ge 1 ] || { sed -n '2,15s/^# \{0,1\}//p' "$0"; exit 2; }
folder=$1
shift
seconds=0
case ${1:-} in
[0-9]*) seconds=$1; shift ;;
esac
[ "${1:-}" = "--" ] && shift
client=${MYSQL:-mysql}
command -v "$client" >/dev/null || client=mariadb

# The options are kept as one quoted text: a trap that runs inside a function sees the function's arguments.
options=
for option in "$@"; do
    options="$options '$(printf '%s' "$option" | sed "s/'/'\\\\''/g")'"
done
run() { eval "\"\$client\" $options \"\$@\""; }

# ask SQL [OPTION]: one statement, its rows with a header. value SQL: without.
ask() { printf '%s\n' "$1" | run --batch --default-character-set=utf8mb4 ${2:-} performance_schema; }
value() { ask "$1" --skip-column-names; }
say() { printf '%s\n' "$@" >&2; }

on=$(value "SELECT @@performance_schema") || { say "The server cannot be reached."; exit 1; }
[ "$on" = 1 ] || {
    say "The Performance Schema of this server is off: there is nothing to export." \
        "Start the server with performance_schema=ON (my.cnf, below [mysqld]): it cannot be turned on while it runs."
    exit 1
}
restore="$folder/restore.sql"
[ -s "$restore" ] && { say "An earlier run could not put settings back: run $restore, then delete it."; exit 1; }
mkdir -p "$folder" && : >"$restore" || exit 1
sleeper=
undo() {
    trap - EXIT
    trap '' HUP INT TERM
    [ -n "$sleeper" ] && kill "$sleeper" 2>/dev/null
    if [ ! -s "$restore" ] || run performance_schema <"$restore"; then
        rm -f "$restore"
    else
        say "Settings could not be put back: run $restore yourself."
    fi
}
trap 'undo; exit 130' HUP INT TERM
trap undo EXIT

# sums_into FOLDER: the server's own sums, one file per table.
summaries="SELECT table_name FROM information_schema.tables WHERE table_schema = 'performance_schema' AND (table_name LIKE '%summary%' OR table_name LIKE '%histogram%') AND table_name NOT LIKE 'memory%' AND table_name NOT LIKE '%by_error' ORDER BY 1"
sums_into() {
    mkdir -p "$1" || exit 1
    for table in $(value "$summaries"); do
        ask "SELECT * FROM \`$table\`" >"$1/$table.tsv" 2>/dev/null || rm -f "$1/$table.tsv"
    done
    ask "SHOW GLOBAL STATUS LIKE 'performance_schema%'" >"$1/status.tsv"
}

# Whether settings may be changed is tried with a change that is none.
global="NAME = 'global_instrumentation'"
may=YES
if ask "UPDATE setup_consumers SET ENABLED = ENABLED WHERE $global"; then
    value "SELECT CONCAT('UPDATE setup_consumers SET ENABLED=''', ENABLED, ''' WHERE NAME=''', NAME, ''';') FROM setup_consumers WHERE $global" >>"$restore"
else
    may=NO
    [ "$seconds" -gt 0 ] && { say "To record, the user needs UPDATE on the setup tables."; exit 1; }
    say "The instrumentation cannot be frozen: the tables are of different moments."
fi
# instrumentation YES|NO
instrumentation() { [ "$may" = NO ] || ask "UPDATE setup_consumers SET ENABLED = '$1' WHERE $global"; }

if [ "$seconds" -gt 0 ]; then
    # What is off now is turned off again. Locks of the server's own code (wait/synch) are not turned on: they cost most.
    wanted="NAME LIKE 'stage/%' OR NAME LIKE 'statement/%' OR NAME LIKE 'wait/io/%' OR NAME LIKE 'wait/lock/%' OR NAME IN ('transaction', 'idle')"
    value "SELECT CONCAT('UPDATE setup_instruments SET ENABLED=''', ENABLED, ''', TIMED=''', COALESCE(TIMED, 'NO'), ''' WHERE NAME=''', NAME, ''';') FROM setup_instruments WHERE (ENABLED = 'NO' OR TIMED = 'NO') AND ($wanted)" >>"$restore"
    keepers="NAME LIKE 'events_%' OR NAME = 'thread_instrumentation'"
    value "SELECT CONCAT('UPDATE setup_consumers SET ENABLED=''NO'' WHERE NAME=''', NAME, ''';') FROM setup_consumers WHERE ENABLED = 'NO' AND ($keepers)" >>"$restore"
    ask "UPDATE setup_instruments SET ENABLED = 'YES', TIMED = 'YES' WHERE $wanted"
    ask "UPDATE setup_consumers SET ENABLED = 'YES' WHERE $keepers"
    # The sums from before: without them, nobody can tell what was counted since. They are not reset, others may use them.
    instrumentation NO
    for class in waits stages statements transactions; do
        ask "TRUNCATE TABLE events_${class}_history_long" 2>/dev/null
    done
    sums_into "$folder/before"
    instrumentation YES
    say "Recording for $seconds seconds …"
    # In the background: a signal need not wait until it ends.
    sleep "$seconds" &
    sleeper=$!
    wait "$sleeper"
    sleeper=
fi
kept=$(value "SELECT COUNT(*) FROM setup_consumers WHERE ENABLED = 'YES' AND NAME LIKE 'events_%_history_long'")
[ "$kept" = 0 ] && say \
    "No long history is kept (the consumers events_…_history_long are off): only the last events of each thread are exported." \
    "Give a number of seconds behind the folder's name to record."

# Locks are of now, whether the instrumentation goes on or not.
for table in innodb_trx innodb_locks innodb_lock_waits; do
    ask "SELECT * FROM information_schema.$table" >"$folder/$table.tsv" 2>/dev/null || rm -f "$folder/$table.tsv"
done
for table in data_locks data_lock_waits metadata_locks; do
    ask "SELECT * FROM $table" >"$folder/$table.tsv" 2>/dev/null || rm -f "$folder/$table.tsv"
done

instrumentation NO

moment="NOW(6) now_local, UTC_TIMESTAMP(6) now_utc, @@version version, @@hostname hostname, (SELECT MAX(TIMER_END) FROM events_statements_history_long) max_timer_end"
ask "SELECT $moment, (SELECT VARIABLE_VALUE FROM global_status WHERE VARIABLE_NAME = 'UPTIME') uptime" >"$folder/export.tsv" 2>/dev/null ||
    ask "SELECT $moment, (SELECT VARIABLE_VALUE FROM information_schema.global_status WHERE VARIABLE_NAME = 'UPTIME') uptime" >"$folder/export.tsv"
ask "SHOW GLOBAL STATUS LIKE 'performance_schema%'" >"$folder/status.tsv"
ask "SHOW GLOBAL VARIABLES LIKE 'performance_schema%'" >"$folder/sizes.tsv"

tables="SELECT table_name FROM information_schema.tables WHERE table_schema = 'performance_schema' ORDER BY 1"
for table in $(value "$tables"); do
    case $table in
    # What no picture is made of, and what may hold secrets.
    *keyring* | *variables* | *log* | replication_* | session_* | status_by_* | tls_* | clone_* | memory_* | *_by_error) continue ;;
    data_lock* | metadata_locks) continue ;;
    esac
    ask "SELECT * FROM \`$table\`" >"$folder/$table.tsv" 2>/dev/null || rm -f "$folder/$table.tsv"
done
# An empty table is an empty file, which says nothing.
find "$folder" -name '*.tsv' -size 0 -exec rm -f {} +
for file in "$folder"/events_*_current.tsv "$folder"/events_*_history.tsv "$folder"/events_*_history_long.tsv; do
    [ -s "$file" ] && { say "Done: drop the folder $folder onto queryscope."; exit 0; }
done
say "There are no events, only what else the server told: see the consumers and instruments of performance_schema."
exit 1
