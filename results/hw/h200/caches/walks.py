# Walks and draws whose hits walks.cu tells by their latency. The results are walks.jsonl.
import ctypes, numpy as np, json, os, sys, time
out = os.environ['OUT']
lib = ctypes.CDLL('./libwalks.so')
lib.setup.argtypes = [ctypes.c_size_t]
rng = np.random.default_rng(1)
MB = 1 << 20
assert lib.setup(512 * MB) == 0
def replay(traces, carve=-1, smem=0, threads=32, cg=0, blocks=None):
    L = max(len(t) for t in traces); L = (L + 3) // 4 * 4
    n = blocks or len(traces)
    a = np.zeros((n, L), np.uint32)
    for i in range(n):
        t = traces[i % len(traces)]
        a[i, :len(t)] = t
        if len(t) < L: a[i, len(t):] = t[-1]
    r = np.zeros((n, L), np.uint8)
    e = lib.replay_(carve, smem, threads, n, L, a.ctypes.data_as(ctypes.c_void_p), r.ctypes.data_as(ctypes.c_void_p), cg)
    assert e == 0, e
    return [r[i, :len(traces[i % len(traces)])].astype(int) * 8 for i in range(n)]
rows = []
def rec(**k):
    rows.append(k); print(json.dumps(k), flush=True)
def save():
    with open(out + '/walks.jsonl', 'w') as f:
        for r in rows: f.write(json.dumps(r) + '\n')
HIT = 100
def hits(l): return float((l < HIT).mean())
def batched(items, f, **kw):
    """items: (key, trace, from): rate of hits from the index on"""
    for i in range(0, len(items), 120):
        part = items[i:i + 120]
        for (key, t, at), l in zip(part, replay([t for _, t, _ in part], **kw)):
            f(key, l[at:])
KB = 1024
def lines(n, stride=128, at=0): return (at + np.arange(n) * stride).astype(np.uint32)
def stage(name):
    def go(f):
        t = time.time()
        try: f()
        except Exception as e: print('FAILED', name, e, flush=True)
        print('#', name, round(time.time() - t, 1), 's', flush=True); save()
    return go
@stage('latency histogram')
def _():
    l = replay([np.tile(lines(64), 4)])[0]
    rec(what='latencies', first=l[:16].tolist(), later=l[-64:].tolist())
