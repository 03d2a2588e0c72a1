// What the cpu backend does in C: memory for reuse, threads, and launches. The machine's own compiler
// makes a library of it at the first use. Python.h may be absent, so the few declarations of Python's
// stable ABI that this needs stand here; XR_OBJECT is what an object begins with, in bytes.
#include <pthread.h>
#include <setjmp.h>
#include <signal.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#ifdef __linux__
#include <sys/mman.h>
#endif

typedef struct object PyObject;
typedef intptr_t Py_ssize_t;
typedef struct {
    void *buf;
    PyObject *obj;
    Py_ssize_t len, itemsize;
    int readonly, ndim;
    char *format;
    Py_ssize_t *shape, *strides, *suboffsets;
    void *internal;
} Py_buffer;
typedef struct { int slot; void *function; } PyType_Slot;
typedef struct { const char *name; int basicsize, itemsize; unsigned flags; PyType_Slot *slots; } PyType_Spec;
typedef struct { const char *name; int type; Py_ssize_t offset; int flags; const char *doc; } PyMemberDef;
enum { Py_bf_getbuffer = 1, Py_tp_dealloc = 52, Py_tp_members = 72 };
enum { T_PYSSIZET = 19, READONLY = 1 };
extern PyObject *PyExc_ValueError;
void Py_IncRef(PyObject *), Py_DecRef(PyObject *);
PyObject *PyType_FromSpec(PyType_Spec *);
PyObject *PyType_GenericAlloc(PyObject *, Py_ssize_t);
void PyObject_Free(void *);
PyObject *PyObject_Type(PyObject *);
PyObject *PyLong_FromSsize_t(Py_ssize_t);
Py_ssize_t PyLong_AsSsize_t(PyObject *);
double PyFloat_AsDouble(PyObject *);
PyObject *Py_BuildValue(const char *, ...);
Py_ssize_t PySequence_Size(PyObject *);
PyObject *PySequence_GetItem(PyObject *, Py_ssize_t);
PyObject *PyList_GetItem(PyObject *, Py_ssize_t), *PyTuple_GetItem(PyObject *, Py_ssize_t);
char *PyBytes_AsString(PyObject *);
PyObject *PyErr_Occurred(void), *PyErr_NoMemory(void);
int PyErr_CheckSignals(void);
void PyErr_SetString(PyObject *, const char *);
int PyObject_GetBuffer(PyObject *, Py_buffer *, int), PyBuffer_FillInfo(Py_buffer *, PyObject *, void *, Py_ssize_t, int, int);
void PyBuffer_Release(Py_buffer *);
void *PyEval_SaveThread(void);
void PyEval_RestoreThread(void *);
#define NONE Py_BuildValue("")

// -- memory ---------------------------------------------------------------------------------------

// Sizes that differ in their four leading bits are classes, each with a list of free blocks, linked by
// their first words. What was used last is given out first.
#define LEADING 3
#define CLASSES (64 << LEADING)
#define SMALLEST 128
#define PAGES (2 << 20)
#define IS_LARGE(size) ((size) >= 2 * PAGES)

typedef struct free_block { struct free_block *next; } free_block;
static struct { free_block *first; size_t nbytes; uint64_t used; } classes[CLASSES];
static size_t used_nbytes, peak_nbytes; // as asked for
static size_t reserved_nbytes, free_nbytes; // of the system's, and those of them that are in lists
static size_t most_nbytes; // of the machine, whose system promises more
static uint64_t takes;

// Python's lock guards the pool; where there may be none, as any thread may drop a block, its own does.
#ifdef XR_FREE_THREADED
static pthread_mutex_t pool = PTHREAD_MUTEX_INITIALIZER;
static void lock_pool(void) { pthread_mutex_lock(&pool); }
static void unlock_pool(void) { pthread_mutex_unlock(&pool); }
#else
static void lock_pool(void) {}
static void unlock_pool(void) {}
#endif

void xarr_set_memory(size_t nbytes) { most_nbytes = nbytes; }

