// Records of a type in a grid, with a predicate, an order, a zone.
import {database} from '../core/api.js';
import {curl} from '../core/curl.js';
import {confirm, copied, dialog, menu} from '../core/dialog.js';
import {cost} from '../core/dryrun.js';
import {faultOf, filterRows} from '../core/filter.js';
import {control} from '../core/fields.js';
import {signIn} from '../core/frame.js';
import {grid} from '../core/grid.js';
import {openRecord} from '../core/record.js';
import {lookup, modify, offerUndo, onChanges, queryBody, reader, remembered, sendable, whole, zoneOf,
  zoneText} from '../core/records.js';
import {amend, go, here, to} from '../core/router.js';
import {emptyBox, errorBox} from '../core/states.js';
import {texts} from '../core/texts-records.js';
import {exportRecords, importRecords, outcome} from '../core/transfer.js';
import {knownFields, knownTypes, rememberType} from '../core/types.js';
import {cell, right} from '../core/values.js';
import {counted, grouped, marked, plain, time, user} from '../core/text.js';
import {button, fill, h} from '../core/view.js';
import {choice, labelled} from '../core/controls.js';

const rowsMax = 20000;
const columnsMax = 40;
const system = {__proto__: null, created: [texts.createdWord, (record) => time(record.created?.timestamp)],
  modified: [texts.modified, (record) => time(record.modified?.timestamp)],
  by: [texts.modifiedBy, (record) => user(record.modified?.userRecordName)],
  tag: [texts.changeTag, (record) => record.recordChangeTag],
  zone: [texts.zone, (record) => marked(zoneText(record.zoneID) || 'default', 60)]};

function databases(scope, type) {
  return h('div', {class: 'tabs', role: 'group', 'aria-label': texts.database},
    ['public', 'private', 'shared'].map((name) => button(name, {'aria-current': name === scope ? 'true' : undefined},
    () => go(to('records', type ? [name, type] : [name])))));
}

function typesPage(view, scope) {
  const field = h('input', {'aria-label': texts.recordType, placeholder: texts.artwork, autocomplete: 'off', spellcheck: 'false',
    required: true});
  const open = () => { if (field.value.trim()) go(to('records', [scope, field.value.trim()])); else field.focus(); };
  field.addEventListener('keydown', (event) => { if (event.key === 'Enter') open(); });
  const types = knownTypes(scope);
  fill(view.root, h('div', {class: 'page-head'}, view.title(texts.records), databases(scope)),
    h('section', {class: 'card'}, h('h2', null, texts.openARecord),
    h('div', {class: 'pair'}, field, button(texts.open, {kind: 'main'}, open)),
    types.length ? h('ul', {class: 'list'},
      types.map((type) => h('li', null, h('a', {class: 'grow', href: to('records', [scope, type])}, marked(type, 80)),
      h('span', {class: 'quiet'}, texts.fieldsSeen(Object.keys(knownFields(scope, type)).length)))))
      : h('p', {class: 'quiet'},
        texts.noTypeOf),
    h('div', {class: 'row'}, button(texts.newRecord2, {icon: 'plus', disabled: Boolean(view.locked())},
      () => openRecord({scope, done: (record) => record && go(to('records', [scope, record.recordType]))})),
      button(texts.import, {icon: 'up', disabled: Boolean(view.locked())},
      () => importRecords(scope, {}, (type) => go(to('records', [scope, type])))))));
  view.keys({'/': [texts.theType, () => field.focus()], n: [texts.newRecord, () => openRecord({scope})]});
}

