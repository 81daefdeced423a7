// How values are shown, and how texts become values again.
import {h} from './view.js';

// Control and direction characters. Joiners stay where they join letters or pictures.
const joins = String.raw`[\p{L}\p{M}\p{Extended_Pictographic}\uFE0F\u{1F3FB}-\u{1F3FF}]`;
const hidden = new RegExp(
  String.raw`[\u0000-\u001F\u007F-\u009F\u061C\u200B\u200E\u200F\u202A-\u202E\u2060-\u2069\uFEFF]`
  + String.raw`|(?<!${joins})[\u200C\u200D]|[\u200C\u200D](?!${joins})`, 'gu');
const some = new RegExp(hidden.source, 'u');
const signs = {'\n': '⏎', '\r': '␍', '\t': '⇥'};
const code = (sign) => signs[sign] ?? `[U+${sign.codePointAt(0).toString(16).toUpperCase().padStart(4, '0')}]`;

/** A text of at most `most` characters with its control and direction characters as marks, as plain text. */
export function plain(text, most = Infinity) {
  const cut = text.length > most ? text.slice(0, most).replace(/[\uD800-\uDBFF]$/, '') + '…' : text;
  return (/^\p{M}/u.test(cut) ? '◌' : '') + (some.test(cut) ? cut.replace(hidden, code) : cut);
}

/** The same as a node, in which the marks look like marks. */
export function marked(text, most = Infinity) {
  const cut = text.length > most ? text.slice(0, most).replace(/[\uD800-\uDBFF]$/, '') + '…' : text;
  const start = /^\p{M}/u.test(cut) ? '◌' : '';
  if (!some.test(cut)) return document.createTextNode(start + cut);
  const parts = document.createDocumentFragment();
  let end = 0;
  parts.append(start);
  for (const found of cut.matchAll(hidden)) {
    parts.append(cut.slice(end, found.index), h('span', {class: 'mark'}, code(found[0])));
    end = found.index + found[0].length;
  }
  parts.append(cut.slice(end));
  return parts;
}

/** A whole number with thin spaces, from five digits on. */
export const grouped = (digits) => String(digits).replace(/\d{5,}/, (all) => all.replace(/\d(?=(\d{3})+$)/g, '$&\u2009'));

/** A count with its noun: `1 record`, `2 records`. */
export const counted = (count, noun) => `${grouped(count)} ${noun}${count === 1 ? '' : 's'}`;

/** A number of bytes for people. */
export function size(bytes) {
  if (bytes < 1024) return `${bytes} B`;
  const power = Math.min(4, Math.floor(Math.log2(bytes) / 10));
  return `${(bytes / 1024 ** power).toFixed(1)} ${['KiB', 'MiB', 'GiB', 'TiB'][power - 1]}`;
}

const two = (number, width = 2) => String(number).padStart(width, '0');

/** A time as text: UTC, with milliseconds. */
export function utc(ms, exact = true) {
  const date = new Date(Number(ms));
  if (Number.isNaN(date.getTime())) return `${ms} ms`;
  const iso = date.toISOString();
  return iso.slice(0, -5).replace('T', ' ') + (exact ? iso.slice(-5) : 'Z');
}

/** How long ago, or from now on, as `3 min ago`. */
export function age(ms, now = Date.now()) {
  const seconds = Math.round((now - ms) / 1000);
  const [count, unit] = [[86400, 'd'], [3600, 'h'], [60, 'min'],
    [1, 's']].map(([length, name]) => [Math.floor(Math.abs(seconds) / length), name])
    .find(([amount, name]) => amount || name === 's');
  return seconds < 0 ? `in ${count} ${unit}` : `${count} ${unit} ago`;
}

// One for all: making one takes a tenth of a frame.
const local = new Intl.DateTimeFormat(undefined, {dateStyle: 'medium', timeStyle: 'long'});

/** A time as a node: UTC, with the local time and the age on hover. */
export function time(ms, exact = false) {
  if (ms === undefined || ms === null) return absent();
  const date = new Date(Number(ms));
  if (Number.isNaN(date.getTime())) return document.createTextNode(`${ms} ms`);
  return h('time', {datetime: date.toISOString(),
    title: `${local.format(date)}, ${age(Number(ms))}`}, utc(ms, exact));
}

