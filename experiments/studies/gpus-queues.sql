-- A row for each algorithm, graph and number of GPUs: the time of queues (atos) and of iterations (multi), of one GPU by the faster of two schemes, and what is sent.
WITH timed AS (
  SELECT r.algorithm, r.graph, r.scheduler, CASE r.device WHEN 'sim:h200x2' THEN 2 WHEN 'sim:h200x4' THEN 4 ELSE 1 END AS gpus,
    1e6 * a.value AS us, 1e6 * k.value AS kernel, b.value AS bytes, c.value AS cut
  FROM runs r JOIN measured a ON a.id = r.id AND a.metric = 'algorithm_seconds' JOIN measured k ON k.id = r.id AND k.metric = 'kernel_seconds'
    LEFT JOIN measured b ON b.id = r.id AND b.metric = 'bytes_sent' LEFT JOIN measured c ON c.id = r.id AND c.metric = 'cut_arcs')
SELECT q.algorithm, q.graph, q.gpus, round(q.cut, 1) AS cut_percent, round(q.us, 1) AS queues_us, round(m.us, 1) AS iterations_us, round(one.us, 1) AS one_us, one.scheduler AS one_by,
  round(m.us / q.us, 2) AS over_iterations, round(one.us / q.us, 2) AS over_one, q.bytes AS queues_bytes, m.bytes AS iterations_bytes
FROM timed q JOIN timed m ON m.algorithm = q.algorithm AND m.graph = q.graph AND m.gpus = q.gpus AND m.scheduler = 'multi'
  JOIN timed one ON one.algorithm = q.algorithm AND one.graph = q.graph AND one.gpus = 1
    AND one.us = (SELECT min(us) FROM timed x WHERE x.algorithm = q.algorithm AND x.graph = q.graph AND x.gpus = 1)
WHERE q.scheduler = 'atos' AND q.gpus > 1
ORDER BY q.algorithm, q.graph, q.gpus
