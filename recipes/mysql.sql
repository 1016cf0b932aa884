-- Shows the Performance Schema of a MySQL or MariaDB server for queryscope, in one file:
--
--   mysql --batch < mysql.sql > export.tsv
--
-- It freezes the instrumentation while it reads, so that all tables are of one moment, and then puts back what was there.
-- Each table is asked for only where the server has it, so that no error stops the script on its way. Where something else
-- does (Ctrl-C, a lost connection), the last but one statement has to be run by hand, with 'YES' for the variable.
-- The user needs SELECT on performance_schema and UPDATE on its tables threads and setup_consumers; PROCESS for the locks of
-- MariaDB and of MySQL up to 5.7. Any other client will do as well: export the result of every SELECT in whatever form it
-- offers.
-- To record first: UPDATE setup_consumers SET ENABLED = 'YES' WHERE NAME LIKE 'events_%'; run what is slow; come back.

/*!50708 SET SESSION max_execution_time = 0 */;
/*M!100101 SET SESSION max_statement_time = 0 */;
SET @qs = IF(@@performance_schema, 'DO 0', 'SELECT ''The Performance Schema is off: start the server with performance_schema=ON'' AS problem'); PREPARE qs FROM @qs; EXECUTE qs;

-- What is now, to be put back at the end.
SET @qs_thread = (SELECT INSTRUMENTED FROM performance_schema.threads WHERE PROCESSLIST_ID = CONNECTION_ID());
SET @qs_frozen = (SELECT ENABLED FROM performance_schema.setup_consumers WHERE NAME = 'global_instrumentation');
UPDATE performance_schema.threads SET INSTRUMENTED = 'NO' WHERE PROCESSLIST_ID = CONNECTION_ID();

