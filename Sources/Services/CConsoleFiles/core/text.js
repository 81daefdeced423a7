// Texts, counts and times as people read them.
import {h} from './view.js';

// Control and direction characters. Joiners stay where they join letters or pictures.
const joins = String.raw`[\p{L}\p{M}\p{Extended_Pictographic}\uFE0F\u{1F3FB}-\u{1F3FF}]`;
const hidden = new RegExp(
  String.raw`[\u0000-\u001F\u007F-\u009F\u061C\u200B\u200E\u200F\u202A-\u202E\u2060-\u2069\uFEFF]`
  + String.raw`|(?<!${joins})[\u200C\u200D]|[\u200C\u200D](?!${joins})`, 'gu');
const some = new RegExp(hidden.source, 'u');
const signs = {'\n': '⏎', '\r': '␍', '\t': '⇥'};
const code = (sign) => signs[sign] ?? `[U+${sign.codePointAt(0).toString(16).toUpperCase().padStart(4, '0')}]`;

const cutAt = (text, most) => text.length > most ? text.slice(0, most).replace(/[\uD800-\uDBFF]$/, '') + '…' : text;

// Letters, digits and signs of Latin texts alone: most texts, which need no look at each character's kind.
const simple = /^[ -~\u00A1-\u00AC\u00AE-\u02FF]*$/;

/** A text of at most `most` characters with its control and direction characters as marks, as plain text. */
export function plain(text, most = Infinity) {
  const cut = cutAt(text, most);
  if (simple.test(cut)) return cut;
  return (/^\p{M}/u.test(cut) ? '◌' : '') + (some.test(cut) ? cut.replace(hidden, code) : cut);
}

/** The same as a node, in which the marks look like marks. */
export function marked(text, most = Infinity) {
  const cut = cutAt(text, most);
  if (simple.test(cut)) return document.createTextNode(cut);
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

// One for all: making one takes a tenth of a frame. The local time is written when a pointer comes: a grid has many times.
const local = new Intl.DateTimeFormat(undefined, {dateStyle: 'medium', timeStyle: 'long'});
document.addEventListener('pointerover', ({target}) => {
  if (target.tagName === 'TIME') { const date = new Date(target.dateTime); target.title = `${local.format(date)}, ${age(date)}`; }
}, {passive: true});

/** A time as a node: UTC, with the local time and the age on hover. */
export function time(ms, exact = false) {
  if (ms === undefined || ms === null) return absent();
  const date = new Date(Number(ms));
  return Number.isNaN(date.getTime()) ? document.createTextNode(`${ms} ms`) : h('time', {datetime: date.toISOString()}, utc(ms, exact));
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
