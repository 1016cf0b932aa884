-- Each complete query with a score: 0.6 of its duration, 0.3 of its rows read, 0.1 of its buffer bytes, each divided by the largest.
WITH reads AS (
    SELECT trace_id, query_span_id, sum(rows_read) AS rows_read
    FROM spans
    WHERE kind = 'query' AND rows_read IS NOT NULL
       OR kind = 'source execution' AND (flags IS NULL OR flags NOT LIKE '%no end in trace%')
    GROUP BY trace_id, query_span_id
), buffers AS (
    SELECT trace_id, query_span_id, sum(bytes) AS bytes FROM events WHERE kind = 'buffer' GROUP BY trace_id, query_span_id
), queries AS (
    SELECT spans.trace_id, spans.span_id, spans.query_id, spans.name AS query, spans.duration_ns,
           coalesce(reads.rows_read, 0) AS rows_read, coalesce(buffers.bytes, 0) AS buffer_bytes
    FROM spans
    LEFT JOIN reads ON reads.trace_id = spans.trace_id AND reads.query_span_id = spans.span_id
    LEFT JOIN buffers ON buffers.trace_id = spans.trace_id AND buffers.query_span_id = spans.span_id
    WHERE spans.kind = 'query' AND spans.complete
), largest AS (
    SELECT trace_id, max(duration_ns) AS duration_ns, max(rows_read) AS rows_read, max(buffer_bytes) AS buffer_bytes
    FROM queries GROUP BY trace_id
)
SELECT queries.trace_id, span_id, query_id, query, queries.duration_ns, queries.rows_read, queries.buffer_bytes,
       CASE WHEN largest.duration_ns > 0 THEN 0.6 * queries.duration_ns / largest.duration_ns ELSE 0 END
     + CASE WHEN largest.rows_read > 0 THEN 0.3 * queries.rows_read / largest.rows_read ELSE 0 END
     + CASE WHEN largest.buffer_bytes > 0 THEN 0.1 * queries.buffer_bytes / largest.buffer_bytes ELSE 0 END AS score
FROM queries JOIN largest ON largest.trace_id = queries.trace_id
ORDER BY score DESC, queries.trace_id, span_id