typedef struct {
    char head[XR_OBJECT];
    char *data;
    Py_ssize_t nbytes, room; // what was asked for, and what there is; no room is its own of another's
    PyObject *owner;
} Block;
static PyObject *block_type;

static size_t size_of_class(size_t nbytes, int *class_)
{
#ifdef __SANITIZE_ADDRESS__ // which sees where a block ends, and that it is not used any more
    *class_ = 0;
    return nbytes ? nbytes : 1;
#endif
    nbytes = nbytes < SMALLEST ? SMALLEST : nbytes;
    const int shift = 63 - __builtin_clzll(nbytes) - LEADING;
    const size_t step = (size_t)1 << shift;
    const size_t steps = (nbytes + step - 1) >> shift;
    *class_ = (shift << LEADING) + (int)(steps - (1 << LEADING));
    return steps << shift;
}

static void give_back(int class_)
{
    for (free_block *block = classes[class_].first; block;) {
        free_block *const next = block->next;
        // A large one begins within the first of its pages.
        free(IS_LARGE(classes[class_].nbytes) ? (void *)((uintptr_t)block & -(uintptr_t)PAGES) : block);
        free_nbytes -= classes[class_].nbytes;
        reserved_nbytes -= classes[class_].nbytes;
        block = next;
    }
    classes[class_].first = 0;
}

static void *taken(size_t size, int class_)
{
    classes[class_].used = ++takes;
    free_block *const found = classes[class_].first;
    if (found) {
        classes[class_].first = found->next;
        free_nbytes -= size;
        return found;
    }
    // No more may be free than was ever in use, nor fill the machine: what was not used for longest
    // goes first.
    while (free_nbytes > peak_nbytes || (free_nbytes && reserved_nbytes + size > most_nbytes)) {
        int oldest = -1;
        for (int other = 0; other < CLASSES; ++other) {
            if (classes[other].first && (oldest < 0 || classes[other].used < classes[oldest].used)) {
                oldest = other;
            }
        }
        give_back(oldest);
    }
    classes[class_].nbytes = size;
    void *memory = 0;
    size_t begin = 0;
#ifndef __SANITIZE_ADDRESS__
    // Where large blocks begin varies by cache lines: the elements of all of them would lie in the
    // same sets of the caches, and rows of a power of two of bytes would end with pages. A diagonal of
    // Smith-Waterman (`benchmarks/threads.py`) took 74 us instead of 48.
    begin = IS_LARGE(size) ? 256 * (1 + takes % 15) : 0;
#endif
    if (posix_memalign(&memory, IS_LARGE(size) ? PAGES : 64, begin + size)) {
        return 0;
    }
#ifdef MADV_HUGEPAGE
    if (IS_LARGE(size)) {
        madvise(memory, begin + size, MADV_HUGEPAGE);
    }
#endif
    reserved_nbytes += size;
    return (char *)memory + begin;
}

static Block *new_block(void *data, size_t nbytes, size_t room, PyObject *owner)
{
    Block *const block = (Block *)PyType_GenericAlloc(block_type, 0);
    if (block) {
        block->data = data;
        block->nbytes = nbytes;
        block->room = room;
        block->owner = owner;
        if (owner) {
            Py_IncRef(owner);
        }
    }
    return block;
}

static void block_dealloc(PyObject *self)
{
    Block *const block = (Block *)self;
    PyObject *const type = PyObject_Type(self);
    if (block->room) {
        lock_pool();
        used_nbytes -= block->nbytes;
#ifdef __SANITIZE_ADDRESS__
        reserved_nbytes -= block->room;
        free(block->data);
#else
        int class_;
        size_of_class(block->room, &class_);
        free_block *const memory = (free_block *)block->data;
        memory->next = classes[class_].first;
        classes[class_].first = memory;
        free_nbytes += block->room;
#endif
        unlock_pool();
    }
    if (block->owner) {
        Py_DecRef(block->owner);
    }
    PyObject_Free(self);
    Py_DecRef(type); // what PyObject_Type gave, and what the object had
    Py_DecRef(type);
}

