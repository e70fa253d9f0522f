/* Config files: what is read can be written as config.conf has it, and then reads as the same. */
#include "input.h"
#include "memory.h"
#include "settings.h"
#include <string.h>

static char *text_of(const settings *s) {
    problem why;
    char *text = settings_text(s, &why);
    must(text, why.text);
    return text;
}

static void read_again(const settings *s) {
    settings copy;
    problem why;
    char *text = text_of(s);
    settings_default(&copy);
    must(settings_read(&copy, NULL, input_file("again.conf", text, strlen(text)), &why), why.text);
    char *second = text_of(&copy);
    must(!strcmp(text, second), "config.conf reads as another");
    release(second);
    release(text);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    settings s;
    settings_given given = {0};
    problem why;
    settings_default(&s);
    if (settings_read(&s, &given, input_file("a.conf", data, size), &why)) {
        read_again(&s);
        if (!settings_check(&s, &why)) must_refuse(&why);
    } else
        must_refuse(&why);
    return 0;
}
