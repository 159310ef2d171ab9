# make help lists the targets. Needs Go 1.26 or later and nothing else: no CUDA, no C compiler.

GO     ?= go
BIN    := bin/weft
# Real graphs beyond the one in the project: a folder of .mtx, .gr, .txt and .graph files, each also .gz.
# Tests that need it say so and skip where it is empty.
WEFT_GRAPHS ?=
override WEFT_GRAPHS := $(abspath $(WEFT_GRAPHS))
export WEFT_GRAPHS
TIMEOUT ?= 15m
PKGS    ?= ./...

.DEFAULT_GOAL := help
.PHONY: help demo build test test-short fresh planted test-graphs lint bench clean hw-record go-version

help: ## what can be made
	@sed -n 's/^\([a-z-]*\):.*## /\1\t/p' $(MAKEFILE_LIST) | awk -F'\t' '{printf "  make %-12s %s\n", $$1, $$2}'

go-version:
	@command -v $(GO) >/dev/null || { echo "weft needs Go 1.26 or later; '$(GO)' is not on the PATH. See https://go.dev/dl/" >&2; exit 1; }
	@v=$$($(GO) env GOVERSION | sed 's/^go\([0-9]*\.[0-9]*\).*/\1/'); \
	case "$$v" in \
	1.[0-9]|1.1[0-9]|1.2[0-5]) echo "weft needs Go 1.26 or later; this is go$$v. See https://go.dev/dl/" >&2; exit 1;; \
	esac

build: go-version ## bin/weft
	@mkdir -p bin
	$(GO) build -o $(BIN) ./cmd/weft

demo: build ## BFS on a real social network (wiki-Vote), on a simulated H200, checked against the CPU
	$(BIN) run bfs --device sim:h200

test: go-version ## every test; WEFT_GRAPHS=FOLDER adds real graphs
	$(GO) test -timeout $(TIMEOUT) $(PKGS)

# Without the tests that are called TestHeavy..., and with fewer samples in others (-short).
test-short: go-version ## the tests that find most, in a minute
	$(GO) test -short -skip '^TestHeavy' -timeout $(TIMEOUT) $(PKGS)

planted: go-version ## plant faults in the sources and see that the differential tests find them (minutes)
	$(GO) test -timeout 60m -count=1 -v -tags planted -run TestFaults ./internal/difftest/planted

# KERNELS is how many, SEED the first of their seeds (the time, where nobody says).
KERNELS ?= 200
fresh: go-version ## differential tests on random kernels that nobody has seen; KERNELS=N SEED=N
	$(GO) run ./internal/difftest/fresh -n $(KERNELS) $(if $(SEED),-from $(SEED))

test-graphs: go-version ## every algorithm and scheme on every graph of WEFT_GRAPHS, also those over a million edges
	@test -n "$(WEFT_GRAPHS)" || { echo "set WEFT_GRAPHS to a folder of graphs" >&2; exit 1; }
	WEFT_GRAPHS_ALL=1 $(GO) test -timeout 120m -run 'Graphs' ./experiments/...

lint: go-version ## gofmt, go vet (also the device code alone), staticcheck, go mod tidy
	@out=$$(gofmt -l $$(git ls-files -co --exclude-standard '*.go' 2>/dev/null || find . -name '*.go')); \
	if [ -n "$$out" ]; then echo "gofmt -w needed:"; echo "$$out"; exit 1; fi
	$(GO) vet ./...
	$(GO) vet -tags kernel ./kernels/... ./scheduler/...
	$(GO) vet -tags planted ./internal/difftest/planted
	$(GO) tool staticcheck ./...
	@if diff=$$($(GO) mod tidy -diff 2>/dev/null); then :; \
	elif [ -n "$$diff" ]; then echo "go mod tidy needed:"; echo "$$diff"; exit 1; \
	else echo "note: go mod tidy could not look at all modules (no network?); a test holds go.mod to the imports"; fi

bench: build ## rates of the compiler, the readers and both executors, beside a calibration loop
	$(BIN) bench

# What a machine with a GPU and without Go needs to record it: one folder, one script.
RECORD := build/hw-record
hw-record: go-version ## build/hw-record: copy it to a machine with an NVIDIA GPU and run ./record.sh OUT there
	rm -rf $(RECORD)
	@mkdir -p $(RECORD)/graphs
	GOOS=linux GOARCH=amd64 CGO_ENABLED=1 $(GO) build -buildvcs=auto -trimpath -ldflags='-s -w' -o $(RECORD)/weft ./cmd/weft
	GOOS=linux GOARCH=amd64 CGO_ENABLED=1 $(GO) test -c -ldflags='-s -w' -o $(RECORD)/hw.test ./hw
	gzip -9 $(RECORD)/weft $(RECORD)/hw.test
	cp hw/record.sh hw/testdata/cuda/byhand.cu $(RECORD)
	cp graph/testdata/*.gz $(RECORD)/graphs
	@if [ -n "$(WEFT_GRAPHS)" ]; then cp $(WEFT_GRAPHS)/*.gz $(RECORD)/graphs; fi
	@du -sh $(RECORD)

clean: ## remove what was built
	rm -rf bin build
