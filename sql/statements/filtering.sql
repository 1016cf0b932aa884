-- Rows read for each row returned, by data source: a large ratio means that filtering was not pushed down.
SELECT datasource, count(rows_read) AS executions, avg(rows_read) AS avg_rows_read, avg(rows_returned) AS avg_rows_returned,
       CASE WHEN sum(rows_returned) > 0 THEN avg(rows_read) / avg(rows_returned) END AS over_fetch,
       count(*) AS source_calls
FROM spans
WHERE kind = 'source execution' AND (flags IS NULL OR flags NOT LIKE '%no end in trace%')
GROUP BY datasource
ORDER BY datasource
