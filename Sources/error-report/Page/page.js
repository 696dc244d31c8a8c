"use strict"; // The data can contain strings from anyone, so the page shows them as text and never as HTML.
const $ = id => document.getElementById(id);
const data = JSON.parse($("data").textContent);
const count = new Intl.NumberFormat().format;
const clock = { hour: "numeric", minute: "2-digit", second: "2-digit",
  ...data.first < data.last && data.last < data.first + 10000 ? { fractionalSecondDigits: 3 } : {} };
const [dateAndTime, onlyTime] = [{ year: "numeric", month: "short", day: "numeric", ...clock }, clock]
  .map(options => new Intl.DateTimeFormat(undefined, options));
const isOneDay = new Date(data.first).toDateString() === new Date(data.last).toDateString();
const time = (at, format = dateAndTime) => at === undefined ? "unknown" : format.format(at);
const timeOfDay = at => time(at, isOneDay ? onlyTime : dateAndTime);

function make(name, attributes, ...children) {
  const isDrawn = ["svg", "rect", "line", "path"].includes(name);
  const element = isDrawn ? document.createElementNS("http://www.w3.org/2000/svg", name) : document.createElement(name);
  for (const [key, value] of Object.entries(attributes)) element.setAttribute(key, value);
  element.append(...children);
  return element;
}
// Returns a count with its noun, in the singular for 1.
const counted = (n, noun) => `${count(n)} ${noun}${n === 1 ? "" : "s"}`;
const cell = (name, ...content) => make("td", { class: name }, ...content);
const text = value => make("bdi", {}, value);

const whole = { from: 0, to: Math.max(data.buckets, 1) };
const state = { role: 0, row: null, ...whole, search: "", sort: "count", ascending: false, limit: 100, service: "",
  release: "" };
const [barLimit, colors] = [180, 12];
function decode(times) {
  let bucket = 0;
  return times.flatMap((step, index) => index % 2 ? [] : [[bucket += step, times[index + 1]]]);
}
const wholeTimelines = data.timelines.map(decode);
const partTimelines = (data.deploymentTimelines ?? []).map(own => own.map(decode));

// A deployment is a service's release. The first deployment represents all those beyond the page's limit.
const labels = data.deployments.map(([service, release], index) => index === 0 ? ["others", "others"]
  : [service || "no name", release === undefined ? "no release" : release || "no name"]);
const occurring = [...new Set(data.rows.flatMap(row => row.parts.map(part => part.of)))].sort((a, b) => a - b);
const distinct = column => [...new Set(occurring.map(of => labels[of][column]))];
const [services, releases] = [distinct(0), distinct(1)];
const isFiltered = () => state.service !== "" || state.release !== "";
const isChosen = of => (state.service === "" || labels[of][0] === state.service)
  && (state.release === "" || labels[of][1] === state.release);
const newest = new Map(data.newest);

