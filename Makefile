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

test-under-load: dependencies ## make test beside a CPU, memory and disk load of twice the machine (stress-ng)
	@scripts/test-under-load $(ARGS)

check: dependencies ## format, imports, generated code, documents, commit subjects
	@scripts/check

proofs: dependencies ## the long proofs of CI with random seeds and longer times, some hours
	@scripts/proofs $(ARGS)

fuzz: dependencies ## FUZZ_SECONDS (30) of libFuzzer for each reader of foreign bytes, by SEED (1)
	@SEED=$(SEED) scripts/fuzz $(or $(FUZZ_SECONDS),30)

fuzz-api: dependencies ## FUZZ_SECONDS (60) of Schemathesis (PyPI) over /openapi.yaml of an embedded system, by SEED (1)
	@SEED=$(SEED) scripts/fuzz-api $(or $(FUZZ_SECONDS),60)

sign-in: dependencies ## a sign-in by a page, through an OpenID provider of Authlib (PyPI), by a plain HTTP client
	@scripts/sign-in-page --without-browser

push-check: dependencies ## pushes to twins of APNs, push services and webhooks, by SEED (1); COUNT (300) random Web Pushes
	@SEED=$(or $(SEED),1) COUNT=$(or $(COUNT),300) scripts/push-check

push-page: dependencies ## pushes in Chromium, shown, replaced, clicked and withdrawn; needs chromium, dbus-daemon and PyPI
	@scripts/push-page $(ARGS)

console: dependencies ## the console in Chromium and Firefox: pages, keyboard, hostile contents, timings; needs chromium and PyPI
	@scripts/console $(ARGS)

memory-check: dependencies ## holds the memory of a badly treated service against a bound
	@scripts/memory-check

siege: dependencies ## SIEGE_SECONDS (10) of each attack on real processes, with a victim beside it, by SEED (1)
	@SEED=$(SEED) scripts/siege $(or $(SIEGE_SECONDS),10)

multipliers: dependencies ## what the worst request of each route moves for a byte sent, against docs/limits.md
	@scripts/multipliers

chaos: dependencies ## faults on three brokers and all roles: Tests/Chaos/seeds, or CHAOS_SECONDS (90) by SEED (1); needs KAFKA_HOME
	@scripts/chaos $(if $(CHAOS_SECONDS)$(SEED),$(or $(CHAOS_SECONDS),90) $(or $(SEED),1))

broken-cluster: dependencies ## stories on three brokers that are stopped, ended and come back; needs KAFKA_HOME
	@FANFARE_BROKEN_CLUSTER=1 scripts/test --filter BrokenClusterStory

power-cuts: dependencies ## power cuts of a busy embedded system: Tests/Chaos/seeds, or CUTS (10) by SEED (1)
	@scripts/power-cuts $(if $(CUTS)$(SEED),$(or $(CUTS),10) $(or $(SEED),1))

javascript: dependencies ## fanfare.js in Node.js, Firefox and WebKit; CHANGES (1000) of live queries by SEED (1)
	@scripts/javascript --changes $(or $(CHANGES),1000) --seed $(or $(SEED),1)

board: dependencies ## Examples/board in Chromium, as two users in two profiles; needs chromium, dbus-daemon and PyPI
	@scripts/board $(ARGS)

todo: dependencies ## builds Examples/todo, an app in a package of its own
	@swift build --package-path Examples/todo && echo "todo: 1 passed, 0 failed"

deploy-check: ## the files in deploy: Compose, chart, alerts, dashboards, units; needs tools of Debian and PyPI
	@scripts/deploy-check

docs: ## the documentation as a site with a search, .build/site, links checked; needs mkdocs of Debian; ARGS=--serve shows it
	@scripts/docs $(ARGS)

guides: dependencies ## the converters of docs/guides on samples, imported into an embedded system
	@scripts/guides

package: dependencies ## the Debian package, a tarball, bills of materials and checksums in .build/packages; needs debhelper and lintian
	@scripts/package

package-check: ## installs the package into a clean Debian 12, tries it, upgrades, removes; needs debootstrap and root
	@scripts/package-check

image: dependencies ## the image without a container engine: .build/image; needs umoci and busybox-static; ARGS=--check starts it
	@scripts/image $(ARGS)

sbom: dependencies ## bills of materials (CycloneDX, SPDX) in .build/sbom: of the program, and of IMAGE_STATUS, an image's dpkg list
	@mkdir -p .build/sbom
	@scripts/sbom program $(PROGRAM) >.build/sbom/fanfare.cdx.json
	@$(if $(IMAGE_STATUS),scripts/sbom image $(IMAGE_STATUS) >.build/sbom/image.cdx.json)
	@for bill in .build/sbom/*.cdx.json; do scripts/sbom spdx $$bill >$${bill%.cdx.json}.spdx.json; done
	@ls .build/sbom/*.json

image-digests: ## pins the images of Compose and the Dockerfile by what their tags mean now; asks the images' registries
	@scripts/image-digests

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

property: dependencies ## compares the index with the plain walk on COUNT (1000000) generated pairs, in release
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

clean: ## removes .build
	rm -rf .build

.PHONY: docs guides package package-check image multipliers help dependencies build demo test test-under-load check proofs todo fuzz fuzz-api sign-in push-check push-page console memory-check siege chaos power-cuts deploy-check sbom image-digests acls-check upgrade-check cluster-test scaling bench bench-live bench-matching property simulate models \
    protos format clean
