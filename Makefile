# make            builds build/sawtooth-train and build/sawtooth-infer
# make demo       corpus, a training run of about a minute, generated text, the equivalence table
# make test       every test that takes minutes at most; make help lists the rest
CC      = gcc
BUILD   = build
PREFIX  = /usr/local
EXTRA   =
ARCH   := $(firstword $(subst -, ,$(shell $(CC) -dumpmachine)))
OPENBLAS = 1
VERSION = 1.0.0

WARN    = -Wall -Wextra -Wconversion -Wshadow -Werror
# -ffp-contract=off: a product and a sum fuse only where the source says fmaf. The other two change no value.
FLOAT   = -ffp-contract=off -fno-math-errno -fno-trapping-math
CFLAGS  = -std=gnu11 -O2 -g $(WARN) $(FLOAT) -pthread $(EXTRA)
CPPFLAGS = -D_GNU_SOURCE -DSAWTOOTH_VERSION='"$(VERSION)"' -Icommon -MMD -MP
LDLIBS  = -lzip -lz -lcjson -linih -lm

# The kernel sets that this architecture can have; each is compiled for its own processor.
KINDS_x86_64  = avx512 avx2 plain
KINDS_aarch64 = neon plain
KINDS   = $(or $(KINDS_$(ARCH)),plain)
FOR_avx512 = -mavx512f -mavx512bw -mavx512dq -mavx512vl -mavx2 -mfma -mf16c -mprefer-vector-width=512
FOR_avx2   = -mavx2 -mfma -mf16c
FOR_neon   =
FOR_plain  = -DSIMD16_PLAIN
comma := ,
empty :=
space := $(empty) $(empty)
CPPFLAGS += -DKERNEL_SETS='$(subst $(space),$(comma),$(foreach k,$(KINDS),SET($(k))))'
ifeq ($(OPENBLAS),1)
CPPFLAGS += -DHAVE_OPENBLAS
LDLIBS   += -lopenblas
endif

KERNEL_ONCE = common/kernels/select.c common/kernels/openblas.c
KERNEL_EACH = $(filter-out $(KERNEL_ONCE),$(wildcard common/kernels/*.c))
COMMON  = $(wildcard common/*.c) $(KERNEL_ONCE)
TRAIN   = $(filter-out train/main.c,$(wildcard train/*.c))
INFER   = $(filter-out infer/main.c,$(wildcard infer/*.c))
TESTS   = $(basename $(notdir $(wildcard tests/test_*.c)))

object  = $(patsubst %.c,$(BUILD)/obj/%.o,$(1))
KERNELS = $(foreach k,$(KINDS),$(patsubst common/kernels/%.c,$(BUILD)/obj/kernels-$(k)/%.o,$(KERNEL_EACH)))
CORE    = $(call object,$(COMMON)) $(KERNELS)
ALL     = $(CORE) $(call object,$(TRAIN) $(INFER))

all: $(BUILD)/sawtooth-train $(BUILD)/sawtooth-infer

$(BUILD)/sawtooth-train: $(call object,train/main.c $(TRAIN)) $(CORE)
	$(CC) $(CFLAGS) $(LDFLAGS) -o $@ $^ $(LDLIBS)

$(BUILD)/sawtooth-infer: $(call object,infer/main.c $(INFER)) $(CORE)
	$(CC) $(CFLAGS) $(LDFLAGS) -o $@ $^ $(LDLIBS)

# Objects follow the compiler and its flags: another CC or EXTRA rebuilds them.
$(BUILD)/flags: always
	@mkdir -p $(@D); echo '$(CC) $(CFLAGS) $(CPPFLAGS)' | cmp -s - $@ || echo '$(CC) $(CFLAGS) $(CPPFLAGS)' > $@

$(BUILD)/obj/%.o: %.c $(BUILD)/flags
	@mkdir -p $(@D)
	$(CC) $(CPPFLAGS) $(CFLAGS) -c -o $@ $<

define kernel_rule
$(BUILD)/obj/kernels-$(1)/%.o: common/kernels/%.c $(BUILD)/flags
	@mkdir -p $$(@D)
	$(CC) $(CPPFLAGS) -DKIND=$(1) $(CFLAGS) -O3 $(FOR_$(1)) -c -o $$@ $$<
endef
$(foreach k,$(KINDS),$(eval $(call kernel_rule,$(k))))

$(BUILD)/tests/%: $(BUILD)/obj/tests/%.o $(call object,$(wildcard tests/support/*.c)) $(ALL)
	@mkdir -p $(@D)
	$(CC) $(CFLAGS) $(LDFLAGS) -o $@ $^ $(LDLIBS) $(shell pkg-config --libs check)

.PHONY: all always
-include $(shell find $(BUILD)/obj -name '*.d' 2>/dev/null)
