-- Waits by event and object (table, file or socket), with their time, as in MySQL's waits_summary tables.
WITH objects AS (
    SELECT trace_id, span_id, max(CASE WHEN key = 'schema' THEN text END) AS schema_name,
           max(CASE WHEN key = 'table' THEN text END) AS table_name, max(CASE WHEN key = 'file' THEN text END) AS file,
           max(CASE WHEN key = 'socket' THEN text END) AS socket
    FROM args WHERE key IN ('schema', 'table', 'file', 'socket') AND span_id IS NOT NULL GROUP BY trace_id, span_id
)
SELECT spans.name AS event, coalesce(schema_name || '.' || table_name, table_name, file, socket) AS object,
       count(*) AS waits, sum(duration_ns) AS total_ns, max(duration_ns) AS max_ns
FROM spans LEFT JOIN objects ON objects.trace_id = spans.trace_id AND objects.span_id = spans.span_id
WHERE spans.kind = 'wait'
GROUP BY spans.name, coalesce(schema_name || '.' || table_name, table_name, file, socket)
ORDER BY total_ns DESC, event, object
