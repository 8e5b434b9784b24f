// What pages do beyond being read: headers that sort (the vendored library does the sorting), and a filter, whose state
// is kept in the address, so that it can be sent to somebody.
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

  const boxes = [...form.querySelectorAll("[name=kind]")];

  function remember() {
    const state = new URLSearchParams();
    if (form.elements.set.value) state.set("set", form.elements.set.value);
    if (form.elements.agent.value) state.set("agent", form.elements.agent.value);
    const off = boxes.filter((box) => !box.checked).map((box) => box.value);
    if (off.length) state.set("without", off.join(","));
    const query = state.toString();
    history.replaceState(null, "", location.pathname + (query ? `?${query}` : "") + location.hash);
  }

  const given = new URLSearchParams(location.search);
  if (given.has("set")) form.elements.set.value = given.get("set");
  if (form.elements.set.selectedIndex < 0) form.elements.set.value = "";
  form.elements.agent.value = given.get("agent") || "";
  const without = (given.get("without") || "").split(",");
  for (const box of boxes) box.checked = !without.includes(box.value);

  form.hidden = false;
  for (const kind of ["input", "change"]) {
    form.addEventListener(kind, () => {
      filter();
      remember();
    });
  }
  form.addEventListener("submit", (event) => event.preventDefault());
  filter();
}
