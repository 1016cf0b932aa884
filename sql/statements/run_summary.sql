-- Totals of each run: complete queries, calls of sources, rows, buffer events (Kubling's RUN_SUMMARY).
WITH queries AS (
    SELECT trace_id, run_id, count(*) AS queries, sum(duration_ns) AS total_ns, avg(duration_ns) AS avg_ns,
           min(duration_ns) AS min_ns, max(duration_ns) AS max_ns
    FROM spans WHERE kind = 'query' AND complete GROUP BY trace_id, run_id
), calls AS (
    SELECT trace_id, run_id, count(*) AS source_calls, sum(rows_read) AS rows_read, sum(rows_returned) AS rows_returned
    FROM spans WHERE kind = 'source execution' AND (flags IS NULL OR flags NOT LIKE '%no end in trace%')
    GROUP BY trace_id, run_id
), buffers AS (
    SELECT trace_id, run_id, count(*) AS buffer_events, sum(bytes) AS buffer_bytes, sum(elements) AS buffer_elements
    FROM events WHERE kind = 'buffer' GROUP BY trace_id, run_id
)
SELECT runs.trace, runs.name AS run, coalesce(queries, 0) AS queries, coalesce(total_ns, 0) AS total_ns, avg_ns, min_ns, max_ns,
       coalesce(source_calls, 0) AS source_calls, coalesce(rows_read, 0) AS rows_read,
       coalesce(rows_returned, 0) AS rows_returned, coalesce(buffer_events, 0) AS buffer_events,
       coalesce(buffer_bytes, 0) AS buffer_bytes, coalesce(buffer_elements, 0) AS buffer_elements
FROM runs
LEFT JOIN queries ON queries.trace_id = runs.trace_id AND queries.run_id = runs.run_id
LEFT JOIN calls ON calls.trace_id = runs.trace_id AND calls.run_id = runs.run_id
LEFT JOIN buffers ON buffers.trace_id = runs.trace_id AND buffers.run_id = runs.run_id
ORDER BY runs.trace, runs.run_id
