# The newcomer's two commands are `make demo` and `make test`. Both need a C++ compiler (g++ 12 or
# newer) and Python 3.10 or newer; everything else goes into .venv.

PYTHON ?= python3
FUZZ_SECONDS ?= 600
MUTANTS_SECONDS ?= 3600
JOBS ?= $(shell nproc 2>/dev/null || echo 2)
ifeq ($(origin CXX),default)
CXX := $(firstword $(foreach c,g++ g++-15 g++-14 g++-13 g++-12,$(if $(filter 12 13 14 15 16 17 18 19,\
         $(firstword $(subst ., ,$(shell $(c) -dumpversion 2>/dev/null)))),$(c))))
endif
export CXX

venv := .venv
bin := $(venv)/bin
stamps := $(venv)/stamps
# The tools of .venv come first, whatever the machine has.
export PATH := $(CURDIR)/$(bin):$(PATH)
export PIP_DISABLE_PIP_VERSION_CHECK := 1
unexport PYTHONPATH PYTHONHOME
# `make install` compiles device code where there is nvcc, for one kind of device, which drivers of later
# ones translate; `make cuda` and `pip install .` compile for each kind.
export CUDAARCHS ?= 80

sources := $(shell find CMakeLists.txt cmake include src reference benchmarks apps bindings platforms experiments -type f 2>/dev/null)
python_sources := $(shell find pyproject.toml python -type f -not -path '*/__pycache__/*')
formatted := $(shell find include src reference benchmarks apps bindings tests tools examples -name '*.?pp' -o -name '*.cu*' 2>/dev/null)

.DEFAULT_GOAL := help
.PHONY: help demo report test install test-cpp test-python wheel cuda aarch64 asan tsan fuzz mutants format lint docs site clean

help: ## this list
	@sed -n 's/^\([a-z0-9-]*\):.*## \(.*\)/  make \1\t\2/p' $(MAKEFILE_LIST) | expand -t 22

$(stamps)/venv:
	@test -n "$(CXX)" || { echo "make: no g++ of version 12 or newer found; install one or set CXX" >&2; exit 2; }
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 10))' || \
	  { echo "make: Python 3.10 or newer is needed; name it with PYTHON, as in: make PYTHON=python3.12" >&2; exit 2; }
	@$(PYTHON) -c 'import ensurepip, venv' 2>/dev/null || \
	  { echo "make: $(PYTHON) cannot make virtual environments; install its venv package (Debian, Ubuntu: apt install python3-venv) or set PYTHON" >&2; exit 2; }
	$(PYTHON) -m venv $(venv)
	@mkdir -p $(stamps) && touch $@

$(stamps)/tools: tools/requirements.txt $(stamps)/venv
	$(bin)/python -m pip install --quiet -r tools/requirements.txt
	@touch $@

# The demo does not wait for packages that it does not need.
$(stamps)/packages: tools/install_requirements.txt $(stamps)/tools
	$(bin)/python -m pip install --quiet -r tools/install_requirements.txt
	@touch $@

$(stamps)/test_tools: tools/test_requirements.txt $(stamps)/packages
	$(bin)/python -m pip install --quiet -r tools/test_requirements.txt
	@touch $@

$(stamps)/boost: tools/fetch_boost.py $(stamps)/venv
	$(bin)/python tools/fetch_boost.py $(venv)/boost
	@touch $@

pip_install := CMAKE_BUILD_PARALLEL_LEVEL=$(JOBS) $(bin)/python -m pip install --quiet --no-build-isolation --no-deps --force-reinstall .

# Device code is half of a build, and neither the demo nor the tests need it, which run the same kernels on
# the host; so their installation is without it, until `make install` has been run once.
$(stamps)/installed: $(stamps)/packages $(sources) $(python_sources)
	ONEHOP_CUDA=$(if $(wildcard $(stamps)/installed_with_cuda),AUTO,OFF) $(pip_install)
	@touch $@

$(stamps)/installed_with_cuda: $(stamps)/packages $(sources) $(python_sources)
	$(pip_install)
	@touch $(stamps)/installed $@

