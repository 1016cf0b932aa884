-- Queries that took 3 times the average of their run or more, and at least 5 ms (Kubling's QUERY_OUTLIERS).
WITH averages AS (
    SELECT trace_id, run_id, avg(duration_ns) AS avg_ns
    FROM spans WHERE kind = 'query' AND complete GROUP BY trace_id, run_id
)
SELECT runs.trace, runs.name AS run, spans.span_id, spans.query_id, spans.name AS query, spans.duration_ns,
       spans.duration_ns / avg_ns AS vs_run_avg_ratio
FROM spans
JOIN averages ON averages.trace_id = spans.trace_id AND averages.run_id = spans.run_id
JOIN runs ON runs.trace_id = spans.trace_id AND runs.run_id = spans.run_id
WHERE spans.kind = 'query' AND spans.complete AND spans.duration_ns >= 5000000 AND spans.duration_ns >= 3.0 * avg_ns
ORDER BY vs_run_avg_ratio DESC, runs.trace, spans.span_id
