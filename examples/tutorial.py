"""The program of docs/tutorial.md as a script: ``python examples/tutorial.py``.

`python -m tools.tutorial` writes it from the page. It saves its pictures, plate.png and study.png,
in the folder where it is started.
"""


def main():
    # 1. The first array
    import time
    import numpy
    import matplotlib.pyplot as plt
    import xarr as np

    x = np.linspace(0, 1, 5)
    print(x)
    print(x.shape, x.dtype)
    print(float((x**2).sum()))

    print(x.device == np.default_device())

    print(np.to_numpy(x))
    print(np.asarray(numpy.arange(3)) + x[:3])

    # 2. Simulate the plate
    N = 100
    def cold_plate():
        return np.full((N, N), 20.0)

    place = np.linspace(0, 1, N)
    def flame_at(row, column):
        squared_distance = (place[:, None] - row) ** 2 + (place - column) ** 2
        return 1.6 * np.exp(-squared_distance / 0.01)

    def warm(u, flame, rate, steps):
        for _ in range(steps):
            middle = u[1:-1, 1:-1]
            around = u[2:, 1:-1] + u[:-2, 1:-1] + u[1:-1, 2:] + u[1:-1, :-2]
            middle += rate * (around - 4 * middle) + flame[1:-1, 1:-1]
        return u

    flame = flame_at(0.4, 0.65)
    u = warm(cold_plate(), flame, 0.15, 150)
    print(f"hottest cell {float(u.max()):.1f} °C, mean {float(u.mean()):.1f} °C")

    def save(name, u):
        pixels = np.repeat(np.repeat(u, 4, axis=0), 4, axis=1)
        plt.imsave(name, pixels, cmap="inferno", vmin=20, vmax=200)
    save("plate.png", u)

    # 3. See what xarr does
    v = warm(u.copy(), flame, 0.15, 1)
    print(np.explain(v).splitlines()[0])

    on_numpy = warm(numpy.full((N, N), 20.0), np.to_numpy(flame), 0.15, 150)
    print(bool((np.to_numpy(u) == on_numpy).all()))

    # 4. Make it fast
    def seconds(work, repeats=3):
        times = []
        for _ in range(repeats):
            np.synchronize()
            start = time.perf_counter()
            result = work()
            np.synchronize()
            times.append(time.perf_counter() - start)
        return min(times)

    even = np.full((2000, 2000), 0.1)
    even_on_numpy = np.to_numpy(even)
    def large():
        return warm(np.full((2000, 2000), 20.0), even, 0.15, 20)
    def large_on_numpy():
        return warm(numpy.full((2000, 2000), 20.0), even_on_numpy, 0.15, 20)
    print(f"xarr {seconds(large):.2f} s, NumPy {seconds(large_on_numpy):.2f} s")

    # Smaller numbers
    even32 = even.astype("float32")
    def large32():
        return warm(np.full((2000, 2000), 20.0, dtype="float32"), even32, 0.15, 20)
    print(f"xarr in float32 {seconds(large32):.2f} s")

    # Small arrays
    fast_warm = np.jit(warm, static_argnums=3)
    v = fast_warm(cold_plate(), flame, 0.15, 150)
    print(bool((v == u).all()))
    def small():
        return warm(cold_plate(), flame, 0.15, 150)
    def small_replayed():
        return fast_warm(cold_plate(), flame, 0.15, 150)
    print(f"plain {1e3 * seconds(small):.1f} ms, replayed {1e3 * seconds(small_replayed):.1f} ms")

    # 5. Fit it by gradients
    def simulate(parameters):
        rate, row, column = parameters
        return warm(cold_plate(), flame_at(row, column), rate, 150)
    noise = np.random.default_rng(1).standard_normal((N, N))
    camera = simulate(np.asarray([0.15, 0.4, 0.65])) + 0.5 * noise

    def misfit(parameters):
        return ((simulate(parameters) - camera) ** 2).mean()
    guess = np.asarray([0.1, 0.5, 0.5])
    print(f"{float(misfit(guess)):.1f}")

    slope = np.grad(misfit)
    print([round(float(each)) for each in slope(guess)])

    step = np.asarray([1e-6, 0, 0])
    print(round(float((misfit(guess + step) - misfit(guess - step)) / 2e-6)))

    from scipy.optimize import minimize
    fit = minimize(np.jit(np.value_and_grad(misfit)), [0.1, 0.5, 0.5], jac=True)
    print([round(float(each), 3) for each in fit.x], round(float(fit.fun), 2))

    # 6. Write an own kernel
    radiated = np.ElementwiseKernel(
        "T u",  # input; T stands for the data type of the array
        "T loss",  # output
        "T k = (u + 273) / 293; loss = 0.02 * (k * k * k * k - 1)",
        "radiated",
        derivative=lambda u: 0.08 * ((u + 273) / 293) ** 3 / 293,
    )
    print([round(float(each), 3) for each in radiated(np.asarray([20.0, 120.0, 190.0]))])

    def warm_and_glow(u, flame, rate, steps):
        for _ in range(steps):
            warm(u, flame - radiated(u), rate, 1)
        return u
    glowing = warm_and_glow(cold_plate(), flame, 0.15, 150)
    print(f"hottest cell {float(glowing.max()):.1f} °C")

    def heat_later(u):
        return warm_and_glow(u.copy(), flame, 0.15, 10).sum()
    print(f"{float(np.grad(heat_later)(u)[50, 50]):.4f}")

    # A kernel for each cell
    @np.kernel
    def warm_cell(u, flame, rate, new):
        i, j = np.kernel.grid(2)
        if 0 < i < u.shape[0] - 1 and 0 < j < u.shape[1] - 1:
            around = u[i + 1, j] + u[i - 1, j] + u[i, j + 1] + u[i, j - 1]
            new[i, j] = u[i, j] + (rate * (around - 4 * u[i, j]) + flame[i, j])

    old, new = cold_plate(), cold_plate()
    for _ in range(150):
        warm_cell.over(old.shape)(old, flame, 0.15, new)
        old, new = new, old
    print(bool((old == u).all()))

    # 7. Profile it
    with np.profile() as profile:
        v = large()
    print("Profile:", profile)

    # 8. Study a parameter on a cluster
    def study(rate):
        return warm(cold_plate(), flame, rate, 150)
    rates = [0.02, 0.03, 0.05, 0.07, 0.1, 0.15, 0.2, 0.25]

    from xarr.adapters.distributed import LocalCluster
    with LocalCluster(n_workers=2) as cluster, cluster.get_client() as client:
        plates = client.gather(client.map(study, rates))

    for rate, plate in zip(rates, plates):
        print(f"{rate:.2f} {float(plate.max()):6.1f} °C")
    save("study.png", np.concatenate(plates[1::2], axis=1))


if __name__ == "__main__":
    main()