/** Opens the page. */
export function open(view) {
  const [scope = 'public', type] = view.route.parts;
  if (!['public', 'private', 'shared'].includes(scope)) return fill(view.root, view.title(texts.records),
    errorBox({code: 'NOT_FOUND', message: texts.thereIsNo(scope)}));
  if (scope !== 'public' && !view.user()) return fill(view.root, h('div', {class: 'page-head'}, view.title(texts.records),
    databases(scope, type)), emptyBox(texts.theDatabaseBelongs(scope),
    {actions: [button(texts.signIn, {kind: 'main'}, () => signIn('user'))]}));
  if (!type) return typesPage(view, scope);
  if (type === '~') return find(view, scope);
  view.root.classList.add('full');
  let query = {type, ...view.route.query};
  let rows = [];
  let source;
  let fetching;
  let took = 0;
  let panel;
  let stop = new AbortController();
  view.signal.addEventListener('abort', () => stop.abort());

  const where = h('input',
    {class: 'code', 'aria-label': texts.predicate, placeholder: texts.predicateSuchAs,
    value: query.where ?? '', autocomplete: 'off', spellcheck: 'false',
    onkeydown: (event) => { if (event.key === 'Enter') apply(); },
    oninput: () => { where.removeAttribute('aria-invalid'); }});
  const zone = choice([['', texts.defaultZone], ['*', texts.allZones]], query.zone ?? '',
    {'aria-label': texts.zone2, onchange: () => change({zone: zone.value})});
  const status = h('span', {role: 'status'});
  const news = h('span');
  const price = h('span');
  const chosen = h('div', {class: 'row bar-of-selection', hidden: true});
  const message = h('div', {class: 'message'});
  const off = view.locked();
  const table = grid({label: texts.recordsOf(type), columns: columns(),
    key: (record) => `${zoneText(record.zoneID)} ${record.recordName}`, more, select: selection,
    sort: (name, direction) => change({sort: direction < 0 ? `-${name}` : name}),
    open: (record) => show(record)});

  fill(view.root, h('div', {class: 'page-head'}, view.title(marked(type, 60)), databases(scope, type),
    button(texts.newRecord2, {icon: 'plus', kind: 'main', disabled: Boolean(off), title: off}, create),
    button('', {icon: 'more', label: texts.more}, more3)),
    h('div', {class: 'tools'}, h('div', {class: 'filter'}, where, button(texts.rows, {'aria-label': texts.filterByRows}, byRows),
      button(texts.run, {icon: 'run'}, apply)), scope !== 'public' && zone, button(texts.columns, {}, pickColumns)),
    message, chosen, table.element, h('div', {class: 'under-grid'}, status, price, news, h('span', {class: 'space'}),
      button('', {icon: 'refresh', label: texts.readAgain}, () => start())));

  function columns() {
    const known = knownFields(scope, type);
    const wanted = query.columns ? query.columns.split(',').slice(0, columnsMax)
      : [...Object.keys(known).slice(0, 9), 'modified'];
    const seen = (name) => known[name];
    return [{key: 'recordName', title: texts.recordname, width: 150, grow: 1.2, sort: true,
      draw: (record) => marked(record.recordName, 120)}, ...wanted.map((name) => system[name] && !seen(name)
      ? {key: name, title: system[name][0], width: name === 'zone' ? 120 : 176, grow: 0, sort: name === 'created'
      || name === 'modified', draw: system[name][1]}
      : {key: name, title: plain(name, 60), note: seen(name), width: right(seen(name)) ? 96 : /TIMESTAMP/.test(seen(name))
        ? 200 : 132, grow: right(seen(name)) ? 0.5 : 1, align: right(seen(name)) ? 'right' : '',
        sort: !/LIST|ASSET|BYTES|REFERENCE/.test(seen(name) ?? ''), draw: (record) => cell(record.fields[name])})];
  }

  function count() {
    if (!rows.length && source?.complete) fill(status, texts.noRecords);
    else {
      const count2 = source?.complete ? counted(rows.length, texts.record) : `${grouped(rows.length)}+ records`;
      fill(status, texts.firstPageIn(count2, Math.round(took)));
    }
  }

  async function more() {
    if (fetching || !source || source.complete || rows.length >= rowsMax) return;
    const reading = source;
    const began = performance.now();
    fetching = reading.next();
    table.element.setAttribute('aria-busy', 'true');
    const wait = setTimeout(() => table.element.parentElement?.classList.add('loading'), 150);
    try {
      const page = await fetching;
      if (reading !== source) return;
      const first = rows.length === 0;
      rows = rows.concat(page);
      if (first) { took = performance.now() - began; table.columns(columns());
        table.sorted(query.sort?.replace(/^-/, ''), query.sort?.startsWith('-') ? -1 : 1); }
      fetching = undefined;
      table.rows(rows, source.complete);
      count();
      if (!rows.length && source.complete) nothing(); else if (first) fill(message);
      if (rows.length >= rowsMax) fill(news, texts.theFirstFilter(grouped(rowsMax)));
      if (!page.length && !source.complete) queueMicrotask(more);
    } catch (error) {
      if (reading !== source || stop.signal.aborted) return;
      fetching = undefined;
      failed(error);
    } finally { clearTimeout(wait); table.element.removeAttribute('aria-busy');
      table.element.parentElement?.classList.remove('loading'); if (reading === source) fetching = undefined; }
  }

  function failed(error) {
    const fault = query.where && faultOf(query.where, error);
    if (fault) where.setAttribute('aria-invalid', 'true');
    source = undefined;
    fill(message, fault, errorBox(error, () => start(), error.code === 'AUTHENTICATION_REQUIRED' ? () => signIn('user')
      : undefined));
  }

  function nothing() {
    const line = curl('database', `${scope}/records/query`, queryBody(query));
    table.element.hidden = true;
    if (query.where) return fill(message,
      emptyBox(h('span', null, texts.nothingMatches, h('code', null, plain(query.where, 200)), '.'),
      {actions: [button(texts.clearTheFilter, {kind: 'main'}, () => { where.value = ''; apply(); })], curl: line}));
    return fill(message, emptyBox(texts.thereAreNo(plain(type, 60)),
      {actions: [button(texts.newRecord2, {icon: 'plus', kind: 'main', disabled: Boolean(off)}, create),
      button(texts.import, {icon: 'up', disabled: Boolean(off)}, () => importRecords(scope, query, () => start()))],
      curl: line}));
  }

  function start() {
    stop.abort();
    stop = new AbortController();
    fetching = undefined;
    rows = [];
    fill(message);
    fill(news);
    table.element.hidden = false;
    table.clear();
    let args;
    try { args = query.args ? JSON.parse(query.args) : undefined; } catch { args = undefined; }
    source = reader(scope, {...query, args}, {signal: stop.signal});
    const own = source;
    fill(price);
    if (query.where && !args && scope !== 'shared') {
      cost(scope, type, query.where).then((text) => { if (own === source && text) fill(price, text); });
    }
    return more();
  }

  function change(changes) {
    amend(changes);
    query = {type, ...here().query};
    zone.value = query.zone ?? '';
    table.sorted(query.sort?.replace(/^-/, ''), query.sort?.startsWith('-') ? -1 : 1);
    start();
  }
  function apply() { change({where: where.value.trim(), ...(where.value.includes('%@') ? {} : {args: undefined})}); }

  async function byRows() {
    const made = await filterRows(knownFields(scope, type));
    if (!made) return;
    where.value = made.where;
    change({where: made.where, args: made.args});
  }

  async function pickColumns() {
    const known = Object.keys(knownFields(scope, type));
    const now = new Set(columns().slice(1).map((column) => column.key));
    const boxes = [...known, ...Object.keys(system).filter((name) => !known.includes(name))].map((name) =>
      [name, h('input', {type: 'checkbox', checked: now.has(name)})]);
    await dialog({title: texts.columns,
      body: h('div', {class: 'columns-of-checks'},
      boxes.map(([name, box]) => h('label', {class: 'check'}, box, h('span', {class: 'cut'}, plain(name, 60)),
      system[name] && !known.includes(name) && h('span', {class: 'note'}, texts.system)))),
      actions: [{text: texts.cancel}, {text: texts.asAtFirst, act: () => { amend({columns: undefined}); use(); }},
      {text: texts.show, kind: 'main', act: () => {
      amend({columns: boxes.filter(([, box]) => box.checked).map(([name]) => name).join(',')});
      use();
    }}]});
    function use() { query = {type, ...here().query}; table.columns(columns()); }
  }

  function show(record, edits) {
    amend({open: record.recordName, zone: query.zone === '*' ? '*' : query.zone});
    panel = openRecord({scope, record, edits, done: saved,
      closed: () => { if (here().query.open === record.recordName && !view.signal.aborted) amend({open: undefined}); }});
  }

  // A record that was changed in the panel is replaced where it is; one that came or went shows after reading again.
  function saved(record) {
    const at = record ? rows.findIndex((row) => row.recordName === record.recordName) : -1;
    if (at < 0) return start();
    rows[at] = record;
    rememberType(scope, type, Object.fromEntries(Object.entries(record.fields).map(([name, field]) => [name, field.type])));
    table.rows(rows, source?.complete ?? true);
  }

  function create() { if (!off) openRecord({scope, type, zoneID: query.zone && query.zone !== '*' ? zoneOf(query.zone)
    : undefined, done: saved}); }
  const picked = () => rows.filter((row) => table.selected.has(`${zoneText(row.zoneID)} ${row.recordName}`));

  /** Copies records as JSON lines: whole ones, where the grid has cut values. */
  const copyWhole = (records, what) => whole(scope, records).then((all) =>
    copied(all.map((record) => JSON.stringify(sendable(record))).join('\n'), what)).catch(failed);

  function selection(keys) {
    chosen.hidden = keys.size === 0;
    if (!keys.size) return;
    fill(chosen, h('b', null, texts.selected(grouped(keys.size))),
      button(texts.deleteText, {icon: 'trash', kind: 'danger', disabled: Boolean(off), title: off}, removeMany),
      button(texts.setAField2, {disabled: Boolean(off), title: off}, setMany),
      button(texts.export, {icon: 'down'}, () => exportRecords(scope, query, picked())),
      button(texts.copy, {icon: 'copy'}, () => copyWhole(picked(), texts.records2(keys.size))),
      h('span', {class: 'space'}), button('', {icon: 'close', label: texts.selectNone},
        () => table.clear()));
  }

  /** Sends an operation for each of many records, zone by zone. */
  async function many(title, records, operation) {
    const zones = Map.groupBy ? Map.groupBy(records, (record) => zoneText(record.zoneID))
      : new Map([...new Set(records.map((record) => zoneText(record.zoneID)))].map((name) =>
      [name, records.filter((record) => zoneText(record.zoneID) === name)]));
    const done = [];
    for (const [, group] of zones) {
      const results = await modify(scope, group.map(operation), {zoneID: group[0].zoneID});
      done.push(...results.map((result, at) => [result, group[at]]));
    }
    if (done.some(([result]) => result.serverErrorCode)) outcome(title, done.map(([result]) => result),
      done.map(([, record]) => record.recordName));
    return done.filter(([result]) => !result.serverErrorCode).map(([, record]) => record);
  }

  async function removeMany() {
    const records = picked();
    if (off || !records.length) return;
    if (!await confirm({title: texts.deleteRecordsAsk(grouped(records.length)),
      text: texts.undoSendsThem,
      yes: texts.deleteText, danger: true, name: here().environment === 'production' ? type : undefined})) return;
    const before = await Promise.all(records.slice(0, 200).map((record) => remembered(scope, record)));
    const gone = await many('Delete', records,
      (record) => ({operationType: 'delete',
      record: {recordName: record.recordName,
      recordChangeTag: record.recordChangeTag}})).catch((error) => { failed(error); return []; });
    if (gone.length) offerUndo(`Deleted ${grouped(gone.length)} records.`, scope,
      before.filter((copy) => gone.some((record) => record.recordName === copy.recordName)), records[0].zoneID,
      () => start());
    start();
  }

  async function setMany() {
    const records = picked();
    const known = Object.entries(knownFields(scope, type)).filter(([, kind]) => !/ASSET/.test(kind));
    if (!known.length) return;
    const field = choice(known.map(([name, kind]) => [name, `${plain(name, 40)} (${kind})`]), known[0][0]);
    const place = h('div');
    let made;
    const draw = () => { made = control(known.find(([name]) => name === field.value)[1], undefined, {label: texts.value});
      fill(place, made.element); };
    field.addEventListener('change', draw);
    draw();
    let value;
    const yes = await dialog({title: texts.setAField(grouped(records.length)),
      body: [labelled(texts.field, field), h('div', {class: 'labelled'}, h('span', {class: 'label'}, texts.value), place)],
      actions: [{text: texts.cancel},
      {text: texts.set, kind: 'main', value: true, act: async () => { value = await made.read(); }}]});
    if (!yes) return;
    const type2 = known.find(([name]) => name === field.value)[1];
    const before = await Promise.all(records.slice(0, 200).map((record) => remembered(scope, record)));
    const set = await many('Set', records,
      (record) => ({operationType: 'update',
      record: {recordName: record.recordName, recordChangeTag: record.recordChangeTag,
      fields: {[field.value]: {type: type2, value}}}})).catch((error) => { failed(error); return []; });
    if (set.length) offerUndo(`Set ${plain(field.value, 40)} of ${grouped(set.length)} records.`, scope,
      before.filter((copy) => set.some((record) => record.recordName === copy.recordName)), records[0].zoneID,
      () => start());
    start();
  }

  function more3(event) {
    menu(event.currentTarget,
      [{text: texts.subscribeToThis, icon: 'subscriptions', off: scope === 'shared'
      ? texts.theSharedDatabase : off,
      act: () => go(to('subscriptions', [], {new: 1, database: scope, type, where: query.where}))}, null,
      {text: texts.importMore, icon: 'up', off, act: () => importRecords(scope, query, (into) => into === type ? start()
        : go(to('records', [scope, into])))}, {text: texts.exportWhatTheQuery, icon: 'down',
        act: () => exportRecords(scope, query)},
      {text: texts.loadAllRows2, icon: 'refresh', note: texts.ctrl, act: all}, null,
        {text: texts.copyTheQuery, icon: 'copy',
        act: () => copied(curl('database', `${scope}/records/query`, {...queryBody(query), numbersAsStrings: true}),
        texts.aCurlLine)}, {text: texts.otherTypes, icon: 'records', act: () => go(to('records', [scope]))}]);
  }

  async function all() { while (source && !source.complete && rows.length < rowsMax
    && !view.signal.aborted) { await more(); await (fetching ?? new Promise((resolve) => setTimeout(resolve))); } }

  view.keys({'/': [texts.theFilter, () => { where.focus(); where.select(); }], n: [texts.newRecord, create],
    e: [texts.editTheRecord2, () => table.current() && show(table.current(), true)], Delete: [texts.deleteSelected, removeMany],
    'Ctrl ArrowDown': [texts.loadAllRows, all],
    y: [texts.copyTheRecord2, () => table.current() && copyWhole([table.current()], texts.theRecord)],
      'Shift y': [texts.copyACurl,
      () => copied(curl('database', `${scope}/records/query`, {...queryBody(query), numbersAsStrings: true}),
      texts.aCurlLine)]});
  view.changed = (route) => {
    const before = query;
    query = {type, ...route.query};
    where.value = query.where ?? '';
    if (before.where !== query.where || before.sort !== query.sort || before.zone !== query.zone
      || before.args !== query.args) start(); else if (before.columns !== query.columns) table.columns(columns());
    if (query.open && query.open !== before.open) byAddress(); else if (!query.open) panel?.end();
  };
  function byAddress() {
    panel = openRecord({scope, recordName: query.open, zoneID: query.zone && query.zone !== '*' ? zoneOf(query.zone)
      : undefined, done: saved, closed: () => { if (!view.signal.aborted) amend({open: undefined}); }});
  }
  onChanges((changed) => {
    if (changed.database !== scope || !changed.count) return;
    fill(news, button(texts.changedInAnother(changed.count), {kind: 'plain', icon: 'refresh'},
      () => start()));
  }, view.signal);

  if (scope !== 'public') database(scope,
    'zones/list').then(({zones}) => { for (const one of zones) if (zoneText(one.zoneID)) zone.append(h('option',
    {value: zoneText(one.zoneID)}, plain(zoneText(one.zoneID), 60))); zone.value = query.zone ?? ''; }).catch(() => {});
  if (query.open) byAddress();
  start().then(() => { if (document.activeElement === document.body
    || document.activeElement?.tagName === 'H1') table.focus(); });
}

/** Looks a record up by its name alone, and goes to its type. */
async function find(view, scope) {
  const {open: name, zone} = view.route.query;
  fill(view.root, view.title(texts.records), h('p', {class: 'quiet'}, texts.lookingForMore(plain(name ?? '', 80))));
  try {
    const record = await lookup(scope, name ?? '', zone && zone !== '*' ? zoneOf(zone) : undefined);
    rememberType(scope, record.recordType);
    location.replace(to('records', [scope, record.recordType], {open: record.recordName, zone}));
  } catch (error) { fill(view.root, view.title(texts.records), errorBox(error, () => find(view, scope))); }
}
