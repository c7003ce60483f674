/* Manual pages in the macros of man(7). */
#include "app/cli/man.h"

#include <ctype.h>
#include <string.h>

#include "app/cli/help.h"

/* Writes SIZE bytes of a text, escaped so that roff prints them literally. A line that begins with
 * a dot or an apostrophe would be a request. */
static void write_bytes(const char *text, size_t size, FILE *out)
{
    bool is_at_start = true;
    for (size_t i = 0; i < size; i++) {
        if (is_at_start && (text[i] == '.' || text[i] == '\''))
            fputs("\\&", out);
        if (text[i] == '\\')
            fputs("\\e", out);
        else if (text[i] == '-')
            fputs("\\-", out);
        else
            fputc(text[i], out);
        is_at_start = text[i] == '\n';
    }
}

static void write_text(const char *text, FILE *out)
{
    write_bytes(text, strlen(text), out);
}

static void write_heading(const char *name, const struct man_texts *texts, FILE *out)
{
    fputs(".TH ", out);
    for (const char *at = name; *at; at++)
        fputc(toupper((unsigned char)*at), out);
    fprintf(out, " 1 \"\" \"ptybot %s\" \"ptybot\"\n", texts->version);
}

/* Indented lines are examples and are not filled; other lines are. */
static void write_paragraphs(const char *text, FILE *out)
{
    bool is_example = false;
    while (*text) {
        size_t size = strcspn(text, "\n");
        bool was_example = is_example;
        is_example = size > 0 && text[0] == ' ';
        if (is_example != was_example)
            fputs(is_example ? ".PP\n.EX\n" : ".EE\n", out);
        if (size == 0)
            fputs(".PP", out);
        write_bytes(text, size, out);
        fputc('\n', out);
        text += size + (text[size] == '\n');
    }
    if (is_example)
        fputs(".EE\n", out);
}

static void write_flag(const struct flag_row *row, FILE *out)
{
    fputs(".TP\n\\fB\\-\\-", out);
    write_text(row->option.key, out);
    fputs("\\fR", out);
    if (row->value) {
        fputs(" \\fI", out);
        write_text(row->value, out);
        fputs("\\fR", out);
    }
    fputc('\n', out);
    write_text(help_note(row, (char[HELP_NOTE_SIZE]){0}), out);
    fputc('\n', out);
}

void man_write_subcommand(const struct subcommand *subcommand, const struct man_texts *texts,
                          FILE *out)
{
    char name[64];
    snprintf(name, sizeof name, "ptybot-%s", subcommand->name);
    write_heading(name, texts, out);
    fputs(".SH NAME\n", out);
    write_text(name, out);
    fputs(" \\- ", out);
    write_text(subcommand->summary, out);
    fprintf(out, "\n.SH SYNOPSIS\n\\fBptybot %s\\fR ", subcommand->name);
    for (const char *at = subcommand->usage; *at; at++)
        if (*at != '\n' && (*at != ' ' || at[1] != ' '))
            write_bytes(at, 1, out);
    fputc('\n', out);
    if (*subcommand->details) {
        fputs(".SH DESCRIPTION\n", out);
        write_paragraphs(subcommand->details, out);
    }
    const struct flag_row *row;
    for (size_t i = 0; (row = subcommand_row(subcommand, i)); i++) {
        if (i == 0)
            fputs(".SH OPTIONS\n", out);
        write_flag(row, out);
    }
    fputs(".SH EXIT STATUS\n", out);
    write_paragraphs(texts->exit_codes, out);
    fputs(".SH SEE ALSO\n.BR ptybot (1)\n", out);
}

void man_write_overview(const struct subcommand *const *subcommands, const struct man_texts *texts,
                        FILE *out)
{
    write_heading("ptybot", texts, out);
    fputs(".SH NAME\nptybot \\- ", out);
    write_text(texts->description, out);
    fputs(
        "\n.SH SYNOPSIS\n\\fBptybot\\fR \\fISUBCOMMAND\\fR [\\fIARGUMENTS\\fR]\n.SH SUBCOMMANDS\n",
        out);
    for (size_t i = 0; subcommands[i]; i++) {
        fprintf(out, ".TP\n.BR ptybot\\-%s (1)\n", subcommands[i]->name);
        write_text(subcommands[i]->summary, out);
        fputc('\n', out);
    }
    fputs(".SH EXIT STATUS\n", out);
    write_paragraphs(texts->exit_codes, out);
    fputs(".SH ENVIRONMENT\n.TP\n.B PTYBOT_CONTROL\n"
          "The control socket of the simulation that ctl and view connect to.\n",
          out);
}
