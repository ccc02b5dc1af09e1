"use strict";
(() => {
{% for part in ("state", "sort", "filter", "details", "pdf", "files", "tips", "cells", "print") %}
{% include "script/" ~ part ~ ".js" %}

{% endfor %}
  cellFilter.elements.cells.value = new URLSearchParams(location.hash.slice(1)).get("cells") ?? "";
  filterCells();
  applyState();
  addEventListener("hashchange", applyState);
})();
