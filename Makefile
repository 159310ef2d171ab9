# "make help" lists the targets. They need Go 1.26 or later and nothing else: no CUDA, no C compiler.

GO     ?= go
BIN    := bin/weft
# A folder with more real graphs than the one in the project: .mtx, .gr, .txt and .graph files, also with .gz.
# Tests use these graphs, too; without the folder they use only the graph of the project.
WEFT_GRAPHS ?=
override WEFT_GRAPHS := $(abspath $(WEFT_GRAPHS))
export WEFT_GRAPHS
TIMEOUT ?= 40m
PKGS    ?= ./...

.DEFAULT_GOAL := help
.PHONY: help demo build test test-slurm outside second test-short check heavy exhaustive times sizes test-ci fresh planted test-schedules test-graphs test-groups lint bench bench-threads papers verdicts papers-h200 papers-h200-slow papers-no-host sampling multi-scaling group-queues group-kernels simulated figures images clean hw-record hw-cuda hw-validation validation go-version

help: ## list the targets
	@sed -n 's/^\([a-z-]*\):.*## /\1\t/p' $(MAKEFILE_LIST) | awk -F'\t' '{printf "  make %-12s %s\n", $$1, $$2}'

go-version:
	@command -v $(GO) >/dev/null || { echo "weft needs Go 1.26 or later; '$(GO)' is not on the PATH. See https://go.dev/dl/" >&2; exit 1; }
	@v=$$($(GO) env GOVERSION | sed 's/^go\([0-9]*\.[0-9]*\).*/\1/'); \
	case "$$v" in \
	1.[0-9]|1.1[0-9]|1.2[0-5]) echo "weft needs Go 1.26 or later; this is go$$v. See https://go.dev/dl/" >&2; exit 1;; \
	esac

build: go-version ## build bin/weft
	@mkdir -p bin
	$(GO) build -buildvcs=auto -o $(BIN) ./cmd/weft

demo: build ## run BFS on a real social network (wiki-Vote) on a simulated H200, checked against the CPU
	$(BIN) run bfs --device sim:h200
	@echo; echo "CUDA programs run as well: $(BIN) cuda build prog.cu && $(BIN) cuda run ./prog (docs/cuda.md)"

test: go-version ## run all tests; WEFT_GRAPHS=FOLDER adds real graphs
	@command -v clang++-19 >/dev/null || echo "note: without clang-19 (apt-get install clang-19) the tests of CUDA programs are skipped" >&2
	$(GO) test -timeout $(TIMEOUT) $(PKGS)
	@$(MAKE) --no-print-directory outside

outside: go-version ## run the tests of examples/outside, a module of its own that uses weft as others do
	cd examples/outside && $(GO) vet ./... && $(GO) test ./...

# Modules of their own with other programs: clang-19 and lld-19, and MGPUSim v4.2.0, which go downloads. About six minutes.
second: go-version ## compare with clang and with MGPUSim: the tests of experiments/second, and of experiments/peers
	cd experiments/second && $(GO) vet ./... && $(GO) test -timeout $(TIMEOUT) ./...
	cd experiments/peers && $(GO) vet ./... && $(GO) test ./...

# Without the tests called TestHeavy..., and with fewer samples in the others (-short).
test-short: go-version ## run the tests that find most, in about three minutes
	$(GO) test -short -skip '^TestHeavy' -timeout $(TIMEOUT) $(PKGS)

# After each edit: go vet; staticcheck and tests of the packages with changed files (since the branch left main, or
# BASE, and uncommitted); tests of packages that import these, the quickest first, for 45 s of processor time. No test
# called TestHeavy... runs, not even if its own package changed: "make heavy" runs these. It names what it left out.
check: go-version ## vet, staticcheck and test what a change touches, in under a minute; BASE=COMMIT
	$(GO) run ./internal/testing/check $(if $(BASE),-base $(BASE))

heavy: go-version ## run the tests called TestHeavy... of what a change touches and of all that imports it; BASE=COMMIT
	$(GO) run ./internal/testing/check -heavy $(if $(BASE),-base $(BASE))

# Heavy tests take a part of a product, in which what they look for shows; this takes the whole: pairs on the largest graph and on all SMs, parameters that
# are changed one by one, slow rows of calibrations, every turn of a document's loops. About an hour and a half on two cores.
exhaustive: go-version ## run the heavy tests that have a part of a product with all of it
	WEFT_EXHAUSTIVE=1 $(GO) test -timeout 120m -count=1 -run '^(TestHeavyMatrix.*|TestHeavyIsolated|TestHeavyComesBack|TestHeavyCalibrate|TestHeavyDocsCommands)$$' \
	  ./internal/service/catalog ./internal/measure/calibration ./command ./internal/testing/readmetest

