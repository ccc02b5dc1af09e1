"""The methods, one file each. The package is also their registry: ``methods.get("pfl")``."""

from ..contracts.method import Method
from ..contracts.registry import Registry

registry: Registry[Method] = Registry("method", __name__)
register, get, names, entries = registry.register, registry.get, registry.names, registry.entries
code_of = registry.code_of
