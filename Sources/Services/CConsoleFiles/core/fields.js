// Fields of a record as controls: each type of CloudKit, checked before it is sent. Numbers stay texts.
import {texts} from './texts-records.js';
import {button, fill, h} from './view.js';
import {choice} from './controls.js';
import {size} from './values.js';
import {utc} from './text.js';

/** The types of fields that can be made. */
export const types = ['STRING', 'INT64', 'DOUBLE', 'TIMESTAMP', 'REFERENCE', 'LOCATION', 'BYTES', 'ASSET', 'STRING_LIST',
  'INT64_LIST', 'DOUBLE_LIST', 'TIMESTAMP_LIST', 'REFERENCE_LIST', 'LOCATION_LIST', 'BYTES_LIST'];

const fault = (text) => Object.assign(new Error(text), {code: 'VALUE'});

/** JSON whose numbers become texts, so that none is rounded. */
export const exactJSON = (text) => JSON.parse(text.replace(/("[^"\\]*(?:\\.[^"\\]*)*")|(-?\d+(?:\.\d+)?(?:[eE][+-]?\d+)?)/g,
  (_, string, number) => string ?? `"${number}"`));

/** The text of a whole number of 64 bits; throws where it is none. */
export function int64(text) {
  const digits = text.replace(/[\s\u2009]/g, '');
  if (!/^[+-]?\d+$/.test(digits)) throw fault(texts.isNoWhole(text));
  if (BigInt.asIntN(64, BigInt(digits)) !== BigInt(digits)) throw fault(texts.doesNotFit(digits));
  return String(BigInt(digits));
}

/** Milliseconds since 1970, as text, of `2026-11-27 02:01:14.123Z` or of milliseconds. */
export function milliseconds(text) {
  if (/^[+-]?\d{6,}$/.test(text.trim())) return int64(text.trim());
  const given = text.trim().replace(' ', 'T');
  const ms = Date.parse(/(Z|[+-]\d\d:?\d\d)$/i.test(given) ? given : given.includes('T') ? `${given}Z` : given);
  if (Number.isNaN(ms)) throw fault(texts.isNoTime(text));
  return String(ms);
}

function double(text) {
  const given = text.trim();
  if (!/^[+-]?(\d+\.?\d*|\.\d+)([eE][+-]?\d+)?$/.test(given)
    || !Number.isFinite(Number(given))) throw fault(texts.isNoNumber(text));
  return given;
}

function base64(text) {
  const given = text.replace(/\s/g, '');
  if (!/^[A-Za-z0-9+/]*={0,2}$/.test(given) || given.replace(/=/g, '').length % 4 === 1) throw fault(texts.thatIsNo);
  return given;
}

const single = {STRING: (text) => text, INT64: int64, DOUBLE: double, TIMESTAMP: milliseconds, BYTES: base64};

function list(type, text) {
  let values;
  try { values = exactJSON(text.trim() || '[]'); } catch { throw fault(texts.writeAList); }
  if (!Array.isArray(values)) throw fault(texts.writeAList);
  const one = single[type];
  return values.map((value) => one ? one(String(value)) : type === 'REFERENCE' && typeof value === 'string'
    ? {recordName: value, action: 'NONE'} : value);
}

/** The base64 of a file's bytes. */
export async function base64Of(file) {
  const bytes = new Uint8Array(await file.arrayBuffer());
  let text = '';
  for (let at = 0; at < bytes.length; at += 32768) text += String.fromCharCode(...bytes.subarray(at, at + 32768));
  return btoa(text);
}

/** The bytes of base64. */
export const bytesOf = (text) => Uint8Array.from(atob(text), (byte) => byte.charCodeAt(0));

/**
 * A control for a value of a type: `{element, read()}`. `read` answers the value, or a promise of it; it throws an error
 * with a sentence. `given` is
 * the value so far, `label` names the control, `upload(file)` answers a promise of an asset's value.
 */
export function control(type, given, {label, upload} = {}) {
  const text = (value, properties) => h('input', {'aria-label': label, value, spellcheck: 'false', autocomplete: 'off',
    ...properties});
  if (type.endsWith('_LIST') && !type.startsWith('ASSET')) {
    const field = h('textarea', {'aria-label': texts.asJson(label), rows: '2', spellcheck: 'false',
      value: given === undefined ? '[]' : JSON.stringify(given)});
    return {element: field, read: () => list(type.slice(0, -5), field.value)};
  }
  switch (type.replace('ASSETID', 'ASSET')) {
    case 'STRING': {
      const field = h('textarea', {'aria-label': label, rows: given && /\n|.{60}/.test(given) ? '4' : '1', value: given
        ?? '', class: 'short'});
      return {element: field, read: () => field.value};
    }
    case 'REFERENCE': {
      const name = text(given?.recordName ?? '', {placeholder: texts.recordName});
      const action = choice(['NONE', 'VALIDATE', 'DELETE_SELF'], given?.action ?? 'NONE',
        {'aria-label': texts.action(label)});
      return {element: h('div', {class: 'pair'}, name, action), read: () => {
        if (!name.value) throw fault(texts.aReferenceNeeds);
        return {...(given?.zoneID && given.recordName === name.value && {zoneID: given.zoneID}), recordName: name.value,
          action: action.value};
      }};
    }
    case 'LOCATION': {
      const latitude = text(given?.latitude ?? '', {placeholder: texts.latitudeWord, inputmode: 'decimal',
        'aria-label': texts.latitude(label)});
      const longitude = text(given?.longitude ?? '', {placeholder: texts.longitudeWord, inputmode: 'decimal',
        'aria-label': texts.longitude(label)});
      return {element: h('div', {class: 'pair'}, latitude, longitude),
        read: () => ({...given, latitude: double(latitude.value), longitude: double(longitude.value)})};
    }
    case 'BYTES': {
      const field = h('textarea', {'aria-label': texts.inBase64(label), rows: '2', spellcheck: 'false', value: given
        ?? ''});
      const file = h('input', {type: 'file', 'aria-label': texts.fromAFile(label),
        onchange: async () => { if (file.files[0]) field.value = await base64Of(file.files[0]); }});
      return {element: h('div', {class: 'stack'}, field, file), read: () => base64(field.value)};
    }
    case 'ASSET': case 'ASSET_LIST': {
      const many = type.endsWith('_LIST');
      const file = h('input', {type: 'file', 'aria-label': label, multiple: many});
      const has = given === undefined ? texts.noFileYet : many ? `${given.length} files`
        : `${size(Number(given.size))}, ${given.fileChecksum}`;
      return {element: h('div', {class: 'stack'}, h('span', {class: 'note code'}, has), file), read: async () => {
        if (!file.files.length) { if (given === undefined) throw fault(texts.chooseAFile); return given; }
        const values = await Promise.all([...file.files].map(upload));
        return many ? values : values[0];
      }};
    }
    case 'TIMESTAMP': {
      const field = text(given === undefined ? '' : utc(given), {placeholder: '2026-11-27 02:01:14.123Z'});
      return {element: h('div', {class: 'row tight'}, field, button(texts.now2, {kind: 'plain', 'aria-label': texts.now(label)},
        () => { field.value = utc(Date.now()); })), read: () => field.value === (given === undefined ? undefined
        : utc(given)) ? given : milliseconds(field.value)};
    }
    default: {
      const field = text(given ?? '', {inputmode: type === 'INT64' ? 'numeric' : 'decimal', class: 'code'});
      return {element: field, read: () => (single[type] ?? ((value) => value))(field.value)};
    }
  }
}

/**
 * The fields of a record as a form. Answers `{element, read(), dirty()}`; `read` answers a promise of `{fields, changed}`:
 * all fields, and those that
 * differ from `given` (a removed one has the value null). Faults are shown at their field, and thrown.
 */
export function form(given, {upload, encrypts, names = []} = {}) {
  const rows = [];
  let touched = false;
  const list = h('div', {class: 'fields'});
  const element = h('div', {class: 'stack', oninput: () => { touched = true; }, onchange: () => { touched = true; }}, list);

  function row(name, type, field) {
    const wrong = h('p', {class: 'bad note', role: 'alert', hidden: true});
    const made = control(type, field?.value, {label: name, upload: (file) => upload(name, file)});
    const sealed = encrypts && !/REFERENCE|ASSET/.test(type)
      && h('input', {type: 'checkbox', checked: Boolean(field?.isEncrypted), disabled: Boolean(field)});
    const own = {name, type, made, wrong, sealed, field, gone: false};
    own.element = h('div', {class: 'field'}, h('div', {class: 'field-head'}, h('span', {class: 'cut'}, h('b', null, name)),
      h('span', {class: 'note'}, type), h('span', {class: 'space'}),
      sealed && h('label', {class: 'check note'}, sealed, texts.encrypted),
        button('', {icon: 'trash', label: texts.remove(name)}, () => { own.gone = true; touched = true; own.element.remove();
        addName.focus(); })), made.element, wrong);
    rows.push(own);
    list.append(own.element);
    return own;
  }
  for (const [name, field] of Object.entries(given)) row(name, field.type, field);

  const id = `names-${Math.random().toString(36).slice(2)}`;
  const addName = h('input', {placeholder: texts.fieldName, 'aria-label': texts.nameOfA, list: id,
    autocomplete: 'off', spellcheck: 'false'});
  const addType = choice(types, 'STRING', {'aria-label': texts.typeOfThe});
  addName.addEventListener('change', () => { const known = names.find(([name]) => name === addName.value);
    if (known) addType.value = known[1].replace('ASSETID', 'ASSET').replace('ENCRYPTED_', ''); });
  const add = () => {
    const name = addName.value.trim();
    if (!name || rows.some((one) => one.name === name && !one.gone)) return addName.focus();
    touched = true;
    const made = row(name, addType.value);
    addName.value = '';
    made.element.querySelector('textarea, input:not([type=checkbox])')?.focus();
  };
  addName.addEventListener('keydown',
    (event) => { if (event.key === 'Enter' && !event.ctrlKey) { event.preventDefault(); event.stopPropagation(); add();
    } });
  element.append(h('div', {class: 'pair add-field'}, addName, addType, button(texts.add, {icon: 'plus'}, add)),
    h('datalist', {id}, names.map(([name]) => h('option', {value: name}))));

  return {element, dirty: () => touched, async read() {
    const fields = Object.create(null);
    const changed = {};
    let first;
    for (const own of rows) {
      if (own.gone) continue;
      own.wrong.hidden = true;
      try {
        const value = await own.made.read();
        fields[own.name] = {value, type: own.type, ...((own.sealed ? own.sealed.checked : own.field?.isEncrypted)
          && {isEncrypted: true})};
        if (!own.field || JSON.stringify(own.field.value) !== JSON.stringify(value)) changed[own.name] = fields[own.name];
      } catch (error) {
        own.wrong.hidden = false;
        fill(own.wrong, error.code && error.code !== 'VALUE' ? `${error.code}: ` : '', error.message);
        first ??= {own, error};
      }
    }
    if (first) { first.own.element.querySelector('input, textarea')?.focus(); throw first.error; }
    for (const [name, field] of Object.entries(given)) if (!fields[name]) changed[name] = {value: null, type: field.type};
    return {fields, changed};
  }};
}