sizes: go-version ## count packages, lines, public names, rows of rules, the files that a change touches; OF=CHECKOUT counts another one
	@$(GO) run ./internal/testing/sizes $(OF)

times: go-version ## run the short tests and record the time of each package, from which "make check" chooses
	WEFT_TEST_SECONDS=internal/testing/check/seconds.txt $(GO) run ./internal/testing/testtime -short -skip '^TestHeavy' -count=1 -timeout $(TIMEOUT) $(PKGS)

# Without the checks of go vet that go test repeats: lint has made all of them.
test-ci: go-version ## run all tests but those called TestHeavy..., with a table of time by package
	@pkgs='$(PKGS)'; if [ "$$pkgs" = ./... ]; then pkgs=$$($(GO) run ./internal/testing/check -order) || exit 1; fi; \
	set -x; $(GO) run ./internal/testing/testtime -vet=off -skip '^TestHeavy' -timeout $(TIMEOUT) $$pkgs
	@$(MAKE) --no-print-directory outside

planted: go-version ## plant faults in the sources and check that the differential tests find them (minutes)
	$(GO) test -timeout 60m -count=1 -v -tags planted -run TestFaults ./internal/testing/difftest/planted

# KERNELS is the number of kernels, SEED their first seed (default: the current time).
KERNELS ?= 200
fresh: go-version ## run the differential tests on new random kernels; KERNELS=N SEED=N
	$(GO) run ./internal/testing/difftest/fresh -n $(KERNELS) $(if $(SEED),-from $(SEED))

# SCHEDULES is the number of seeds; "make test" takes 20.
SCHEDULES ?= 1000
test-schedules: go-version ## run persistent kernels under 1,000 seeded schedules of a simulated machine; SCHEDULES=N
	WEFT_SCHEDULES=$(SCHEDULES) $(GO) test -timeout 120m -count=1 -run TestSchedules ./internal/service/catalog

# As root, with Debian's packages slurmctld, slurmd, slurm-client and munge; internal/measure/slurm/setup.sh starts them.
# WEFT_KILLED=1000 runs the test with kills on 1,000 points.
test-slurm: go-version ## run studies on a real Slurm of one node, with workers and controller killed
	$(GO) test -tags slurm -timeout 60m -count=1 -v -run '^TestSlurm' ./command

test-graphs: go-version ## test every algorithm and scheme on every graph of WEFT_GRAPHS, also on those with over a million edges
	@test -n "$(WEFT_GRAPHS)" || { echo "set WEFT_GRAPHS to a folder of graphs" >&2; exit 1; }
	WEFT_GRAPHS_ALL=1 $(GO) test -timeout 120m -run 'Graphs' ./internal/service/... ./internal/measure/...

test-groups: go-version ## test every algorithm of scheduler multi with every parameter on 1, 2, 3, 4 and 8 GPUs
	WEFT_GROUPS_ALL=1 $(GO) test -timeout 120m -count=1 -v -run '^TestGroups' ./internal/service/catalog

