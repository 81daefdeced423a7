// The versions of a record that the log keeps, with a slider: at which of them a subscription's predicate held, and why.
import {operate} from './api.js';
import {sideCell, sideOf} from './changed.js';
import {sign, spot, tree} from './explain.js';
import {load} from './states.js';
import {counted, grouped, marked, plain, time, user} from './text.js';
import {texts} from './texts-why.js';
import {button, fill, h, skeleton} from './view.js';

const most = 50;
const words = {create: texts.created, update: texts.updated, delete: texts.deleted};

/** The latest versions of a record, the oldest first: rows of `records/history`. `more` says whether there are older ones. */
async function history(where, signal) {
  const found = [];
  let before;
  do {
    const page = await operate('records/history', {...where, limit: most, ...(before !== undefined && {before})}, {signal});
    found.push(...page.changes);
    before = page.next;
  } while (before !== undefined && found.length < most && !signal.aborted);
  return {rows: found.slice(0, most).filter((one) => one.sequence !== undefined).reverse(), more: before !== undefined};
}

/** The record of a change, of the page of the log that has it. */
async function recordOf({place, database, user: owner}, signal) {
  const scope = /changes\.(public|private|shared)$/.exec(place.topic)?.[1] ?? database;
  const {changes} = await operate('changes/read', {database: scope, from: [{partition: place.partition, offset: place.offset}],
    partition: place.partition, limit: 1}, {signal});
  const [row] = changes;
  return row?.recordName === undefined ? undefined : {database: scope, recordName: row.recordName, ...(row.zoneID && {zoneID: row.zoneID}),
    ...(scope !== 'public' && !row.zoneID?.ownerRecordName && {user: owner})};
}

const holds = (node) => node === undefined ? 'unknown' : node.isMissing ? 'no' : node.holds ? 'yes' : 'no';

/** What explain says of each version, asked for once: `{before, after, verdict}`. */
function judge(subscription, owner, signal) {
  const known = new Map();
  return (row) => {
    if (!known.has(row.sequence)) {
      known.set(row.sequence, operate('explain', {change: row.sequence, subscriptionID: subscription, user: owner}, {signal})
        .then((found) => { const step = found.steps.find((one) => one.step === 'predicate');
          return {before: step?.before, after: step?.after, verdict: found.verdict}; }));
    }
    return known.get(row.sequence);
  };
}

/** The fields of a version; `lit(name)` lights one up, or none. */
function fields(row) {
  const sides = Object.entries(sideOf(row, row.after ? 'after' : 'before'));
  const rows = new Map(sides.map(([name, field]) => [name, h('tr', null, h('th', {scope: 'row', class: 'field-name'}, marked(name, 60)),
    h('td', null, sideCell(field)))]));
  const table = h('div', {class: 'scroll', tabindex: '0', role: 'region', 'aria-label': texts.theRecordIn},
    h('table', null, h('tbody', null, [...rows.values()].slice(0, 200))));
  return {element: rows.size ? table : h('p', {class: 'quiet'}, texts.noRecordIs),
    lit(name) { for (const [own, row] of rows) row.classList.toggle('lit', own === name); }};
}

/** When the predicate began and ceased to hold, as sentences. */
function turns(rows, marks) {
  const found = [];
  rows.forEach((row, at) => {
    const before = at > 0 ? marks[at - 1] : undefined;
    if (marks[at] === 'yes' && before !== 'yes') found.push(h('li', null, sign('yes'), h('span', {class: 'grow'}, texts.itHoldsFrom,
      h('b', null, grouped(row.sequence)), texts.onWord), time(row.committed ?? row.time)));
    if (before === 'yes' && marks[at] === 'no') found.push(h('li', null, sign('no'),
      h('span', {class: 'grow'}, texts.itHoldsNo,
      h('b', null, grouped(row.sequence))), time(row.committed ?? row.time)));
  });
  return found.length ? h('ul', {class: 'list'}, found) : h('p', {class: 'quiet'}, texts.itHeldAt);
}

/**
 * Draws in `place` the versions of the record of an explained change. `explained` is an answer of `explain`, whose step `change` has
 * the place of the change.
 */
