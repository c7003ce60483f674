/* One row per file; the build makes the arrays from viewer/web/page and the WebAssembly module. */
#include "viewer/web/assets.h"

#include <string.h>

#include "viewer/web/embedded.h"

#define HTML   "text/html; charset=utf-8"
#define STYLE  "text/css; charset=utf-8"
#define SCRIPT "text/javascript; charset=utf-8"

static const struct asset assets[] = {
    {"", HTML, page_index_html, sizeof page_index_html, NULL},
    {"style.css", STYLE, page_style_css, sizeof page_style_css, NULL},
    {"main.mjs", SCRIPT, page_main_mjs, sizeof page_main_mjs, NULL},
    {"element.mjs", SCRIPT, page_element_mjs, sizeof page_element_mjs, NULL},
    {"module.mjs", SCRIPT, page_module_mjs, sizeof page_module_mjs, NULL},
    {"page.mjs", SCRIPT, page_page_mjs, sizeof page_page_mjs, NULL},
    {"paint.mjs", SCRIPT, page_paint_mjs, sizeof page_paint_mjs, NULL},
    {"panel.mjs", SCRIPT, page_panel_mjs, sizeof page_panel_mjs, NULL},
    {"room.mjs", SCRIPT, page_room_mjs, sizeof page_room_mjs, NULL},
    {"stream.mjs", SCRIPT, page_stream_mjs, sizeof page_stream_mjs, NULL},
    {"timebar.mjs", SCRIPT, page_timebar_mjs, sizeof page_timebar_mjs, NULL},
    {"worker.mjs", SCRIPT, page_worker_mjs, sizeof page_worker_mjs, NULL},
    {"page.wasm", "application/wasm", page_page_wasm, sizeof page_page_wasm, "gzip"},
};

const struct asset *asset_find(const char *name)
{
    for (size_t i = 0; i < sizeof assets / sizeof *assets; i++)
        if (strcmp(assets[i].name, name) == 0)
            return &assets[i];
    return NULL;
}