# Applications, benchmarks and the libraries of MPI and QMP are a third of a build, which the demo does
# without, until everything has been installed once.
$(stamps)/installed_for_demo: $(stamps)/tools $(sources) $(python_sources)
	ONEHOP_PROGRAMS=OFF ONEHOP_CUDA=OFF $(pip_install)
	@touch $@

install: $(stamps)/installed_with_cuda ## build onehop and install it into .venv, with the CUDA module where there is nvcc

demo: $(stamps)/$(if $(wildcard $(stamps)/installed),installed,installed_for_demo) ## a propagator from a freshly made configuration, on 2 and 4 ranks
	$(bin)/python tools/demo.py

report: $(stamps)/installed ## build/report/report.html from fresh measurements of this machine
	$(bin)/python tools/report.py build/report

test: test-cpp test-python ## the whole suite: C++, Python, command line, examples, installation

test-cpp: $(stamps)/packages $(stamps)/boost
	$(bin)/cmake --preset dev -DONEHOP_BOOST_INCLUDE=$(CURDIR)/$(venv)/boost
	$(bin)/cmake --build --preset dev --parallel $(JOBS)
	$(bin)/ctest --preset dev

# Two files of tests run at a time, in the order of testpaths, where the longest stand first; those that
# kill ranks or have deadlines run alone.
test-python: $(stamps)/installed $(stamps)/test_tools
	$(bin)/python -m pytest -m "not alone" --numprocesses 2 --dist loadfile --no-loadscope-reorder
	$(bin)/python -m pytest -m alone

$(stamps)/wheel_tools: tools/wheel_requirements.txt $(stamps)/test_tools
	$(bin)/python -m pip install --quiet -r tools/wheel_requirements.txt
	@touch $@

