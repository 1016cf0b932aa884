-- Instructions of MonetDB by module, with their time and self time.
SELECT name_group AS module, count(*) AS instructions, sum(duration_ns) AS total_ns, sum(self_ns) AS self_ns,
       max(duration_ns) AS max_ns
FROM spans
WHERE kind = 'slice' AND name_group IS NOT NULL
GROUP BY name_group
ORDER BY total_ns DESC, module
