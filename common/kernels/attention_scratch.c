#include "attention_scratch.h"
#include "kernels.h"

size_t attention_scratch(int keys, int head_size) {
    size_t width = (size_t)padded_head(head_size);
    return ROW_BLOCK * (score_stride(keys) + width) + WIDE_ROWS * width;
}

size_t attention_gradient_scratch(int rows, int head_size) {
    size_t width = (size_t)padded_head(head_size), positions = (size_t)(rows + 15) / 16 * 16;
    size_t row_arrays = ROW_ARRAYS * (size_t)rows * width;
    size_t panels = PANEL_ARRAYS * positions * (size_t)head_size;
    return row_arrays + panels + ROW_BLOCK * (BLOCK_ARRAYS * width + SCORE_ARRAYS * score_stride(rows));
}
