/* Writes a corpus of about a megabyte to standard output: a cycle of short plays, always the same, to learn
 * from where tiny-shakespeare cannot be had. grammar.h has the words; here is what a play is made of. */
#include "grammar.h"
#include <ctype.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define COUNT(array) ((int)(sizeof(array) / sizeof *(array)))

enum { ENOUGH = 1000000, WIDTH = 64, ACTS = 5, SCENES = 3, MOST_BOUND = 24, GUARDS = 2 };

typedef struct text {
    int length;
    char bytes[8192];
} text;

/* All that changes while plays are written. */
typedef struct stage {
    uint64_t random;
    long written;
    int bound_count, missing; /* missing: the person whom nobody can find */
    rule bound[MOST_BOUND];
} stage;

static void die(const char *what, const char *name) {
    fprintf(stderr, "play: %s %s\n", what, name);
    exit(1);
}

/* ---- Chance ---- */

static int below(stage *s, int n) {
    s->random = s->random * 6364136223846793005u + 1442695040888963407u;
    return (int)((s->random >> 32) * (uint64_t)n >> 32);
}

static void shuffle(stage *s, int *list, int count) {
    for (int i = count - 1; i > 0; i--) {
        int j = below(s, i + 1), held = list[i];
        list[i] = list[j];
        list[j] = held;
    }
}

/* ---- Rules ---- */

static const rule *find(const rule *list, int count, const char *name, size_t length) {
    for (int i = 0; i < count; i++)
        if (strncmp(list[i].name, name, length) == 0 && list[i].name[length] == 0) return &list[i];
    return NULL;
}

/* From now on <name> stands for one of these options. */
static void bind(stage *s, const char *name, const char *options) {
    const rule *old = find(s->bound, s->bound_count, name, strlen(name));
    int i = old ? (int)(old - s->bound) : s->bound_count++;
    if (i == MOST_BOUND) die("no room for the rule", name);
    s->bound[i] = (rule){name, options};
}

static void append(text *t, char c) {
    if (t->length == (int)sizeof t->bytes - 1) die("no room in a speech of", "8192 bytes");
    t->bytes[t->length++] = c;
    t->bytes[t->length] = 0;
}

static void add(text *t, const char *words) {
    while (*words) append(t, *words++);
}

/* One of the options, which are separated by bars. */
static const char *choose(stage *s, const char *options, size_t *length) {
    int count = 1;
    for (const char *c = options; *c; c++) count += *c == '|';
    for (int skip = below(s, count); skip > 0; skip--) options = strchr(options, '|') + 1;
    *length = strcspn(options, "|");
    return options;
}

static void expand_rule(stage *s, text *out, const char *name, size_t length);

static void expand(stage *s, text *out, const char *words, size_t length) {
    for (const char *c = words; c < words + length; c++)
        if (*c == '<') {
            size_t name = strcspn(c + 1, ">");
            expand_rule(s, out, c + 1, name);
            c += name + 1;
        } else {
            append(out, *c == '/' ? '\n' : *c);
        }
}

static void expand_rule(stage *s, text *out, const char *name, size_t length) {
    const rule *r = find(s->bound, s->bound_count, name, length);
    if (!r) r = find(grammar, COUNT(grammar), name, length);
    if (!r) die("no rule", name);
    size_t chosen;
    const char *option = choose(s, r->options, &chosen);
    expand(s, out, option, chosen);
}

/* The rule whose name is these two words, or the first alone. */
static void expand_named(stage *s, text *out, const char *first, const char *second) {
    text name = {0};
    add(&name, first);
    if (*second) append(&name, ' ');
    add(&name, second);
    expand_rule(s, out, name.bytes, (size_t)name.length);
}

/* ---- The look of a page ---- */

static bool needs_an(const char *words, int i) {
    bool alone = i == 0 || (!isalpha((unsigned char)words[i - 1]) && words[i - 1] != '\'');
    return alone && tolower((unsigned char)words[i]) == 'a' && words[i + 1] == ' ' &&
           strchr("aeiou", words[i + 2]);
}

/* Capitals where a sentence or a line begins, and `an` before a vowel. */
static void polish(const text *raw, text *out) {
    bool begins = true;
    for (int i = 0; i < raw->length; i++) {
        char c = raw->bytes[i];
        bool letter = isalpha((unsigned char)c);
        append(out, begins && letter ? (char)toupper((unsigned char)c) : c);
        if (needs_an(raw->bytes, i)) append(out, 'n');
        begins = (begins && !letter) || strchr(".!?\n", c);
    }
}

/* Breaks the lines that are wider than the page at a space. */
static void wrap(text *t) {
    int line = 0, space = -1;
    for (int i = 0; i < t->length; i++) {
        if (t->bytes[i] == ' ') space = i;
        if (t->bytes[i] == '\n') line = i + 1, space = -1;
        if (i - line >= WIDTH && space >= line) {
            t->bytes[space] = '\n';
            line = space + 1;
        }
    }
}

static void print(stage *s, const char *words) {
    s->written += (long)strlen(words);
    fputs(words, stdout);
}

static void print_paragraph(stage *s, const text *raw) {
    text page = {0};
    polish(raw, &page);
    wrap(&page);
    print(s, page.bytes);
    print(s, "\n\n");
}

static void print_upper(stage *s, const char *words) {
    for (; *words; words++) print(s, (char[]){(char)toupper((unsigned char)*words), 0});
}

/* ---- Speeches ---- */

static void bind_speech(stage *s, const person *speaker, const person *spoken_to) {
    bind(s, "you", spoken_to->called);
    bind(s, "oath", speaker->oath);
    bind(s, "image", speaker->image);
    bind(s, "habit", speaker->habit);
}

