-- Spans of each kind and name, with their time and self time.
SELECT kind, name, count(*) AS spans, sum(duration_ns) AS total_ns, sum(self_ns) AS self_ns, max(duration_ns) AS max_ns
FROM spans
WHERE flags IS NULL OR flags NOT LIKE '%segment%'
GROUP BY kind, name
ORDER BY total_ns DESC, kind, name
