# make demo   runs the main job on an embedded broker; nothing but Go is needed.
# make test   runs the tests.
# make help   lists the rest.

GO      ?= go
KAFKA   ?= .eosproc/kafka
BROKERS ?= 1
PORT    ?= 9092
TV      ?= 2
FUZZ    ?= 10s

.DEFAULT_GOAL := help
.PHONY: help demo build test race lint fuzz bench kafka-up kafka-down docs clean

help: ## list the targets
	@grep -hE '^[a-z-]+:.*##' $(MAKEFILE_LIST) | sed -E 's/:.*## /\t/' | while IFS="$$(printf '\t')" read -r t d; do printf '  %-12s %s\n' "$$t" "$$d"; done

demo: ## kill and freeze workers of a pipeline on an embedded broker, and count (ARGS="--guarantee at_least_once")
	@$(GO) run ./cmd/eosproc demo $(ARGS)

build: ## build the binary ./eosproc
	CGO_ENABLED=0 $(GO) build -trimpath -o eosproc ./cmd/eosproc

test: ## run all tests; those on real Kafka run where Java and Maven are there (EOSPROC_REQUIRE=all: or fail)
	$(GO) test -timeout 30m ./...

race: ## run the tests that need no outside service under the race detector
	$(GO) test -race -timeout 30m $$($(GO) list ./... | grep -vE '/internal/(faulttest|localkafka|kafkatest|lint|doctest)$$|/cmd/kafka-local$$|/deploy$$')

lint: ## format, vet, staticcheck, house rules
	@fmt=$$(gofmt -l $$(git ls-files -co --exclude-standard '*.go')); if [ -n "$$fmt" ]; then echo "not formatted:"; echo "$$fmt"; exit 1; fi
	$(GO) vet ./...
	cd tools && $(GO) build -o ../.eosproc/bin/staticcheck honnef.co/go/tools/cmd/staticcheck
	.eosproc/bin/staticcheck ./...
	$(GO) test ./internal/lint

fuzz: ## run every fuzz test for FUZZ (10s)
	@$(GO) list ./... | while read -r p; do $(GO) test -list '^Fuzz' "$$p" | grep '^Fuzz' | while read -r f; do \
	  echo "$$p $$f"; $(GO) test -run '^$$' -fuzz "^$$f$$" -fuzztime $(FUZZ) "$$p" || exit 1; done || exit 1; done

bench: ## run the micro-benchmarks
	$(GO) test -run '^$$' -bench . -benchmem ./...

kafka-up: ## start a real Kafka on the loopback interface (BROKERS=1|3 PORT=9092 TV=0|1|2)
	$(GO) run ./cmd/kafka-local up --brokers $(BROKERS) --port $(PORT) --transaction-version $(TV) --dir $(KAFKA)

kafka-down: ## stop it
	$(GO) run ./cmd/kafka-local down --dir $(KAFKA)

docs: ## write the reference of the commands anew
	$(GO) run ./cmd/eosproc docs docs/cli

clean: ## remove what the targets above have made
	rm -rf eosproc eosproc-demo .eosproc
