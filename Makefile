# The commands of this project; `make help` lists them. `make demo` and `make test`
# are all that a fresh machine with Go needs.

GO       ?= go
BIN      := bin
DEMO     := demo
FUZZTIME ?= 10m
COUNT    ?= 6
BENCHTIME ?= 1s
EVENTS   ?= 100000
PARTS    ?= 40000
BUNDLES  ?= 2000
FROM     ?= 501
OUT      ?= $(BIN)/release-$(VERSION)
PLATFORMS ?= linux/amd64 linux/arm64 darwin/amd64 darwin/arm64 windows/amd64 windows/arm64
# Targets that ask other makers' programs.
PEERS    := interop shells producers ci-examples reports archives interop-otelcol interop-chromium \
	interop-prometheus interop-k8s interop-vaultd scale-kubernetes scale-arrays scale-spark check-release

.PHONY: help build release demo test heavy test-all budget race cover lint bench bench-functions bench-large fuzz messy fixtures docs load monitoring clean $(PEERS)

help: ## lists the commands
	@awk -F ':.*## ' '/^[a-z0-9-]+:.*## / { printf "make %-19s %s\n", $$1, $$2 }' $(MAKEFILE_LIST)

# Static, without symbols for debuggers, without HTTP/2 (receive speaks HTTP/1.1) and
# without the flag parser's own writer of manuals. Where answers are written, and nobody waits
# for the processor, functions are not inlined: that saves 570 KB.
HERE   := github.com/svc-edge/svc-verify
PLAIN  := $(HERE)/cmd/... $(HERE)/answer $(HERE)/outcome/... $(HERE)/batch/... $(HERE)/archive/... \
	$(HERE)/internal/cliapp $(HERE)/schemas/... $(HERE)/fixtures/... $(addprefix $(HERE)/forensics/,report incident \
	affected custody pack cause query status verdict plan conclude receive) \
	html/... text/... github.com/olekukonko/... github.com/urfave/... github.com/santhosh-tekuri/...
SMALL  := -trimpath -ldflags '-s -w' -tags nethttpomithttp2,urfave_cli_no_docs $(PLAIN:%=-gcflags='%=-l')

build: ## builds all programs into bin/
	CGO_ENABLED=0 $(GO) build $(SMALL) -o $(BIN)/ ./cmd/...
	cd service && CGO_ENABLED=0 $(GO) build -trimpath -ldflags '-s -w' -o ../$(BIN)/ ./cmd/...

# A release to hand out: VERSION=1.2.3, and KEY=FILE to sign it. OUT is the folder, PLATFORMS is a
# list, and DIRTY=-dirty also releases changes without a commit. The user's settings of go do not count.
release: ## archives, an image, lists of contents and digests of VERSION, signed with KEY
	@GOFLAGS= GOEXPERIMENT= $(GO) run ./scripts/release -version '$(VERSION)' -out '$(OUT)' -key '$(KEY)' -platforms '$(PLATFORMS)' $(DIRTY) -- $(SMALL)

# Makes a release in two folders, as two users, and checks it as a stranger does; needs ssh-keygen
# and skopeo.
check-release: ## a release has the same octets anywhere, and others' programs read it
	$(GO) vet -tags release ./scripts/release && $(GO) test -tags release -run TestRelease -count=1 -timeout 30m ./scripts/release

# Makes real evidence, verifies it, and shows one tampered copy refused.
demo: ## makes evidence, verifies it, and shows an altered copy refused
	CGO_ENABLED=0 $(GO) build $(SMALL) -o $(BIN)/ ./cmd/svc-verify ./harness/play
	@sh scripts/demo.sh $(BIN) $(DEMO)

# Tests are linked without symbols for debuggers, which takes half the time, and vet, or the
# linter, has seen their sources.
TESTED := -ldflags=-w -vet=off

# What a contributor runs before a commit: formatting, vet, the tests with few draws,
# and nothing generated out of date. It needs nothing but Go and make.
test: ## the tests, quickly: what to run before a commit
	@test -z "$$(gofmt -l $$(git ls-files '*.go'))" || { gofmt -l $$(git ls-files '*.go'); exit 1; }
	$(GO) vet ./... && cd service && $(GO) vet ./...
	$(GO) test $(TESTED) -short -timeout 15m ./...
	cd service && $(GO) test $(TESTED) -short -timeout 15m ./...

