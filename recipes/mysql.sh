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
mkdir -p "$folder" || exit 1

# ask SQL [OPTION…]: one statement, its rows with a header.
ask() {
    statement=$1
    shift
    printf '%s\n' "$statement" | "$client" "$@" --batch --default-character-set=utf8mb4 performance_schema
}

restore="$folder/restore.sql"
: >"$restore"
undo() {
    trap - EXIT INT TERM
    if [ -s "$restore" ]; then
        "$client" "$@" performance_schema <"$restore" && rm -f "$restore" ||
            echo "Settings could not be put back: run $restore yourself." >&2
    else
        rm -f "$restore"
    fi
}
trap 'undo "$@"; exit 130' INT TERM
trap 'undo "$@"' EXIT

ask "SELECT 1" "$@" >/dev/null || { echo "The server cannot be reached." >&2; exit 1; }

# sums_into FOLDER: the server's own sums, one file per table.
summaries="SELECT table_name FROM information_schema.tables WHERE table_schema = 'performance_schema' AND (table_name LIKE '%summary%' OR table_name LIKE '%histogram%') AND table_name NOT LIKE 'memory%' AND table_name NOT LIKE '%by_error' ORDER BY 1"
sums_into() {
    into=$1
    shift
    mkdir -p "$into" || exit 1
    for table in $(ask "$summaries" "$@" --skip-column-names); do
        ask "SELECT * FROM \`$table\`" "$@" >"$into/$table.tsv" 2>/dev/null || rm -f "$into/$table.tsv"
    done
    ask "SHOW GLOBAL STATUS LIKE 'performance_schema%'" "$@" >"$into/status.tsv"
}

frozen=$(ask "SELECT ENABLED FROM setup_consumers WHERE NAME = 'global_instrumentation'" "$@" --skip-column-names)
freeze() {
    [ "$frozen" = YES ] || return 0
    ask "UPDATE setup_consumers SET ENABLED = 'NO' WHERE NAME = 'global_instrumentation'" "$@" ||
        echo "The instrumentation cannot be frozen: the tables are of different moments." >&2
}
[ "$frozen" = YES ] &&
    echo "UPDATE setup_consumers SET ENABLED='YES' WHERE NAME='global_instrumentation';" >>"$restore"

if [ "$seconds" -gt 0 ]; then
    # What is off now is turned off again. Locks of the server's own code (wait/synch) are not turned on: they cost most.
    wanted="NAME LIKE 'stage/%' OR NAME LIKE 'statement/%' OR NAME LIKE 'wait/io/%' OR NAME LIKE 'wait/lock/%' OR NAME IN ('transaction', 'idle')"
    ask "SELECT CONCAT('UPDATE setup_instruments SET ENABLED=''', ENABLED, ''', TIMED=''', COALESCE(TIMED, 'NO'), ''' WHERE NAME=''', NAME, ''';') FROM setup_instruments WHERE (ENABLED = 'NO' OR TIMED = 'NO') AND ($wanted)" "$@" --skip-column-names >>"$restore"
    ask "SELECT CONCAT('UPDATE setup_consumers SET ENABLED=''NO'' WHERE NAME=''', NAME, ''';') FROM setup_consumers WHERE ENABLED = 'NO' AND NAME LIKE 'events_%'" "$@" --skip-column-names >>"$restore"
    ask "UPDATE setup_instruments SET ENABLED = 'YES', TIMED = 'YES' WHERE $wanted" "$@"
    ask "UPDATE setup_consumers SET ENABLED = 'YES' WHERE NAME LIKE 'events_%'" "$@"
    # The sums from before: without them, nobody can tell what was counted since. They are not reset, others may use them.
    freeze "$@"
    for class in waits stages statements transactions; do
        ask "TRUNCATE TABLE events_${class}_history_long" "$@" 2>/dev/null
    done
    sums_into "$folder/before" "$@"
    [ "$frozen" = YES ] &&
        ask "UPDATE setup_consumers SET ENABLED = 'YES' WHERE NAME = 'global_instrumentation'" "$@"
    echo "Recording for $seconds seconds …" >&2
    sleep "$seconds"
fi

# Locks are of now, whether the instrumentation goes on or not.
for table in innodb_trx innodb_locks innodb_lock_waits; do
    ask "SELECT * FROM information_schema.$table" "$@" >"$folder/$table.tsv" 2>/dev/null || rm -f "$folder/$table.tsv"
done
for table in data_locks data_lock_waits metadata_locks; do
    ask "SELECT * FROM $table" "$@" >"$folder/$table.tsv" 2>/dev/null || rm -f "$folder/$table.tsv"
done

freeze "$@"

ask "SELECT NOW(6) now_local, UTC_TIMESTAMP(6) now_utc, @@version version, @@hostname hostname, (SELECT MAX(TIMER_END) FROM events_statements_history_long) max_timer_end, (SELECT VARIABLE_VALUE FROM global_status WHERE VARIABLE_NAME = 'UPTIME') uptime" "$@" >"$folder/export.tsv" 2>/dev/null ||
    ask "SELECT NOW(6) now_local, UTC_TIMESTAMP(6) now_utc, @@version version, @@hostname hostname, (SELECT MAX(TIMER_END) FROM events_statements_history_long) max_timer_end, (SELECT VARIABLE_VALUE FROM information_schema.global_status WHERE VARIABLE_NAME = 'UPTIME') uptime" "$@" >"$folder/export.tsv"
ask "SHOW GLOBAL STATUS LIKE 'performance_schema%'" "$@" >"$folder/status.tsv"
ask "SHOW GLOBAL VARIABLES LIKE 'performance_schema%'" "$@" >"$folder/sizes.tsv"

tables="SELECT table_name FROM information_schema.tables WHERE table_schema = 'performance_schema' ORDER BY 1"
for table in $(ask "$tables" "$@" --skip-column-names); do
    case $table in
    # What no picture is made of, and what may hold secrets.
    *keyring* | *variables* | *log* | replication_* | session_* | status_by_* | tls_* | clone_* | memory_* | *_by_error) continue ;;
    data_lock* | metadata_locks) continue ;;
    esac
    ask "SELECT * FROM \`$table\`" "$@" >"$folder/$table.tsv" 2>/dev/null || rm -f "$folder/$table.tsv"
done
# An empty table is an empty file, which says nothing.
find "$folder" -name '*.tsv' -size 0 -exec rm -f {} +
echo "Done: drop the folder $folder onto queryscope." >&2
