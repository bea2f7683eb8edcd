"use strict";
// Sorts and filters what is already in the page; makes nothing that was not there.
(() => {
  const all = (selector, within = document) => [...within.querySelectorAll(selector)];
  const byId = (id) => document.getElementById(id);
  const form = byId("filters");
  const fields = ["text", "category", "system", "operation", "kat"].map(byId);
  const colours = byId("colours");

  // ---- What is chosen -------------------------------------------------------------------------

  // Every row of the report has a line in the table of all operations.
  const lines = all("tr[data-r]", byId("operations")?.closest("table") ?? document.createElement("p"));
  const headings = lines.length === 0 ? [] : all("thead th", lines[0].closest("table"));
  const column = (title) => headings.findIndex((heading) => heading.textContent === title);
  const columns = ["candidate", "instance", "category", "system", "operation", "KAT"].map(column);
  const records = [];
  for (const line of lines) {
    const [candidate, instance, category, system, operation, kat] =
      columns.map((place) => line.cells[place].textContent);
    const text = `${candidate}/${instance}`.toLowerCase();
    records[Number(line.dataset.r)] = { text, category, system, operation, kat };
  }

  // Lines and marks name the rows that they are about: "3-5 9".
  const spans = (element) =>
    element.dataset.r.split(" ").map((span) => {
      const [first, last = first] = span.split("-");
      return [Number(first), Number(last)];
    });
  const parts = all("[data-r]").map((element) => ({ element, spans: spans(element) }));

  const matches = (record) => {
    const words = byId("text").value.toLowerCase().split(/\s+/);
    return words.every((word) => record.text.includes(word)) &&
      ["category", "system", "operation", "kat"].every((field) => {
        const wanted = byId(field).value;
        return wanted === "" || record[field] === wanted;
      });
  };

  const filter = () => {
    // How many rows before each place are chosen: a span has one if this grows within it.
    const before = [0];
    records.forEach((record, place) => before.push(before[place] + Number(matches(record))));
    for (const { element, spans } of parts) {
      const chosen = spans.some(([first, last]) => before[last + 1] > before[first]);
      element.toggleAttribute("hidden", !chosen);
    }
    all("svg.panel").forEach(close);
    for (const plot of all("figure.plot")) {
      plot.hidden = all(".scroll", plot).every((panel) => panel.hidden);
    }
    for (const table of all("table[data-sortable]")) {
      table.parentElement.hidden = all("tbody tr:not([hidden])", table).length === 0;
    }
    const number = before.at(-1);
    byId("status").textContent = number === records.length
      ? `All ${number} rows are shown.`
      : `${number} of ${records.length} rows are shown.`;
  };

  // Closes the gaps that hidden rows leave in a picture.
  const close = (picture) => {
    const [, , width] = picture.getAttribute("viewBox").split(" ");
    const { head, line, foot } = picture.dataset;
    const rows = all("g.row:not([hidden])", picture);
    rows.forEach((row, place) => {
      row.setAttribute("transform", `translate(0 ${Number(head) + line * (place + 0.5)})`);
    });
    const height = Number(head) + line * rows.length + Number(foot);
    picture.setAttribute("viewBox", `0 0 ${width} ${height}`);
    picture.setAttribute("height", height);
    picture.parentElement.hidden = rows.length === 0;
  };

  // ---- The order of lines ---------------------------------------------------------------------

  const collator = new Intl.Collator("en", { numeric: true });

  const sort = (heading) => {
    const table = heading.closest("table");
    const place = heading.cellIndex;
    const down = heading.getAttribute("aria-sort") === "ascending";
    const body = table.tBodies[0];
    const lines = [...body.rows].map((line) => {
      const cell = line.cells[place];
      const { v } = cell.dataset;
      const text = cell.classList.contains("none") ? "" : cell.textContent;
      return { line, number: v === undefined ? null : Number(v), text };
    });
    // What has no figure is last in either order.
    const compare = (a, b) => {
      if (a.number !== null && b.number !== null) return a.number - b.number;
      if (a.number !== null || b.number !== null) return 0;
      return collator.compare(a.text, b.text);
    };
    const rank = ({ number, text }) => (number !== null ? 0 : text !== "" ? 1 : 2);
    lines.sort((a, b) => rank(a) - rank(b) || (down ? compare(b, a) : compare(a, b)));
    body.append(...lines.map(({ line }) => line));
    all("th[aria-sort]", table).forEach((other) => other.removeAttribute("aria-sort"));
    heading.setAttribute("aria-sort", down ? "descending" : "ascending");
  };

  for (const heading of all("table[data-sortable] thead th")) {
    const button = document.createElement("button");
    button.type = "button";
    button.append(...heading.childNodes);
    button.addEventListener("click", () => sort(heading));
    heading.append(button);
  }

  // ---- The address keeps what is chosen -------------------------------------------------------

  const kept = [...fields, colours];

  const keep = () => {
    const chosen = kept.filter((field) => field.value !== "");
    const pairs = new URLSearchParams(chosen.map((field) => [field.id, field.value]));
    history.replaceState(null, "", pairs.size === 0 ? "#" : `#${pairs}`);
  };

  const restore = () => {
    if (!location.hash.includes("=")) return;
    const pairs = new URLSearchParams(location.hash.slice(1));
    for (const field of kept) {
      field.value = pairs.get(field.id) ?? "";
      // A list takes no value that it does not have.
      if (field.selectedIndex === -1) field.value = "";
    }
  };

  const paint = () => {
    document.documentElement.dataset.colours = colours.value;
  };

  const changed = () => {
    filter();
    paint();
    keep();
  };

  // ---- Begin ----------------------------------------------------------------------------------

  restore();
  form.hidden = false;
  colours.parentElement.hidden = false;
  form.addEventListener("submit", (event) => event.preventDefault());
  form.addEventListener("input", changed);
  form.addEventListener("reset", () => setTimeout(changed));
  colours.addEventListener("input", changed);
  window.addEventListener("hashchange", () => {
    restore();
    filter();
    paint();
  });
  filter();
  paint();
})();
