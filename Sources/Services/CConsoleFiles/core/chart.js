// Charts of time series: SVG of our own. The same figures are a table, one key away.
import {texts} from './texts-parts.js';
import {button, fill, h, svg} from './view.js';
import {later} from './controls.js';
import {clock, utc} from './text.js';

const width = 640;
const height = 180;
const edge = {left: 48, right: 12, top: 12, bottom: 24};
const dashes = ['', '6 3', '2 3', '8 3 2 3', '1 4'];
const colours = 5;

const nice = (value) => {
  if (!(value > 0)) return 1;
  const power = 10 ** Math.floor(Math.log10(value));
  return [1, 2, 2.5, 5, 10].map((step) => step * power).find((step) => step >= value);
};
const written = (value, unit) => value === null || value === undefined ? '–'
  : `${Number(value.toPrecision(3)).toLocaleString('en', {maximumFractionDigits: 2, useGrouping: false})}${unit ? ` ${unit}` : ''}`;

/** The line of a series, broken where there is no sample. */
function path(values, x, y) {
  let text = '';
  let pen = 'M';
  values.forEach((value, at) => {
    if (value === null || value === undefined) { pen = 'M'; return; }
    text += `${pen}${x(at).toFixed(1)} ${y(value).toFixed(1)}`;
    // A sample alone is a dot.
    if (pen === 'M' && (values[at + 1] ?? null) === null) text += 'h.01';
    pen = 'L';
  });
  return text;
}

function table(series, times, name) {
  return h('div', {class: 'scroll chart-table', tabindex: '0', role: 'region', 'aria-label': texts.asATable(name)}, h('table', null,
    h('thead', null, h('tr', null, h('th', {scope: 'col'}, texts.time),
      series.map((one) => h('th', {scope: 'col'}, one.label ?? one.name)))),
    h('tbody', null, times.map((time, at) => at).reverse().filter((at) => series.some((one) => one.values[at] !== null
      && one.values[at] !== undefined)).slice(0, 360)
      .map((at) => h('tr', null, h('td', null, utc(times[at], false)),
        series.map((one) => h('td', null, written(one.values[at], one.unit))))))));
}

/**
 * A chart of series with the same unit: `{name, label, unit, values}` with a sample for each of `times` (ms), null where there is none.
 * A pointer or the arrow keys read off a sample; `t` shows the table. Answers the element.
 */
export function chart({title, series, times}) {
  const all = series.flatMap((one) => one.values).filter((value) => value !== null && value !== undefined);
  const unit = series.find((one) => one.unit)?.unit ?? '';
  const top = nice(Math.max(0, ...all));
  const x = (at) => edge.left + (times.length < 2 ? 0 : at / (times.length - 1)) * (width - edge.left - edge.right);
  const y = (value) => height - edge.bottom - (value / top) * (height - edge.top - edge.bottom);
  const reading = h('p', {class: 'note', 'aria-live': 'polite'});
  const sayAll = (valueOf) => series.map((one) => `${one.label ?? one.name} ${written(valueOf(one), one.unit)}`).join(', ');
  const rest = () => fill(reading, all.length
    ? texts.nowWord(sayAll((one) => one.values.findLast((value) => value !== null && value !== undefined)))
      : texts.noSampleYet);
  const cursor = svg('line', {class: 'cursor', y1: edge.top, y2: height - edge.bottom, visibility: 'hidden'});
  const spoken = later(500, (text) => drawing.setAttribute('aria-valuetext', text));
  let at = times.length - 1;

  function read(index) {
    at = Math.max(0, Math.min(times.length - 1, index));
    cursor.setAttribute('x1', x(at));
    cursor.setAttribute('x2', x(at));
    cursor.setAttribute('visibility', 'visible');
    const text = `${clock(times[at]).slice(0, 8)}Z ${sayAll((one) => one.values[at])}`;
    fill(reading, text);
    drawing.setAttribute('aria-valuenow', at);
    spoken(text);
  }

  const marks = [0, 0.5, 1].map((part) => svg('g', null,
    svg('line', {class: 'rule', x1: edge.left, x2: width - edge.right, y1: y(top * part), y2: y(top * part)}),
    svg('text', {x: edge.left - 6, y: y(top * part) + 4, 'text-anchor': 'end'}, written(top * part))));
  const hours = [0, Math.floor((times.length - 1) / 2), times.length - 1].filter((one, index, list) => list.indexOf(one) === index
    && times[one] !== undefined)
    .map((one, index, list) => svg('text', {x: x(one), y: height - 6, 'text-anchor': index === 0 ? 'start' : index === list.length - 1
      ? 'end' : 'middle'}, clock(times[one]).slice(0, 5)));
  const drawing = svg('svg', {class: 'chart', viewBox: `0 0 ${width} ${height}`, role: 'slider', tabindex: '0',
    'aria-label': texts.samplesReadBy(title), 'aria-valuemin': 0, 'aria-valuemax': Math.max(0, times.length - 1),
    'aria-valuenow': Math.max(0, at), 'aria-valuetext': texts.now,
    onpointermove: (event) => { const box = drawing.getBoundingClientRect();
      const part = ((event.clientX - box.left) / box.width * width - edge.left) / (width - edge.left - edge.right);
      read(Math.round(part * (times.length - 1)));
    },
    onpointerleave: () => { cursor.setAttribute('visibility', 'hidden'); rest(); },
    onkeydown: (event) => {
      const step = {ArrowLeft: -1, ArrowRight: 1, PageUp: -30, PageDown: 30, Home: -Infinity, End: Infinity}[event.key];
      if (step !== undefined) { read(Number.isFinite(step) ? at + step : step < 0 ? 0 : times.length - 1); event.preventDefault(); }
      if (event.key === 't') { turn(); event.preventDefault(); }
    }}, marks, hours, series.map((one, index) => svg('path', {class: `line line-${index % colours}`, d: path(one.values, x, y),
      'stroke-dasharray': dashes[index % colours] || undefined})), cursor);
  const place = h('div', {class: 'chart-place'}, drawing);
  const switcher = button(texts.table, {kind: 'plain', 'aria-pressed': 'false', title: texts.tOnThe}, () => turn());
  function turn() {
    const shown = switcher.getAttribute('aria-pressed') === 'true';
    switcher.setAttribute('aria-pressed', String(!shown));
    fill(place, shown ? drawing : table(series, times, title));
    if (shown) drawing.focus(); else place.firstChild.focus();
  }
  rest();
  return h('figure', {class: 'card', 'aria-label': title},
    h('div', {class: 'card-head'}, h('h2', null, title, unit && h('span', {class: 'quiet unit'}, ` ${unit}`)), switcher),
    series.length > 1 && h('ul', {class: 'legend'},
      series.map((one, index) => h('li', null, svg('svg', {class: 'sample', viewBox: '0 0 24 8', 'aria-hidden': 'true'},
      svg('path', {class: `line line-${index % colours}`, d: 'M0 4L24 4', 'stroke-dasharray': dashes[index % colours] || undefined})),
      one.label ?? one.name))), place, reading);
}