// Adds up the counts by name, and sorts them with the most frequent name first.
function added(lists) {
  const counts = new Map();
  for (const [name, n] of lists.flat()) counts.set(name, (counts.get(name) ?? 0) + n);
  return [...counts].sort((a, b) => b[1] - a[1]);
}
const inOrder = lists => lists.length === 1 ? lists[0] : added(lists).sort((a, b) => a[0] - b[0]);
// Sets a row's counts to the sums of its chosen parts.
function choose(row) {
  const parts = row.parts.filter(part => isChosen(part.of));
  const known = key => parts.map(part => part[key]).filter(value => value !== undefined);
  row.count = sum(parts.map(part => part.count));
  row.first = known("first").length ? Math.min(...known("first")) : undefined;
  row.last = known("last").length ? Math.max(...known("last")) : undefined;
  row.entries = inOrder(parts.map(part => part.entries));
  for (const key of ["hosts", "scopes", "outcomes", "origins"]) {
    row[key] = parts.length === 1 ? parts[0][key] : added(parts.map(part => part[key]));
    row[`${key}Others`] = sum(parts.map(part => part[`${key}Others`] ?? 0));
  }
  [row.services, row.releases] = [0, 1].map(column =>
    added(parts.map(part => [[labels[part.of][column], part.count]])));
}
const sum = numbers => numbers.reduce((sum, n) => sum + n, 0);
let [timelines, kinds, largest] = [wholeTimelines, [], []];
function chooseParts() {
  data.rows.forEach(choose);
  kinds = data.roles.map((_, role) =>
    data.rows.filter(row => row.role === role && row.count > 0).sort((a, b) => b.count - a.count));
  largest = kinds.map(rows => rows.slice(0, colors));
  timelines = !isFiltered() ? wholeTimelines : wholeTimelines.map((_, index) =>
    inOrder(partTimelines.filter((_, of) => isChosen(of)).map(own => own[index])));
}
for (const row of data.rows) {
  row.short ??= row.name;
  for (const part of row.parts) part.entries = decode(part.times);
  choose(row);
  const names = ["hosts", "scopes", "outcomes", "origins", "services", "releases"].flatMap(key => row[key]);
  row.text = [row.name, row.short, ...Object.values(row.example ?? {}), ...names.map(([name]) => name)]
    .join("\n").toLowerCase();
}
chooseParts();
const milliseconds = bucket => (data.base + bucket) * data.width;
const total = entries => sum(entries.map(([, n]) => n));
const roleName = role => ["failure", "attempt", "notice"][role] ?? "error";
const inView = row => total(row.entries.filter(([bucket]) => bucket + row.width > state.from && bucket < state.to));
const isZoomed = () => state.to - state.from < whole.to;

function bars(entries, { begin, step, length }) {
  const sums = new Array(length).fill(0);
  for (const [bucket, n] of entries) {
    const place = Math.floor((bucket - begin) / step);
    if (place in sums) sums[place] += n;
  }
  return sums;
}
const ofNonzero = (sums, part) => sums.flatMap((n, place) => n ? [part(n, place)] : []);
function peakInWords(sums, { begin, step }) {
  const highest = Math.max(...sums);
  return highest ? `the most at ${timeOfDay(milliseconds(begin + sums.indexOf(highest) * step))}: ${count(highest)}`
    : "none in this time";
}
function span(milliseconds) {
  const units = [[86400000, "day"], [3600000, "hour"], [60000, "minute"], [1000, "second"], [1, "millisecond"]];
  const [size, unit] = units.find(([n]) => milliseconds % n === 0);
  return counted(milliseconds / size, unit);
}

function drawChart() {
  const rows = state.row ? [state.row] : largest[state.role];
  const finest = Math.max(isFiltered() ? data.deploymentWidth : 1, ...rows.map(row => row.width));
  const step = Math.ceil(Math.max(1, (state.to - state.from) / barLimit) / finest) * finest;
  const begin = Math.floor(state.from / step) * step;
  const view = { begin, step, length: Math.ceil((state.to - begin) / step) };
  const [all, unmatched, dropped] = [state.role, data.roles.length, data.roles.length + 1]
    .map(index => bars(timelines[index], view));
  const series = rows.map(row => bars(row.entries, view));
  const stacked = (place, end) => sum(series.slice(0, end).map(own => own[place]));
  if (!state.row) series.push(all.map((n, place) => Math.max(0, n - stacked(place))));
  const shown = all.map((_, place) => stacked(place));
  const highest = Math.max(1, ...shown);
  const rect = (name, color, place, y, height, opacity = 1) => make("rect",
    { class: name, fill: `var(--${color})`, x: begin + place * step, width: 0.92 * step, y, height, opacity });
  const height = 210 / highest;
  const visible = length => Math.max(2, length); // Keep a single error visible next to a flood.
  const stacks = series.flatMap((own, index) => {
    const color = `k${index < rows.length ? Math.max(0, largest[state.role].indexOf(rows[index])) : colors}`;
    return ofNonzero(own, (n, place) =>
      rect(`bar ${color}`, color, place, 210 - visible(stacked(place, index + 1) * height), visible(n * height)));
  });
  const width = view.length * step;
  const strip = (name, color, own, y) => [make("rect", { fill: "var(--line)", x: begin, width, y, height: 10 }),
    ...ofNonzero(own, (n, place) => rect(name, color, place, y, 10, 0.3 + 0.7 * n / Math.max(...own)))];
  $("chart").setAttribute("viewBox", `${begin} 0 ${width} 240`);
  $("chart").replaceChildren(
    ...stacks, ...strip("unmatched", "bad", unmatched, 215), ...strip("dropped", "text", dropped, 228));
  const counts = [shown, unmatched, dropped].map(own => count(sum(own)));
  $("chart").ariaLabel = `Errors by time: ${counts[0]}, ${peakInWords(shown, view)}; ${counts[1]} unmatched, `
    + `${counts[2]} dropped. The table below has the numbers.`;
  const edge = bucket => data.first === undefined ? "" : time(milliseconds(bucket));
  const scale = `A bar: ${span(step * data.width)}, at most ${counted(highest, "error")}. Strips: unmatched, dropped.`;
  $("axis").replaceChildren(...[edge(begin), scale, edge(begin + width)].map(part => make("span", {}, part)));
  $("buckets").tBodies[0].replaceChildren(...ofNonzero(
    shown.map((n, place) => n + unmatched[place] + dropped[place]),
    (_, place) => make("tr", {}, make("th", { scope: "row" }, time(milliseconds(begin + place * step))),
      ...[shown, unmatched, dropped].map(own => cell("number", count(own[place]))))));
}

