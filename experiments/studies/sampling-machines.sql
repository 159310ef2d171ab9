-- Of each machine, beside the one of the preset: how much longer the kernels take, on whole runs and on sampled ones, and whether
-- both machines left out the same launches.
WITH timed AS (
  SELECT r.algorithm, CAST(x.value AS REAL) / 100 AS bound,
    coalesce((SELECT s.value FROM settings s WHERE s.run = r.id AND s.name = 'l2.bytes'), '62914560') AS l2,
    coalesce((SELECT s.value FROM settings s WHERE s.run = r.id AND s.name = 'clock.sm'), '1980') AS clock,
    k.value AS kernel, e.value AS error,
    (SELECT c.value FROM texts c JOIN names n ON n.id = c.name WHERE c.run = r.id AND n.name = 'sample_choice') AS choice
  FROM runs r JOIN settings x ON x.run = r.id AND x.name = 'sample'
    JOIN measured k ON k.id = r.id AND k.metric = 'kernel_seconds'
    LEFT JOIN measured e ON e.id = r.id AND e.metric = 'sample_error'),
both AS (
  SELECT w.algorithm, w.l2, w.clock, w.kernel AS whole, s.kernel AS sampled, s.error, s.choice
  FROM timed w JOIN timed s USING (algorithm, l2, clock) WHERE w.bound = 0 AND s.bound > 0)
SELECT b.algorithm, printf('%.1f', b.l2 / 1048576.0) AS "L2, MiB", b.clock AS "clock, MHz",
  printf('%.3f', b.whole / p.whole) AS "time of the preset, whole", printf('%.3f', b.sampled / p.sampled) AS "the same, sampled",
  printf('%+.2f%%', 100 * (b.sampled / p.sampled / (b.whole / p.whole) - 1)) AS "ratio off by",
  printf('%+.2f%%', 100 * (b.sampled / b.whole - 1)) AS "time off by", printf('%.2f%%', 100 * b.error) AS interval,
  CASE WHEN b.choice = p.choice THEN 'same' ELSE 'other' END AS "launches left out"
FROM both b JOIN both p ON p.algorithm = b.algorithm AND p.l2 = '62914560' AND p.clock = '1980'
ORDER BY b.algorithm, b.clock DESC, b.l2 + 0 DESC
