"""Polynomials: roots, fits, the old functions and the new classes, Chebyshev and Gauss quadrature."""

import numpy as np
from numpy.polynomial import Polynomial
from numpy.polynomial import chebyshev as C

c = [1, -6, 11, -6]
roots = np.sort(np.roots(c))
back = np.poly(roots)
value = np.polyval(c, [0.0, 0.5, 4.0])
product = np.polymul([1, 2], [1, -2])
total = np.polyadd([1, 0, 0], [3, 4])
quotient, remainder = np.polydiv(c, [1, -1])
slope, integral = np.polyder(c), np.polyint(c)
p = np.poly1d([1, 0, -2])
squared = (p * p)(3)
x = np.linspace(-1, 1, 21)
y = np.exp(x)
fit, covariance = np.polyfit(x, y, 3, cov=True)
q = Polynomial.fit(x, y, deg=4)
coefficients = q.convert().coef
derivative = q.deriv()(0.0)
area = q.integ(lbnd=-1)(1)
r = Polynomial([1, 2, 3]) * Polynomial([0, 1]) - 1
rr = np.sort_complex(r.roots())
cheb = C.chebfit(x, y, 5)
error = np.abs(C.chebval(x, cheb) - y).max()
nodes, weights = np.polynomial.legendre.leggauss(5)
gauss = np.sum(weights * np.exp(nodes))
hermite = np.polynomial.hermite_e.hermeval(0.5, [0, 0, 0, 1])
power = np.polynomial.polynomial.polyval2d(0.5, 2.0, np.arange(4).reshape(2, 2))
companion = np.polynomial.polynomial.polycompanion([6, -5, 1])
vander = np.polynomial.polynomial.polyvander([1.0, 2.0], 2)
lagrange = np.array([np.prod([(1.5 - b) / (a - b) for b in (0, 1, 2) if b != a]) for a in (0, 1, 2)])
print("roots", roots.round(8), "order", p.order, "value", p(2), squared)
print("error below 1e-4:", bool(error < 1e-4), "gauss %.10f" % gauss, "area %.6f" % area)