# A wheel has the MPI module for the standard ABI alone, since others know the folders of the MPI they were
# built for; libmpi_abi.so.1 stays outside, so that each user's own is taken.
# With ONEHOP_CUDA=ON the CUDA module is a second wheel, for each kind of device.
wheel: $(stamps)/wheel_tools ## build/dist/*.whl for machines without a compiler, built from the source distribution and tried in a bare environment
	rm -rf build/dist
	ONEHOP_ISA=portable ONEHOP_MPI=STANDARD ONEHOP_CUDA=OFF CMAKE_BUILD_PARALLEL_LEVEL=$(JOBS) \
	  $(bin)/python -m build --no-isolation --outdir build/dist/built
	test "$(ONEHOP_CUDA)" != ON || env -u CUDAARCHS CMAKE_BUILD_PARALLEL_LEVEL=$(JOBS) \
	  $(bin)/python -m build --wheel --no-isolation --outdir build/dist/built packaging/cuda
	$(bin)/auditwheel repair --exclude libmpi_abi.so.1 --wheel-dir build/dist build/dist/built/*.whl
	mv build/dist/built/*.tar.gz build/dist && rm -r build/dist/built
	$(bin)/python -m pytest tests/wheel

cuda: $(stamps)/tools ## compile the CUDA module for every kind of device, warnings being errors
	env -u CUDAARCHS $(bin)/cmake --preset cuda -DONEHOP_BUILD_TESTS=OFF -DONEHOP_BUILD_EXAMPLES=OFF
	env -u CUDAARCHS $(bin)/cmake --build --preset cuda --parallel $(JOBS) --target onehop_cuda

aarch64: $(stamps)/packages $(stamps)/boost ## build for AArch64 and run what C++ tests an emulator can
	@for tool in aarch64-linux-gnu-g++ qemu-aarch64; do command -v $$tool >/dev/null || \
	  { echo "make: building for AArch64 needs $$tool; install g++-aarch64-linux-gnu and qemu-user" >&2; exit 2; }; done
	$(bin)/cmake --preset aarch64 -DONEHOP_BOOST_INCLUDE=$(CURDIR)/$(venv)/boost
	$(bin)/cmake --build --preset aarch64 --parallel $(JOBS)
	$(bin)/ctest --preset aarch64

# TESTS names programs to build and run alone.
empty :=
asan tsan: $(stamps)/packages $(stamps)/boost
	$(bin)/cmake --preset $@ -DONEHOP_BOOST_INCLUDE=$(CURDIR)/$(venv)/boost
	$(bin)/cmake --build --preset $@ --parallel $(JOBS) $(if $(TESTS),--target $(TESTS))
	$(bin)/ctest --preset $@ $(if $(TESTS),--tests-regex '^($(subst $(empty) $(empty),|,$(strip $(TESTS))))$$')
asan: ## C++ suite, or TESTS="name name", under AddressSanitizer and UBSan
tsan: ## C++ suite, or TESTS="name name", under ThreadSanitizer

fuzz: $(stamps)/installed $(stamps)/test_tools $(stamps)/boost ## try readers and commands on damaged files, and MPI's files at random, for FUZZ_SECONDS (600) each
	@command -v clang++ >/dev/null || { echo "make: fuzzing needs clang++ with libFuzzer; install clang" >&2; exit 2; }
	$(bin)/cmake -S . -B build/fuzz -G Ninja -DCMAKE_CXX_COMPILER=clang++ -DCMAKE_BUILD_TYPE=RelWithDebInfo \
	  -DONEHOP_BUILD_FUZZERS=ON -DONEHOP_BOOST_INCLUDE=$(CURDIR)/$(venv)/boost
	$(bin)/cmake --build build/fuzz --target reader_fuzzer seed_corpus --parallel $(JOBS)
	build/fuzz/tests/fuzz/seed_corpus build/fuzz/corpus
	build/fuzz/tests/fuzz/reader_fuzzer -max_len=20000 -max_total_time=$(FUZZ_SECONDS) build/fuzz/corpus
	$(bin)/python tests/fuzz/command_fuzzer.py --seconds $(FUZZ_SECONDS) --jobs $(JOBS)
	$(bin)/cmake --preset asan -DONEHOP_BOOST_INCLUDE=$(CURDIR)/$(venv)/boost
	$(bin)/cmake --build --preset asan --target file_fuzzer --parallel $(JOBS)
	build/asan/tests/mpi/file_fuzzer $(FUZZ_SECONDS)

mutants: $(stamps)/test_tools $(stamps)/boost ## break the library, a line at a time, for MUTANTS_SECONDS (3600), and list what no test notices
	$(bin)/python tools/mutants --seconds $(MUTANTS_SECONDS) --jobs $(JOBS)

format: $(stamps)/test_tools ## format C++ and Python with the pinned formatters
	$(bin)/clang-format -i $(formatted)
	$(bin)/ruff check --fix --quiet .
	$(bin)/ruff format --quiet .

lint: $(stamps)/test_tools ## check formatting, Python rules, the direction of includes and imports, words and comments
	$(bin)/clang-format --dry-run --Werror $(formatted)
	$(bin)/ruff check .
	$(bin)/ruff format --check .
	$(bin)/python tools/check_arrows.py
	$(bin)/python tools/check_words.py
	$(bin)/python tools/check_comments.py

docs: $(stamps)/installed $(stamps)/test_tools ## write the generated pages and notebooks of docs/ and the pictures of experiments/
	$(bin)/python -m onehop.cli.docs docs/reference/command_line.md
	$(bin)/onehop platform schema -o platforms/platform.schema.json
	$(bin)/python -m onehop.reproduce.page docs/reference/validation.md
	$(bin)/python -m onehop.reproduce.sensitivity docs/reference/sensitivity.md --keep build/sensitivity.jsonl
	$(bin)/python -m onehop.reproduce.fault_page docs/reference/faults.md
	$(bin)/python -m onehop.reproduce.figure experiments
	$(bin)/python tools/notebooks.py

$(stamps)/site: tools/site_requirements.txt $(stamps)/venv
	$(bin)/python -m pip install --quiet -r tools/site_requirements.txt
	@touch $@

site: $(stamps)/installed $(stamps)/site ## build/site/index.html: all pages, the API of Python, C++, C and Fortran, search; needs no network to read
	$(bin)/python -m sphinx --quiet --fail-on-warning --keep-going -c docs/site -d build/site_pages . build/site
	$(bin)/python tools/check_links.py build/site

clean: ## remove everything that make has made
	rm -rf build $(venv) .pytest_cache .ruff_cache
