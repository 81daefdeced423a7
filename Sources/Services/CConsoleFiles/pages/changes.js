// The changes of a database as the log has them: a live tail, from a place, a time or a record on.
import {operate} from '../core/api.js';
import {curl} from '../core/curl.js';
import {json, same} from '../core/code.js';
import {copied} from '../core/dialog.js';
import {live, signIn} from '../core/frame.js';
import {panel} from '../core/panel.js';
import {grid} from '../core/grid.js';
import {facts} from '../core/operate.js';
import {amend, go, to} from '../core/router.js';
import {badge, emptyBox, errorBox} from '../core/states.js';
import {has} from '../core/session.js';
import {sideCell, sideOf} from '../core/changed.js';
import {grouped, marked, plain, time, user} from '../core/text.js';
import {texts} from '../core/texts-changes.js';
import {button, fill, h, icon} from '../core/view.js';
import {zoneText} from '../core/records.js';

const every = 2000;
const most = 10000;
const kinds = {create: [texts.created, 'good'], update: [texts.updated, ''], delete: [texts.deleted, 'bad'],
  boundary: [texts.boundary, 'quiet'],
  unreadable: [texts.unreadable, 'warn']};
const kindOf = (one) => kinds[one.kind] ?? [one.kind ?? '?', ''];

/** The record before and after, field by field: what differs first. */
function difference({before, after}) {
  const names = [...new Set([...Object.keys(before ?? {}), ...Object.keys(after ?? {})])].sort();
  const row = (name) => h('tr', null, h('th', {scope: 'row', class: 'field-name'}, marked(name, 60)),
    h('td', null, sideCell(before?.[name])),
    h('td', null, sideCell(after?.[name])));
  const changed = names.filter((name) => !same(before?.[name], after?.[name]));
  const rest = names.filter((name) => !changed.includes(name));
  const table = (list) => h('div', {class: 'scroll', tabindex: '0', role: 'region', 'aria-label': texts.beforeAndAfter},
    h('table', null, h('thead', null, h('tr', null, [texts.field, texts.before, texts.after].map((text) => h('th', {scope: 'col'}, text)))),
    h('tbody', null, list.slice(0, 500).map(row))));
  return [h('h3', null, changed.length ? `${grouped(changed.length)} ${changed.length === 1 ? texts.fieldDiffers : texts.fieldsDiffer}`
    : texts.noFieldDiffers), changed.length > 0 && table(changed), rest.length > 0
    && h('details', null, h('summary', null, texts.theSame(grouped(rest.length))), table(rest))];
}

function details(database, one, hides) {
  const gone = one.kind === 'delete';
  panel({title: marked(one.recordName ?? 'Zone', 80),
    content: [h('div', {class: 'row'}, badge(...kindOf(one)), one.zoneID
      && badge(texts.zone(plain(zoneText(one.zoneID) || 'default', 40)))),
    facts([['sequence', one.sequence === undefined ? undefined : grouped(one.sequence)],
      ['committed', one.committed && time(one.committed, true)], ['when', time(one.time, true)], ['who', user(one.userRecordName)],
      ['device', one.deviceID && marked(one.deviceID, 60)], ['type', one.recordType && marked(one.recordType, 60)],
      ['place', h('code', null, texts.at(plain(one.topic ?? `changes.${database}`, 120), one.partition, one.offset))]]),
    h('div', {class: 'row'}, has(['explain']) && h('a', {class: 'button', href: to('explain', [], {change: one.sequence})},
      icon('explain'),
      texts.whyAsk), !gone && one.recordName && database === 'public'
      && h('a', {class: 'button', href: to('records', [database, '~'], {open: one.recordName, zone: one.zoneID && zoneText(one.zoneID)})},
      icon('records'), texts.theRecordNow),
      one.recordName && h('a', {class: 'button', href: to('changes', [database], {record: one.recordName})}, icon('changes'),
        texts.itsHistory)),
    hides ? h('p', {class: 'quiet'}, texts.theValuesAre)
      : difference({before: sideOf(one, 'before'), after: sideOf(one, 'after')}),
      h('details', null, h('summary', null, texts.asData), json(one, texts.theChange))]});
}

