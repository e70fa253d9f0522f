# make              builds build/sawtooth-train and build/sawtooth-infer; make CC=clang does it with clang
# make data         brings tiny-shakespeare to data/tinyshakespeare/input.txt
# make demo         corpus, a training run, generated text, the equivalence table
# make test         every test that takes minutes at most, on this build
# make test-long    the proofs that take longer
# make sanitize     make test under AddressSanitizer and UndefinedBehaviorSanitizer
# make fuzz         SECONDS=60: hostile inputs for everything that reads some, with clang's libFuzzer
# make tsan         training and generation under ThreadSanitizer
# make valgrind     the same under valgrind's memcheck
# make coverage     make test once more: which lines of the programs it reaches
# make test-arm     the same bits on 64-bit ARM, under an emulator
# make bench        speed, beside this machine's own peak: Markdown, and build/bench/bench.json; about seven minutes on two cores
# make bench-peers  training beside PyTorch, where pip can install it (to build/peers, 5 GB)
# make lint         style and static checks (make tidy alone: clang-tidy's); make format applies the style
# make install      PREFIX=/usr/local: the two programs and the recipes (make CC=clang install: built with clang)
# make V=1 ...      shows every command
CC      = gcc
BUILD   = build
PREFIX  = /usr/local
EXTRA   =
ifeq ($(MAKELEVEL),0)
MAKEFLAGS += --jobs=$(shell nproc)
endif
ARCH   := $(firstword $(subst -, ,$(shell $(CC) -dumpmachine)))
OPENBLAS = 1
VERSION = 1.0.0
Q       = $(if $(V),,@echo '  $@';)

WARN    = -Wall -Wextra -Wconversion -Wshadow -Werror
# -ffp-contract=off: a product and a sum fuse only where the source says fmaf. The other two change no value.
FLOAT   = -ffp-contract=off -fno-math-errno -fno-trapping-math
CFLAGS  = -std=gnu11 -O2 -g $(WARN) $(FLOAT) -pthread $(EXTRA)
CPPFLAGS = -D_GNU_SOURCE -DSAWTOOTH_VERSION=\"$(VERSION)\" -Icommon -MMD -MP
LDLIBS  = -lzip -lz -lcjson -linih -lm

# The kernel sets that this architecture can have; each is compiled for its own processor.
KINDS_x86_64  = avx512 avx2 plain
KINDS_aarch64 = neon plain
KINDS   = $(or $(KINDS_$(ARCH)),plain)
# -O3 keeps the tiles in registers: at -O2 gcc holds their sums in memory.
KERNEL_OPT = -O3
FOR_avx512 = -mavx512f -mavx512bw -mavx512dq -mavx512vl -mavx512vnni -mavx2 -mfma -mf16c -mprefer-vector-width=512
FOR_avx2   = -mavx2 -mfma -mf16c
FOR_neon   =
# -g1: to follow variables through the plain set's unrolled loops takes gcc minutes under the sanitizers.
FOR_plain  = -DSIMD16_PLAIN -g1
ifeq ($(OPENBLAS),1)
CPPFLAGS += -DHAVE_OPENBLAS
LDLIBS   += -ldl
endif