// A button that shows only one kind in the chart; a second click shows all kinds again.
function toggle(row, attributes, ...content) {
  const button = make("button", { "aria-pressed": state.row === row, ...attributes }, ...content);
  button.onclick = () => update({ row: state.row === row ? null : row });
  return button;
}
function drawLegend() {
  const rest = total(timelines[state.role]) - sum(largest[state.role].map(row => total(row.entries)));
  const swatch = index => make("svg", { class: "swatch", color: `var(--k${index})` });
  const items = largest[state.role].map((row, index) => {
    const title = `${count(row.count)} ${row.name}`; // in full, while the label is short
    const label = make("span", { class: "label" }, text(row.short));
    return toggle(row, { id: `legend-${index}`, title }, swatch(index), `${count(row.count)} `, label);
  });
  if (rest > 0) items.push(make("span", {}, swatch(colors), `${count(rest)} of other kinds`));
  $("legend").replaceChildren(...items.map(item => make("li", {}, item)));
}

function sparkline(row) {
  const view = { begin: 0, step: Math.max(1, data.buckets / 60), length: 60 };
  const sums = bars(row.entries, view);
  const bar = (n, x) => `M${x} 20v${-Math.max(1, n / Math.max(...sums) * 20)}h1V20`;
  return make("svg", { class: "spark", viewBox: "0 0 60 20", preserveAspectRatio: "none", role: "img",
    "aria-label": peakInWords(sums, view) }, make("path", { fill: "var(--k0)", d: ofNonzero(sums, bar).join("") }));
}
function names(row, key) {
  const others = row[`${key}Others`] ? [["others", row[`${key}Others`]]] : [];
  const items = [...row[key], ...others].map(([name, n], _, all) =>
    make("li", { class: key === "outcomes" ? name.split(" ")[0] : "" }, text(name || "none"),
      all.length > 1 ? ` ${count(n)}` : ""));
  return make("ul", {}, ...items);
}
function example(own) {
  const fields = [["time", own.time], ["service", own.service], ["release", own.release], ["host", own.host],
    ["number", own.sequence], ["posted at", own.source], ...(own.metadata ?? []),
    ...(own.trail ?? []).map(([type, message]) => [`under it: ${type}`, message])];
  return make("details", {}, make("summary", {}, text(own.message || "an example")),
    make("dl", {}, ...fields.filter(([, value]) => value !== undefined)
      .flatMap(([key, value]) => [make("dt", {}, text(key)), make("dd", {}, text(value))])));
}
function tableRow(row) {
  const attributes = { id: `kind-${data.rows.indexOf(row)}`, class: "name", title: "Show only this kind in the chart" };
  const releases = row.inNewest ? [...new Set(row.parts.map(part => labels[part.of][1]))].join(", ") : "";
  const badge = releases ? [make("span", { class: "new release" }, "new in ", text(releases))]
    : row.new ? [make("span", { class: "new" }, "new")] : [];
  return make("tr", {},
    make("th", { scope: "row", "aria-label": row.name }, toggle(row, attributes, text(row.short)), " ", ...badge,
      row.short === row.name ? "" : make("div", { class: "origins" }, text(row.name)),
      row.origins.length ? make("div", { class: "origins" }, "thrown at", names(row, "origins")) : "",
      row.example ? example(row.example) : ""),
    cell("number", isZoomed() && row.width > 1 ? "about " : "", count(row.shown)),
    cell("time", timeOfDay(row.first)), cell("time", timeOfDay(row.last)), cell("", sparkline(row)),
    ...["outcomes", ...deploymentColumns, "hosts", "scopes"].map(key => cell("", names(row, key))));
}
const deploymentColumns = [["services", services], ["releases", releases]].filter(([, all]) => all.length > 1)
  .map(([key]) => key);
