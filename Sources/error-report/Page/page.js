"use strict"; // Whatever is in the data is anybody's text: it reaches the page by `textContent` alone.
const data = JSON.parse(document.getElementById("data").textContent);
const $ = id => document.getElementById(id);
const count = new Intl.NumberFormat().format;
const formats = [{ dateStyle: "medium", timeStyle: "medium" }, { timeStyle: "medium" }]
  .map(options => new Intl.DateTimeFormat(undefined, options));
const zone = formats[0].resolvedOptions().timeZone;
const time = at => at === undefined ? "unknown" : formats[0].format(at);
const isOneDay = new Date(data.first).toDateString() === new Date(data.last).toDateString();
const timeOfDay = at => isOneDay && at !== undefined ? formats[1].format(at) : time(at);

function make(name, properties = {}, ...children) {
  const element = document.createElement(name);
  for (const [key, value] of Object.entries(properties)) {
    if (key in element) element[key] = value; else element.setAttribute(key, value);
  }
  element.append(...children);
  return element;
}
const cell = (className, ...content) => make("td", { className }, ...content);
const text = value => make("bdi", { textContent: value });
function draw(name, attributes) {
  const element = document.createElementNS("http://www.w3.org/2000/svg", name);
  for (const [key, value] of Object.entries(attributes)) element.setAttribute(key, value);
  return element;
}

const whole = { from: 0, to: Math.max(data.buckets, 1) };
const state = { role: 0, row: null, ...whole, search: "", sort: "count", ascending: false, limit: 100 };
const [barLimit, colors] = [180, 12];
function decode(times) {
  let bucket = 0;
  return times.flatMap((step, index) => index % 2 ? [] : [[bucket += step, times[index + 1]]]);
}
const timelines = data.timelines.map(decode);
for (const row of data.rows) {
  row.entries = decode(row.times);
  row.text = [row.name, row.example ? JSON.stringify(Object.values(row.example)) : "",
    ...[...row.hosts, ...row.scopes, ...row.outcomes].map(entry => entry[0])].join("\n").toLowerCase();
}
const ofRole = role => data.rows.filter(row => row.role === role);
const largest = data.roles.map((_, role) => ofRole(role).sort((a, b) => b.count - a.count).slice(0, colors));
const milliseconds = bucket => (data.base + bucket) * data.width * 1000;
const sum = numbers => numbers.reduce((sum, n) => sum + n, 0);
const total = entries => sum(entries.map(entry => entry[1]));
const inView = row => total(row.entries.filter(([bucket]) => bucket + row.width > state.from && bucket < state.to));
const isZoomed = () => state.from > 0 || state.to < data.buckets;

