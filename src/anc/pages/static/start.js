// How every page begins: its data, its colours, and a message where a browser is too old.

async function startPage(fill) {
  startTheme();
  startTooltip();
  const place = document.getElementById("content");
  try {
    if (typeof DecompressionStream === "undefined") {
      throw new Error("this page needs a browser from 2023 or later");
    }
    await fill(JSON.parse(document.getElementById("data").textContent), place);
    document.documentElement.dataset.ready = "yes";
  } catch (problem) {
    place.append(el("p", { class: "card bad" }, `This page could not be shown: ${problem.message}`));
    throw problem;
  }
}
