"""The tool box that every method may use: small models trained as one batch, one member for each seed.

With S members, every tensor and every parameter has S as its first dimension: (S, rows, features). One model
alone has no such dimension: (rows, features). Below, `*batch` stands for (S,) or for nothing. Members never
influence each other: each computes what it would compute alone.

- `layers`: linear layers and networks of them.
- `adam`: the step of the optimizer, in one call.
- `written_out`: the same layers with their derivatives, without torch's record.
- `batches`: mini-batches, drawn for each member from its own random stream.
- `minimize`: the training loop, with early stopping for each member.
- `threads`: one thread for torch while these small networks train.
"""
