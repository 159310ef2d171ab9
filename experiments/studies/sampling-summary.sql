SELECT round(100 * bound, 1) || '%' AS asked, count(*) AS runs,
  sum(abs(off) <= bound) AS "within the bound",
  sum(abs(off) <= error + 1e-9) AS "within the interval",
  sum(error > bound) AS "said that it does not hold",
  printf('%.2f%%', 100 * avg(abs(off))) AS "off by, mean",
  printf('%.2f%%', 100 * max(abs(off))) AS "off by, most",
  printf('%.1f', exp(avg(ln(faster)))) AS "faster, geometric mean",
  printf('%.1f', max(faster)) AS "faster, most"
FROM compared GROUP BY bound ORDER BY bound DESC