function bars(entries, begin, step, length) {
  const sums = new Array(length).fill(0);
  for (const [bucket, n] of entries) {
    const place = Math.floor((bucket - begin) / step);
    if (place in sums) sums[place] += n;
  }
  return sums;
}
function span(seconds) {
  const [n, unit] = seconds % 86400 === 0 ? [seconds / 86400, "day"] : seconds % 3600 === 0 ? [seconds / 3600, "hour"]
    : seconds % 60 === 0 ? [seconds / 60, "minute"] : [seconds, "second"];
  return `${n} ${unit}${n === 1 ? "" : "s"}`;
}
// Says in words where the highest bar is.
function most(sums, begin, step) {
  const highest = Math.max(0, ...sums);
  return highest ? `the most at ${timeOfDay(milliseconds(begin + sums.indexOf(highest) * step))}: ${count(highest)}`
    : "none in this time";
}
let view = { begin: 0, step: 1, length: 1 };
function drawChart() {
  const chart = $("chart");
  const rows = state.row ? [state.row] : largest[state.role];
  const finest = Math.max(1, ...rows.map(row => row.width));
  const step = Math.ceil(Math.max(1, (state.to - state.from) / barLimit) / finest) * finest;
  const begin = Math.floor(state.from / step) * step;
  const length = Math.max(1, Math.ceil((state.to - begin) / step));
  view = { begin, step, length };
  const series = rows.map(row => bars(row.entries, begin, step, length));
  const inAll = place => sum(series.map(own => own[place]));
  const all = bars(timelines[state.role], begin, step, length);
  if (!state.row) series.push(all.map((n, place) => Math.max(0, n - inAll(place))));
  const sums = all.map((_, place) => inAll(place));
  const highest = Math.max(1, ...sums);
  const [left, height] = [1000 / length, 210];
  const parts = [];
  const bar = (name, place, box) => parts.push(
    draw("rect", { class: name, x: place * left, width: left * 0.92, ...box }));
  const heights = sums.map(() => 0);
  series.forEach((own, index) => own.forEach((n, place) => {
    if (n === 0) return;
    const size = n / highest * height;
    heights[place] += size;
    const color = state.row ? Math.max(0, largest[state.role].indexOf(state.row))
      : index < rows.length ? index : colors;
    bar(`bar k${color}`, place, { y: height - heights[place], height: size });
  }));
  const marks = timelines.slice(data.roles.length).map(own => bars(own, begin, step, length));
  ["unmatched", "dropped"].forEach((name, index) => {
    const box = { y: 215 + 13 * index, height: 10 };
    parts.push(draw("rect", { class: "strip", x: 0, width: 1000, ...box }));
    const peak = Math.max(...marks[index]);
    marks[index].forEach((n, place) => { if (n) bar(name, place, { ...box, opacity: 0.3 + 0.7 * n / peak }); });
  });
  chart.replaceChildren(...parts);
  const [shown, unmatched, dropped] = [sums, ...marks].map(own => count(sum(own)));
  chart.setAttribute("aria-label", `Errors by time: ${shown}, ${most(sums, begin, step)}; ${unmatched} unmatched, `
    + `${dropped} dropped. The table below has the numbers.`);
  $("axis-begin").textContent = data.first === undefined ? "" : time(milliseconds(begin));
  $("axis-end").textContent = data.first === undefined ? "" : time(milliseconds(begin + length * step));
  $("axis-step").textContent
    = `A bar: ${span(step * data.width)}, at most ${count(highest)} errors. Strips: unmatched, dropped.`;
  $("buckets").tBodies[0].replaceChildren(...sums.flatMap((n, place) => {
    const counts = [n, ...marks.map(own => own[place])];
    return sum(counts) === 0 ? [] : [make("tr", {},
      make("th", { scope: "row", textContent: time(milliseconds(begin + place * step)) }),
      ...counts.map(n => cell("number", count(n))))];
  }));
  drawLegend();
}
// A button that shows only one kind in the chart and, with the next click, all of them again.
function toggle(row, properties, ...content) {
  const button = make("button", { type: "button", ariaPressed: String(state.row === row), ...properties }, ...content);
  button.addEventListener("click", () => update({ row: state.row === row ? null : row }));
  return button;
}
function drawLegend() {
  const rest = total(timelines[state.role]) - sum(largest[state.role].map(row => total(row.entries)));
  const items = largest[state.role].map((row, index) => {
    const title = `${count(row.count)} ${row.name}`; // For the eye, where the name is cut short.
    return make("li", {}, toggle(row, { id: `legend-${index}`, title },
      make("span", { className: `swatch k${index}` }), `${count(row.count)} `, text(row.name)));
  });
  const other = make("span", { className: `swatch k${colors}` });
  if (rest > 0) items.push(make("li", {}, other, `${count(rest)} of other kinds`));
  $("legend").replaceChildren(...items);
  $("all").disabled = !state.row;
  $("wider").disabled = $("whole").disabled = !isZoomed();
  $("earlier").disabled = state.from <= 0;
  $("later").disabled = state.to >= data.buckets;
  $("closer").disabled = state.to - state.from < 2;
}
function zoom(from, to) {
  const size = Math.max(1, Math.min(Math.round(to - from), data.buckets || 1));
  const begin = Math.min(Math.max(0, Math.round(from)), Math.max(0, data.buckets - size));
  update({ from: begin, to: begin + size });
}

