// Small things that every page needs: making elements, writing numbers, remembering a choice.

function put(node, children) {
  for (const child of children.flat()) {
    if (child !== null && child !== undefined && child !== false) node.append(child);
  }
  return node;
}

function setAttributes(node, attributes) {
  for (const [name, value] of Object.entries(attributes || {})) {
    if (name === "on") {
      for (const [event, handler] of Object.entries(value)) node.addEventListener(event, handler);
    } else if (value !== null && value !== undefined && value !== false) {
      node.setAttribute(name, value === true ? "" : value);
    }
  }
  return node;
}

function el(tag, attributes, ...children) {
  return put(setAttributes(document.createElement(tag), attributes), children);
}

function svg(tag, attributes, ...children) {
  const node = document.createElementNS("http://www.w3.org/2000/svg", tag);
  return put(setAttributes(node, attributes), children);
}

function icon(path) {
  const shape = svg("path", { d: path });
  return svg("svg", { viewBox: "0 0 24 24", "aria-hidden": "true", class: "icon" }, shape);
}

function iconButton(label, path, handler, attributes) {
  const all = { type: "button", class: "icon-button", "aria-label": label, title: label };
  return el("button", { ...all, ...attributes, on: { click: handler } }, icon(path));
}

// A probability, cut off and not rounded, so that 0.999 never reads as certain.
function short(p) {
  if (p > 0.99995) return "1";
  return (Math.floor(p * 100 + 1e-6) / 100).toFixed(2);
}

function precise(p) {
  return p > 0.99995 ? "1" : p.toFixed(4);
}

function plural(number, word) {
  return `${number} ${word}${number === 1 ? "" : "s"}`;
}

function remember(key, value) {
  try {
    if (value === undefined) return localStorage.getItem(key);
    localStorage.setItem(key, value);
  } catch (problem) {
    // a page without storage forgets; nothing else depends on it
  }
  return null;
}

// A canvas that is as sharp as the screen; returns its drawing context in CSS pixels.
function sharpContext(canvas, width, height) {
  const scale = window.devicePixelRatio || 1;
  const [w, h] = [Math.max(1, Math.round(width * scale)), Math.max(1, Math.round(height * scale))];
  if (canvas.width !== w || canvas.height !== h) {
    canvas.width = w;
    canvas.height = h;
    canvas.style.height = `${height}px`;
  }
  const context = canvas.getContext("2d");
  context.setTransform(scale, 0, 0, scale, 0, 0);
  context.clearRect(0, 0, width, height);
  return context;
}

function onResize(node, handler) {
  let width = -1;
  new ResizeObserver((entries) => {
    const now = Math.round(entries[0].contentRect.width);
    if (now !== width && now > 0) {
      width = now;
      handler(now);
    }
  }).observe(node);
}

const REST = 250; // milliseconds

// The function that is returned draws a node at once while somebody can see it; else as soon as it comes into sight, or when
// nothing has moved for a while.
function whileSeen(node, draw) {
  let [seen, timer] = [false, null];
  const drawNow = () => {
    clearTimeout(timer);
    timer = null;
    draw();
  };
  new IntersectionObserver((entries) => {
    seen = entries[entries.length - 1].isIntersecting;
    if (seen && timer !== null) drawNow();
  }).observe(node);
  return () => {
    clearTimeout(timer);
    if (seen) drawNow();
    else timer = setTimeout(drawNow, REST);
  };
}
