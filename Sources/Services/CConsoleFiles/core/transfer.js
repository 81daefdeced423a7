// Import and export of records: JSON lines, which are exact, and CSV.
import {dialog, note} from './dialog.js';
import {exactJSON, int64} from './fields.js';
import {isDefault, modify, reader, sendable, zoneOf} from './records.js';
import {texts} from './texts-records.js';
import {knownFields} from './types.js';
import {csvCell, exact} from './values.js';
import {grouped, plain} from './text.js';
import {fill, h} from './view.js';
import {choice, download, labelled} from './controls.js';

const lineOf = (record) =>
  JSON.stringify({...sendable(record), ...(!isDefault(record.zoneID) && {zoneID: {zoneName: record.zoneID.zoneName}})});

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

/** Asks for a form and saves all records of a query, or the given ones, as a file. */
export async function exportRecords(scope, query, records) {
  const form = choice([['jsonl', texts.jsonLinesExact], ['csv', texts.csvForSpreadsheets]], 'jsonl',
    {autofocus: true});
  const go = await dialog({title: records ? texts.exportRecords(grouped(records.length)) : texts.exportWhatThe,
    body: [labelled(texts.form, form),
    h('p', {class: 'quiet'}, texts.cellsOfCsv)],
    actions: [{text: texts.cancel}, {text: texts.export, kind: 'main', value: true}]});
  if (!go) return;
  const all = [];
  try {
    await running('Exporting', async (report, stopped) => {
      if (records) { all.push(...records); return; }
      const source = reader(scope, query, {whole: true});
      while (!source.complete && !stopped()) { all.push(...await source.next()); report(`${grouped(all.length)} records`); }
    });
  } catch (error) { note(texts.recordsHadCome(error.code ?? 'ERROR', error.message, grouped(all.length)),
    {kind: 'bad', seconds: 12}); }
  if (!all.length) return note(texts.thereIsNothing);
  const name = `${query.type.replace(/[^\w.-]/g, '_')}.${form.value}`;
  if (form.value === 'jsonl') download(name, new Blob(all.map((record) => lineOf(record) + '\n'),
    {type: 'application/x-ndjson'}));
  else {
    const columns = [...new Set(all.flatMap((record) => Object.keys(record.fields)))];
    const rows = [['recordName', ...columns],
      ...all.map((record) => [record.recordName, ...columns.map((column) => exact(record.fields[column]))])];
    download(name, new Blob([rows.map((cells) => cells.map(csvCell).join(',') + '\r\n').join('')], {type: 'text/csv'}));
  }
  note(texts.recordsAreIn(grouped(all.length), name));
}

/** Reads CSV: rows of texts. */
export function readCSV(text) {
  const rows = [[]];
  const cells = /("(?:[^"]|"")*"|[^",\r\n]*)(,|\r\n|\n|\r|$)/gy;
  for (let found; (found = cells.exec(text)) && cells.lastIndex <= text.length;) {
    const cell = found[1].startsWith('"') ? found[1].slice(1, -1).replaceAll('""', '"') : found[1];
    rows.at(-1).push(cell);
    if (found[2] === '') break;
    if (found[2] !== ',') rows.push([]);
  }
  return rows.filter((row) => row.length > 1 || row[0]);
}

function typed(text, type) {
  if (text === '') return undefined;
  if (type && !/^(STRING|INT64|DOUBLE|TIMESTAMP|BYTES)$/.test(type)) { try { return {type, value: exactJSON(text)};
    } catch { return {type: 'STRING', value: text}; } }
  if (type) return {type, value: type === 'STRING' && /^'[=+\-@\t]/.test(text) ? text.slice(1) : text};
  if (/^-?\d+$/.test(text)) { try { return {type: 'INT64', value: int64(text)};
    } catch { return {type: 'STRING', value: text}; } }
  if (/^-?\d*\.\d+([eE][+-]?\d+)?$/.test(text)) return {type: 'DOUBLE', value: text};
  return {type: 'STRING', value: text.replace(/^'(?=[=+\-@\t])/, '')};
}

function plainField(value, type) {
  if (type) return {type, value};
  if (Array.isArray(value)) return {type: value.every((one) => typeof one === 'string') ? 'STRING_LIST' : 'LIST', value};
  return typeof value === 'object' ? {value} : {type: 'STRING', value: String(value)};
}

// Numbers of plain JSON lines: texts by then, with a mark before them.
const numeric = (line) => JSON.parse(line.replace(/("(?:[^"\\]|\\.)*")|(-?\d+(?:\.\d+)?(?:[eE][+-]?\d+)?)/g,
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
          recordName: whole.recordName, fields: whole.fields, parent: whole.parent};
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
  return rows.map((cells) => {
    const record = {recordType: type, fields: {}};
    head.forEach((name, at) => {
      if (name === (nameField || 'recordName')) { if (cells[at]) record.recordName = cells[at]; return; }
      const field = typed(cells[at] ?? '', known[name]);
      if (field) record.fields[name] = field;
    });
    return record;
  });
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
  const zoneID = zone && zone !== '*' ? zoneOf(zone) : undefined;
  let results = [];
  try {
    results = await running('Importing',
      (report, stopped) => modify(scope, records.map((record) => ({operationType: how.value, record})),
      {zoneID, progress: (count) => { report(`${grouped(count)} of ${grouped(records.length)}`, count / records.length);
      return !stopped(); }}));
  } catch (error) { note(`${error.code ?? 'ERROR'}: ${error.message}`, {kind: 'bad', seconds: 12}); }
  outcome('Import', results, records.map((record) => record.recordName ?? texts.noName), records.length);
  done(into.value.trim());
}

/** Shows how many of many operations were done, and why others were not. */
export function outcome(title, results, names, total = results.length) {
  const failed = results.map((result, at) => [result, names[at]]).filter(([result]) => result.serverErrorCode);
  if (!failed.length && results.length === total) return note(texts.done(title, grouped(results.length)));
  const unsent = results.length < total ? texts.notSent(grouped(total - results.length)) : '';
  return dialog({title: texts.doneRefused(title, grouped(results.length - failed.length), grouped(failed.length), unsent),
    wide: true, actions: [{text: texts.close, kind: 'main'}],
    body: h('div', {class: 'scroll', tabindex: '0', role: 'region', 'aria-label': texts.refused},
      h('table', null, h('thead', null, h('tr', null, h('th', null, texts.record2), h('th', null, texts.code),
      h('th', null, texts.reason))), h('tbody', null, failed.slice(0, 200).map(([result, name]) =>
      h('tr', null, h('td', null, plain(result.recordName ?? name, 80)), h('td', {class: 'code'}, result.serverErrorCode),
        h('td', null, plain(result.reason ?? '', 300)))))))});
}

