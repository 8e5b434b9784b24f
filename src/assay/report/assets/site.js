// What pages do beyond being read: headers that sort (the vendored library does the sorting), and a filter.
"use strict";

for (const header of document.querySelectorAll("table.sortable thead th:not(.no-sort)")) {
  const button = document.createElement("button");
  button.type = "button";
  button.append(...header.childNodes);
  header.append(button);
}

for (const form of document.querySelectorAll("form[data-filter]")) {
  const table = document.getElementById(form.dataset.filter);
  const output = form.querySelector("output");

  function filter() {
    const set = form.elements.set.value;
    const agent = form.elements.agent.value.trim().toLowerCase();
    const kinds = new Set([...form.querySelectorAll("[name=kind]:checked")].map((box) => box.value));
    let shown = 0;
    for (const row of table.tBodies[0].rows) {
      const fits =
        (!set || row.dataset.set === set || row.dataset.set.startsWith(`${set}/`)) &&
        row.dataset.agent.toLowerCase().includes(agent) &&
        kinds.has(row.dataset.kind);
      row.hidden = !fits;
      shown += fits;
    }
    output.value = `${shown} of ${table.tBodies[0].rows.length} rows`;
  }

  form.hidden = false;
  form.addEventListener("input", filter);
  form.addEventListener("change", filter);
  form.addEventListener("submit", (event) => event.preventDefault());
  filter();
}
