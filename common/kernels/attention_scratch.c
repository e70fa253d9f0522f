#include "attention_scratch.h"
#include "kernels.h"

size_t attention_scratch(int keys, int head_size) {
    size_t width = (size_t)padded(head_size);
    return SCORE_ROWS * (score_stride(keys) + width) + WIDENED_ROWS * width;
}

size_t attention_gradient_scratch(int rows, int head_size) {
    size_t width = (size_t)padded(head_size), positions = (size_t)padded(rows);
    size_t row_arrays = ROW_ARRAYS * (size_t)rows * width;
    size_t panels = PANEL_ARRAYS * positions * (size_t)head_size;
    return row_arrays + panels + SCORE_ROWS * (BLOCK_ARRAYS * width + SCORE_ARRAYS * score_stride(rows));
}