/** The hour and the second of a time, with milliseconds: for lists of one day. */
export const clock = (ms) => { const date = new Date(ms);
  return `${two(date.getUTCHours())}:${two(date.getUTCMinutes())}:${two(date.getUTCSeconds())}.${two(date.getUTCMilliseconds(), 3)}`; };

/** What stands where there is no value. */
export const absent = () => h('span', {class: 'quiet'}, '–');

/** A user's record name, short; the whole one on hover. */
export function user(name) {
  if (!name) return absent();
  return /^_[0-9a-f]{24,}$/.test(name) ? h('span', {class: 'code', title: name}, `${name.slice(0, 7)}…${name.slice(-4)}`)
    : marked(name, 60);
}

const hex = (base64) => {
  try { return [...atob(base64.slice(0, 12))].slice(0, 8).map((byte) => two(byte.charCodeAt(0).toString(16))).join(' ');
    } catch { return ''; }
};
const bytesOf = (base64) => Math.floor(base64.replace(/=+$/, '').length * 3 / 4);

/** The kind of a field: its type without list and lock. */
export const kind = (field) => (field.type ?? (Array.isArray(field.value) ? 'STRING_LIST'
  : 'STRING')).replace(/^ENCRYPTED_/, '').replace('ASSETID', 'ASSET');

function one(type, value, most) {
  switch (type) {
    case 'INT64': return grouped(value);
    case 'TIMESTAMP': return utc(value);
    case 'REFERENCE': return `→ ${plain(value.recordName, most)}`;
    case 'LOCATION': return `${value.latitude}, ${value.longitude}`;
    case 'BYTES': return `${size(bytesOf(value))}  ${hex(value)}`;
    case 'ASSET': return `${size(Number(value.size ?? 0))}  ${String(value.fileChecksum ?? '').slice(0, 10)}`;
    default: return value === '' ? '""' : typeof value === 'object' ? plain(JSON.stringify(value), most)
      : plain(String(value), most);
  }
}

/** A field's value as a text for people, of about `most` characters. */
export function shown(field, most = 200) {
  if (field?.value === undefined || field.value === null) return '–';
  const type = kind(field);
  if (!Array.isArray(field.value)) return one(type, field.value, most);
  const parts = field.value.slice(0, 3).map((value) => one(type.replace(/_LIST$/, ''), value, 60));
  return field.value.length > 3 ? `${parts.join(', ')} … ${grouped(field.value.length)}` : field.value.length
    ? parts.join(', ') : '[]';
}

/** A field's value as a node for a cell. */
export function cell(field) {
  if (field?.value === undefined || field.value === null) return absent();
  const lock = field.isEncrypted ? '🔒 ' : '';
  if (kind(field) === 'STRING' && field.value !== '' && typeof field.value === 'string'
    && !lock) return marked(field.value, 200);
  return document.createTextNode(lock + shown(field));
}

/** Whether a type's values stand at the right. */
export const right = (type) => /^(ENCRYPTED_)?(INT64|DOUBLE)$/.test(type ?? '');

/** A field's value as text for copying: exact. */
export function exact(field) {
  if (field?.value === undefined || field.value === null) return '';
  return typeof field.value === 'object' ? JSON.stringify(field.value) : String(field.value);
}

/**
 * A cell of CSV, which no spreadsheet runs: a leading `= + - @`, tab or line end gets a quote before it, but for numbers.
 */
export function csvCell(text) {
  const safe = /^[=+\-@\t\r\n\uFF1D\uFF0B\uFF0D\uFF20]/.test(text) && !/^-?\d+(\.\d+)?([eE][+-]?\d+)?$/.test(text)
    ? `'${text}` : text;
  return /[",\n\r]/.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe;
}

/** The column at which a predicate's error is, from 1; undefined where the reason names none. */
export const columnOf = (reason) => { const found = /column (\d+)/.exec(reason ?? ''); return found ? Number(found[1])
  : undefined; };
