# SPDX-License-Identifier: Apache-2.0
# Every target is one call of a tool in tools/, which says how it works. `make help` lists them.
PYTHON := /usr/bin/python3

.DEFAULT_GOAL := help
.PHONY: help build demo demo-serve test test-quick test-long test-gpu bench bench-agent bench-enforcement bench-placement format lint clean dependencies test-dependencies

help:  ## list the targets
	@awk -F':.*## ' '/^[a-z-]+:.*## / {printf "  make %-15s %s\n", $$1, $$2}' $(MAKEFILE_LIST)

build: dependencies  ## release programs into out/bin, libraries into out/lib
	@tools/build-programs.sh

demo: build  ## six pods through mutate, filter, prioritize and bind, and every card after; ends by itself
	@$(PYTHON) tools/demo.py

demo-serve: build  ## the same, then keeps the allocator up and prints curl lines to try
	@$(PYTHON) tools/demo.py --serve

test: test-dependencies  ## everything: unit, integration, sanitizers, chart, documents, demo, end to end
	@$(PYTHON) tools/run-tests.py all

test-quick: test-dependencies  ## the same without the end-to-end part and the second sanitizer
	@$(PYTHON) tools/run-tests.py quick

test-long: test-dependencies  ## everything, and the long matrices
	@$(PYTHON) tools/run-tests.py long

test-gpu: test-dependencies  ## the enforcement tests that can, on a real card of this machine (root)
	@$(PYTHON) tools/test-gpu.py

bench: build  ## speed and memory of the scheduler path, a table and out/bench/scheduler.json
	@bench/run.sh

bench-agent: build  ## what the agent costs on a node: memory, processor, starts; out/bench/agent.json
	@bench/agent.sh

bench-enforcement: build  ## what the interception library costs and how well it holds shares; out/bench/enforcement.json
	@bench/enforcement.sh

bench-placement: build  ## how well cards are chosen, beside the best known rules; out/bench/placement.json
	@bench/placement.sh

format: test-dependencies  ## format every C++ file
	@tools/format.sh

lint: test-dependencies  ## clang-tidy over every source (minutes)
	@tools/lint.sh

clean:  ## remove what was built here; caches outside the tree stay
	@rm -rf build out

dependencies:
	@tools/install-dependencies.sh

test-dependencies:
	@tools/install-dependencies.sh --tests
