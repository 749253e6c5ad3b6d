// The answers of `anc adapt`: what each takes, what is known of it, and on which tapes.

const VERDICT_KINDS = { proved: "good", refuted: "bad" };
const VERDICT_WORDS = {
  proved: "On every input that fulfils the precondition, it gives what the generic program gives.",
  refuted: "There is an input on which it does not give what the generic program gives.",
  unknown: "Neither a proof nor a counter-example was found.",
};

const AS_PYTHON = "On every call that fulfils the precondition, it gives what the function gives in Python.";

function verdictWords(data, answer) {
  const inPython = data.result.function && !data.result.function.wrap;
  if (answer.verdict === "proved" && inPython) return AS_PYTHON;
  return VERDICT_WORDS[answer.verdict] || VERDICT_WORDS.unknown;
}

function hundredths(number) {
  return String(Number(number.toFixed(2)));
}

function timesFaster(data, answer) {
  const times = data.generic_cost / answer.cost;
  const steps = data.result.function ? "fewer steps" : "faster";
  return `${tickText(times)} times ${data.unit === "steps" ? steps : "cheaper"}`;
}

// What is better about an answer; steps are no time where Python runs them.
function betterWord(data) {
  if (data.unit !== "steps") return "Cheaper";
  return data.result.function ? "With fewer steps" : "Faster";
}

function answerCard(data, answer) {
  const kind = VERDICT_KINDS[answer.verdict] || "";
  const nothing = data.answers.length > 1 ? "proved" : "found";
  const better = betterWord(data);
  const title = answer.which === "proved" ? "Proved" : `${better}, but not proved`;
  const facts = answer.is_generic ? [] : [answer.grounds, answer.reason].filter(Boolean);
  const chips = el("span", { class: "chips" }, el("span", { class: `chip ${kind}` }, answer.verdict), el("span", { class: "chip mono" }, answer.file));
  return el("section", { class: `card answer ${answer.which} ${kind}` },
    el("div", { class: "card-head" }, el("h2", {}, title), chips),
    answer.is_generic ? el("p", {}, `Nothing ${better.toLowerCase()} was ${nothing}: this is the generic program.`) : answerSteps(data, answer),
    answer.is_generic ? null : el("p", {}, verdictWords(data, answer)),
    facts.length ? el("p", { class: "muted" }, facts.join("; ")) : null,
    answer.counterexample ? inputRow(answer.verdict === "refuted" ? "counter-example" : "tape", answer.counterexample_call, answer.counterexample) : null,
    answer.tested && !answer.is_generic ? el("p", {}, answer.tested) : null,
    answer.which === "proved" && !answer.is_generic ? precondition(answer) : null);
}

function answerSteps(data, answer) {
  const steps = data.unit === "steps" ? "" : ` (${hundredths(answer.steps)} steps instead of ${hundredths(data.result.steps_generic)})`;
  const plain = data.result.function ? " plain" : "";
  return el("p", { class: `answer-steps${plain}` }, el("b", {}, hundredths(answer.cost)), ` ${data.unit} instead of ${hundredths(data.generic_cost)}${steps}`,
    el("span", { class: "muted" }, ` ${timesFaster(data, answer)}${answer.method ? `, found by ${answer.method}` : ""}`));
}

function precondition(answer) {
  const support = answer.support || { broken: [], cells: [] };
  const broken = new Set(support.broken);
  const facts = answer.precondition.map((text, number) => el("li", { class: `mono${broken.has(number) ? " broken" : ""}` }, text));
  return [
    el("h3", {}, "Right whenever"),
    facts.length ? el("ul", { class: "conditions" }, facts) : el("p", { class: "muted" }, "always: there is no precondition"),
    support.words ? el("p", {}, support.words) : null,
    support.accepts ? inputRow("accepts", support.accepts_call, support.accepts) : null,
    support.rejects ? inputRow("rejects", support.rejects_call, support.rejects, { marked: support.cells, why: broken.size ? "marked: what breaks it" : "" }) : null,
  ];
}

// A tape; of a Python function, the call that it stands for.
function inputRow(name, call, cells, marks) {
  if (!call) return tapeRow(name, cells, marks);
  return el("p", { class: "call-row" }, el("span", { class: "tape-name" }, name), " ", el("span", { class: "mono" }, call));
}

// Guards and notes: what else there is to say.
function remarks(data) {
  const result = data.result;
  const notes = result.notes || [];
  const guard = data.answers.some((answer) => answer.which === "proved" && !answer.is_generic) ? result.guard : null;
  if (!guard && !notes.length) return null;
  return el("section", { class: "card remarks" },
    el("div", { class: "card-head" }, el("h2", {}, "Remarks")),
    guard ? el("p", {}, el("b", {}, "Guard: "), guard) : null,
    notes.map((note) => el("p", {}, note)));
}
