/* Makes a process's disk slow or failing and its clock wrong, as a shared file says. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <stdint.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <time.h>
#include <unistd.h>

struct control {
    volatile int64_t clock_offset_s; /* added to the time of day */
    volatile int64_t sync_delay_ms;  /* before each sync */
    volatile int64_t write_errno;    /* of each write and sync of a file; 0 is none */
};

static struct control none;
static struct control *control = &none;

__attribute__((constructor)) static void begin(void)
{
    const char *path = getenv("CHAOS_CONTROL");
    int file = path ? open(path, O_RDONLY) : -1;
    if (file < 0)
        return;
    void *shared = mmap(NULL, sizeof(struct control), PROT_READ, MAP_SHARED, file, 0);
    if (shared != MAP_FAILED)
        control = shared;
    close(file);
}

static int fails(int file)
{
    struct stat found;
    if (!control->write_errno || file <= 2 || fstat(file, &found) || !S_ISREG(found.st_mode))
        return 0;
    errno = (int)control->write_errno;
    return 1;
}

static void delay(void)
{
    int64_t ms = control->sync_delay_ms;
    struct timespec left = {ms / 1000, (ms % 1000) * 1000000};
    if (ms)
        nanosleep(&left, NULL);
}

ssize_t write(int file, const void *bytes, size_t size)
{
    return fails(file) ? -1 : syscall(SYS_write, file, bytes, size);
}

ssize_t pwrite(int file, const void *bytes, size_t size, off_t at)
{
    return fails(file) ? -1 : syscall(SYS_pwrite64, file, bytes, size, at);
}

ssize_t pwrite64(int file, const void *bytes, size_t size, off64_t at)
{
    return fails(file) ? -1 : syscall(SYS_pwrite64, file, bytes, size, at);
}

int fsync(int file)
{
    delay();
    return fails(file) ? -1 : (int)syscall(SYS_fsync, file);
}

int fdatasync(int file)
{
    delay();
    return fails(file) ? -1 : (int)syscall(SYS_fdatasync, file);
}

int clock_gettime(clockid_t clock, struct timespec *now)
{
    int outcome = (int)syscall(SYS_clock_gettime, clock, now);
    if (!outcome && (clock == CLOCK_REALTIME || clock == CLOCK_REALTIME_COARSE))
        now->tv_sec += control->clock_offset_s;
    return outcome;
}

int gettimeofday(struct timeval *restrict now, void *restrict zone)
{
    struct timespec found;
    (void)zone;
    clock_gettime(CLOCK_REALTIME, &found);
    now->tv_sec = found.tv_sec;
    now->tv_usec = found.tv_nsec / 1000;
    return 0;
}

time_t time(time_t *place)
{
    struct timespec found;
    clock_gettime(CLOCK_REALTIME, &found);
    if (place)
        *place = found.tv_sec;
    return found.tv_sec;
}
