"""The picture of the rooms, docs/architecture.svg, drawn from the imports: `python -m tools.architecture`."""
