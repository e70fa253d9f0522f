/* The members of an archive in memory, to be changed and written again: how a test makes a checkpoint that is
 * wrong in one place. A failure fails the test. */
#ifndef MEMBERS_H
#define MEMBERS_H
#include <stddef.h>

typedef struct member_bytes {
    char name[128];
    char *bytes;
    size_t size;
} member_bytes;

typedef struct members {
    size_t count;
    member_bytes *list; /* room for one more */
} members;

members members_read(const char *path);
void members_write(const members *m, const char *path);
void members_close(members *m);

/* The member of that name. */
member_bytes *members_find(const members *m, const char *name);
void members_remove(members *m, const char *name);
void members_add(members *m, const char *name, const void *bytes, size_t size);

/* Other bytes for a member that is there. */
void member_set(member_bytes *m, const void *bytes, size_t size);
#endif
