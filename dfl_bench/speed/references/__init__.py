"""What we are measured against: plain code and general solvers, each as its users would write it.

One module for each problem. Nothing here imports our kernels. A function whose solver is an optional package
imports it when called.
"""
