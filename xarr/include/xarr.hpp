// A view of an array of xarr's, in C++17: shape, strides, data type, device, memory and stream.
//
// The standard library is all it needs. Where Python.h was included before, as pybind11 and
// nanobind do, from_python() makes a view of a Python object. A view keeps the memory.
#pragma once

#include <complex>
#include <cstdint>
#include <memory>
#include <stdexcept>
#include <string>
#include <type_traits>
#include <vector>

namespace xarr {

// Numbers and structures are those of DLPack's specification, version 1. The names are not, so that
// dlpack.h may be included as well.
enum class device_type : std::int32_t { cpu = 1, cuda = 2, cuda_host = 3, opencl = 4, rocm = 10 };
enum class type_code : std::uint8_t { integer, natural, floating, complex = 5, boolean = 6 };

struct device {
    device_type type;
    std::int32_t index;
};

struct dtype {
    type_code code;
    std::uint8_t bits;
    std::uint16_t lanes = 1;

    constexpr bool operator==(const dtype &other) const {
        return code == other.code && bits == other.bits && lanes == other.lanes;
    }

    std::string name() const {  // as Python has it
        const char *names[] = {"int", "uint", "float", "?", "?", "complex"};
        if (code == type_code::boolean) return "bool";
        return (code < type_code::boolean ? names[unsigned(code)] : "?") + std::to_string(bits);
    }
};

// The data type of a number of C++. Specialise it for others, such as __half.
template <class T>
constexpr dtype dtype_of{std::is_floating_point_v<T> ? type_code::floating
                         : std::is_signed_v<std::enable_if_t<std::is_arithmetic_v<T>, T>>
                             ? type_code::integer
                             : type_code::natural,
                         8 * sizeof(T)};
template <class T>
constexpr dtype dtype_of<std::complex<T>>{type_code::complex, 16 * sizeof(T)};
template <> inline constexpr dtype dtype_of<bool>{type_code::boolean, 8};

namespace dlpack {

struct tensor {
    void *data;
    xarr::device device;
    std::int32_t ndim;
    xarr::dtype dtype;
    std::int64_t *shape, *strides;
    std::uint64_t byte_offset;
};

struct managed {
    dlpack::tensor tensor;
    void *context;
    void (*deleter)(managed *);
};

struct versioned {
    std::uint32_t major, minor;
    void *context;
    void (*deleter)(versioned *);
    std::uint64_t flags;
    dlpack::tensor tensor;
};

}  // namespace dlpack

struct array_view {
    void *data = nullptr;                      // the address of the first element, or a cl_mem
    std::uint64_t byte_offset = 0;             // of the first element in the cl_mem, else 0
    std::vector<std::int64_t> shape, strides;  // in elements
    xarr::dtype dtype{};
    xarr::device device{};
    bool read_only = false;
    void *stream = nullptr;  // a cudaStream_t or cl_command_queue: what goes there comes in order
    std::shared_ptr<void> owner;

    array_view() = default;

    // Of what a DLPack capsule holds; takes it over. One without a version cannot say read-only.
    explicit array_view(dlpack::managed *of) : array_view(of, of->tensor) {}
    explicit array_view(dlpack::versioned *of) : array_view(of, of->tensor) {
        read_only = of->flags & 1;
    }

    // The memory or cl_mem, if it is of this type and device; else throws std::invalid_argument.
    template <class T> T *as(device_type where) const {
        constexpr auto wanted = dtype_of<std::remove_const_t<T>>;
        check(device.type == where, "x is in memory of " + name(device.type), "in that of " + name(where));
        check(dtype == wanted, "x has dtype " + dtype.name(), wanted.name());
        check(!read_only || std::is_const_v<T>, "x is read-only", "writable");
        return static_cast<T *>(data);
    }

  private:
    template <class Managed>
    array_view(Managed *of, const dlpack::tensor &given)
        : data(given.data), byte_offset(given.byte_offset),
          shape(given.shape, given.shape + given.ndim), strides(shape.size()), dtype(given.dtype),
          device(given.device), owner(of, [](Managed *held) {
              if (held->deleter) held->deleter(held);
          }) {
        std::int64_t step = 1;
        for (auto axis = shape.size(); axis-- > 0; step *= shape[axis])
            strides[axis] = given.strides ? given.strides[axis] : step;
        if (device.type == device_type::opencl) return;
        data = static_cast<char *>(data) + byte_offset;
        byte_offset = 0;
    }