static int block_buffer(PyObject *self, Py_buffer *view, int flags)
{
    return PyBuffer_FillInfo(view, self, ((Block *)self)->data, ((Block *)self)->nbytes, 0, flags);
}

// take(nbytes, limit): a block, or None where that would be more in use than the limit, or no memory.
static PyObject *take(PyObject *self, PyObject *const *given, Py_ssize_t count)
{
    const Py_ssize_t nbytes = PyLong_AsSsize_t(given[0]);
    const double limit = PyFloat_AsDouble(given[1]);
    if (PyErr_Occurred()) {
        return 0;
    }
    int class_;
    const size_t size = size_of_class(nbytes, &class_);
    lock_pool();
    const int fits = used_nbytes + nbytes <= limit && used_nbytes + nbytes <= most_nbytes;
    void *const data = fits ? taken(size, class_) : 0;
    if (data) {
        used_nbytes += nbytes;
        peak_nbytes = used_nbytes > peak_nbytes ? used_nbytes : peak_nbytes;
    }
    unlock_pool();
    return data ? (PyObject *)new_block(data, nbytes, size, 0) : NONE;
}

// wrap(address, nbytes, owner): a block in memory that the owner keeps.
static PyObject *wrap(PyObject *self, PyObject *const *given, Py_ssize_t count)
{
    void *const data = (void *)PyLong_AsSsize_t(given[0]);
    const Py_ssize_t nbytes = PyLong_AsSsize_t(given[1]);
    return PyErr_Occurred() ? 0 : (PyObject *)new_block(data, nbytes, 0, given[2]);
}

// trim(): everything that is held goes back to the system.
static PyObject *trim(PyObject *self, PyObject *const *given, Py_ssize_t count)
{
    lock_pool();
    for (int class_ = 0; class_ < CLASSES; ++class_) {
        give_back(class_);
    }
    unlock_pool();
    return NONE;
}

// memory(): the bytes in use, those of the system's, and the most ever in use.
static PyObject *memory(PyObject *self, PyObject *const *given, Py_ssize_t count)
{
    return Py_BuildValue("nnn", (Py_ssize_t)used_nbytes, (Py_ssize_t)reserved_nbytes, (Py_ssize_t)peak_nbytes);
}

// -- threads --------------------------------------------------------------------------------------

typedef struct { long long groups[3], items[3]; } grid;
typedef void kernel(void *const *values, const void *arguments, const grid *on, long long begin, long long end);
typedef struct {
    kernel *run;
    void *const *values;
    const void *arguments;
    const grid *on;
    long long groups, step, next; // `next` is the first group that nobody has taken
} job;

// Threads wait for a job, which the one that asks for it works on too. It ends once all have left it.
// Who asks for work that may never end waits instead, and looks for signals; where a handler raises, the
// threads leave the job by a jump.
#define MOST_THREADS 256
#define LEAVES SIGURG // which does nothing where nobody waits for it
#define LOOK_NS 50000000

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t begins = PTHREAD_COND_INITIALIZER, ends = PTHREAD_COND_INITIALIZER;
static pthread_t ids[MOST_THREADS];
static job *open_job;
static int threads = 1, workers, inside, most; // `most` of the workers work on the open job
static _Thread_local sigjmp_buf out;
static _Thread_local volatile sig_atomic_t may_leave;

static void leave(int signal)
{
    if (may_leave) {
        may_leave = 0;
        siglongjmp(out, 1);
    }
}

static void work_on(job *of)
{
    for (;;) {
        const long long begin = __atomic_fetch_add(&of->next, of->step, __ATOMIC_RELAXED);
        if (begin >= of->groups) {
            return;
        }
        const long long end = begin + of->step;
        of->run(of->values, of->arguments, of->on, begin, end < of->groups ? end : of->groups);
    }
}