KERNEL_ONCE = common/kernels/select.c common/kernels/openblas.c common/kernels/attention_scratch.c
KERNEL_EACH = $(filter-out $(KERNEL_ONCE),$(wildcard common/kernels/*.c))
COMMON  = $(wildcard common/*.c) $(KERNEL_ONCE)
TRAIN   = $(filter-out train/main.c,$(wildcard train/*.c))
INFER   = $(filter-out infer/main.c,$(wildcard infer/*.c))
TESTS   = $(basename $(notdir $(wildcard tests/test_*.c)))

object  = $(patsubst %.c,$(BUILD)/obj/%.o,$(1))
KERNELS = $(foreach k,$(KINDS),$(patsubst common/kernels/%.c,$(BUILD)/obj/kernels-$(k)/%.o,$(KERNEL_EACH)))
CORE    = $(call object,$(COMMON)) $(KERNELS)
FAULTY  = $(BUILD)/obj/infer/faulty_transformer.o
ALL     = $(CORE) $(call object,$(TRAIN) $(INFER)) $(FAULTY)

all: $(BUILD)/sawtooth-train $(BUILD)/sawtooth-infer

$(BUILD)/sawtooth-train: $(call object,train/main.c $(TRAIN)) $(CORE)
	$(Q)$(CC) $(CFLAGS) $(LDFLAGS) -o $@ $^ $(LDLIBS)

$(BUILD)/sawtooth-infer: $(call object,infer/main.c $(INFER)) $(FAULTY) $(CORE)
	$(Q)$(CC) $(CFLAGS) $(LDFLAGS) -o $@ $^ $(LDLIBS)

# Objects follow the compiler and its flags: another CC or EXTRA rebuilds them.
FLAGS   = $(CC) $(CFLAGS) $(CPPFLAGS) $(KERNEL_OPT) $(foreach k,$(KINDS),$(k) $(FOR_$(k)))
$(BUILD)/flags: always
	@mkdir -p $(@D); echo '$(FLAGS)' | cmp -s - $@ || echo '$(FLAGS)' > $@

$(BUILD)/obj/%.o: %.c $(BUILD)/flags
	@mkdir -p $(@D)
	$(Q)$(CC) $(CPPFLAGS) $(CFLAGS) -c -o $@ $<

# Best first: what "auto" chooses.
comma   = ,
none    =
SETS    = $(subst $(none) $(none),$(comma),$(patsubst %,SET(%),$(KINDS)))
$(BUILD)/obj/common/kernels/select.o: private CPPFLAGS += '-DKERNEL_SETS=$(SETS)'

# The variant of the forward pass whose deliberate faults `check` must catch.
$(FAULTY): common/transformer.c $(BUILD)/flags
	@mkdir -p $(@D)
	$(Q)$(CC) $(CPPFLAGS) -Iinfer -DFORWARD_FAULTS $(CFLAGS) -c -o $@ $<

define kernel_rule
$(BUILD)/obj/kernels-$(1)/%.o: common/kernels/%.c $(BUILD)/flags
	@mkdir -p $$(@D)
	$$(Q)$(CC) $(CPPFLAGS) -DKIND=$(1) $(CFLAGS) $(KERNEL_OPT) $(FOR_$(1)) -c -o $$@ $$<
endef
$(foreach k,$(KINDS),$(eval $(call kernel_rule,$(k))))

# Tests: a suite is tests/test_NAME.c; what suites share is in tests/support.
SUPPORT = $(wildcard tests/support/*.c)
$(BUILD)/obj/tests/%.o: private CPPFLAGS += -Itrain -iquote infer -Itests
$(BUILD)/tests/%: $(BUILD)/obj/tests/%.o $(call object,$(SUPPORT)) $(ALL)
	@mkdir -p $(@D)
	$(Q)$(CC) $(CFLAGS) $(LDFLAGS) -o $@ $^ $(LDLIBS) $(shell pkg-config --libs check)

# What makes the system's calls fail stands in these suites alone.
$(BUILD)/tests/test_faults $(BUILD)/tests/test_faults_infer: $(call object,$(wildcard tests/faults/*.c))

# Benchmarks. The linker's --wrap sends calls from one file to another through clocks that the programs do not have.
BENCHES = machine products training breakdown evaluation whole_run updates
BENCH_SUPPORT = $(call object,$(wildcard tests/bench/support/*.c))
wrap    = $(patsubst %,-Wl$(comma)--wrap=%,$(1))
$(BUILD)/obj/tests/bench/%.o: private CPPFLAGS += -Itrain -Itests/bench/support
$(BUILD)/bench/%: $(BUILD)/obj/tests/bench/%.o $(BENCH_SUPPORT) $(CORE) $(call object,$(TRAIN))
	@mkdir -p $(@D)
	$(Q)$(CC) $(CFLAGS) $(LDFLAGS) -o $@ $^ $(LDLIBS)
$(BUILD)/bench/breakdown: $(BUILD)/obj/tests/bench/timed_kernels.o
$(BUILD)/bench/breakdown: private LDFLAGS += $(call wrap,team_sync model_pack_panel)
$(BUILD)/bench/whole_run: $(BUILD)/obj/train/main.o
$(BUILD)/bench/whole_run: private LDFLAGS += $(call wrap,train learner_gradient learner_apply run_evaluation \
    checkpointing_begin checkpointing_save checkpointing_settle saver_write_best saver_begin_last)

$(BUILD)/make-play: data/play.c data/grammar.h $(BUILD)/flags
	$(Q)$(CC) $(CPPFLAGS) $(CFLAGS) $(LDFLAGS) -o $@ $<

# Fuzz targets: as programs that run the inputs they are given here, under libFuzzer in make fuzz.
FUZZ    = $(basename $(notdir $(wildcard tests/fuzz/fuzz_*.c)))
FUZZ_BY = tests/fuzz/replay.c
$(BUILD)/fuzz/%: $(BUILD)/obj/tests/fuzz/%.o $(call object,tests/fuzz/input.c tests/fuzz/stored_zip.c $(FUZZ_BY)) $(ALL)
	@mkdir -p $(@D)
	$(Q)$(CC) $(CFLAGS) $(LDFLAGS) -o $@ $^ $(LDLIBS)

tests: $(addprefix $(BUILD)/tests/,$(TESTS)) $(addprefix $(BUILD)/fuzz/,$(FUZZ))

# The corpus: tiny-shakespeare, or, where it cannot be had, a play that data/play.c writes.
data: data/tinyshakespeare/input.txt
data/tinyshakespeare/input.txt:
	@sh data/fetch.sh

data/play/input.txt: $(BUILD)/make-play
	@mkdir -p $(@D)
	@$(BUILD)/make-play > $@.new && mv $@.new $@

CORPUS  = $(shell test -f data/tinyshakespeare/input.txt && echo data/tinyshakespeare/input.txt || echo data/play/input.txt)

corpus: data/play/input.txt
	@sh data/fetch.sh || { test $$? = 3 && echo 'no tiny-shakespeare: using the play of data/play.c instead'; }

demo: all corpus
	@BUILD=$(BUILD) sh tests/demo.sh

test: all tests benches corpus
	@BUILD=$(BUILD) sh tests/run.sh $(TESTS)

test-long: all tests corpus
	@BUILD=$(BUILD) sh tests/long.sh

# Twice: every test with the kernels as they are, then the kernels' own suites with the best set here under the
# sanitizers too, which makes it a hundred times slower.
SANITIZERS = -O1 -fsanitize=address,undefined -fno-sanitize-recover=all -fno-omit-frame-pointer
lacks   = $(if $(shell grep -w -m1 -o $(1) /proc/cpuinfo),,$(2))
BEST_KIND = $(firstword $(filter-out $(call lacks,avx512_vnni,avx512) $(call lacks,avx2,avx2),$(KINDS)))
KERNEL_TESTS = test_bytes test_elementwise test_golden test_gradients test_half_cache test_narrow test_products test_row_invariance test_vector_math
sanitize:
	@CK_TIMEOUT_MULTIPLIER=5 $(MAKE) BUILD=$(BUILD)-sanitize KERNEL_OPT='-O3 -fno-sanitize=all' \
	    EXTRA='$(SANITIZERS)' test
	@CK_TIMEOUT_MULTIPLIER=5 $(MAKE) BUILD=$(BUILD)-sanitize-kernels KINDS=$(BEST_KIND) KERNEL_OPT=-O1 \
	    EXTRA='$(SANITIZERS)' kernel-tests

kernel-tests: $(addprefix $(BUILD)/tests/,$(KERNEL_TESTS))
	@for suite in $(KERNEL_TESTS); do $(BUILD)/tests/$$suite || exit 1; done

SECONDS = 60
fuzz:
	@MAKE='$(MAKE)' BUILD=$(BUILD)-fuzz FUZZ_SECONDS=$(SECONDS) sh tests/fuzz/run.sh $(FUZZ)

# Data races. All but the portable kernels run as they are, as under the other sanitizers; those load and store by
# memcpy, which is watched only where it is called.
UNWATCHED = -fno-sanitize=all
tsan:
	@$(MAKE) BUILD=$(BUILD)-tsan KERNEL_OPT=-O1 EXTRA='-O1 -fsanitize=thread' FOR_plain='-DSIMD16_PLAIN -g1 -fno-builtin-memcpy' \
	    FOR_avx512='$(FOR_avx512) $(UNWATCHED)' FOR_avx2='$(FOR_avx2) $(UNWATCHED)' \
	    all $(BUILD)-tsan/tests/test_team
	@TSAN_OPTIONS=halt_on_error=1 $(BUILD)-tsan/tests/test_team
	@SAWTOOTH_BUILD=$(BUILD)-tsan sh tests/races.sh

valgrind: all
	@SAWTOOTH_BUILD=$(BUILD) sh tests/valgrind.sh

# Which lines the tests reach. The portable kernels run as they are: the other sets are the same sources.
COUNTING = BUILD=$(BUILD)-coverage EXTRA='-O1 --coverage -fprofile-update=single -Wl,-u,__gcov_dump' KERNEL_OPT=-O2 \
           FOR_plain='-DSIMD16_PLAIN -g1 -O3 -fno-profile-arcs -fno-test-coverage'
coverage:
	@$(MAKE) $(COUNTING) all tests corpus
	@find $(BUILD)-coverage -name '*.gcda' -delete
	@CK_TIMEOUT_MULTIPLIER=5 $(MAKE) $(COUNTING) test
	@sh tests/coverage.sh $(BUILD)-coverage

# The same bits on 64-bit ARM, under an emulator. Only the C library is needed: no OpenBLAS, no zlib.
ARM     = aarch64-linux-gnu
QEMU    = qemu-aarch64
ARM_SRC = tests/fingerprints.c tests/support/small_training.c \
          $(addprefix train/,learner.c learner_group.c learner_head.c backward.c gradient_tree.c optimizer.c schedule.c) \
          $(addprefix common/,activations.c cache.c cores.c dropout_plan.c engine.c memory.c model.c model_pack.c \
          narrow.c parameters.c problem.c random.c resources.c scalar_math.c team.c transformer.c utf8.c) \
          $(filter-out %/openblas.c,$(KERNEL_ONCE))

test-arm:
	@$(MAKE) BUILD=$(BUILD)-arm CC=$(ARM)-gcc OPENBLAS=0 $(BUILD)-arm/fingerprints
	@QEMU=$(QEMU) sh tests/arm.sh $(BUILD)-arm/fingerprints

$(BUILD)/fingerprints: $(call object,$(ARM_SRC)) $(KERNELS)
	$(Q)$(CC) $(CFLAGS) $(LDFLAGS) -static -o $@ $^ -lm

benches: $(addprefix $(BUILD)/bench/,$(BENCHES))

bench: all benches corpus
	@BUILD=$(BUILD) sh tests/bench/run.sh
	@for types in "f32" "f16" "int8" "f32 --cache f16" "f16 --cache f16" "int8 --cache f16"; do \
	    $(BUILD)/sawtooth-infer bench --shape nanogpt-10m --weights $$types || exit 1; done

bench-peers: all benches corpus
	@BUILD=$(BUILD) sh tests/bench/peers.sh

install: all
	install -d "$(DESTDIR)$(PREFIX)/bin" "$(DESTDIR)$(PREFIX)/share/sawtooth/configs"
	install $(BUILD)/sawtooth-train $(BUILD)/sawtooth-infer "$(DESTDIR)$(PREFIX)/bin"
	install -m 644 configs/*.conf "$(DESTDIR)$(PREFIX)/share/sawtooth/configs"

SOURCES = $(shell git ls-files '*.c' '*.h')
format:
	clang-format -i $(SOURCES)

lint:
	@clang-format --dry-run -Werror $(SOURCES)
	@cppcheck --quiet --error-exitcode=1 --inline-suppr --std=c11 --enable=warning,performance,portability \
	    -DKIND=plain -DSIMD16_PLAIN -D__x86_64__ -DHAVE_OPENBLAS -Icommon -Itrain -Iinfer -Itests/bench/support \
	    common train infer tests/bench
	@$(MAKE) tidy
	@shellcheck -S warning setup.sh data/*.sh tests/*.sh tests/bench/*.sh tests/cli/*.sh tests/fuzz/*.sh tests/interop/*.sh

# .clang-tidy says which checks, and why some are left out.
tidy:
	@clang-tidy --quiet $(COMMON) $(KERNEL_EACH) $(TRAIN) train/main.c $(INFER) infer/main.c -- -std=gnu11 $(FLOAT) \
	    -D_GNU_SOURCE -DSAWTOOTH_VERSION=\"$(VERSION)\" -DKIND=plain -DSIMD16_PLAIN -DHAVE_OPENBLAS \
	    -Icommon -Itrain -Iinfer 2>/dev/null || { echo 'clang-tidy: the above is to be mended' >&2; exit 1; }

clean:
	rm -rf $(BUILD) $(BUILD)-sanitize $(BUILD)-sanitize-kernels $(BUILD)-tsan $(BUILD)-fuzz $(BUILD)-arm $(BUILD)-coverage

help:
	@sed -n 's/^# make/make/p' Makefile

.PHONY: all always tests data corpus demo test test-long sanitize kernel-tests fuzz tsan valgrind coverage test-arm benches bench bench-peers install format lint tidy clean help
.SECONDARY:
-include $(shell find $(BUILD)/obj -name '*.d' 2>/dev/null)