# `go test .` fails if a figure of budget.txt grew.
budget: ## lowers the figures of budget.txt that fell
	$(GO) test . -run TestBudget -update

# With SINCE=COMMIT, heavy, race and fuzz leave out the packages that no change since then can reach.
REACHED = packages=$$($(GO) run $(HERE)/scripts/reached $(SINCE))

# The tests that `make test` shortens or leaves out, at their full size: all draws and
# matrices, kills, large files.
heavy: ## the tests that are larger than in `make test`, at their full size
	$(REACHED) && $(GO) run $(HERE)/scripts/heavy $(TESTED) -timeout 30m -- $$packages
	cd service && $(REACHED) && $(GO) run $(HERE)/scripts/heavy $(TESTED) -timeout 30m -- $$packages

# Everything that .ci/run tests.
test-all: test heavy race $(PEERS) ## the tests at their full size, under the race detector, and with real peers

# The packages in which goroutines meet, with few draws. Of the commands, those tests that run
# each once, interrupt them, kill them, or run several at a time. Left out is what measures
# memory, damages containers octet by octet, repeats one reading in other orders, or computes: its
# goroutines are those of the tests beside it. Packages that only compute, and the
# database's translated C, are compiled without the detector: they start no goroutine and
# keep no state, and cost two thirds of its time.
RACE_ALONE := Memory|Bombs|Avro|Damaged|ManySmall|SwollenRows|WorkIsLinear|EveryPrefix|EveryOctet
RACE_ALONE := $(RACE_ALONE)|BlockEnds|ReadAgainInAnotherWay|ExplainFindsWhatIngestFinds|PiecesAreBounded
RACE_ALONE := $(RACE_ALONE)|EmbeddedArchive|Mutants|LargeFiles|EventsAcrossBlocks|ChunksMakeNoDifference
RACE_ALONE := $(RACE_ALONE)|EveryFormatGivesTheSameBodies|Spellings|WideNeedsRoom|Ranges|BlankInFront|Vectors|SmallOrder
RACE_COMMANDS := Scripts|Kill|Interrupt|Race|TwoChecks|Receive|Batch|Terminal|WithoutReader|Meter
COMPUTING := crypto/... encoding/... compress/... regexp/... modernc.org/...
RACE := -race $(COMPUTING:%=-gcflags='%=-race=false -d=checkptr=0') $(TESTED) -short -timeout 30m
race: ## the tests under the race detector, where goroutines meet
	$(REACHED) && meet=$$(sh scripts/concurrent.sh $$packages) && \
		echo $$meet | xargs -n 1 | grep -v '/bench$$\|/cmd/svc-verify$$' | xargs -r $(GO) test $(RACE) -skip '$(RACE_ALONE)' && \
		echo $$packages | xargs -n 1 | grep '/cmd/svc-verify$$' | xargs -r $(GO) test $(RACE) -run '$(RACE_COMMANDS)'
	cd service && $(REACHED) && packages=$$(sh ../scripts/concurrent.sh $$packages) && echo $$packages | xargs -r $(GO) test $(RACE)

cover: ## how much of the verifying path the tests execute
	$(GO) test -short -coverpkg=./verify/...,./bundle/...,./trust/...,./chain/...,./internal/... -coverprofile=cover.out ./...
	$(GO) tool cover -func=cover.out | tail -1

lint: ## the linter, over both modules
	$(GO) run github.com/golangci/golangci-lint/v2/cmd/golangci-lint@v2.15.0 run ./...
	cd service && $(GO) run github.com/golangci/golangci-lint/v2/cmd/golangci-lint@v2.15.0 run --config ../.golangci.yml ./...

# Costs, each beside its baselines in the same run; see docs/performance.md. After the functions
# come runs of the program: a journal of EVENTS events, with and without comparison; the same in
# parts; inputs of PARTS pieces that are hard to examine, for each MiB; and BUNDLES bundles, in
# files, from a stream and as an archive.
BENCH = $(GO) test ./bench -run '^$$' -benchtime 1x -timeout 0 -bench
bench: bench-functions ## costs, each with its baselines in the same run
	$(BENCH) . -count $(COUNT) -events $(EVENTS) -bundles $(BUNDLES) -hard $(PARTS)

bench-functions: ## the first of them: functions, BENCHTIME each
	$(GO) test $(TESTED) -run '^$$' -bench . -benchtime $(BENCHTIME) -benchmem -count $(COUNT) ./verify ./internal/ijson ./chain/event ./internal/eddsa ./forensics/walk ./forensics/ingest