sizes = [25, 50, 75, 85, 90, 92, 94, 95, 96, 97, 98, 99, 100, 101, 102, 104, 106, 110, 120, 150, 200]
@stage('contiguous')
def _():
    for order in ['linear', 'permuted']:
        for carve in [-1, 0]:
            its = []
            for s in sizes:
                n = s * 2048 // 100
                for rep in range(4 if s > 80 else 1):
                    w = lines(n, at=rep * 8 * MB + (rep * 12345 // 128) * 128)
                    if order == 'permuted': w = rng.permutation(w)
                    its.append(((s, rep), np.concatenate([w] * 4), 0))
            def f(key, l):
                q = np.array_split(l, 4)
                rec(what='contiguous', order=order, carve=carve, pct=key[0], rep=key[1], lines=len(q[0]), hits=[round(hits(x), 4) for x in q])
            batched(its, f, carve=carve)
@stage('sectors')
def _():
    # each sector of lines: is a fill of a sector one of a line?
    w = lines(256)
    t = np.concatenate([w, w + 32, w + 64, w + 96, w])
    l = replay([t])[0]; rec(what='sectors', hits=[round(hits(x), 3) for x in np.array_split(l, 5)])
    # capacity with one sector a line used against all four sectors used
    for n in [512, 1024, 1536, 1900, 1980, 2040]:
        for k in [1, 2, 4]:
            w = np.concatenate([lines(n) + 32 * i for i in range(k)]); w.sort()
            l = replay([np.concatenate([w] * 3)], carve=0)[0]
            rec(what='sector capacity', lines=n, sectors=k, hits=[round(hits(x), 4) for x in np.array_split(l, 3)])
@stage('strides')
def _():
    its = []
    for st in [128, 256, 384, 512, 640, 1024, 2048, 4096, 8192, 16384, 32768, 65536, 131072, 262144, 524288, 1 * MB]:
        for n in [2, 3, 4, 5, 6, 8, 12, 16, 17, 24, 32, 33, 48, 64, 65, 96, 128, 192, 256, 384, 512, 768, 1024, 1536, 1900]:
            if n * st <= 500 * MB:
                its.append(((st, n), np.tile(lines(n, st), 4), 2 * n))
    res = {}
    def f(key, l): res.setdefault(key[0], []).append((key[1], round(hits(l), 3)))
    batched(its, f, carve=0)
    for st in res: rec(what='stride', stride=st, hits=res[st])
@stage('random lines')
def _():
    its = []
    for n in [256, 512, 1024, 1280, 1536, 1792, 1900, 1980, 2048, 2200, 2500, 3000, 4096]:
        for rep in range(4):
            w = (rng.choice(500 * MB // 128, n, replace=False) * 128).astype(np.uint32)
            its.append(((n, 'once around'), np.concatenate([w] * 4), 3 * n))
            # independent draws
            d = w[rng.integers(0, n, 12000)]
            its.append(((n, 'draws'), d, 6000))
            w2 = lines(n)
            its.append(((n, 'draws contiguous'), w2[rng.integers(0, n, 12000)], 6000))
    res = {}
    def f(key, l): res.setdefault(key, []).append(round(hits(l), 4))
    batched(its, f, carve=0)
    for k in res: rec(what='random lines', lines=k[0], kind=k[1], hits=res[k])
@stage('sector draws')
def _():
    its = []
    for kb in [64, 128, 192, 224, 240, 256, 288, 320, 384, 512, 1024, 2048]:
        for rep in range(4):
            its.append((kb, (rng.integers(0, kb * 32, 40000) * 32).astype(np.uint32), 20000))
    res = {}
    def f(key, l): res.setdefault(key, []).append(round(hits(l), 4))
    batched(its, f, carve=-1)
    for k in res: rec(what='sector draws', kb=k, hits=res[k])
@stage('replacement')
def _():
    # a first line that is used again every 16 accesses while new lines stream past: does a use keep it?
    its = []
    for n in [1000, 1800, 1900, 1960, 2000, 2048, 2100, 2200, 2400, 3000, 4000]:
        for rep in range(4):
            s = lines(n, at=MB * (1 + rep)); t = []
            for i in range(0, n, 16): t += [0] + s[i:i + 16].tolist()
            its.append(((n, 'kept'), np.array(t + [0, 0, 0, 0], np.uint32), len(t)))
            its.append(((n, 'not kept'), np.array([0] + s.tolist() + [0, 0, 0, 0], np.uint32), 1 + n))
    res = {}
    def f(key, l): res.setdefault(key, []).append(int(l[0] < HIT))
    batched(its, f, carve=0)
    for k in res: rec(what='replacement', lines=k[0], kind=k[1], first_hits=res[k])
    # which lines of a walk over 105, 110, 125, 150 % survive
    for pct in [102, 105, 110, 125, 150]:
        n = 2048 * pct // 100
        l = replay([np.tile(lines(n), 3)], carve=0)[0]
        b = (l[2 * n:] < HIT).astype(int)
        rec(what='survivors', pct=pct, hits=float(b.mean()), bits=''.join(map(str, b)))
@stage('carve-out')
def _():
    def capacity(**kw):
        # largest contiguous array, in KB, of which 99% hit in the second walk
        its = [(k, np.tile(lines(k * 8), 2), k * 8) for k in range(2, 258, 2)]
        res = {}
        def f(key, l): res[key] = hits(l)
        nb = kw.pop('nb', None)
        for i in range(0, len(its), 120):
            part = its[i:i + 120]
            rs = replay([t for _, t, _ in part], **kw)
            for (k, t, at), l in zip(part, rs): f(k, l[at:])
        good = [k for k in sorted(res) if res[k] >= 0.99]
        return max(good) if good else 0, {k: round(res[k], 3) for k in sorted(res) if k % 16 == 0}
    for threads in [32, 256, 1024]:
        for smem in [0, 256, 1024, 4096, 7168, 8192, 12288, 16384, 24576, 32768, 49152, 65536, 98304, 131072, 200000]:
            for carve in ([-1, 0] if threads != 32 or smem in (0, 4096, 32768) else [-1]):
                if threads == 256 and smem in (7168, 12288, 24576, 131072): continue
                c, d = capacity(smem=smem, threads=threads, carve=carve)
                rec(what='carve', threads=threads, smem=smem, carve=carve, kb=c, rates=d)
@stage('set index')
def _():
    # pairs of lines that conflict: fill with W lines chosen a stride of bit b apart (single-bit and two-bit differences)
    import itertools
    its = []
    bits = list(range(7, 29))
    # groups of lines spanned by k address bits: 2^k lines; all of them hit if the bits reach different sets or enough ways
    for k in [3, 4, 5]:
        combos = list(itertools.combinations(bits, k))
        pick = [combos[i] for i in rng.choice(len(combos), min(240, len(combos)), replace=False)]
        pick += [tuple(range(b, b + k)) for b in bits if b + k <= 29]
        for c in pick:
            w = np.array([sum(1 << c[j] for j in range(k) if v >> j & 1) for v in range(1 << k)], np.uint32)
            its.append((c, np.tile(w, 4), 2 * len(w)))
    res = []
    def f(key, l): res.append((key, round(hits(l), 3)))
    batched(its, f, carve=0)
    for k, h in res:
        if h < 0.999: rec(what='conflict', bits=k, hits=h)
    rec(what='conflicts', of=len(res), below=sum(h < 0.999 for _, h in res))
@stage('l2 chase')
def _():
    # one SM, dependent ld.cg, one line in four: classes of latencies in the second walk
    for mb in [8, 16, 24, 28, 30, 32, 40, 50, 56, 60, 64, 80]:
        n = mb * MB // 128
        w = lines(n)[::8]
        l = replay([np.concatenate([w, w])], cg=1)[0][len(w):]
        h = np.bincount(np.minimum(l // 32, 60), minlength=61)
        rec(what='l2 chase one line in 8', mb=mb, near=float((l < 400).mean()), far=float(((l >= 400) & (l < 640)).mean()), dram=float((l >= 640).mean()), median=float(np.median(l)), hist=h.tolist())
def save():
    with open(out + '/walks.jsonl', 'w') as f:
        for r in rows: f.write(json.dumps(r) + '\n')
@stage('contiguous, 248 KiB')
def _():
    its = []
    for n in [1400, 1536, 1600, 1700, 1750, 1800, 1850, 1900, 1920, 1930, 1950, 1984, 2000, 2020, 2048, 2100, 2200, 2400]:
        for rep in range(6):
            at = 0 if rep == 0 else int(rng.integers(0, 1 << 21)) * 128
            its.append(((n, 'aligned' if rep == 0 else 'anywhere'), np.tile(lines(n, at=at), 4), n))
    res = {}
    def f(key, l): res.setdefault(key, []).append([round(hits(x), 3) for x in np.array_split(l, 3)])
    batched(its, f, carve=-1, threads=1024)
    for k in res: rec(what='contiguous 248', lines=k[0], kind=k[1], hits=res[k])
@stage('random lines, 248 KiB')
def _():
    its = []
    for n in [512, 1024, 1536, 1800, 2048, 2200, 2500, 3000, 4096]:
        for rep in range(6):
            w = (rng.choice(500 * MB // 128, n, replace=False) * 128).astype(np.uint32)
            its.append((n, np.tile(w, 4), 3 * n))
    res = {}
    def f(key, l): res.setdefault(key, []).append(round(hits(l), 4))
    batched(its, f, carve=-1, threads=1024)
    for k in res: rec(what='random lines 248', lines=k, hits=res[k])
@stage('odd strides')
def _():
    its = []
    for st in [3, 5, 7, 9, 11, 12, 17, 24, 31, 33, 48, 100, 127, 129, 1000]:
        for n in [256, 512, 768, 1024, 1536, 1728]:
            its.append(((st, n), np.tile(lines(n, st * 128), 4), 3 * n))
    res = {}
    def f(key, l): res.setdefault(key[0], []).append((key[1], round(hits(l), 3)))
    batched(its, f)
    for st in res: rec(what='odd stride', lines=st, hits=res[st])
@stage('l2 chase')
def _():
    for mb in [20, 30, 36, 40, 45, 50, 54, 57, 60, 63, 66]:
        w = lines(mb * MB // 128)
        l = replay([np.concatenate([w, w, w])], cg=1)[0][2 * len(w):]
        h = np.bincount(np.minimum(l // 32, 60), minlength=61)
        rec(what='l2 chase', mb=mb, near=float((l < 400).mean()), far=float(((l >= 400) & (l < 640)).mean()), dram=float((l >= 640).mean()), median=float(np.median(l)), hist=h.tolist())