-- Locks are of now, whether the instrumentation goes on or not.
SET @qs = (SELECT IF(COUNT(*), 'SELECT * FROM performance_schema.metadata_locks', 'DO 0') FROM information_schema.tables WHERE table_schema = 'performance_schema' AND table_name = 'metadata_locks'); PREPARE qs FROM @qs; EXECUTE qs;
SET @qs = (SELECT IF(COUNT(*), 'SELECT * FROM performance_schema.data_locks', 'DO 0') FROM information_schema.tables WHERE table_schema = 'performance_schema' AND table_name = 'data_locks'); PREPARE qs FROM @qs; EXECUTE qs;
SET @qs = (SELECT IF(COUNT(*), 'SELECT * FROM performance_schema.data_lock_waits', 'DO 0') FROM information_schema.tables WHERE table_schema = 'performance_schema' AND table_name = 'data_lock_waits'); PREPARE qs FROM @qs; EXECUTE qs;
SET @qs_process = (SELECT COUNT(*) FROM information_schema.user_privileges WHERE PRIVILEGE_TYPE = 'PROCESS' AND GRANTEE = CONCAT('''', REPLACE(CURRENT_USER(), '@', '''@'''), ''''));
SET @qs = (SELECT IF(COUNT(*) AND @qs_process, 'SELECT * FROM information_schema.innodb_trx', 'DO 0') FROM information_schema.tables WHERE table_schema = 'information_schema' AND UPPER(table_name) = 'INNODB_TRX'); PREPARE qs FROM @qs; EXECUTE qs;
SET @qs = (SELECT IF(COUNT(*) AND @qs_process, 'SELECT * FROM information_schema.innodb_locks', 'DO 0') FROM information_schema.tables WHERE table_schema = 'information_schema' AND UPPER(table_name) = 'INNODB_LOCKS'); PREPARE qs FROM @qs; EXECUTE qs;
SET @qs = (SELECT IF(COUNT(*) AND @qs_process, 'SELECT * FROM information_schema.innodb_lock_waits', 'DO 0') FROM information_schema.tables WHERE table_schema = 'information_schema' AND UPPER(table_name) = 'INNODB_LOCK_WAITS'); PREPARE qs FROM @qs; EXECUTE qs;

UPDATE performance_schema.setup_consumers SET ENABLED = 'NO' WHERE NAME = 'global_instrumentation';
SET @qs = (SELECT IF(COUNT(*), 'SELECT * FROM performance_schema.events_statements_history_long', 'DO 0') FROM information_schema.tables WHERE table_schema = 'performance_schema' AND table_name = 'events_statements_history_long'); PREPARE qs FROM @qs; EXECUTE qs;
SET @qs = (SELECT IF(COUNT(*), 'SELECT * FROM performance_schema.events_stages_history_long', 'DO 0') FROM information_schema.tables WHERE table_schema = 'performance_schema' AND table_name = 'events_stages_history_long'); PREPARE qs FROM @qs; EXECUTE qs;
SET @qs = (SELECT IF(COUNT(*), 'SELECT * FROM performance_schema.events_transactions_history_long', 'DO 0') FROM information_schema.tables WHERE table_schema = 'performance_schema' AND table_name = 'events_transactions_history_long'); PREPARE qs FROM @qs; EXECUTE qs;
SET @qs = (SELECT IF(COUNT(*), 'SELECT * FROM performance_schema.events_waits_history_long', 'DO 0') FROM information_schema.tables WHERE table_schema = 'performance_schema' AND table_name = 'events_waits_history_long'); PREPARE qs FROM @qs; EXECUTE qs;
SET @qs = (SELECT IF(COUNT(*), 'SELECT * FROM performance_schema.events_statements_current', 'DO 0') FROM information_schema.tables WHERE table_schema = 'performance_schema' AND table_name = 'events_statements_current'); PREPARE qs FROM @qs; EXECUTE qs;
SET @qs = (SELECT IF(COUNT(*), 'SELECT * FROM performance_schema.events_stages_current', 'DO 0') FROM information_schema.tables WHERE table_schema = 'performance_schema' AND table_name = 'events_stages_current'); PREPARE qs FROM @qs; EXECUTE qs;
SET @qs = (SELECT IF(COUNT(*), 'SELECT * FROM performance_schema.events_transactions_current', 'DO 0') FROM information_schema.tables WHERE table_schema = 'performance_schema' AND table_name = 'events_transactions_current'); PREPARE qs FROM @qs; EXECUTE qs;
SET @qs = (SELECT IF(COUNT(*), 'SELECT * FROM performance_schema.events_waits_current', 'DO 0') FROM information_schema.tables WHERE table_schema = 'performance_schema' AND table_name = 'events_waits_current'); PREPARE qs FROM @qs; EXECUTE qs;
SET @qs = (SELECT IF(COUNT(*), 'SELECT * FROM performance_schema.threads', 'DO 0') FROM information_schema.tables WHERE table_schema = 'performance_schema' AND table_name = 'threads'); PREPARE qs FROM @qs; EXECUTE qs;
SET @qs = (SELECT IF(COUNT(*), 'SELECT * FROM performance_schema.performance_timers', 'DO 0') FROM information_schema.tables WHERE table_schema = 'performance_schema' AND table_name = 'performance_timers'); PREPARE qs FROM @qs; EXECUTE qs;
SET @qs = (SELECT IF(COUNT(*), 'SELECT * FROM performance_schema.setup_consumers', 'DO 0') FROM information_schema.tables WHERE table_schema = 'performance_schema' AND table_name = 'setup_consumers'); PREPARE qs FROM @qs; EXECUTE qs;
SET @qs = (SELECT IF(COUNT(*), 'SELECT * FROM performance_schema.events_waits_summary_global_by_event_name', 'DO 0') FROM information_schema.tables WHERE table_schema = 'performance_schema' AND table_name = 'events_waits_summary_global_by_event_name'); PREPARE qs FROM @qs; EXECUTE qs;
SET @qs = (SELECT IF(COUNT(*), 'SELECT * FROM performance_schema.events_statements_summary_by_digest', 'DO 0') FROM information_schema.tables WHERE table_schema = 'performance_schema' AND table_name = 'events_statements_summary_by_digest'); PREPARE qs FROM @qs; EXECUTE qs;
SET @qs = (SELECT IF(COUNT(*), 'SELECT * FROM performance_schema.file_summary_by_instance', 'DO 0') FROM information_schema.tables WHERE table_schema = 'performance_schema' AND table_name = 'file_summary_by_instance'); PREPARE qs FROM @qs; EXECUTE qs;
SET @qs = (SELECT IF(COUNT(*), 'SELECT * FROM performance_schema.table_io_waits_summary_by_table', 'DO 0') FROM information_schema.tables WHERE table_schema = 'performance_schema' AND table_name = 'table_io_waits_summary_by_table'); PREPARE qs FROM @qs; EXECUTE qs;
UPDATE performance_schema.setup_consumers SET ENABLED = @qs_frozen WHERE NAME = 'global_instrumentation';
UPDATE performance_schema.threads SET INSTRUMENTED = @qs_thread WHERE PROCESSLIST_ID = CONNECTION_ID();
