#include "app/lab/batch/batch.h"

#include <stdio.h>

bool batch_ends_at_failure(const struct batch *batch)
{
    return batch->options->test.is_fail_fast || batch->options->is_until_failure;
}

void batch_path(const struct batch *batch, size_t index, const char *name, char path[PATH_MAX])
{
    char within[PATH_MAX];
    snprintf(within, sizeof within, "%s%s%s", batch->units->units[index].name, *name ? "/" : "",
             name);
    out_folder_file(&batch->out, within, path);
}
