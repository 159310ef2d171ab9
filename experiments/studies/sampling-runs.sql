SELECT algorithm, scheduler, graph,
  round(100 * bound, 1) || '%' AS asked,
  printf('%.2f%%', 100 * error) AS interval,
  printf('%+.2f%%', 100 * off) AS "off by",
  CASE WHEN abs(off) <= bound THEN 'yes' ELSE 'no' END AS "within the bound",
  CASE WHEN abs(off) <= error + 1e-9 THEN 'yes' ELSE 'no' END AS "within the interval",
  printf('%.1f%%', 100 * simulated) AS simulated,
  printf('%.1f', faster) AS faster
FROM compared ORDER BY algorithm, scheduler, graph, bound DESC
