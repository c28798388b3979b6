// Sorts the tables of tasks by a column, and opens the task that a link leads to. The page reads without it.
for (const table of document.querySelectorAll("table.sort")) {
  const heads = [...table.tHead.rows[0].cells];
  heads.forEach((head, column) => {
    const button = document.createElement("button");
    button.textContent = head.textContent;
    head.replaceChildren(button);
    button.onclick = () => {
      const down = head.getAttribute("aria-sort") === "ascending";
      for (const other of heads) other.removeAttribute("aria-sort");
      head.setAttribute("aria-sort", down ? "descending" : "ascending");
      const value = (row) => row.cells[column].dataset.v ?? row.cells[column].textContent;
      const order = (a, b) => {
        const [x, y] = [value(a), value(b)];
        return x !== "" && y !== "" && !isNaN(x) && !isNaN(y) ? x - y : x < y ? -1 : x > y ? 1 : 0;
      };
      const rows = [...table.tBodies[0].rows].sort((a, b) => (down ? order(b, a) : order(a, b)));
      table.tBodies[0].append(...rows);
    };
  });
}
const open = () => {
  const target = document.getElementById(location.hash.slice(1));
  if (target?.localName === "details") { target.open = true; target.scrollIntoView(); }
};
addEventListener("hashchange", open);
open();
