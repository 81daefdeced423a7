// Import and export of records: JSON lines, which are exact, and CSV.
import {csvLine, csvText, readCSV} from './csv.js';
import {dialog, note} from './dialog.js';
import {base64Of, bytesOf, exactJSON, int64} from './fields.js';
import {bare, batch, fetchFile, isDefault, modify, reader, sendable, upload, whole, zoneOf, zoneText} from './records.js';
import {texts} from './texts-records.js';
import {knownFields} from './types.js';
import {exact} from './values.js';
import {grouped, plain} from './text.js';
import {fill, h} from './view.js';
import {choice, download, labelled} from './controls.js';

const isFile = (field) => /^ASSET(ID)?(_LIST)?$/.test(field.type);
const typeInHead = /^([A-Za-z]\w*):((?:ENCRYPTED_)?(?:STRING|INT64|DOUBLE|TIMESTAMP|REFERENCE|LOCATION|BYTES|ASSETID)(?:_LIST)?)$/;

/** Calls `change` with each file of some fields, and answers the fields with what that gives. */
async function eachFile(fields, change) {
  const changed = Object.create(null);
  for (const [name, field] of Object.entries(fields)) {
    if (!isFile(field) || !field.value) { changed[name] = field; continue; }
    const values = [];
    for (const value of [field.value].flat()) values.push(await change(value, name));
    changed[name] = {...field, value: Array.isArray(field.value) ? values : values[0]};
  }
  return changed;
}

/** Does something again when the service takes it, where it says when. */
async function patiently(action, stopped) {
  for (;;) {
    try { return await action(); } catch (error) {
      if (error.code !== 'THROTTLED' || !error.retryAfter || stopped()) throw error;
      await new Promise((resolve) => setTimeout(resolve, error.retryAfter * 1000));
    }
  }
}

/** A record as exports have it: with the contents of its files, or without. */
async function exported(scope, record, withFiles) {
  const {zoneID} = record;
  const copy = sendable(record);
  copy.fields = await eachFile(copy.fields, async (value) => ({fileChecksum: value.fileChecksum, size: value.size,
    ...(withFiles && {content: await base64Of(await fetchFile(value))})}));
  return {...copy, ...(!isDefault(zoneID) && {zoneID: scope === 'shared' ? bare(zoneID) : {zoneName: zoneID.zoneName}})};
}

const columnOf = (name, {type, isEncrypted}) => `${name}:${isEncrypted ? 'ENCRYPTED_' : ''}${type.replace(/^ENCRYPTED_/, '')}`;

/** Lines of CSV: names and types of fields in the first, then a record each. */
function table(records) {
  const cells = records.map((record) => new Map([['recordName', record.recordName],
    ...(record.zoneID ? [['zoneID', JSON.stringify(record.zoneID)]] : []),
    ...(record.parent ? [['parent', record.parent.recordName]] : []),
    ...Object.entries(record.fields).map(([name, field]) => [columnOf(name, field), exact(field)])]));
  const columns = [...new Set(['recordName', ...['zoneID', 'parent'].filter((name) => records.some((record) => record[name])),
    ...cells.flatMap((row) => [...row.keys()])])];
  return [csvLine(columns), ...cells.map((row) => csvLine(columns.map((column) => row.get(column))))];
}

/** A dialog with a bar that can be stopped. `work(report, stopped)` does the work; answers what it gives. */
async function running(title, work) {
  let stop = false;
  const bar = h('progress', {class: 'progress', 'aria-label': title});
  const text = h('p', {role: 'status'}, '…');
  const close = dialog({title, closable: false, body: [text, bar],
    actions: [{text: texts.stop, act: () => { stop = true; return false; }}]});
  let last = 0;
  const report = (words, part) => {
    if (performance.now() - last < 500 && part !== 1) return;
    last = performance.now();
    fill(text, words);
    if (part === undefined) bar.removeAttribute('value'); else bar.value = part;
  };
  try { return await work(report, () => stop); } finally { document.querySelector('dialog:last-of-type')?.close();
    await close; }
}

/**
 * Asks for a form and saves all records of a query, or the given ones, as a file. Each comes once, as it was when its page was
 * read.
 */