static void *worker(void *number)
{
    pthread_mutex_lock(&lock);
    while ((intptr_t)number <= threads) {
        if (!open_job || inside >= most) {
            pthread_cond_wait(&begins, &lock);
            continue;
        }
        job *const of = open_job;
        ++inside;
        pthread_mutex_unlock(&lock);
        if (!sigsetjmp(out, 1)) {
            may_leave = 1;
            work_on(of);
        }
        may_leave = 0;
        pthread_mutex_lock(&lock);
        if (open_job == of) {
            open_job = 0;
        }
        if (!--inside) {
            pthread_cond_signal(&ends);
        }
    }
    --workers;
    pthread_mutex_unlock(&lock);
    return 0;
}

// Give a job to the threads, at least so many; false where they have another's, or there are none.
static int opened(job *of, int wanted)
{
    pthread_mutex_lock(&lock);
    if (open_job || inside) {
        pthread_mutex_unlock(&lock);
        return 0;
    }
    while (workers < wanted) {
        const intptr_t number = workers + 1;
        if (pthread_create(&ids[number], 0, worker, (void *)number)) {
            break;
        }
        pthread_detach(ids[number]);
        ++workers;
    }
    if (workers) {
        most = wanted;
        open_job = of;
        pthread_cond_broadcast(&begins);
    }
    pthread_mutex_unlock(&lock);
    return workers > 0;
}

// Each thread takes some groups at a time, so that all end together.
static void prepare(job *of)
{
    of->step = of->groups / (threads * 16);
    of->step = of->step < 1 ? 1 : of->step;
    of->next = 0;
}

static void run_job(job *of)
{
    prepare(of);
    const int is_open = opened(of, threads - 1);
    work_on(of);
    if (is_open) {
        pthread_mutex_lock(&lock);
        open_job = 0;
        while (inside) {
            pthread_cond_wait(&ends, &lock);
        }
        pthread_mutex_unlock(&lock);
    }
}

// Returns false where a signal's handler raised. Begins and ends with the interpreter's lock.
static int wait_for(job *of)
{
    struct sigaction old, leaves = { .sa_handler = leave };
    int is_broken = 0;
    void *state = PyEval_SaveThread();
    prepare(of);
    if (!opened(of, threads)) { // who waits does not work on it
        work_on(of);
        PyEval_RestoreThread(state);
        return 1;
    }
    pthread_mutex_lock(&lock);
    while (open_job == of || inside) {
        struct timespec until;
        clock_gettime(CLOCK_REALTIME, &until);
        until.tv_nsec += LOOK_NS;
        until.tv_sec += until.tv_nsec / 1000000000;
        until.tv_nsec %= 1000000000;
        if (pthread_cond_timedwait(&ends, &lock, &until) && (open_job == of || inside)) {
            pthread_mutex_unlock(&lock);
            PyEval_RestoreThread(state);
            is_broken = is_broken || PyErr_CheckSignals();
            state = PyEval_SaveThread();
            pthread_mutex_lock(&lock);
            if (is_broken && inside) {
                of->next = of->groups;
                open_job = 0;
                sigaction(LEAVES, &leaves, &old);
                for (int number = 1; number <= workers; ++number) {
                    pthread_kill(ids[number], LEAVES);
                }
                while (inside) {
                    pthread_cond_wait(&ends, &lock);
                }
                sigaction(LEAVES, &old, 0);
            }
        }
    }
    pthread_mutex_unlock(&lock);
    PyEval_RestoreThread(state);
    return !is_broken;
}

// A child has none of its parent's threads.
static void before_fork(void)
{
    lock_pool();
    pthread_mutex_lock(&lock);
}
static void in_parent(void)
{
    pthread_mutex_unlock(&lock);
    unlock_pool();
}
static void in_child(void)
{
    unlock_pool();
    pthread_mutex_init(&lock, 0);
    pthread_cond_init(&begins, 0);
    pthread_cond_init(&ends, 0);
    open_job = 0;
    workers = inside = 0;
}