function drawTable() {
  for (const row of kinds[state.role]) row.shown = isZoomed() ? inView(row) : row.count;
  const words = state.search.toLowerCase().split(" ");
  const value = row => row[state.sort === "count" ? "shown" : state.sort] ?? 0;
  const sign = state.ascending ? 1 : -1;
  const rows = kinds[state.role].filter(row => row.shown > 0 && words.every(word => row.text.includes(word)))
    .sort((a, b) => value(a) < value(b) ? -sign : value(a) > value(b) ? sign : 0);
  $("kinds").tBodies[0].replaceChildren(...rows.slice(0, state.limit).map(tableRow));
  $("more").hidden = rows.length <= state.limit;
  const all = kinds[state.role];
  $("status").textContent = `${counted(sum(all.map(row => row.count)), roleName(state.role))} of `
    + `${counted(all.length, "kind")}, `
    + `${count(Math.min(rows.length, state.limit))} of ${count(all.length)} in the table`
    + (isZoomed() ? `, ${time(milliseconds(state.from))} to ${time(milliseconds(state.to))}` : "");
}

function nearestRange(from, to) {
  const size = Math.max(1, Math.min(Math.round(to - from), whole.to));
  const begin = Math.max(0, Math.min(Math.round(from), whole.to - size));
  return { from: begin, to: begin + size };
}
// The fractions of the shown time by which each button moves its begin and end. Half of a bucket would round to 0.
const moves = { closer: [0.25, -0.25], wider: [-0.5, 0.5], earlier: [-0.51, -0.51], later: [0.51, 0.51],
  whole: [-Infinity, Infinity] };
function drawControls() {
  const size = state.to - state.from;
  for (const [id, [begin, end]] of Object.entries(moves)) {
    const next = nearestRange(state.from + begin * size, state.to + end * size);
    $(id).disabled = next.from === state.from && next.to === state.to;
    $(id).onclick = () => update(next);
  }
  $("all").disabled = !state.row;
  for (const key of ["name", "count", "first", "last"]) {
    const order = state.ascending ? "ascending" : "descending";
    $(`sort-${key}`).parentElement.ariaSort = key === state.sort ? order : null;
    $(`sort-${key}`).onclick = () =>
      update({ sort: key, ascending: key === state.sort ? !state.ascending : key === "name" });
  }
}
function update(changes) {
  const focused = document.activeElement.id; // The focused button is created again.
  Object.assign(state, changes);
  if ("service" in changes || "release" in changes) chooseParts();
  [drawChart, drawLegend, drawTable, drawControls].forEach(draw => draw());
  $(focused)?.focus();
}

const errors = sum(wholeTimelines.slice(0, data.roles.length).map(total)) + data.untimed;
const hosts = new Set(data.rows.flatMap(row => row.hosts.map(([host]) => host)));
$("summary").textContent = data.first === undefined ? `Nothing was recorded in ${counted(data.lines, "line")}.`
  : `${time(data.first)} to ${time(data.last)} (${dateAndTime.resolvedOptions().timeZone}): `
    + `${counted(errors, "error")} of ${counted(data.kinds, "kind")} on ${counted(hosts.size, "host")}, in `
    + `${counted(data.lines, "line")}.`;
