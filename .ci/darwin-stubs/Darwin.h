/* What the package uses of Darwin's C library, each name with the prefix D_. Written by hand after the headers of
   Apple's open sources: xnu (bsd/sys), Libc (include) and libpthread; widths and nullability are as there. Variadic
   functions are not imported into Swift: those are in Darwin.swift. */
#pragma once
#include <stddef.h>
#pragma clang diagnostic ignored "-Wnullability-completeness"
typedef unsigned short D_mode_t;      /* xnu bsd/i386|arm/types.h: __uint16_t */
typedef int D_dev_t;                  /* __int32_t */
typedef unsigned long long D_ino_t;   /* __darwin_ino64_t */
typedef long long D_off_t;            /* __int64_t */
typedef unsigned int D_nfds_t;
typedef int D_pid_t;
typedef unsigned int D_uid_t;
typedef unsigned int D_useconds_t;
typedef int D_suseconds_t;
typedef unsigned long D_tcflag_t;
typedef unsigned char D_cc_t;
typedef unsigned long D_speed_t;
typedef unsigned int D_sigset_t;
typedef unsigned char D_sa_family_t;
typedef unsigned int D_socklen_t;
typedef unsigned long long D_rlim_t;
typedef unsigned long D_pthread_key_t;
typedef long D_ssize_t;
typedef unsigned int D_clockid_t;
struct D_timespec { long tv_sec; long tv_nsec; };
struct D_timeval { long tv_sec; D_suseconds_t tv_usec; };
struct D_stat {
  D_dev_t st_dev; D_mode_t st_mode; unsigned short st_nlink; D_ino_t st_ino; D_uid_t st_uid; unsigned st_gid;
  D_dev_t st_rdev; struct D_timespec st_atimespec, st_mtimespec, st_ctimespec, st_birthtimespec;
  D_off_t st_size; long long st_blocks; int st_blksize; unsigned st_flags; unsigned st_gen; int st_lspare;
  long long st_qspare[2];
};
int D_stat(const char *, struct D_stat *);
int D_lstat(const char *, struct D_stat *);
int D_fstat(int, struct D_stat *);
int D_fchmod(int, D_mode_t);
int D_mkdir(const char *, D_mode_t);
int D_mkfifo(const char *, D_mode_t);
D_mode_t D_umask(D_mode_t);
int D_close(int);
int D_dup(int);
int D_dup2(int, int);
int D_pipe(int [2]);
D_ssize_t D_read(int, void *, size_t);
D_ssize_t D_write(int, const void *, size_t);
D_ssize_t D_pread(int, void *, size_t, D_off_t);
D_off_t D_lseek(int, D_off_t, int);
int D_ftruncate(int, D_off_t);
int D_access(const char *, int);
int D_unlink(const char *);
int D_symlink(const char *, const char *);
int D_link(const char *, const char *);
int D_rename(const char *, const char *);
int D_isatty(int);
int D_ttyname_r(int, char *, size_t);
int D_gethostname(char *, size_t);
long D_fpathconf(int, int);
int D_usleep(D_useconds_t);
int D_clock_gettime(D_clockid_t, struct D_timespec *);
unsigned D_sleep(unsigned);
unsigned D_alarm(unsigned);
D_pid_t D_getpid(void);
D_pid_t D_getppid(void);
int D_kill(D_pid_t, int);
int D_pause(void);
void D__exit(int) __attribute__((noreturn));
void D_exit(int) __attribute__((noreturn));
void D_abort(void) __attribute__((noreturn));
int D_atexit(void (* _Nonnull)(void));
void D_free(void *);
char *D_realpath(const char *restrict, char *restrict);
int D_setenv(const char *, const char *, int);
char *D_strerror(int);
size_t D_strlen(const char *);
int D_flock(int, int);
struct D_flock { D_off_t l_start; D_off_t l_len; D_pid_t l_pid; short l_type; short l_whence; };
struct D_pollfd { int fd; short events; short revents; };
int D_poll(struct D_pollfd *, D_nfds_t, int);
struct D_iovec { void *iov_base; size_t iov_len; };
int D_sched_yield(void);
/* sockets */
struct D_sockaddr { unsigned char sa_len; D_sa_family_t sa_family; char sa_data[14]; };
struct D_in_addr { unsigned s_addr; };
struct D_sockaddr_in { unsigned char sin_len; D_sa_family_t sin_family; unsigned short sin_port;
  struct D_in_addr sin_addr; char sin_zero[8]; };
int D_socket(int, int, int);
int D_socketpair(int, int, int, int *);
int D_bind(int, const struct D_sockaddr *, D_socklen_t);
int D_listen(int, int);
int D_accept(int, struct D_sockaddr * restrict, D_socklen_t * restrict);
int D_getsockname(int, struct D_sockaddr * restrict, D_socklen_t * restrict);
int D_setsockopt(int, int, int, const void *, D_socklen_t);
D_ssize_t D_send(int, const void *, size_t, int);
int D_shutdown(int, int);
/* signals */
typedef void (*D_sig_t)(int);
D_sig_t D_signal(int, D_sig_t);
struct D___siginfo { int si_signo; };
union D___sigaction_u { void (*__sa_handler)(int); void (*__sa_sigaction)(int, struct D___siginfo *, void *); };
struct D_sigaction { union D___sigaction_u __sigaction_u; D_sigset_t sa_mask; int sa_flags; };
int D_sigaction(int, const struct D_sigaction * restrict, struct D_sigaction * restrict);
int D_sigemptyset(D_sigset_t *);
int D_sigfillset(D_sigset_t *);
int D_sigaddset(D_sigset_t *, int);
int D_sigdelset(D_sigset_t *, int);
int D_sigismember(const D_sigset_t *, int);
int D_sigpending(D_sigset_t *);
/* threads */
typedef struct D__opaque_pthread_t { long __sig; void *__cleanup_stack; char __opaque[64]; } *D_pthread_t;
typedef struct D__opaque_pthread_attr_t { long __sig; char __opaque[56]; } D_pthread_attr_t;
int D_pthread_create(D_pthread_t _Nullable * _Nonnull restrict, const D_pthread_attr_t * _Nullable restrict,
  void * _Nullable (* _Nonnull)(void * _Nonnull), void * _Nullable restrict);