int xarr_get_num_threads(void) { return threads; }
void xarr_set_num_threads(int number)
{
    pthread_mutex_lock(&lock);
    threads = number < 1 ? 1 : number < MOST_THREADS ? number : MOST_THREADS - 1;
    pthread_cond_broadcast(&begins);
    pthread_mutex_unlock(&lock);
}

int xarr_is_gcc(void)
{
#ifdef __clang__
    return 0;
#else
    return 1;
#endif
}

// -- launches -------------------------------------------------------------------------------------

#define MOST_VALUES 256

static int sizes(PyObject *given, long long *extents)
{
    const Py_ssize_t count = PySequence_Size(given);
    for (int d = 0; d < 3; ++d) {
        extents[d] = 1;
        if (d < count) {
            PyObject *const one = PySequence_GetItem(given, d);
            extents[d] = PyLong_AsSsize_t(one);
            Py_DecRef(one);
        }
    }
    return !PyErr_Occurred();
}

static void run(job *of, int is_large)
{
    if (is_large && threads > 1 && of->groups > 1) {
        run_job(of);
    } else {
        of->run(of->values, of->arguments, of->on, 0, of->groups);
    }
}

static int of_grid(job *of, grid *on, PyObject *groups, PyObject *items)
{
    if (!sizes(groups, on->groups) || !sizes(items, on->items)) {
        return 0;
    }
    of->on = on;
    of->groups = on->groups[0] * on->groups[1] * on->groups[2];
    return 1;
}

// launch(entry, groups, items, blocks, arguments, is_large): run a kernel, whose memory the blocks are
// of; large work is shared among the threads, and lets other threads of Python run.
static PyObject *launch(PyObject *self, PyObject *const *given, Py_ssize_t count)
{
    void *values[MOST_VALUES];
    grid on;
    job of;
    const Py_ssize_t blocks = PySequence_Size(given[3]);
    if (blocks > MOST_VALUES) {
        PyErr_SetString(PyExc_ValueError, "a kernel has 256 pointers at most");
        return 0;
    }
    for (Py_ssize_t number = 0; number < blocks; ++number) {
        PyObject *const block = PySequence_GetItem(given[3], number);
        values[number] = ((Block *)block)->data;
        Py_DecRef(block);
    }
    of.run = (kernel *)PyLong_AsSsize_t(given[0]);
    of.values = values;
    of.arguments = PyBytes_AsString(given[4]);
    if (!of_grid(&of, &on, given[1], given[2])) {
        return 0;
    }
    const int is_large = (int)PyLong_AsSsize_t(given[5]);
    void *const state = is_large ? PyEval_SaveThread() : 0;
    run(&of, is_large);
    if (is_large) {
        PyEval_RestoreThread(state);
    }
    return NONE;
}

// Launches that are made by one call, again and again, in other blocks each time. Where they are much
// work together, other threads of Python run meanwhile, and now and then signals are looked for.
#define MOST_UNSEEN 64 // times the work from which on a launch is shared

typedef struct {
    job of;
    grid on;
    PyObject *arguments;
    double work;
} step;
typedef struct {
    char head[XR_OBJECT];
    Py_ssize_t steps_count, values_count;
    step *steps;
    int *numbers; // of each pointer's block
    void **values; // the pointers of all steps
    double work, shared;
} Sequence;
static PyObject *sequence_type;

static void sequence_dealloc(PyObject *self)
{
    Sequence *const made = (Sequence *)self;
    PyObject *const type = PyObject_Type(self);
    for (Py_ssize_t at = 0; at < made->steps_count; ++at) {
        Py_DecRef(made->steps[at].arguments);
    }
    free(made->steps);
    free(made->numbers);
    free(made->values);
    PyObject_Free(self);
    Py_DecRef(type); // as of blocks
    Py_DecRef(type);
}

