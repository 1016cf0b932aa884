-- Shows the Performance Schema of a MySQL or MariaDB server for queryscope, in one file:
--
--   mysql --batch performance_schema < mysql.sql > export.tsv
--
-- It freezes the instrumentation while it reads, so that all tables are of one moment, and lets it go on afterwards. Any
-- other client will do as well: export the result of every SELECT in whatever form it offers.
-- To record first: UPDATE setup_consumers SET ENABLED = 'YES' WHERE NAME LIKE 'events_%'; run what is slow; come back.
UPDATE threads SET INSTRUMENTED = 'NO' WHERE PROCESSLIST_ID = CONNECTION_ID();
UPDATE setup_consumers SET ENABLED = 'NO' WHERE NAME = 'global_instrumentation';
SELECT * FROM events_statements_history_long;
SELECT * FROM events_stages_history_long;
SELECT * FROM events_transactions_history_long;
SELECT * FROM events_waits_history_long;
SELECT * FROM events_statements_current;
SELECT * FROM events_waits_current;
SELECT * FROM threads;
SELECT * FROM performance_timers;
SELECT * FROM setup_consumers;
SELECT * FROM events_waits_summary_global_by_event_name;
SELECT * FROM events_statements_summary_by_digest;
SELECT * FROM file_summary_by_instance;
SELECT * FROM table_io_waits_summary_by_table;
UPDATE setup_consumers SET ENABLED = 'YES' WHERE NAME = 'global_instrumentation';