const columns = [
  { key: "name", title: "Kind", value: row => row.name },
  { key: "count", title: "Errors", value: row => isZoomed() ? inView(row) : row.count },
  { key: "first", title: "First seen", value: row => row.first ?? 0 },
  { key: "last", title: "Last seen", value: row => row.last ?? 0 },
  { title: "By time" }, { title: "Outcome" }, { title: "Hosts" }, { title: "Scopes" },
];
function names(entries, others, isOutcome) {
  const items = entries.map(([name, n]) => make("li", { className: isOutcome ? name.split(" ")[0] : "" },
    text(name || "none"), entries.length > 1 || others ? ` ${count(n)}` : ""));
  if (others) items.push(make("li", {}, `others ${count(others)}`));
  return make("ul", { className: "list" }, ...items);
}
function sparkline(row) {
  const step = Math.max(1, data.buckets / 60);
  const sums = bars(row.entries, 0, step, 60);
  const highest = Math.max(...sums);
  const svg = draw("svg", { class: "spark", viewBox: "0 0 60 20", preserveAspectRatio: "none", role: "img",
    "aria-label": most(sums, 0, step) });
  const bar = (n, x) => draw("rect", { x, y: 20 - Math.max(1, n / highest * 20), width: 1, height: 20 });
  svg.append(...sums.flatMap((n, x) => n ? [bar(n, x)] : []));
  return svg;
}
function example(row) {
  const own = row.example;
  if (!own) return [];
  const fields = [["time", own.time], ["service", own.service], ["host", own.host], ["number", own.sequence],
    ["posted at", own.source], ...(own.metadata ?? []),
    ...(own.trail ?? []).map(([type, message]) => [`under it: ${type}`, message])];
  const list = fields.filter(field => field[1] !== undefined)
    .flatMap(([key, value]) => [make("dt", {}, text(key)), make("dd", {}, text(value))]);
  return [make("details", { className: "example" }, make("summary", {}, text(own.message || "an example")),
    make("dl", {}, ...list))];
}
function tableRow(row) {
  const title = "Show only this kind in the chart";
  const name = toggle(row, { id: `kind-${data.rows.indexOf(row)}`, className: "name", title }, text(row.name));
  const mark = row.new ? [" ", make("span", { className: "new", textContent: "new" })] : [];
  const exact = !isZoomed() || row.width === 1 ? "" : "about ";
  return make("tr", {}, make("th", { scope: "row", ariaLabel: row.name }, name, ...mark, ...example(row)),
    cell("number", exact + count(columns[1].value(row))), cell("time", timeOfDay(row.first)),
    cell("time", timeOfDay(row.last)), cell("", sparkline(row)),
    cell("", names(row.outcomes, row.outcomesOthers, true)), cell("", names(row.hosts, row.hostsOthers)),
    cell("", names(row.scopes, row.scopesOthers)));
}
function drawTable() {
  const words = state.search.toLowerCase().split(" ").filter(word => word);
  const column = columns.find(column => column.key === state.sort);
  const sign = state.ascending ? 1 : -1;
  const rows = ofRole(state.role)
    .filter(row => words.every(word => row.text.includes(word)) && (!isZoomed() || inView(row) > 0))
    .map(row => [column.value(row), row]).sort(([a], [b]) => sign * (a < b ? -1 : a > b ? 1 : 0))
    .map(entry => entry[1]);
  $("kinds").tHead.rows[0].replaceChildren(...columns.map(({ key, title }) => {
    const heading = make("th", { scope: "col", className: key === "count" ? "number" : "" });
    if (!key) { heading.textContent = title; return heading; }
    const button = make("button", { type: "button", textContent: title, id: `sort-${key}` });
    button.addEventListener("click", () =>
      update({ sort: key, ascending: state.sort === key ? !state.ascending : key === "name" }));
    heading.append(button);
    if (key === state.sort) heading.setAttribute("aria-sort", state.ascending ? "ascending" : "descending");
    return heading;
  }));
  $("kinds").tBodies[0].replaceChildren(...rows.slice(0, state.limit).map(tableRow));
  $("more").hidden = rows.length <= state.limit;
  $("status").textContent = `${count(Math.min(rows.length, state.limit))} of ${count(ofRole(state.role).length)} kinds`
    + (isZoomed() ? `, ${time(milliseconds(state.from))} to ${time(milliseconds(state.to))}` : "");
}