int D_pthread_detach(D_pthread_t _Nonnull);
int D_pthread_sigmask(int, const D_sigset_t * _Nullable, D_sigset_t * _Nullable);
int D_pthread_key_create(D_pthread_key_t * _Nonnull, void (* _Nullable)(void * _Nonnull));
int D_pthread_key_delete(D_pthread_key_t);
void * _Nullable D_pthread_getspecific(D_pthread_key_t);
int D_pthread_setspecific(D_pthread_key_t, const void * _Nullable);
/* terminals */
struct D_termios { D_tcflag_t c_iflag, c_oflag, c_cflag, c_lflag; D_cc_t c_cc[20]; D_speed_t c_ispeed, c_ospeed; };
struct D_winsize { unsigned short ws_row, ws_col, ws_xpixel, ws_ypixel; };
int D_tcgetattr(int, struct D_termios *);
int D_tcsetattr(int, int, const struct D_termios *);
void D_cfmakeraw(struct D_termios *);
int D_openpty(int *, int *, char *, struct D_termios *, struct D_winsize *);
int D_posix_openpt(int);
int D_grantpt(int);
int D_unlockpt(int);
char *D_ptsname(int);
/* limits, folders */
struct D_rlimit { D_rlim_t rlim_cur, rlim_max; };
int D_getrlimit(int, struct D_rlimit *);
int D_setrlimit(int, const struct D_rlimit *);
typedef struct { int __dd_fd; long __dd_loc; } D_DIR;
struct D_dirent { unsigned long long d_ino, d_seekoff; unsigned short d_reclen, d_namlen; unsigned char d_type;
  char d_name[1024]; };
D_DIR *D_opendir(const char *);
struct D_dirent *D_readdir(D_DIR *);
int D_closedir(D_DIR *);
/* constants */
#define D_O_RDONLY 0x0000
#define D_O_WRONLY 0x0001
#define D_O_RDWR 0x0002
#define D_O_NONBLOCK 0x00000004
#define D_O_APPEND 0x00000008
#define D_O_CREAT 0x00000200
#define D_O_EXCL 0x00000800
#define D_O_NOCTTY 0x00020000
#define D_O_CLOEXEC 0x01000000
#define D_F_GETFL 3
#define D_F_SETFL 4
#define D_F_DUPFD_CLOEXEC 67
#define D_F_SETNOSIGPIPE 73
#define D_F_GETNOSIGPIPE 74
#define D_F_OK 0
#define D_LOCK_EX 0x02
#define D_LOCK_NB 0x04
#define D_LOCK_UN 0x08
#define D_SEEK_CUR 1
#define D_PATH_MAX 1024
#define D_PIPE_BUF 512
#define D_POLLIN 0x0001
#define D_POLLOUT 0x0004
#define D_AF_UNIX 1
#define D_AF_INET 2
#define D_SOCK_STREAM 1
#define D_SOL_SOCKET 0xffff
#define D_SO_RCVTIMEO 0x1006
#define D_MSG_DONTWAIT 0x80
#define D_MSG_NOSIGNAL 0x80000
#define D_CLOCK_REALTIME ((D_clockid_t)0)
#define D_SIGINT 2
#define D_SIGILL 4
#define D_SIGTRAP 5
#define D_SIGABRT 6
#define D_SIGFPE 8
#define D_SIGKILL 9
#define D_SIGBUS 10
#define D_SIGSEGV 11
#define D_SIGPIPE 13
#define D_SIGTERM 15
#define D_SIGSTOP 17
#define D_SIGXFSZ 25
#define D_SIG_BLOCK 1
#define D_SIG_SETMASK 3
#define D_CLOCK_THREAD_CPUTIME_ID ((D_clockid_t)16)
#define D_EPERM 1
#define D_ENOENT 2
#define D_EINTR 4
#define D_ENXIO 6
#define D_EBADF 9
#define D_EACCES 13
#define D_EEXIST 17
#define D_EXDEV 18
#define D_ENOTDIR 20
#define D_EISDIR 21
#define D_EINVAL 22
#define D_ENOSPC 28
#define D_EPIPE 32
#define D_EAGAIN 35
#define D_EWOULDBLOCK D_EAGAIN
#define D_ENOBUFS 55
#define D_ICANON 0x00000100
#define D_ECHO 0x00000008
#define D_VQUIT 9
#define D_VSUSP 10
#define D_VMIN 16
#define D_VTIME 17
#define D_TCSANOW 0
#define D__PC_VDISABLE 9
#define D_STDIN_FILENO 0
#define D_STDOUT_FILENO 1
#define D_STDERR_FILENO 2
#define D_RLIMIT_FSIZE 1
#define D_RLIMIT_NOFILE 8