const interrupted = data.interrupted ? ["Interrupted: this is what was read until then."] : [];
$("warnings").textContent = [...interrupted, ...data.failures].join(" · ");
const lost = [["Dropped by the process", data.dropped, "bad"], ["Recorded undelivered", data.undelivered, "bad"],
  ["Unreadable lines", data.unreadable, "bad"], ["Files whose last line has no end", data.unended, "bad"],
  ["Records without a time", data.untimed, "bad"], ["Merged by a flood limit", data.merged, ""],
  ["Lines of a later version", data.later, ""],
  ["Left out by options", data.leftOut, ""]].filter(([, n]) => n > 0)
  .map(([what, n, name]) => make("li", { class: name }, `${what}: ${count(n)}`));
$("lost").append(...lost.length ? lost : [make("li", {}, "Nothing was lost")]);
$("role").append(...data.roles.map((role, index) =>
  make("option", { value: index }, `${role.endsWith("s") ? role : role + "s"} (${count(total(timelines[index]))})`)));
for (const [id, all, column] of [["service", services, 0], ["release", releases, 1]]) {
  $(id).parentElement.hidden = all.length < 2;
  const errorsOf = name => sum(data.rows.flatMap(row => row.parts).filter(part => labels[part.of][column] === name)
    .map(part => part.count));
  // Identify the option by its position, because a recorded name could equal the first option's name.
  $(id).append(make("option", { value: "" }, "all"),
    ...all.map((name, index) => make("option", { value: index }, `${name} (${count(errorsOf(name))})`)));
  $(id).onchange = () => update({ [id]: all[$(id).value] ?? "", row: null });
}
$("outcome").after(...deploymentColumns.map(key => make("th", {}, key === "services" ? "Service" : "Release")));
$("newest").append(...[...newest].flatMap(([of, first]) => [
  "Newest release", ...services.length > 1 ? [" of ", text(labels[of][0])] : [], ": ", text(labels[of][1]),
  `, first seen ${time(first)}. `]));
if (newest.size) {
  $("newest").append("Of a service's releases in these files, the newest is the one whose first error is the latest. "
    + "A kind is marked as new in it if no error of that kind is in another release.");
}
const left = `${count(data.left)} small kinds with ${count(data.leftErrors)} errors have no row. `;
const beyond = `${count(data.beyond)} errors are of kinds beyond the first ${count(data.kinds)}, and counted together.`;
$("others").textContent = (data.left ? left : "") + (data.beyond ? beyond : "");

function bucketAt(event) {
  const { x, width } = $("chart").viewBox.baseVal;
  const point = new DOMPoint(event.clientX).matrixTransform($("chart").getScreenCTM().inverse());
  return Math.min(Math.max(point.x, x), x + width);
}
$("chart").onpointerdown = down => {
  const x = bucketAt(down);
  const box = make("line", { stroke: "var(--k0)", "stroke-width": 240, opacity: 0.25, x1: x, x2: x, y1: 120, y2: 120 });
  $("chart").append(box);
  $("chart").setPointerCapture(down.pointerId);
  $("chart").onpointermove = event => box.setAttribute("x2", bucketAt(event));
  $("chart").onlostpointercapture = () => box.remove();
  $("chart").onpointerup = event => {
    const [from, to] = [x, bucketAt(event)].sort((a, b) => a - b);
    const isDrag = box.isConnected && to - from > $("chart").viewBox.baseVal.width / 100;
    if (isDrag) update(nearestRange(Math.floor(from), Math.ceil(to)));
  };
};
$("all").onclick = () => update({ row: null });
$("role").onchange = () => update({ role: Number($("role").value), row: null });
$("search").oninput = () => update({ search: $("search").value, limit: 100 });
$("more").onclick = () => update({ limit: state.limit + 200 });
// On paper, rows can't be expanded, so print the examples of all rows.
addEventListener("beforeprint", () => document.querySelectorAll("#kinds details").forEach(part => part.open = true));
addEventListener("afterprint", () => update({}));
update({});