export async function exportRecords(scope, query, records) {
  const form = choice([['jsonl', texts.jsonLinesExact], ['csv', texts.csvForSpreadsheets]], 'jsonl',
    {autofocus: true});
  const files = h('input', {type: 'checkbox', checked: true});
  const go = await dialog({title: records ? texts.exportRecords(grouped(records.length)) : texts.exportWhatThe,
    body: [labelled(texts.form, form), h('label', {class: 'check'}, files, texts.withTheContents),
    h('p', {class: 'quiet'}, texts.cellsOfCsv)],
    actions: [{text: texts.cancel}, {text: texts.export, kind: 'main', value: true}]});
  if (!go) return;
  const isTable = form.value === 'csv';
  const parts = [];
  const seen = new Set();
  try {
    await running(texts.export, async (report, stopped) => {
      const source = records ? {async next() { const all = await whole(scope, records); source.complete = true; return all; }}
        : reader(scope, query, {whole: true});
      while (!source.complete && !stopped()) {
        for (const record of await patiently(() => source.next(), stopped)) {
          // A record whose field of the order changes between two pages would come twice.
          const key = `${zoneText(record.zoneID)} ${record.recordName}`;
          if (seen.has(key)) continue;
          seen.add(key);
          const copy = await exported(scope, record, files.checked);
          parts.push(isTable ? copy : JSON.stringify(copy) + '\n');
        }
        report(texts.records2(grouped(parts.length)));
      }
    });
  } catch (error) { note(texts.recordsHadCome(error.code ?? 'ERROR', error.message, grouped(parts.length)),
    {kind: 'bad', seconds: 12}); }
  if (!parts.length) return note(texts.thereIsNothing);
  const name = `${query.type.replace(/[^\w.-]/g, '_')}.${form.value}`;
  download(name, new Blob(isTable ? table(parts) : parts, {type: isTable ? 'text/csv' : 'application/x-ndjson'}));
  note(texts.recordsAreIn(grouped(parts.length), name));
}

function typed(text, type) {
  if (text === '') return undefined;
  if (type && !/^(STRING|INT64|DOUBLE|TIMESTAMP|BYTES)$/.test(type)) { try { return {type, value: exactJSON(text)};
    } catch { return {type: 'STRING', value: text}; } }
  if (type) return {type, value: csvText(text)};
  if (/^-?\d+$/.test(text)) { try { return {type: 'INT64', value: int64(text)};
    } catch { return {type: 'STRING', value: text}; } }
  if (/^-?\d*\.\d+([eE][+-]?\d+)?$/.test(text)) return {type: 'DOUBLE', value: text};
  return {type: 'STRING', value: csvText(text)};
}

/** The records of a table of this export: its first row has types. */
function typedTable(head, rows, recordType) {
  const columns = head.map((cell) => typeInHead.exec(cell ?? ''));
  return rows.map((cells, line) => {
    const record = {recordType, fields: Object.create(null)};
    cells.forEach((cell, at) => {
      if (cell === undefined) return;
      const text = csvText(cell);
      const [, name, kind] = columns[at] ?? [];
      try {
        if (name) record.fields[name] = {type: kind.replace(/^ENCRYPTED_/, ''), ...(kind.startsWith('ENCRYPTED_')
          && {isEncrypted: true}), value: /LIST|REFERENCE|LOCATION|ASSET/.test(kind) ? exactJSON(text) : text};
        else if (head[at] === 'zoneID') record.zoneID = JSON.parse(text);
        else if (head[at] === 'parent') record.parent = {recordName: text};
        else if (head[at] === 'recordName') record.recordName = text;
      } catch (error) { throw new Error(texts.lineIsNo(line + 2, error.message)); }
    });
    return record;
  });
}

function plainField(value, type) {
  if (type) return {type, value};
  if (Array.isArray(value)) return {type: value.every((one) => typeof one === 'string') ? 'STRING_LIST' : 'LIST', value};
  return typeof value === 'object' ? {value} : {type: 'STRING', value: String(value)};
}