# Every module of the repository.
MODULES := $(patsubst %/,%,$(dir $(shell git ls-files 'go.mod' '*/go.mod' 2>/dev/null || find . -name go.mod)))
# What deadcode cannot see a call of: device code, which our compiler reads, functions that C calls, and examples.
NOT_DEAD := ^(kernels|scheduler|internal/kernels|internal/scheme|examples|hw/internal/fakecuda|internal/testing/testkernels|internal/testing/cudatest/twins|internal/testing/difftest/corpus|testdata/fans)/|unreachable func: Example
VECTOR := internal/core/simt/vector
lint: go-version ## run gofmt, go vet (also on the device code alone), staticcheck, deadcode, and go mod tidy in every module
	@out=$$(gofmt -l $$(git ls-files -co --exclude-standard '*.go' 2>/dev/null || find . -name '*.go')); \
	if [ -n "$$out" ]; then echo "gofmt -w needed:"; echo "$$out"; exit 1; fi
	$(GO) vet ./...
	$(GO) vet -tags kernel ./kernels/... ./scheduler/... ./internal/kernels/... ./internal/scheme/...
	$(GO) vet -tags planted ./internal/testing/difftest/planted
	$(GO) vet -tags slurm ./command
	$(GO) vet -tags purego ./internal/core/simt/...
	@list="$(GO) list -f {{.Dir}}{{.GoFiles}}{{.SFiles}}"; [ "$$(GOARCH=arm64 $$list ./internal/core/simt/...)" = "$$($$list -tags purego ./internal/core/simt/...)" ] || \
	{ echo "internal/core/simt: other files for GOARCH=arm64 than for -tags purego, which alone is vetted and tested"; exit 1; }
	@new=$$(mktemp -d) && trap 'rm -rf "$$new"' EXIT && $(GO) -C $(VECTOR)/generate run . -out $$new/rows_amd64.s -stubs $$new/rows_amd64.go -pkg vector && \
	for f in rows_amd64.s rows_amd64.go; do tail -n +2 $$new/$$f > $$new/got && tail -n +2 $(VECTOR)/$$f | cmp -s - $$new/got || { echo "go generate ./$(VECTOR) needed"; exit 1; }; done # the first line has the command
	$(GO) tool staticcheck ./...
	@all=$$($(GO) tool deadcode -test ./...) || exit 1; dead=$$(echo "$$all" | grep -v -E '$(NOT_DEAD)' || true); \
	if [ -n "$$dead" ]; then echo "functions that nothing calls:"; echo "$$dead"; exit 1; fi
	@for m in $(MODULES); do echo "module $$m"; \
	(staticcheck=$$($(GO) tool -n staticcheck) && cd $$m && { [ $$m = . ] || { $(GO) vet ./... && $$staticcheck ./...; }; } && \
	if diff=$$($(GO) mod tidy -diff 2>/dev/null); then :; \
	elif [ -n "$$diff" ]; then echo "go mod tidy needed in $$m:"; echo "$$diff"; exit 1; \
	else echo "note: go mod tidy could not read all modules of $$m (no network?); a test checks go.mod against the imports"; fi) || exit 1; done

