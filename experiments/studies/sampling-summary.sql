SELECT round(100 * s.bound, 1) || '%' AS asked, count(*) AS runs,
  sum(abs(s.kernel / w.kernel - 1) <= s.bound) AS "within the bound",
  sum(abs(s.kernel / w.kernel - 1) <= s.error + 1e-9) AS "within the interval",
  sum(s.error > s.bound) AS "said that it does not hold",
  printf('%.2f%%', 100 * avg(abs(s.kernel / w.kernel - 1))) AS "off by, mean",
  printf('%.2f%%', 100 * max(abs(s.kernel / w.kernel - 1))) AS "off by, most",
  printf('%.1f', exp(avg(ln(w.host / s.host)))) AS "faster, geometric mean",
  printf('%.1f', max(w.host / s.host)) AS "faster, most"
FROM
  (SELECT r.algorithm, r.scheduler, r.graph, k.value AS kernel, h.value AS host
   FROM runs r JOIN measured k ON k.id = r.id AND k.metric = 'kernel_seconds' JOIN measured h ON h.id = r.id AND h.metric = 'launch_wall_seconds'
   JOIN settings x ON x.run = r.id AND x.name = 'sample' AND x.value = '0%') w
JOIN
  (SELECT r.algorithm, r.scheduler, r.graph, CAST(x.value AS REAL) / 100 AS bound, e.value AS error, k.value AS kernel, h.value AS host
   FROM runs r JOIN measured k ON k.id = r.id AND k.metric = 'kernel_seconds' JOIN measured h ON h.id = r.id AND h.metric = 'launch_wall_seconds'
   JOIN measured e ON e.id = r.id AND e.metric = 'sample_error'
   JOIN settings x ON x.run = r.id AND x.name = 'sample') s
USING (algorithm, scheduler, graph)
GROUP BY s.bound ORDER BY s.bound DESC
