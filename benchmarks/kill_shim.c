/* Kills the process before its Nth call that changes a file under a folder, or in the middle of it when that call
   writes. The process says which, by kill_at(folder, N); 0 is never. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <fcntl.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/types.h>
#include <time.h>
#include <unistd.h>

static long count, at;
static const char *under;

#define REAL(name) ({ static __typeof__(&name) real; if (!real) real = dlsym(RTLD_NEXT, #name); real; })

void kill_at(const char *folder, long number) { under = strdup(folder); at = number; count = 0; }
long kill_count(void) { return count; }

static int inside(int fd, const char *path) {
    char link[64], found[4096] = "";
    if (!under) return 0;
    if (path && path[0] == '/') return !strncmp(path, under, strlen(under));
    if (fd == AT_FDCWD) return 0;
    snprintf(link, sizeof link, "/proc/self/fd/%d", fd);
    ssize_t size = readlink(link, found, sizeof found - 1);
    return size > 0 && !strncmp(found, under, strlen(under));
}

/* Tells whether this call is the one to die in. */
static int due(int fd, const char *path) { return inside(fd, path) && ++count == at; }
static void die(void) { kill(getpid(), SIGKILL); for (;;) pause(); }

#define STEP(fd, path) do { if (due(fd, path)) die(); } while (0)

ssize_t write(int fd, const void *data, size_t size) {
    if (due(fd, 0)) { REAL(write)(fd, data, size / 2); die(); }
    return REAL(write)(fd, data, size);
}
ssize_t pwrite(int fd, const void *data, size_t size, off_t place) {
    if (due(fd, 0)) { REAL(pwrite)(fd, data, size / 2, place); die(); }
    return REAL(pwrite)(fd, data, size, place);
}
ssize_t pwrite64(int fd, const void *data, size_t size, off64_t place) {
    if (due(fd, 0)) { REAL(pwrite64)(fd, data, size / 2, place); die(); }
    return REAL(pwrite64)(fd, data, size, place);
}
int ftruncate(int fd, off_t size) { STEP(fd, 0); return REAL(ftruncate)(fd, size); }
int ftruncate64(int fd, off64_t size) { STEP(fd, 0); return REAL(ftruncate64)(fd, size); }
/* A kill is no power cut: what was written is there without waiting for the disk. */
int fsync(int fd) { STEP(fd, 0); return 0; }
int fdatasync(int fd) { STEP(fd, 0); return 0; }
int fchmod(int fd, mode_t mode) { STEP(fd, 0); return REAL(fchmod)(fd, mode); }
int chmod(const char *path, mode_t mode) { STEP(AT_FDCWD, path); return REAL(chmod)(path, mode); }
int mkdir(const char *path, mode_t mode) { STEP(AT_FDCWD, path); return REAL(mkdir)(path, mode); }
int rmdir(const char *path) { STEP(AT_FDCWD, path); return REAL(rmdir)(path); }
int unlink(const char *path) { STEP(AT_FDCWD, path); return REAL(unlink)(path); }
int unlinkat(int fd, const char *path, int flags) { STEP(fd, path); return REAL(unlinkat)(fd, path, flags); }
int link(const char *from, const char *to) { STEP(AT_FDCWD, to); return REAL(link)(from, to); }
int linkat(int a, const char *from, int b, const char *to, int flags) { STEP(b, to); return REAL(linkat)(a, from, b, to, flags); }
int rename(const char *from, const char *to) { STEP(AT_FDCWD, to); return REAL(rename)(from, to); }
int renameat(int a, const char *from, int b, const char *to) { STEP(b, to); return REAL(renameat)(a, from, b, to); }
int utimensat(int fd, const char *path, const struct timespec times[2], int flags) {
    STEP(fd, path);
    return REAL(utimensat)(fd, path, times, flags);
}

#define OPEN(name, first, ...)                                                         \
    mode_t mode = 0;                                                                   \
    if (flags & (O_CREAT | O_TMPFILE)) {                                               \
        va_list rest; va_start(rest, flags); mode = va_arg(rest, mode_t); va_end(rest); \
    }                                                                                  \
    if (flags & (O_CREAT | O_TRUNC)) STEP(first, path);                                \
    return REAL(name)(__VA_ARGS__, flags, mode)

int open(const char *path, int flags, ...) { OPEN(open, AT_FDCWD, path); }
int open64(const char *path, int flags, ...) { OPEN(open64, AT_FDCWD, path); }
int openat(int fd, const char *path, int flags, ...) { OPEN(openat, fd, fd, path); }
int openat64(int fd, const char *path, int flags, ...) { OPEN(openat64, fd, fd, path); }
