SELECT w.algorithm AS algorithm, w.scheduler AS scheduler, w.graph AS graph,
  round(100 * s.bound, 1) || '%' AS asked,
  printf('%.2f%%', 100 * s.error) AS interval,
  printf('%+.2f%%', 100 * (s.kernel / w.kernel - 1)) AS "off by",
  CASE WHEN abs(s.kernel / w.kernel - 1) <= s.bound THEN 'yes' ELSE 'no' END AS "within the bound",
  CASE WHEN abs(s.kernel / w.kernel - 1) <= s.error + 1e-9 THEN 'yes' ELSE 'no' END AS "within the interval",
  printf('%.1f%%', 100 * s.simulated) AS simulated,
  printf('%.1f', w.host / s.host) AS faster
FROM
  (SELECT r.algorithm, r.scheduler, r.graph, k.value AS kernel, h.value AS host
   FROM runs r JOIN measured k ON k.id = r.id AND k.metric = 'kernel_seconds' JOIN measured h ON h.id = r.id AND h.metric = 'launch_wall_seconds'
   JOIN settings x ON x.run = r.id AND x.name = 'sample' AND x.value = '0%') w
JOIN
  (SELECT r.algorithm, r.scheduler, r.graph, CAST(x.value AS REAL) / 100 AS bound, e.value AS error, p.value AS simulated, k.value AS kernel, h.value AS host
   FROM runs r JOIN measured k ON k.id = r.id AND k.metric = 'kernel_seconds' JOIN measured h ON h.id = r.id AND h.metric = 'launch_wall_seconds'
   JOIN measured e ON e.id = r.id AND e.metric = 'sample_error' JOIN measured p ON p.id = r.id AND p.metric = 'sample_simulated'
   JOIN settings x ON x.run = r.id AND x.name = 'sample') s
USING (algorithm, scheduler, graph)
ORDER BY w.algorithm, w.scheduler, w.graph, s.bound DESC