# How time and memory grow with a journal, up to ten million events: 10 GB of
# disk, and half an hour, most of it to make the journals. Then with bundles, up to
# a million: half an hour, most of it to make them.
bench-large: ## how time and memory grow, up to ten million events and a million bundles
	for n in 100000 1000000 10000000; do $(BENCH) 'Journal/stage=(ingest|walk|again)' -events $$n || exit; done
	$(BENCH) Bundles -count 3 -bundles 10000
	for n in 100000 1000000; do $(BENCH) Stream -bundles $$n || exit; done

# Every parser in turn, FUZZTIME each: a time, or a number of inputs such as 2000x. The seed
# corpora are in the tree.
fuzz: ## every parser in turn, FUZZTIME each
	$(REACHED) && sh scripts/fuzz.sh $(FUZZTIME) 1000 $$packages
	cd service && $(REACHED) && sh ../scripts/fuzz.sh $(FUZZTIME) 1000 $$packages

# Clean collections as people make them, and altered ones, by seed: COUNT of them from
# seed FROM on, half of each. `make heavy` has those of the first 160 seeds.
messy: COUNT = 20000
messy: ## COUNT messy collections from seed FROM on, half of them altered
	$(GO) test ./cmd/svc-verify -run 'TestMessyCollections|TestAlteredCollections' -count=1 -timeout 0 \
		-messy-from $(FROM) -messy-count $(COUNT)

# Rebuilds the conformance cases byte for byte.
fixtures: ## rebuilds the conformance cases, byte for byte
	$(GO) generate ./fixtures ./schemas

# Rebuilds everything in docs that is made from the program.
docs: ## rebuilds every page that is generated
	$(GO) generate ./fixtures ./schemas
	$(GO) test ./cmd/svc-verify -run 'Document|ManualPage|ExamplesOfTheReference' -update
	$(GO) test ./forensics/cases -run 'TestCoverage|TestFormats|TestManipulations' -update
	$(GO) test ./outcome/form -run TestLimitsDocument -update
	cd service && $(GO) test ./cmd/svc-edge ./cmd/svc-harness -run 'TestManualPage|TestCommandsDocument' -update

# The second verifier, in another language and from docs/spec.md alone, over
# all conformance cases and what tests make of them. Needs Node.js 18 or later.
interop: ## a second verifier over all conformance cases
	cd interop/second && node compare.mjs && $(GO) vet ./... && CI=true $(GO) test -count=1 -timeout 30m ./...

# Completion scripts and manual pages; needs bash, zsh, fish and groff.
shells: ## real shells complete, and groff reads the manual pages
	cd interop/shells && $(GO) vet ./... && CI=true $(GO) test -count=1 ./...

# Real programs write down a genuine journal, and svc-verify reads their files. What
# is missing is installed: Debian's packages, which needs root, and the libraries of
# Python and Node.js below bin/.
producers: ## shippers, databases, tables and archivers by the real programs
	bash interop/producers/install.sh "$(CURDIR)/$(BIN)/producers"
	cd interop/producers && $(GO) vet ./... && \
		PATH="$(CURDIR)/$(BIN)/producers/python/bin:$$PATH:/usr/sbin" \
		NODE_PATH="$(CURDIR)/$(BIN)/producers/node/node_modules" $(GO) test -count=1 -timeout 30m

# Schemas, linters and pre-commit judge what is in the folder ci. What is missing is
# installed: Debian's packages, which needs root, and Python's libraries below
# bin/_ci, where Go does not look for packages.
ci-examples: ## the files for pipelines, by their platforms' schemas and linters
	bash interop/ci/install.sh "$(CURDIR)/$(BIN)/_ci"
	cd interop/ci && $(GO) vet ./... && PATH="$(CURDIR)/$(BIN)/_ci/python/bin:$$PATH" CI=true $(GO) test -count=1 -timeout 30m ./...

# What reads reports: schemas and readers of JUnit and SARIF, renderers of Markdown,
# and a browser. What is missing is installed as for the producers.
reports: ## schemas, validators, renderers and a browser read the reports
	bash interop/reports/install.sh "$(CURDIR)/$(BIN)/reports"
	cd interop/reports && $(GO) vet ./... && \
		PATH="$(CURDIR)/$(BIN)/reports/python/bin:$$PATH" \
		REPORTS_PEERS="$(CURDIR)/$(BIN)/reports" $(GO) test -count=1 -timeout 30m