function update(changes) {
  const focused = document.activeElement.id; // Its button is made again.
  Object.assign(state, changes);
  drawChart();
  drawTable();
  $(focused)?.focus();
}

function drawRest() {
  const errors = sum(timelines.slice(0, data.roles.length).map(total)) + data.untimed;
  const hosts = new Set(data.rows.flatMap(row => row.hosts.map(entry => entry[0])));
  $("summary").textContent = data.first === undefined ? `Nothing was recorded in ${count(data.lines)} lines.`
    : `${time(data.first)} to ${time(data.last)} (${zone}): ${count(errors)} errors of ${count(data.kinds)} kinds `
      + `on ${count(hosts.size)} hosts, in ${count(data.lines)} lines.`;
  const warnings = [...(data.interrupted ? ["Interrupted: this is what was read until then."] : []), ...data.failures];
  $("warnings").textContent = warnings.join(" · ");
  $("warnings").hidden = warnings.length === 0;
  const lost = [[data.dropped, "Dropped by the process"], [data.undelivered, "Recorded undelivered"],
    [data.unreadable, "Unreadable lines"], [data.untimed, "Records without a time"],
    [data.merged, "Merged by a flood limit", true], [data.later, "Lines of a later version", true],
    [data.leftOut, "Left out by options", true]].filter(entry => entry[0] > 0);
  $("lost").replaceChildren(...(lost.length ? lost : [[0, "Nothing was lost", true]]).map(([n, what, isHarmless]) =>
    make("li", { className: isHarmless ? "" : "bad", textContent: n ? `${what}: ${count(n)}` : what })));
  $("role").replaceChildren(...data.roles.map((role, index) => make("option", { value: index, textContent:
    `${role.endsWith("s") ? role : role + "s"} (${count(total(timelines[index]))})` })));
  const left = `${count(data.left)} small kinds with ${count(data.leftErrors)} errors have no row.`;
  const beyond = `${count(data.beyond)} errors are of kinds beyond the first ${count(data.kinds)}, `
    + "and are counted together.";
  $("others").textContent = [data.left ? left : "", data.beyond ? beyond : ""].join(" ");
}

const bucketAt = event => {
  const box = $("chart").getBoundingClientRect();
  return view.begin + Math.min(Math.max((event.clientX - box.left) / box.width, 0), 1) * view.length * view.step;
};
let drag = null;
$("chart").addEventListener("pointerdown", event => {
  drag = { from: bucketAt(event), box: draw("rect", { class: "selection", y: 0, height: 240 }) };
  $("chart").append(drag.box);
  $("chart").setPointerCapture(event.pointerId);
});
$("chart").addEventListener("pointermove", event => {
  if (!drag) return;
  const x = [drag.from, bucketAt(event)].sort((a, b) => a - b)
    .map(bucket => (bucket - view.begin) / (view.length * view.step) * 1000);
  Object.entries({ x: x[0], width: x[1] - x[0] }).forEach(entry => drag.box.setAttribute(...entry));
});
$("chart").addEventListener("pointerup", event => {
  if (!drag) return;
  const [from, to] = [drag.from, bucketAt(event)].sort((a, b) => a - b);
  drag = drag.box.remove() ?? null;
  if (to - from > view.length * view.step / 100) zoom(Math.floor(from), Math.ceil(to));
});
const steps = [["closer", 0.25, -0.25], ["wider", -0.5, 0.5], ["earlier", -0.5, -0.5], ["later", 0.5, 0.5]];
for (const [id, begin, end] of steps) {
  const size = () => state.to - state.from;
  $(id).addEventListener("click", () => zoom(state.from + size() * begin, state.to + size() * end));
}
$("whole").addEventListener("click", () => update(whole));
$("all").addEventListener("click", () => update({ row: null }));
$("role").addEventListener("change", () => update({ role: Number($("role").value), row: null }));
$("search").addEventListener("input", () => update({ search: $("search").value, limit: 100 }));
$("more").addEventListener("click", () => update({ limit: state.limit + 200 }));
// Paper has no triangles to open: it shows the examples of all rows.
addEventListener("beforeprint", () => {
  for (const part of document.querySelectorAll("#kinds details")) part.open = true;
});
addEventListener("afterprint", () => update({}));
drawRest();
update({});
