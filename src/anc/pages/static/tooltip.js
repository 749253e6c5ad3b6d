// One floating box that shows exact values: on hover, on keyboard focus, and on a tap.

const tooltip = { box: null, owner: null, again: null };

function startTooltip() {
  tooltip.box = el("div", { class: "tooltip", role: "tooltip", id: "tooltip", hidden: true });
  document.body.append(tooltip.box);
  window.addEventListener("scroll", hideTooltip, { passive: true, capture: true });
  document.addEventListener("keydown", (event) => {
    if (event.key === "Escape") hideTooltip();
  });
  document.addEventListener("pointerdown", (event) => {
    if (tooltip.owner && !tooltip.owner.contains(event.target)) hideTooltip();
  });
}

function hideTooltip() {
  if (tooltip.box) tooltip.box.hidden = true;
  tooltip.owner = tooltip.again = null;
}

// What is explained may have changed under the pointer.
function refreshTooltip() {
  if (tooltip.owner && tooltip.again) tooltip.again();
}

function showTooltip(owner, content, x, y) {
  const box = tooltip.box;
  box.replaceChildren(...(Array.isArray(content) ? content : [content]));
  box.hidden = false;
  tooltip.owner = owner;
  const { width, height } = box.getBoundingClientRect();
  const left = Math.min(Math.max(8, x + 14), window.innerWidth - width - 8);
  const below = y + 18 + height < window.innerHeight;
  box.style.left = `${Math.max(8, left)}px`;
  box.style.top = `${below ? y + 18 : Math.max(8, y - height - 12)}px`;
}

// `content(event)` gives nodes to show, or null for nothing there.
function explains(node, content) {
  const show = (event, x, y) => {
    const found = content(event);
    if (!found) return hideTooltip();
    showTooltip(node, found, x, y);
    tooltip.again = () => show(event, x, y);
    return undefined;
  };
  node.addEventListener("pointermove", (event) => show(event, event.clientX, event.clientY));
  node.addEventListener("pointerdown", (event) => show(event, event.clientX, event.clientY));
  node.addEventListener("pointerleave", (event) => {
    if (event.pointerType !== "touch") hideTooltip();
  });
  node.addEventListener("focus", (event) => {
    if (!node.matches(":focus-visible")) return;
    const place = node.getBoundingClientRect();
    show(event, place.left, place.bottom - 12);
  });
  node.addEventListener("blur", hideTooltip);
}

function tooltipTitle(text) {
  return el("div", { class: "tooltip-title" }, text);
}

// The likeliest values of a distribution, each with a bar.
function tooltipDistribution(entries, name, most = 7) {
  const sorted = [...entries].sort((a, b) => b[1] - a[1]);
  const rows = sorted.slice(0, most).map(([value, p]) => {
    const bar = el("span", { class: "tip-bar" });
    bar.style.width = `${Math.max(1, p * 72)}px`;
    return el("tr", {}, el("th", {}, name(value)), el("td", {}, bar), el("td", {}, precise(p)));
  });
  if (sorted.length > most) {
    const rest = sorted.slice(most).reduce((sum, [, p]) => sum + p, 0);
    const label = `${sorted.length - most} more`;
    rows.push(el("tr", { class: "muted" }, el("th", {}, label), el("td"), el("td", {}, precise(rest))));
  }
  return el("table", {}, el("tbody", {}, rows));
}
