# Everything a person needs: `make help` explains the targets.
GO         ?= go
T          ?= 30s
N          ?= 2000
FOR        ?= 1h
SEED       ?= 1
LIMITS     ?= small
STATICCHECK = honnef.co/go/tools/cmd/staticcheck@v0.8.2
VERSION    := $(shell git describe --tags --always --dirty 2>/dev/null || echo devel)

# The race detector needs cgo and a C compiler; without them the tests run without it, and say so.
RACE := $(shell if [ "$$($(GO) env CGO_ENABLED)" = 1 ] && command -v "$$($(GO) env CC)" >/dev/null 2>&1; then echo -race; fi)

.DEFAULT_GOAL := help
.PHONY: help build test check check-large fuzz crash kill planted soak sim-night sim-million mutate peers bench policy-table models report-check cover demo docs interop clean

help: ## list the targets
	@grep -hE '^[a-z-]+:.*## ' $(MAKEFILE_LIST) | sed -E 's/:.*## /\t/' | expand -t 14

build: ## build bin/firn
	$(GO) build -trimpath -ldflags '-X github.com/firn-io/firn/internal/cli.version=$(VERSION)' -o bin/firn ./cmd/firn

test: ## run all tests, with the race detector where cgo is there
	@[ -n "$(RACE)" ] || echo "make test: cgo is not there, so the race detector is off"
	$(GO) test $(RACE) ./...

check: ## formatting, vet, staticcheck, lint, tidy go.mod, current documents, then all tests
	@echo "== formatting"; out=$$(gofmt -l $$(git ls-files '*.go')); [ -z "$$out" ] || { echo "not gofmt-clean:"; echo "$$out"; exit 1; }
	@echo "== vet"; $(GO) vet ./... && $(GO) vet -tags mutate ./commit ./maintain ./internal/mutate ./internal/tamper
	@echo "== staticcheck"; $(GO) run $(STATICCHECK) ./...
	@echo "== lint"; $(GO) test ./internal/lint
	@echo "== go.mod"; $(GO) mod tidy -diff
	@echo "== commit/otel"; cd commit/otel && $(GO) mod tidy -diff && $(GO) vet ./... && $(GO) test ./...
	@echo "== documents"; $(MAKE) --no-print-directory docs CHECK=1
	@$(MAKE) --no-print-directory test
	@echo "== faults of the writer"; $(GO) test -tags mutate ./commit ./internal/mutate ./internal/tamper

fuzz: ## fuzz every decoder for T each (make fuzz T=5m), print executions and findings
	@GO=$(GO) ./scripts/fuzz.sh $(T)

crash: ## crash every kind of change at every store call, with every outcome, on every store: the old or the new state, and orphans exact
	FIRN_CRASH=all $(GO) test ./internal/crash -run TestCrash -count=1 -v -timeout 60m

kill: ## several processes append to one table and are killed at random, at full size (takes many minutes)
	FIRN_KILL=full $(GO) test ./internal/kill -count=1 -v -timeout 120m

planted: ## plant each bug and switch off each rule below testdata/planted in turn, print seconds until the simulator finds it (20 minutes)
	FIRN_PLANTED=all FIRN_WRITE_DOCS=1 $(GO) test ./internal/planted -run TestPlanted -count=1 -v -timeout 120m

soak: ## 16 writers, N commits (make soak N=2000) of all kinds on SQLite + folder, PostgreSQL + folder, SQLite + S3 server
	FIRN_SOAK=$(N) $(GO) test ./internal/soak -run TestSoak -count=1 -v -timeout 120m

mutate: ## switch on every fault of the writer, one at a time: each must be found (WRITE=1: write docs/simulation.md; FAULT=name: one of them)
	FIRN_MUTATE=all FIRN_FAULT=$(FAULT) FIRN_WRITE_DOCS=$(WRITE) $(GO) test -tags mutate ./internal/mutate -run 'TestFaults|TestRules' -count=1 -v -timeout 60m

sim-night: build ## the simulator over all profiles for an hour (make sim-night FOR=10m); traces of what it finds go to sim-traces/
	bin/firn sim soak --for $(FOR) --save sim-traces

# What sim-million holds a table to: limits so small that many commits come to them, or the policy's own, which need a table of wide rows, and
# leaves so dear that the root fills up before one is worth its price.
MILLION_small   = --writers 8 --set most-files=600 --row-bytes 250 --property firn.policy.root-bytes=10000 --property firn.policy.leaf-bytes=40000 \
	  --property firn.policy.foreground-bytes=6000
MILLION_default = --writers 3 --set most-files=500 --row-bytes 5000 --set columns=45 --set measured=2 --files 1650 --property firn.policy.request-bytes=60000000

sim-million: N = 1000000
sim-million: build ## one table of N commits with deletes and faults under adaptive, held to its limits (make sim-million N=1000000 LIMITS=small|default; an hour)
	@[ -n "$(MILLION_$(LIMITS))" ] || { echo "LIMITS=$(LIMITS): want small or default"; exit 2; }
	bin/firn sim run --seed $(SEED) --policy adaptive --profile mixed --commits $(N) --faults 0.02 --every 10000 --full-every 200 \
	  --set own=70 --set max-files=4 --set expire=6 --set retain=4 --set clean-up=4 --set schema=0 --set specs=0 --set caps=0 --set policies=0 \
	  $(MILLION_$(LIMITS)) --save sim-traces

check-large: N = 10000000
check-large: ## check the history of a table of N files (make check-large N=10000000) in a process of its own, within 512 MiB of memory
	FIRN_LARGE=$(N) $(GO) test ./internal/large -run TestCheckLarge -count=1 -v -timeout 60m

peers: ## processor time of commits against iceberg-go, on the same tables (builds a module of its own)
	@GO=$(GO) ./scripts/peers.sh -write docs/performance.md

bench: ## run the benchmarks and write their figures into docs/performance.md
	@GO=$(GO) ./scripts/bench.sh

policy-table: ## count what policies write next to what any must, and write the tables into docs/policy.md (some minutes)
	$(GO) run ./bench/policies -document docs/policy.md

models: ## run the models of sim compare over the same long tables, and write what they say into docs/compare.md (ten minutes)
	$(GO) run ./bench/models -document docs/compare.md

report-check: build ## write reports of 2 and of 7 policies, open them in a headless Chromium in both themes, keep what they look like in docs/report
	@GO=$(GO) ./scripts/report-check.sh docs/report

cover: ## test coverage by package; cover.html has the lines
	$(GO) test -coverprofile=cover.out -coverpkg=./... ./... && $(GO) tool cover -func=cover.out | tail -n 1
	$(GO) tool cover -html=cover.out -o cover.html

demo: build ## make a table from real Parquet files, change it, print and check it; leaves the folder demo/
	@./scripts/demo.sh

docs: ## write the generated documents (CHECK=1: fail if they are not current)
	@$(GO) test -count=1 ./oracle -run '^Test(MarkdownIsCurrent|Document)$$' $(if $(CHECK),,-update)
	@FIRN_WRITE_DOCS=$(if $(CHECK),,1) $(GO) test -count=1 ./internal/cases -run TestDocument
	@FIRN_WRITE_DOCS=$(if $(CHECK),,1) $(GO) test -count=1 ./commit -run TestRebaseTable

interop: build ## compare with an outside reader: make interop JAVA_READER=path/to/run.sh
	@./scripts/interop-java.sh "$(JAVA_READER)"

clean: ## remove what the other targets made
	rm -rf bin demo cover.out cover.html
