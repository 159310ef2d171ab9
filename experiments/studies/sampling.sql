-- Of each sampled run, beside the whole run of the same work: what the queries of sampling-runs.sql and sampling-summary.sql read.
WITH timed AS (
  SELECT r.algorithm, r.scheduler, r.graph, CAST(x.value AS REAL) / 100 AS bound, k.value AS kernel, h.value AS host, e.value AS error, p.value AS simulated
  FROM runs r JOIN settings x ON x.run = r.id AND x.name = 'sample'
    JOIN measured k ON k.id = r.id AND k.metric = 'kernel_seconds' JOIN measured h ON h.id = r.id AND h.metric = 'launch_wall_seconds'
    LEFT JOIN measured e ON e.id = r.id AND e.metric = 'sample_error' LEFT JOIN measured p ON p.id = r.id AND p.metric = 'sample_simulated'),
compared AS (
  SELECT s.algorithm, s.scheduler, s.graph, s.bound, s.error, s.simulated, s.kernel / w.kernel - 1 AS off, w.host / s.host AS faster
  FROM timed w JOIN timed s USING (algorithm, scheduler, graph) WHERE w.bound = 0 AND s.bound > 0)