# Results stay in build/papers, so that an interrupted run goes on; "make clean" deletes them. The results of an H200, which
# stage papers of hw/record.sh measures, are judged from build/papers/hw-h200 if they are there, and else from results/papers. So
# are those of a simulated H200, from build/papers/sim-h200; its grids of 132 SMs take an hour.
PAPERS := build/papers
papers: build ## run the papers' figures at reduced size, draw them, and judge the papers' claims, into results/papers
	@mkdir -p $(PAPERS) results/papers/figures
	set -e; for f in experiments/papers/*.yaml; do \
	  $(BIN) sweep $$f --out $(PAPERS)/$$(basename $$f .yaml).db; \
	  $(BIN) plot $(PAPERS)/$$(basename $$f .yaml).db --spec $$f --out results/papers/figures --format svg; done
	$(GO) run ./internal/measure/papers/verdicts $(PAPERS) results/papers experiments/papers/*.yaml

verdicts: go-version ## judge the papers' claims by the results that "make papers" left, or else by the numbers that were kept, and write the page again
	$(GO) run ./internal/measure/papers/verdicts $(PAPERS) results/papers experiments/papers/*.yaml

papers-h200: build ## run the papers' figures on a simulated H200, into build/papers/sim-h200, for "make papers" to judge
	@mkdir -p $(PAPERS)/sim-h200
	set -e; for f in experiments/papers/*.yaml; do \
	  $(BIN) sweep $$f --on sim:h200 --out $(PAPERS)/sim-h200/$$(basename $$f .yaml).db; done

# The points that take longest there, in part where there are many launches (docs/sampling.md): about an hour on one core.
papers-h200-slow: build ## run the slowest points of "make papers-h200", some of them in part, for "make papers" to judge
	@mkdir -p $(PAPERS)/sim-h200
	$(BIN) sweep experiments/studies/simdx-slow.yaml --out $(PAPERS)/sim-h200/simdx.db
	$(BIN) sweep experiments/studies/simdx-filters-slow.yaml --out $(PAPERS)/sim-h200/simdx-filters.db

# The settings of internal/measure/papers, "a host without costs".
NO_HOST := launch.kernel=0.01,launch.rate=0.01,launch.gap=0.01,launch.sync=0.01,launch.step=0.01,launch.first=0.01,launch.cold=0.01,copy.latency=0.01,copy.answer=0.01
papers-no-host: build ## run the papers' figures on their machines with a host that takes no time, for "make papers" to judge
	@mkdir -p $(PAPERS)/no-host
	set -e; for f in experiments/papers/*.yaml; do \
	  $(BIN) sweep $$f --set $(NO_HOST) --out $(PAPERS)/no-host/$$(basename $$f .yaml).db; done

# What was recorded on an H200 and is simulated for results/simulated: every pair of algorithm and scheme on three graphs,
# and on two larger ones those that visit each arc a few times. About half an hour of processor time.
TRAVERSALS := bfs|sssp|sswp|cc|wcc|scc|kcore|colouring
SIMULATED  := ^((karate|chesapeake|wiki-Vote) |(as-caida20071105|p2p-Gnutella31) ($(TRAVERSALS)) )
sampling: build ## sampled runs beside whole ones, into results/sampling (half an hour on one core)
	@mkdir -p build && rm -f build/sampling.db
	GOMAXPROCS=1 $(BIN) sweep experiments/studies/sampling.yaml --jobs 1 --out build/sampling.db
	$(BIN) results build/sampling.db --sql "$$(cat experiments/studies/sampling.sql experiments/studies/sampling-summary.sql)" --format csv --out results/sampling/summary.csv
	$(BIN) results build/sampling.db --sql "$$(cat experiments/studies/sampling.sql experiments/studies/sampling-runs.sql)" --format csv --out results/sampling/runs.csv
	rm -f build/sampling-machines.db
	GOMAXPROCS=1 $(BIN) sweep experiments/studies/sampling-machines.yaml --jobs 1 --out build/sampling-machines.db
	$(BIN) results build/sampling-machines.db --sql "$$(cat experiments/studies/sampling-machines.sql)" --format csv --out results/sampling/machines.csv

multi-scaling: go-version ## scaling of one to eight simulated H200, what results/multi/scaling.csv does not have yet, into the table of results/multi (half an hour on two cores)
	$(GO) run ./internal/measure/multi/scaling

group-queues: build ## queues of two and four simulated H200 beside iterations and beside one, into results/multi/queues.csv (some minutes on two cores)
	@mkdir -p build && rm -f build/queues.db
	$(BIN) sweep experiments/studies/gpus-queues.yaml --jobs 2 --out build/queues.db
	$(BIN) results build/queues.db --sql "$$(cat experiments/studies/gpus-queues.sql)" --format csv --out results/multi/queues.csv

# Four to eight minutes each.
group-kernels: build ## searches, components and shortest paths by one kernel on each of one to eight simulated H200, into results/multi (a quarter of an hour on two cores)
	@mkdir -p build
	for name in searches components distances; do \
		rm -f build/gpus-$$name.db; \
		$(BIN) sweep experiments/studies/gpus-$$name.yaml --out build/gpus-$$name.db && \
		$(BIN) results build/gpus-$$name.db --columns graph,device,kernel_seconds,solve_seconds,bytes_sent,verified --format csv --out results/multi/$$name.csv || exit 1; \
	done
	$(GO) test ./internal/measure/multi -run TestKernelsOfGroups -update

simulated: build ## simulate what was recorded on an H200, into results/simulated; WEFT_GRAPHS=FOLDER has the graphs
	@test -n "$(WEFT_GRAPHS)" || { echo "set WEFT_GRAPHS to a folder of graphs" >&2; exit 1; }
	@mkdir -p build/simulated
	$(BIN) compare --times results/pairs/h200.json --graphs $(WEFT_GRAPHS) --only '$(SIMULATED)' --json > build/simulated/times.json
	$(BIN) compare --micro --json > build/simulated/micro.json
	rm -rf build/simulated/graphs && mkdir build/simulated/graphs && cp $(WEFT_GRAPHS)/karate.* $(WEFT_GRAPHS)/as-caida* build/simulated/graphs
	$(BIN) compare --counters --graphs build/simulated/graphs --json > build/simulated/counters.json
	sed -i 's,$(WEFT_GRAPHS),FOLDER,' build/simulated/*.json
	mv build/simulated/*.json results/simulated

figures: go-version ## compute the figures of README.md and the documents from all records, and draw their pictures
	$(GO) test -count=1 ./internal/testing/headlines -run TestKnown -update
	$(GO) test -count=1 ./internal/testing/headlines -update

images: build ## draw the pictures of docs/plots.md and docs/report.md anew, with the outputs in these pages; needs chromium
	$(GO) test -count=1 -run '^TestHeavyDocsCommands$$/^(plots.md|report.md)$$' ./internal/testing/readmetest -update

bench-threads: build ## the runs of "weft bench sim" on one thread and on two, on graphs of ten seeds, into results/speed (twenty minutes)
	@mkdir -p build/speed results/speed && rm -f build/speed/*.json
	for s in 1 2 3 4 5 6 7 8 9 10; do $(BIN) bench sim --instructions 1e7 --against-threads 2 --graph rmat:scale=17,degree=16,seed=$$s --json > build/speed/$$s.json || exit; done
	go run ./internal/measure/bench/threads build/speed/*.json > results/speed/threads.csv

bench: build ## measure the compiler, the graph readers and both executors, with a calibration loop
	$(BIN) bench

# Everything needed to record a GPU on a machine without Go: a folder with a script.
RECORD := build/hw-record
hw-record: go-version ## build the folder build/hw-record; copy it to a machine with an NVIDIA GPU and run ./record.sh OUT there
	rm -rf $(RECORD)
	@mkdir -p $(RECORD)/graphs && printf 'module build\n' > build/go.mod # so that "go vet ./..." leaves what is built alone
	GOOS=linux GOARCH=amd64 CGO_ENABLED=1 $(GO) build -buildvcs=auto -trimpath -ldflags='-s -w' -o $(RECORD)/weft ./cmd/weft
	GOOS=linux GOARCH=amd64 CGO_ENABLED=1 $(GO) test -c -overlay "$$($(GO) run ./internal/testing/difftest/fresh -corpus build/corpus)" -ldflags='-s -w' -o $(RECORD)/hw.test ./hw
	gzip -9 $(RECORD)/weft $(RECORD)/hw.test
	cp hw/record.sh hw/testdata/cuda/byhand.cu results/peers/h200.json $(RECORD)
	cp graph/testdata/*.gz $(RECORD)/graphs
	cp -r experiments/studies $(RECORD)/studies
	@mkdir -p $(RECORD)/experiments $(RECORD)/examples $(RECORD)/graph # the papers' studies name files by ../..
	cp -r experiments/papers $(RECORD)/experiments && cp -r examples/wolfgraph $(RECORD)/examples && cp -r graph/testdata $(RECORD)/graph
	cp -r internal/proof/progress/litmus/testdata/tests $(RECORD)/progress
	cp -r internal/proof/ptxlitmus/testdata/tests $(RECORD)/litmus
	@if command -v clang++-19 >/dev/null; then $(MAKE) --no-print-directory build && hw/cuda-programs.sh $(BIN) $(RECORD)/cuda; else echo "note: without clang-19 there is no stage cuda" >&2; fi
	@if [ -n "$(WEFT_GRAPHS)" ]; then cp $(WEFT_GRAPHS)/*.gz $(RECORD)/graphs; fi
	rm -rf build/corpus # Go packages, which are of this build alone
	@du -sh $(RECORD)

CUDA := build/hw-cuda
hw-cuda: build ## build the folder build/hw-cuda with the project's CUDA programs, by clang; copy it to a machine with an NVIDIA GPU and run ./cuda.sh OUT there
	rm -rf $(CUDA)
	@mkdir -p $(CUDA) && printf 'module build\n' > build/go.mod
	strip -o $(CUDA)/weft $(BIN) && gzip -9 $(CUDA)/weft
	hw/cuda-programs.sh $(BIN) $(CUDA)
	@du -sh $(CUDA)

VALIDATION := build/hw-validation
hw-validation: build ## build the folder build/hw-validation with the programs of experiments/validation, by clang; copy it to a machine with an NVIDIA GPU and run ./cuda.sh OUT there
	rm -rf $(VALIDATION)
	@mkdir -p $(VALIDATION) && printf 'module build\n' > build/go.mod
	strip -o $(VALIDATION)/weft $(BIN) && gzip -9 $(VALIDATION)/weft
	hw/validation-programs.sh $(BIN) $(VALIDATION)
	@du -sh $(VALIDATION)

# Seven minutes on two cores.
DEVICE ?= sim:h100
validation: hw-validation ## simulate the programs of experiments/validation in three sizes, into build/validation; DEVICE=sim:h200
	DEVICE=$(DEVICE) LIMIT=600 TOTAL=36000 $(VALIDATION)/cuda.sh build/validation

clean: ## remove everything that was built
	rm -rf bin build