// sequence(steps, pointers, shared): an object with these launches, of each a tuple of entry, groups,
// items, arguments, work and a list of the numbers of blocks; of so many pointers in all.
static PyObject *sequence(PyObject *self, PyObject *const *given, Py_ssize_t count)
{
    const Py_ssize_t steps = PySequence_Size(given[0]), pointers = PyLong_AsSsize_t(given[1]);
    Sequence *const made = (Sequence *)PyType_GenericAlloc(sequence_type, 0);
    if (!made) {
        return 0;
    }
    made->steps = calloc(steps, sizeof(step));
    made->numbers = calloc(pointers, sizeof(int));
    made->values = calloc(pointers, sizeof(void *));
    made->shared = PyFloat_AsDouble(given[2]);
    if (!made->steps || !made->numbers || !made->values) {
        Py_DecRef((PyObject *)made);
        return PyErr_NoMemory();
    }
    for (Py_ssize_t at = 0; at < steps; ++at) {
        step *const one = &made->steps[at];
        PyObject *const all = PyList_GetItem(given[0], at);
        PyObject *const numbers = PyTuple_GetItem(all, 5);
        one->of.run = (kernel *)PyLong_AsSsize_t(PyTuple_GetItem(all, 0));
        one->of.values = made->values + made->values_count;
        for (Py_ssize_t number = 0; number < PySequence_Size(numbers); ++number) {
            made->numbers[made->values_count++] = (int)PyLong_AsSsize_t(PyList_GetItem(numbers, number));
        }
        one->arguments = PyTuple_GetItem(all, 3);
        Py_IncRef(one->arguments);
        ++made->steps_count;
        one->of.arguments = PyBytes_AsString(one->arguments);
        one->work = PyFloat_AsDouble(PyTuple_GetItem(all, 4));
        made->work += one->work;
        if (!of_grid(&one->of, &one->on, PyTuple_GetItem(all, 1), PyTuple_GetItem(all, 2))) {
            Py_DecRef((PyObject *)made);
            return 0;
        }
    }
    return (PyObject *)made;
}

// change(sequence, number, arguments): give a launch other arguments.
static PyObject *change(PyObject *self, PyObject *const *given, Py_ssize_t count)
{
    step *const one = &((Sequence *)given[0])->steps[PyLong_AsSsize_t(given[1])];
    Py_IncRef(given[2]);
    Py_DecRef(one->arguments);
    one->arguments = given[2];
    one->of.arguments = PyBytes_AsString(given[2]);
    return NONE;
}

// again(sequence, blocks): make the launches in the memory of these blocks.
static PyObject *again(PyObject *self, PyObject *const *given, Py_ssize_t count)
{
    Sequence *const made = (Sequence *)given[0];
    for (Py_ssize_t at = 0; at < made->values_count; ++at) {
        made->values[at] = ((Block *)PyList_GetItem(given[1], made->numbers[at]))->data;
    }
    const int is_long = made->work >= made->shared;
    void *state = is_long ? PyEval_SaveThread() : 0;
    double unseen = 0;
    for (Py_ssize_t at = 0; at < made->steps_count; ++at) {
        step *const one = &made->steps[at];
        run(&one->of, one->work >= made->shared);
        unseen += one->work;
        if (unseen >= MOST_UNSEEN * made->shared) {
            unseen = 0;
            PyEval_RestoreThread(state);
            if (PyErr_CheckSignals()) {
                return 0;
            }
            state = PyEval_SaveThread();
        }
    }
    if (is_long) {
        PyEval_RestoreThread(state);
    }
    return NONE;
}

// launch_with(entry, groups, items, values): a program's own kernel, with pointers to each argument's
// value.
static PyObject *launch_with(PyObject *self, PyObject *const *given, Py_ssize_t count)
{
    grid on;
    job of;
    of.run = (kernel *)PyLong_AsSsize_t(given[0]);
    of.values = (void *const *)PyLong_AsSsize_t(given[3]);
    of.arguments = 0;
    if (!of_grid(&of, &on, given[1], given[2])) {
        return 0;
    }
    return wait_for(&of) ? NONE : 0;
}