// Numbers of plain JSON lines: texts by then, with a mark before them.
const numeric = (line) => JSON.parse(line.replace(/("[^"\\]*(?:\\.[^"\\]*)*")|(-?\d+(?:\.\d+)?(?:[eE][+-]?\d+)?)/g,
  (_, string, number) => string ?? `{"number":"${number}"}`));

/**
 * Reads a file's text as records: JSON lines of this export, plain JSON lines, or CSV. `nameField` is the field that names
 * records of plain lines.
 */
export function readRecords(text, {scope, type, nameField}) {
  const known = knownFields(scope, type);
  if (/^\s*[{[]/.test(text)) {
    return text.split('\n').filter((line) => line.trim()).map((line, at) => {
      try {
        const whole = exactJSON(line);
        if (whole.fields && typeof whole.fields === 'object' && !Array.isArray(whole.fields)) return {recordType: type,
          recordName: whole.recordName, fields: whole.fields, parent: whole.parent, zoneID: whole.zoneID};
        const fields = Object.fromEntries(Object.entries(numeric(line)).filter(([name, value]) => name !== nameField
          && value !== null).map(([name, value]) =>
          [name, value?.number !== undefined && Object.keys(value).length === 1
            ? {type: known[name] ?? (/[.eE]/.test(value.number) ? 'DOUBLE' : 'INT64'), value: value.number}
            : plainField(whole[name], known[name])]));
        return {recordType: type, ...(nameField && whole[nameField] !== undefined
          && {recordName: String(whole[nameField])}), fields};
      } catch (error) { throw new Error(texts.lineIsNo(at + 1, error.message)); }
    });
  }
  const [head = [], ...rows] = readCSV(text.replace(/^\uFEFF/, ''));
  if (head.some((cell) => typeInHead.test(cell ?? ''))) return typedTable(head, rows, type);
  return rows.map((cells) => {
    const record = {recordType: type, fields: Object.create(null)};
    head.forEach((name, at) => {
      if (name === (nameField || 'recordName')) { if (cells[at]) record.recordName = csvText(cells[at]); return; }
      const field = typed(cells[at] ?? '', known[name]);
      if (field) record.fields[name] = field;
    });
    return record;
  });
}

/** The operation of a record, whose files are sent before. */
async function operation(scope, kind, {zoneID, ...record}) {
  const fields = await eachFile(record.fields, async ({content, ...value}, fieldName) => content === undefined ? value
    : upload(scope, {recordType: record.recordType, recordName: record.recordName, fieldName, zoneID}, bytesOf(content)));
  return {operationType: kind, record: {...record, fields}};
}

/**
 * Saves records, each in its zone, or in `zoneID`; answers an item for each that was sent, at its place. A record that needs
 * another one of the file is sent again when that one is there.
 */
async function send(scope, records, {kind, zoneID, stopped, progress}) {
  const results = [];
  let left = records.map((_, at) => at);
  let count = 0;
  for (;;) {
    const zones = new Map();
    for (const at of left) {
      const zone = zoneText(records[at].zoneID ?? zoneID);
      if (zones.has(zone)) zones.get(zone).push(at); else zones.set(zone, [at]);
    }
    for (const [zone, places] of zones) {
      for (let from = 0; from < places.length && !stopped(); from += batch) {
        const part = places.slice(from, from + batch);
        const answers = [];
        try {
          const operations = [];
          for (const at of part) operations.push(await operation(scope, kind, {...records[at], zoneID: zone ? zoneOf(zone) : undefined}));
          // A request at a time: what was taken is not sent again.
          while (answers.length < operations.length) {
            answers.push(...await patiently(() => modify(scope, operations.slice(answers.length),
              {zoneID: zone ? zoneOf(zone) : undefined, progress: () => false}), stopped));
          }
        } catch (error) {
          while (answers.length < part.length) answers.push({serverErrorCode: error.code ?? 'ERROR', reason: error.message});
        }
        part.forEach((at, one) => { results[at] = answers[one]; });
        progress(count = Math.min(records.length, count + part.length));
      }
    }
    const again = left.filter((at) => results[at]?.serverErrorCode === 'VALIDATING_REFERENCE_ERROR');
    if (!again.length || again.length === left.length || stopped()) return results;
    left = again;
  }
}

/** Asks for a file and saves its records; shows each that was refused. */
export async function importRecords(scope, {type, zone}, done) {
  const file = h('input', {type: 'file', accept: '.jsonl,.ndjson,.json,.csv,text/csv', autofocus: true});
  const into = h('input', {value: type ?? '', autocomplete: 'off', spellcheck: 'false'});
  const nameField = h('input', {placeholder: texts.recordname, autocomplete: 'off', spellcheck: 'false'});
  const how = choice([['create', texts.createThoseThat],
    ['forceUpdate', texts.createOrChange],
    ['forceReplace', texts.createOrReplace]], 'create');
  let records;
  const go = await dialog({title: texts.importRecords,
    body: [labelled(texts.file, file, texts.jsonLinesOr),
    labelled(texts.recordType, into), labelled(texts.fieldThatNames, nameField,
    texts.withoutOneThe), labelled(texts.how, how)],
    actions: [{text: texts.cancel}, {text: texts.import, kind: 'main', value: true, act: async () => {
      if (!file.files[0] || !into.value.trim()) throw new Error(texts.chooseAFileAnd);
      records = readRecords(await file.files[0].text(),
        {scope, type: into.value.trim(), nameField: nameField.value.trim()});
      if (!records.length) throw new Error(texts.theFileHas);
    }}]});
  if (!go) return;
  let results = [];
  await running(texts.import, async (report, stopped) => {
    results = await send(scope, records, {kind: how.value, zoneID: zone && zone !== '*' ? zoneOf(zone) : undefined, stopped,
      progress: (count) => report(texts.ofRecords(grouped(count), grouped(records.length)), count / records.length)});
  });
  outcome('Import', results, records.map((record) => record.recordName ?? texts.noName), records.length);
  done(into.value.trim());
}

/** Shows how many of many operations were done, and why others were not. */
export function outcome(title, results, names, total = results.length) {
  const sent = results.map((result, at) => [result, names[at]]).filter(([result]) => result);
  const failed = sent.filter(([result]) => result.serverErrorCode);
  if (!failed.length && sent.length === total) return note(texts.done(title, grouped(sent.length)));
  const unsent = sent.length < total ? texts.notSent(grouped(total - sent.length)) : '';
  return dialog({title: texts.doneRefused(title, grouped(sent.length - failed.length), grouped(failed.length), unsent),
    wide: true, actions: [{text: texts.close, kind: 'main'}],
    body: h('div', {class: 'scroll', tabindex: '0', role: 'region', 'aria-label': texts.refused},
      h('table', null, h('thead', null, h('tr', null, h('th', null, texts.record2), h('th', null, texts.code),
      h('th', null, texts.reason))), h('tbody', null, failed.slice(0, 200).map(([result, name]) =>
      h('tr', null, h('td', null, plain(result.recordName ?? name, 80)), h('td', {class: 'code'}, result.serverErrorCode),
        h('td', null, plain(result.reason ?? '', 300)))))))});
}

