-- Complete executions of each statement, with ? in place of its values (MySQL's statement digests).
SELECT shape, count(*) AS executions, sum(duration_ns) AS total_ns, avg(duration_ns) AS avg_ns, min(duration_ns) AS min_ns,
       max(duration_ns) AS max_ns, count(CASE WHEN failed THEN 1 END) AS failed
FROM spans
WHERE kind = 'query' AND complete AND shape IS NOT NULL
GROUP BY shape
ORDER BY total_ns DESC, shape
