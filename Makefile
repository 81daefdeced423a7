# Everything that is done with this repository, by name. `make help` lists it.
SHELL := /bin/bash
.DEFAULT_GOAL := help

help: ## lists what there is
	@grep -hE '^[a-z-]+:.*## ' $(MAKEFILE_LIST) | sed -E 's/^([a-z-]+):.*## (.*)/\1|\2/' | \
	    while IFS='|' read -r name text; do printf '  make %-14s %s\n' "$$name" "$$text"; done

dependencies: ## installs the C libraries and tools that the system lacks (apt)
	@scripts/install-dependencies

build: dependencies ## builds fanfare in release: .build/release/fanfare
	swift build --configuration release --product fanfare

demo: dependencies ## builds in release, starts the embedded system and plays a real scenario
	@scripts/demo

test: dependencies ## all tests; with KAFKA_HOME or KAFKA_BOOTSTRAP_SERVERS also those on Kafka
	@scripts/test

check: dependencies ## format, imports, generated code, documents
	@scripts/check

fuzz: dependencies ## FUZZ_SECONDS (30) of libFuzzer for each reader of foreign bytes
	@scripts/fuzz $(or $(FUZZ_SECONDS),30)

fuzz-api: dependencies ## FUZZ_SECONDS (60) of Schemathesis (PyPI) over /openapi.yaml of an embedded system
	@scripts/fuzz-api $(or $(FUZZ_SECONDS),60)

sign-in: dependencies ## a sign-in by a page, through an OpenID provider of Authlib (PyPI), by a plain HTTP client
	@scripts/sign-in-page --without-browser

memory-check: dependencies ## holds the memory of a badly treated service against a bound
	@scripts/memory-check

siege: dependencies ## SIEGE_SECONDS (10) of each attack on real processes, with a victim beside it
	@scripts/siege $(or $(SIEGE_SECONDS),10)

chaos: dependencies ## CHAOS_SECONDS (90) of faults on three brokers and all roles, by SEED; needs KAFKA_HOME
	@scripts/chaos $(or $(CHAOS_SECONDS),90) $(SEED)

broken-cluster: dependencies ## stories on three brokers that are stopped, ended and come back; needs KAFKA_HOME
	@FANFARE_BROKEN_CLUSTER=1 scripts/test --filter BrokenClusterStory

power-cuts: dependencies ## CUTS (10) of the power of an embedded system that works, by SEED
	@scripts/power-cuts $(or $(CUTS),10) $(SEED)

deploy-check: ## what stands in deploy: Compose, chart, alerts, dashboards, units; needs what Debian and PyPI have
	@scripts/deploy-check

acls-check: dependencies ## the rights of each role on a real broker with TLS, SASL and ACLs; needs KAFKA_HOME
	@scripts/acls-check

upgrade-check: dependencies ## replaces every role, copies and restores under load; needs KAFKA_HOME; ARGS as scripts/upgrade-check has them
	@scripts/upgrade-check $(ARGS)

cluster-test: ## three brokers and three matchers by Compose, under load, with what can happen to them
	@scripts/cluster-test

scaling: dependencies ## the throughput of 1, 2 and 4 matchers, each with the same share of a CPU; needs KAFKA_HOME and root
	@scripts/scaling $(ARGS)

bench: dependencies ## the benchmarks beside plain C loops; with KAFKA_HOME also KafkaClient's
	@scripts/bench

bench-live: dependencies ## saves, notifications, replays and devices over HTTP, each held against an oracle; ARGS as scripts/bench-live has them
	@scripts/bench-live $(ARGS)

bench-matching: dependencies ## the index of subscriptions beside a specialist in C, up to a million of them
	@scripts/bench-matching

property: dependencies ## the index held against the plain walk on COUNT (1000000) generated pairs, in release
	@scripts/property $(or $(COUNT),1000000)

simulate: dependencies ## RUNS (10000) histories of the delivery path from SEED (1) on, under a scheduler that the seed drives
	@scripts/simulate $(or $(SEED),1) $(or $(RUNS),10000) $(ARGS)

models: dependencies ## searches the models of the delivery protocol (docs/models) with spin
	@scripts/models

protos: dependencies ## writes the Swift messages of Protos/*.proto
	@scripts/protos

format: ## formats the Swift code
	@# Not the links to LanguageFeatures.swift, which it would replace by copies.
	@find Package.swift Sources Tests Benchmarks Examples -name '*.swift' -type f -print0 | xargs -0 swift format --in-place --parallel

clean: ## removes what was built
	rm -rf .build

.PHONY: help dependencies build demo test check fuzz fuzz-api sign-in memory-check siege chaos power-cuts deploy-check acls-check upgrade-check cluster-test scaling bench bench-live bench-matching property simulate models \
    protos format clean