// copy(target, target_offset, source, source_offset, nbytes): between objects with memory.
static PyObject *copy(PyObject *self, PyObject *const *given, Py_ssize_t count)
{
    Py_buffer target, source;
    const Py_ssize_t to = PyLong_AsSsize_t(given[1]), from = PyLong_AsSsize_t(given[3]);
    const Py_ssize_t nbytes = PyLong_AsSsize_t(given[4]);
    if (PyErr_Occurred() || PyObject_GetBuffer(given[0], &target, 1)) {
        return 0;
    }
    if (PyObject_GetBuffer(given[2], &source, 0)) {
        PyBuffer_Release(&target);
        return 0;
    }
    const int fits = to >= 0 && from >= 0 && nbytes >= 0 && to + nbytes <= target.len && from + nbytes <= source.len;
    if (!fits) {
        PyErr_SetString(PyExc_ValueError, "the bytes to copy are beyond an end");
    } else if (nbytes < 1 << 20) {
        memmove((char *)target.buf + to, (char *)source.buf + from, nbytes);
    } else {
        void *const state = PyEval_SaveThread();
        memmove((char *)target.buf + to, (char *)source.buf + from, nbytes);
        PyEval_RestoreThread(state);
    }
    PyBuffer_Release(&source);
    PyBuffer_Release(&target);
    return fits ? NONE : 0;
}

// -- what Python sees -----------------------------------------------------------------------------

typedef PyObject *method(PyObject *, PyObject *const *, Py_ssize_t);
typedef struct { const char *name; method *function; int flags; const char *doc; } PyMethodDef;
PyObject *PyCFunction_NewEx(PyMethodDef *, PyObject *, PyObject *);
PyObject *PyList_New(Py_ssize_t);
int PyList_SetItem(PyObject *, Py_ssize_t, PyObject *);

static PyMemberDef members[] = {
    { "address", T_PYSSIZET, offsetof(Block, data), READONLY, "Where it begins." },
    { "nbytes", T_PYSSIZET, offsetof(Block, nbytes), READONLY, "What was asked for, in bytes." },
    { 0 },
};
static PyType_Slot slots[] = {
    { Py_tp_dealloc, block_dealloc },
    { Py_bf_getbuffer, block_buffer },
    { Py_tp_members, members },
    { 0 },
};
static PyType_Spec spec = { "xarr.backends.cpu.Block", sizeof(Block), 0, 1 << 18 | 1 << 7, slots };
static PyType_Slot sequence_slots[] = { { Py_tp_dealloc, sequence_dealloc }, { 0 } };
static PyType_Spec sequence_spec = {
    "xarr.backends.cpu.Sequence", sizeof(Sequence), 0, 1 << 18 | 1 << 7, sequence_slots
};
static PyMethodDef methods[] = {
    { "take", take, 0x80, 0 }, { "wrap", wrap, 0x80, 0 }, { "trim", trim, 0x80, 0 },
    { "memory", memory, 0x80, 0 }, { "launch", launch, 0x80, 0 },
    { "launch_with", launch_with, 0x80, 0 }, { "copy", copy, 0x80, 0 },
    { "sequence", sequence, 0x80, 0 }, { "change", change, 0x80, 0 }, { "again", again, 0x80, 0 },
};

// The functions for Python, in the order of `methods`; called once, with the interpreter's lock.
PyObject *xarr_functions(void)
{
    block_type = PyType_FromSpec(&spec);
    sequence_type = PyType_FromSpec(&sequence_spec);
    if (!block_type || !sequence_type) {
        return 0;
    }
    pthread_atfork(before_fork, in_parent, in_child);
    enum { COUNT = sizeof methods / sizeof *methods };
    PyObject *const made = PyList_New(COUNT);
    for (int number = 0; made && number < COUNT; ++number) {
        PyList_SetItem(made, number, PyCFunction_NewEx(&methods[number], 0, 0));
    }
    return made;
}
