// Exits with 0 if xarr.hpp reads capsules as DLPack's specification says.
#undef NDEBUG
#include <xarr.hpp>

#include <cassert>
#include <vector>

static int freed = 0;

template <class Managed> static Managed *made(xarr::dlpack::tensor tensor) {
    auto *of = new Managed{};
    of->tensor = tensor;
    of->deleter = [](Managed *held) {
        ++freed;
        delete held;
    };
    return of;
}

template <class Call> static std::string refusal(Call call) {
    try {
        call();
    } catch (const std::invalid_argument &error) {
        return error.what();
    }
    return "";
}

int main() {
    using xarr::device_type;
    std::vector<float> memory{0, 1, 2, 3, 4, 5};
    std::int64_t shape[] = {2, 3}, strides[] = {-3, 1};
    xarr::dlpack::tensor tensor{memory.data(), {device_type::cpu, 0}, 2,
                                xarr::dtype_of<float>, shape, nullptr, 0};
    {
        const xarr::array_view x(made<xarr::dlpack::managed>(tensor)), same = x;
        assert((x.strides == std::vector<std::int64_t>{3, 1}) && !x.read_only && !x.stream);
        assert(same.as<float>(device_type::cpu) == memory.data());
        assert(refusal([&] { x.as<double>(device_type::cpu); }) ==
               "x has dtype float32; it must be float64");
        assert(refusal([&] { x.as<float>(device_type::cuda); }) ==
               "x is in memory of the host; it must be in that of CUDA");
        assert(freed == 0);
    }
    assert(freed == 1);

    tensor.strides = strides;
    tensor.byte_offset = 3 * sizeof(float);
    auto *versioned = made<xarr::dlpack::versioned>(tensor);
    versioned->flags = 1;
    const xarr::array_view reversed(versioned);
    assert(*reversed.as<const float>(device_type::cpu) == 3 && reversed.strides[0] == -3);
    assert(refusal([&] { reversed.as<float>(device_type::cpu); }) ==
           "x is read-only; it must be writable");

    tensor.device = {device_type::opencl, 2};
    tensor.ndim = 0;
    const xarr::array_view scalar(made<xarr::dlpack::versioned>(tensor));
    assert(scalar.data == memory.data() && scalar.byte_offset == 12 && scalar.shape.empty());
    assert(scalar.device.index == 2 && scalar.as<float>(device_type::opencl));

    assert(xarr::dtype_of<std::complex<double>>.name() == "complex128");
    assert(xarr::dtype_of<bool>.name() == "bool" && xarr::dtype_of<signed char>.name() == "int8");
    assert(xarr::dtype_of<std::uint64_t>.name() == "uint64");
}