export async function versions(view, place, explained) {
  const {signal} = view;
  const step = explained.steps.find((one) => one.step === 'change');
  fill(place, skeleton(3));
  return load(place, async () => {
    const where = step?.place && await recordOf({place: step.place, database: explained.database, user: explained.userRecordName}, signal);
    if (!where) return fill(place, h('p', {class: 'quiet'}, texts.theLogDoes));
    const {rows, more} = await history(where, signal);
    if (signal.aborted) return undefined;
    if (!rows.length) return fill(place, h('p', {class: 'quiet'}, texts.theLogKeeps));
    return draw(rows, more, where);
  }, {signal});

  function draw(rows, more, where) {
    const verdictOf = judge(explained.subscriptionID, explained.userRecordName, signal);
    const marks = [];
    const shown = h('div', {class: 'stack', 'aria-live': 'polite'});
    const said = h('div', {class: 'stack'});
    const slider = h('input', {type: 'range', min: '0', max: String(rows.length - 1), 'aria-label': texts.versionOfThe,
      oninput: () => show(Number(slider.value))});
    const squares = rows.map((row, at) => h('button', {type: 'button', class: 'square', tabindex: '-1', onclick: () => show(at),
      title: texts.changeWord(row.sequence), 'aria-label': texts.versionChange(at + 1, row.sequence)}, '·'));
    let at = Math.max(0, rows.findIndex((row) => row.sequence === explained.change));

    function mark(index, outcome) {
      marks[index] = outcome;
      const [text, kind] = {yes: ['✓', 'good'], no: ['✕', ''], unknown: ['?', 'warn']}[outcome];
      squares[index].className = `square ${kind} ${index === at ? 'at' : ''}`;
      fill(squares[index], text);
    }

    async function show(index) {
      at = index;
      slider.value = String(index);
      squares.forEach((one, own) => one.classList.toggle('at', own === index));
      const row = rows[index];
      slider.setAttribute('aria-valuetext',
        texts.versionOfChange(index + 1, rows.length, row.sequence, words[row.kind] ?? row.kind));
      const record = fields(row);
      const found = await verdictOf(row).catch((error) => ({verdict: `${error.code}: ${error.message}`}));
      if (at !== index || signal.aborted) return;
      mark(index, row.kind === 'delete' ? 'no' : holds(found.after));
      const node = found.after ?? found.before;
      fill(shown, h('div', {class: 'row'}, h('b', null, texts.ofText2(index + 1, rows.length, words[row.kind] ?? plain(row.kind, 20))),
        h('span', {class: 'quiet'}, texts.by, user(row.userRecordName), row.deviceID && [texts.on, marked(row.deviceID, 40)], ' ',
          time(row.committed ?? row.time, true), ' ', spot({topic: `changes.${where.database}`, ...row}))),
      h('div', {class: 'cards'}, h('div', {class: 'stack'}, h('h3', null, found.after ? texts.thePredicateOverThis
        : found.before ? texts.thePredicateOver : texts.thePredicate),
      node ? h('ul', {class: 'nodes'}, tree(node, record.lit)) : h('p', {class: 'quiet'}, marked(found.verdict ?? '', 300))),
      h('div', {class: 'stack'}, h('h3', null, texts.theRecord), record.element)));
    }

    async function all(event) {
      event.currentTarget.disabled = true;
      for (let index = rows.length - 1; index >= 0 && !signal.aborted; index -= 1) {
        const found = await verdictOf(rows[index]).catch(() => ({}));
        mark(index, rows[index].kind === 'delete' ? 'no' : holds(found.after));
      }
      fill(said, turns(rows, marks));
    }

    fill(place, h('p', {class: 'quiet'}, counted(rows.length, texts.version), more && texts.theLatest, texts.ofText,
      marked(where.recordName, 80),
      '.'),
      h('div', {class: 'squares strip'}, squares), slider, shown,
      h('div', {class: 'row'}, button(texts.whenDidIt, {icon: 'explain'}, all)), said);
    return show(at);
  }
}
