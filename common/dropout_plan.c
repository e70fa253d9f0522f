#include "dropout_plan.h"
#include "random.h"

bool dropout_at(const dropout_plan *plan, uint32_t site, dropout *drop) {
    double rate = !plan ? 0 : site == embedding_site() ? plan->embd_rate : plan->rate;
    if (rate <= 0) return false;
    *drop = (dropout){
        .limit = (uint32_t)(65536 * (1 - rate) + 0.5),
        .scale = (float)(1 / (1 - rate)),
        .stream = random_open(plan->seed, FOR_DROPOUT, plan->iteration, plan->sequence, site),
    };
    return true;
}
