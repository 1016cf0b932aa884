-- Each complete query with its duration as a multiple of the average of its run (Kubling's QUERY_PROFILE).
WITH averages AS (
    SELECT trace_id, run_id, avg(duration_ns) AS avg_ns
    FROM spans WHERE kind = 'query' AND complete GROUP BY trace_id, run_id
)
SELECT runs.trace, runs.name AS run, spans.span_id, spans.query_id, spans.name AS query, spans.duration_ns,
       CASE WHEN avg_ns > 0 THEN spans.duration_ns / avg_ns END AS vs_run_avg_ratio
FROM spans
JOIN averages ON averages.trace_id = spans.trace_id AND averages.run_id = spans.run_id
JOIN runs ON runs.trace_id = spans.trace_id AND runs.run_id = spans.run_id
WHERE spans.kind = 'query' AND spans.complete
ORDER BY runs.trace, runs.run_id, spans.span_id
