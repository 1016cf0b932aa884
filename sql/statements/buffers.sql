-- Buffer events of each run by type, with their bytes and elements.
SELECT runs.trace, runs.name AS run, events.name AS type, count(*) AS events, sum(events.bytes) AS bytes,
       sum(events.elements) AS elements
FROM events JOIN runs ON runs.trace_id = events.trace_id AND runs.run_id = events.run_id
WHERE events.kind = 'buffer'
GROUP BY runs.trace, runs.run_id, runs.name, events.name
ORDER BY runs.trace, runs.run_id, events.name