/** Opens the page. */
export function open(view) {
  const [database = 'public'] = view.route.parts;
  view.root.classList.add('full');
  const query = view.route.query;
  const input = (label, value, placeholder, type = 'text') => h('input', {'aria-label': label, title: label, value: value ?? '',
    placeholder, type, autocomplete: 'off', spellcheck: 'false'});
  const record = input(texts.record2, query.record, texts.aRecordS);
  const partition = input(texts.partition2, query.partition, texts.partition, 'number');
  const offset = input(texts.offset2, query.offset, texts.offset, 'number');
  const from = input(texts.fromThisTime, query.from, texts.from, 'datetime-local');
  const status = h('span', {role: 'status'});
  const fresh = h('span');
  const message = h('div', {class: 'message'});
  let rows = [];
  let position;
  let paused = Boolean(query.offset || query.record);
  let run = {};
  let waiting = [];
  let hides = false;

  const table = grid({label: texts.changesOfThe(database), live: true, key: (one) => `${one.partition}@${one.offset}`,
    open: (one) => { amend({open: one.sequence}); details(database, one, hides); },
    columns: [{key: 'sequence', title: texts.sequence, width: 90, grow: 0, align: 'right', draw: (one) => one.sequence === undefined ? '–'
      : grouped(one.sequence)},
    {key: 'time', title: texts.when, width: 216, grow: 0, draw: (one) => time(one.time, true)},
      {key: 'what', title: texts.change, width: 104,
    grow: 0, draw: (one) => { const [text, kind] = kindOf(one); return h('span', {class: kind}, text); }},
    {key: 'type', title: texts.type, width: 110, draw: (one) => one.recordType ? marked(one.recordType, 60) : '–'},
      {key: 'record', title: texts.record, width: 150, grow: 1.6, draw: (one) => marked(one.recordName ?? '', 100)},
      {key: 'who', title: texts.who, width: 110, draw: (one) => user(one.userRecordName)}, {key: 'device', title: texts.device, width: 90,
      draw: (one) => one.deviceID ? marked(one.deviceID, 40) : h('span', {class: 'quiet'}, '–')},
      {key: 'place', title: texts.partitionOffset, width: 120, grow: 0, align: 'right',
      draw: (one) => `${one.partition} · ${grouped(one.offset)}`}]});

  function body() {
    const start = position ?? (offset.value !== '' ? [{partition: Number(partition.value || 0), offset: Number(offset.value)}] : undefined);
    return {database, limit: 200, ...(partition.value !== '' && {partition: Number(partition.value)}),
      ...(start ? {from: start} : (from.value || record.value.trim()) && {time: from.value ? Date.parse(`${from.value}Z`) : 0})};
  }

  function draw() {
    table.element.hidden = !rows.length;
    table.rows(rows, true);
    fill(status, rows.length ? texts.changes2(grouped(rows.length), rows.length >= most ? texts.theNewest : '') : '');
    fill(fresh, waiting.length > 0 && button(texts.newText(grouped(waiting.length)), {kind: 'plain', icon: 'up'}, take));
  }
  function take() { rows = waiting.concat(rows).slice(0, most); waiting = []; draw(); table.show(0); }

  async function read(own, quiet) {
    const wait = setTimeout(() => !quiet && view.root.classList.add('loading'), 150);
    try {
      const answer = await operate('changes/read', body(), {signal: view.signal});
      if (own !== run) return false;
      position = answer.partitions.map((one) => ({partition: one.partition, offset: one.next}));
      hides = answer.valuesLeftOut;
      const name = record.value.trim();
      const newest = answer.changes.filter((one) => !name || one.recordName === name).sort((a, b) => b.time - a.time
        || b.offset - a.offset);
      if (quiet && (table.element.scrollTop > 0 || paused)) waiting = newest.concat(waiting).slice(0, most);
      else rows = newest.concat(rows).slice(0, most);
      if (rows.length || waiting.length) fill(message);
      else fill(message, emptyBox(record.value.trim() ? h('span', null, texts.theLogKeepsNo,
        h('code', null, plain(record.value.trim(), 100)), texts.here)
        : texts.theLogKeeps,
        {curl: curl('operator', 'changes/read', body())}));
      draw();
      return answer.changes.length > 0 && answer.partitions.some((one) => one.next < one.end);
    } catch (error) {
      if (view.signal.aborted || own !== run) return false;
      if (!error.code) throw error;
      live('ended');
      own.failed = true;
      fill(message, errorBox(error, start, /AUTHENTICATION/.test(error.code) ? () => signIn('operator') : undefined));
      return false;
    } finally { clearTimeout(wait); view.root.classList.remove('loading'); }
  }

  async function start() {
    const own = run = {};
    rows = [];
    waiting = [];
    position = undefined;
    amend({record: record.value.trim() || undefined, partition: partition.value || undefined, offset: offset.value || undefined,
      from: from.value || undefined});
    for (let pages = 0; await read(own, false) && own === run && pages < 25; pages += 1);
    if (own === run && !own.failed) live(paused ? 'paused' : 'live');
  }

  const timer = setInterval(() => { if (!paused && !document.hidden && position && !run.failed) read(run, true); }, every);
  view.signal.addEventListener('abort', () => clearInterval(timer));
  const pause = () => { paused = !paused; stop.setAttribute('aria-pressed', String(paused)); live(paused ? 'paused' : 'live');
    if (!paused) { take(); read(run, true); } };
  const stop = button('', {icon: 'pause', label: texts.pause, 'aria-pressed': String(paused)}, pause);
  const tabs = h('div', {class: 'tabs', role: 'group', 'aria-label': texts.database},
    ['public', 'private', 'shared'].map((name) => button(name, {'aria-current': name === database ? 'true' : undefined},
    () => go(to('changes', [name])))));
  for (const field of [record, partition, offset, from]) field.addEventListener('keydown',
    (event) => { if (event.key === 'Enter') start();
    });
  fill(view.root, h('div', {class: 'page-head'}, view.title(texts.changes), tabs, stop, button('', {icon: 'copy', label: texts.copyAsCurl},
    () => copied(curl('operator', 'changes/read', body()), texts.aCurlLine))),
    h('div', {class: 'tools places'}, record, partition, offset, from, button(texts.read, {icon: 'run', kind: 'main'}, start),
      button(texts.theLatest, {}, () => { for (const field of [record, partition, offset, from]) field.value = ''; start(); })), message,
      table.element, h('div', {class: 'under-grid'}, status, fresh));
  view.keys({'.': [texts.pauseAndResume, pause], '/': [texts.theRecord, () => record.focus()]});
  table.element.hidden = true;
  start();
}