static void speak(stage *s, const person *speaker, const person *spoken_to, const char *move) {
    static const int more[] = {0, 0, 0, 0, 1, 1, 1, 2, 2, 4};
    const char *form = speaker->speaks_verse ? "verse" : "prose";
    text raw = {0};
    bind_speech(s, speaker, spoken_to);
    add(&raw, speaker->heading);
    add(&raw, ":\n");
    expand_named(s, &raw, move, form);
    for (int left = more[below(s, COUNT(more))]; left > 0; left--) {
        append(&raw, speaker->speaks_verse ? '\n' : ' ');
        expand_named(s, &raw, below(s, 4) == 0 ? "habit" : form, "");
    }
    print_paragraph(s, &raw);
}

static void bind_rhyme(stage *s) {
    const rule *r = &rhymes[below(s, COUNT(rhymes))];
    bind(s, "rhyme", r->name);
    bind(s, "rhymed", r->options);
}

static void speak_couplet(stage *s, const person *speaker, const person *spoken_to) {
    text raw = {0};
    bind_speech(s, speaker, spoken_to);
    bind_rhyme(s);
    add(&raw, speaker->heading);
    add(&raw, ":\n");
    expand_named(s, &raw, "couplet", "");
    print_paragraph(s, &raw);
}

/* ---- Scenes ---- */

/* Everybody but the one who is missing, in any order. */
static void gather(stage *s, int *company) {
    int count = 0;
    for (int i = 0; i < COUNT(persons); i++)
        if (i != s->missing) company[count++] = i;
    shuffle(s, company, count);
}

static void enter(stage *s, const int *company, int count) {
    text raw = {0};
    for (int i = 0; i < count; i++) {
        add(&raw, i == 0 ? "Enter " : i == count - 1 ? " and " : ", ");
        add(&raw, persons[company[i]].name);
    }
    append(&raw, '.');
    print_paragraph(s, &raw);
}

static void set_scene(stage *s, int act, int scene) {
    static const char *const roman[] = {"I", "II", "III", "IV", "V"};
    int place = below(s, COUNT(places));
    const rule *hour = &hours[below(s, COUNT(hours))];
    text raw = {0};
    bind(s, "place", places[place]);
    bind(s, "elsewhere", places[(place + 1 + below(s, COUNT(places) - 1)) % COUNT(places)]);
    bind(s, "sky", hour->options);
    const char *const heading[] = {"ACT ", roman[act],    ". SCENE ", roman[scene],
                                   ". ",   places[place], ". ",       hour->name};
    for (int i = 0; i < COUNT(heading); i++) add(&raw, heading[i]);
    append(&raw, '.');
    print_paragraph(s, &raw);
}

/* Each speech answers the one before it: by whom, and with which move. */
static void converse(stage *s, const int *company, int count) {
    text move = {0};
    add(&move, "open");
    int speaker = 0, before = 1;
    for (int turns = 10 + below(s, 12); turns > 0; turns--) {
        speak(s, &persons[company[speaker]], &persons[company[before]], move.bytes);
        text next = {0};
        expand_named(s, &next, "after", move.bytes);
        move = next;
        before = speaker;
        speaker = (speaker + 1 + below(s, count - 1)) % count;
    }
    speak_couplet(s, &persons[company[speaker]], &persons[company[before]]);
}

static void write_scene(stage *s, int act, int scene) {
    int company[COUNT(persons)], count = 2 + below(s, 4);
    gather(s, company);
    set_scene(s, act, scene);
    enter(s, company, count);
    converse(s, company, count);
    print(s, "Exeunt.\n\n");
}

/* ---- Plays ---- */

static void bind_missing(stage *s) {
    s->missing = below(s, COUNT(persons) - GUARDS);
    const person *p = &persons[s->missing];
    bind(s, "friend", p->name);
    bind(s, "he", p->is_woman ? "she" : "he");
    bind(s, "him", p->is_woman ? "her" : "him");
    bind(s, "his", p->is_woman ? "her" : "his");
}

static void write_chorus(stage *s) {
    static const char *const couplets[] = {"first", "second", "third"};
    text raw = {0};
    bind(s, "place", places[below(s, COUNT(places))]);
    add(&raw, "CHORUS:");
    for (int i = 0; i < COUNT(couplets); i++) {
        bind_rhyme(s);
        append(&raw, '\n');
        expand_named(s, &raw, "chorus", couplets[i]);
    }
    print_paragraph(s, &raw);
}

static void write_play(stage *s, int number) {
    static const char *const news[ACTS][2] = {{"<news1 verse>", "<news1 prose>"},
                                              {"<news2 verse>", "<news2 prose>"},
                                              {"<news3 verse>", "<news3 prose>"},
                                              {"<news4 verse>", "<news4 prose>"},
                                              {"<news5 verse>", "<news5 prose>"}};
    const char *thing = things[number % COUNT(things)];
    bind(s, "thing", thing);
    bind_missing(s);
    print(s, kinds[(number + number / COUNT(things)) % COUNT(kinds)]);
    print(s, " ");
    print_upper(s, thing);
    print(s, "\n\n");
    write_chorus(s);
    for (int act = 0; act < ACTS; act++) {
        bind(s, "news verse", news[act][0]);
        bind(s, "news prose", news[act][1]);
        for (int scene = 0; scene < SCENES; scene++) write_scene(s, act, scene);
    }
}

int main(void) {
    stage s = {.random = 1593};
    for (int number = 0; s.written < ENOUGH; number++) write_play(&s, number);
    if (fclose(stdout) != 0) die("cannot write to", "standard output");
    return 0;
}