# Others' programs for the standards of archives: bags, events, tokens, signatures.
# What is missing is installed as for the producers.
archives: ## what archives hand over and take in, by others' programs
	bash interop/archives/install.sh "$(CURDIR)/$(BIN)/archives"
	cd interop/archives && $(GO) vet ./... && \
		PATH="$(CURDIR)/$(BIN)/archives/python/bin:$$PATH" \
		ARCHIVES_PEERS="$(CURDIR)/$(BIN)/archives" $(GO) test -count=1 -timeout 30m

# A real OpenTelemetry Collector between the exporter and the case; a module of
# its own, which takes some minutes to build the first time.
interop-otelcol: ## a real OpenTelemetry Collector
	cd service/interop/otelcol && $(GO) vet ./... && $(GO) test -count=1 -timeout 30m ./...

# A real Prometheus that scrapes a real node and raises the delivered alerts;
# needs Debian's packages prometheus and jq.
interop-prometheus: ## a real Prometheus
	cd service/interop/prometheus && $(GO) vet ./... && $(GO) test -count=1 -timeout 30m ./...

# The Helm chart, by Helm, by the API types of Kubernetes and by the node's own
# check of what it renders. Helm takes some minutes to build the first time.
interop-k8s: ## the Helm chart
	cd service/interop/k8s && $(GO) vet ./... && $(GO) test -count=1 -timeout 30m ./...

# The manifests of scale/kubernetes, by the code of the API server and the Job
# controller of Kubernetes, which take some minutes to build the first time.
scale-kubernetes: ## the Jobs of Kubernetes
	cd scale/interop && $(GO) vet ./kubernetes && $(GO) test -count=1 -timeout 30m ./kubernetes

# The scripts of scale/slurm under a real Slurm on this machine, which needs Debian's
# package slurm-wlm and root, and the job definitions of scale/aws-batch by AWS's own
# client.
scale-arrays: ## the job arrays of Slurm and AWS Batch
	cd scale/interop && $(GO) vet ./arrays && $(GO) test -count=1 -timeout 30m ./arrays

# A real cluster of Spark. What is missing is installed: Debian's packages, which
# needs root, and Spark into a folder that outlives the tree, as it is a download of
# 500 MB.
SPARK_CACHE ?= $(or $(XDG_CACHE_HOME),$(HOME)/.cache)/svc-verify/spark
scale-spark: ## a cluster of Spark, on loopback
	bash scale/interop/spark/install.sh "$(SPARK_CACHE)"
	cd scale/interop && $(GO) vet ./spark && SPARK_PEERS="$(SPARK_CACHE)" $(GO) test -count=1 -timeout 60m ./spark

# A real Vault, which judges the embedded engine and which the secret-store
# adapter works with. Its module is large: the build takes some minutes, until
# Go's build cache has it, and nothing if nothing has changed. Flags that change
# the output would make the cache start anew. What needs no server is left out.
interop-vaultd: ## a real Vault
	cd service/interop/vaultd && $(GO) vet ./... && $(GO) build -o ../../../$(BIN)/vaultd .
	cd service && VAULTD="$(CURDIR)/$(BIN)/vaultd" $(GO) test -count=1 -timeout 30m -skip 'TestOneFault$$|TestTwoFaults|TestForeignAnywhere|TestModel' ./kv/... ./secretstore/...
	cd service && VAULTD="$(CURDIR)/$(BIN)/vaultd" $(GO) test -count=1 -timeout 30m -run Store ./agent

# The monitoring pack: its files are sound, and its alerts fire when they should
# and only then; the checks of service/docs/monitoring.md too. Needs promtool and jq.
monitoring: ## the monitoring pack, with promtool and jq
	cd service/interop/prometheus && $(GO) test -count=1 -run 'Pack|Suggested|Rules|Signal|Check' ./...

# The console in Debian's Chromium, before a deployment that runs, and reports; a
# module of its own.
interop-chromium: ## the console and reports, in Chromium
	cd service/interop/chromium && $(GO) vet ./... && $(GO) test -count=1 -timeout 30m ./...

# Certificates at a steady rate for two minutes, with latencies and memory.
load: ## certificates at a steady rate for two minutes
	cd service && $(GO) test -count=1 -v -run TestLoad -timeout 10m ./deployment -load 2m

clean: ## removes what was built
	rm -rf $(BIN) $(DEMO) cover.out