    static std::string name(device_type type) {
        const char *names[] = {"?", "the host", "CUDA", "the host for CUDA", "OpenCL"};
        return type == device_type::rocm ? "ROCm" : names[unsigned(type) < 5 ? unsigned(type) : 0];
    }

    static void check(bool holds, const std::string &given, const std::string &accepted) {
        if (!holds) throw std::invalid_argument(given + "; it must be " + accepted);
    }
};

}  // namespace xarr

#ifdef Py_PYTHON_H
namespace xarr {

// Thrown where a Python exception is set, unless `Error` is another type that says so, such as
// pybind11::error_already_set or nanobind::python_error.
struct python_error {};

namespace detail {

using object = std::shared_ptr<PyObject>;

template <class Error> object checked(PyObject *result) {
    if (!result) throw Error();
    return object(result, [](PyObject *held) { Py_DECREF(held); });
}

template <class Error, class... Names> object get(object from, Names... names) {
    ((from = checked<Error>(PyObject_GetAttrString(from.get(), names))), ...);
    return from;
}

template <class Error> std::int64_t integer(const object &from) {
    const auto value = PyLong_AsLongLong(from.get());
    if (value == -1 && PyErr_Occurred()) throw Error();
    return value;
}

}  // namespace detail

// A view of a Python object's array, by DLPack. Its data is the cl_mem on an OpenCL GPU and, where
// `cl` says so, on a CPU that OpenCL drives. Work on its stream comes in order with xarr's.
template <class Error = python_error> array_view from_python(PyObject *array, bool cl = false) {
    using namespace detail;
    const object x(array, [](PyObject *) {});
    const auto place = checked<Error>(PyObject_CallMethod(array, "__dlpack_device__", nullptr));
    const auto first = checked<Error>(PySequence_GetItem(place.get(), 0));
    const auto type = device_type(integer<Error>(first));
    const bool is_host = type == device_type::cpu || type == device_type::cuda_host;
    cl = cl || type == device_type::opencl;
    auto options = checked<Error>(Py_BuildValue("{s:(ii)}", "max_version", 1, 0));
    object stream;
    if (cl || !is_host) {
        const auto xarr = checked<Error>(PyImport_ImportModule("xarr"));
        const auto device = get<Error>(x, "device"), index = get<Error>(device, "index");
        stream = checked<Error>(
            PyObject_CallMethod(xarr.get(), "current_stream", "O", device.get()));
        stream = cl ? get<Error>(stream, "cl_queue", "int_ptr") : get<Error>(stream, "pointer");
        // DLPack's 0 is ambiguous on CUDA: the legacy default stream, whose handle is 0, is its 1.
        const auto handle = integer<Error>(stream);
        const auto named = handle == 0 && type == device_type::cuda ? 1 : handle;
        options = checked<Error>(
            cl ? Py_BuildValue("{s:(ii),s:(iO)}", "max_version", 1, 0, "dl_device", 4, index.get())
               : Py_BuildValue("{s:(ii),s:L}", "max_version", 1, 0, "stream",
                               static_cast<long long>(named)));
    }
    const auto none = checked<Error>(PyTuple_New(0)), method = get<Error>(x, "__dlpack__");
    const auto capsule = checked<Error>(PyObject_Call(method.get(), none.get(), options.get()));
    const bool has_version = PyCapsule_IsValid(capsule.get(), "dltensor_versioned");
    const auto used = has_version ? "used_dltensor_versioned" : "used_dltensor";
    void *held = PyCapsule_GetPointer(capsule.get(), used + 5);
    if (!held || PyCapsule_SetName(capsule.get(), used)) throw Error();
    auto view = has_version ? array_view(static_cast<dlpack::versioned *>(held))
                            : array_view(static_cast<dlpack::managed *>(held));
    if (stream) view.stream = reinterpret_cast<void *>(integer<Error>(stream));
    return view;
}

}  // namespace xarr
#endif
