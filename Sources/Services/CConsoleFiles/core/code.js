// JSON as coloured text, with marks for control characters.
import {button, h} from './view.js';
import {copied} from './dialog.js';
import {plain} from './text.js';

const tokens = /("(?:[^"\\]|\\.)*")(\s*:)?|(-?\d[\d.eE+-]*)|\b(true|false|null)\b/g;

/** JSON as a block that can be scrolled; `label` names it. More than `most` characters are cut, copies are whole. */
export function json(value, label, most = 20000) {
  const whole = JSON.stringify(value, null, 2) ?? '';
  const text = whole.length > most ? `${whole.slice(0, most)}\n…` : whole;
  const block = h('pre', {class: 'json', tabindex: '0', role: 'region', 'aria-label': label});
  let end = 0;
  for (const found of text.matchAll(tokens)) {
    const kind = found[1] ? (found[2] ? 'key' : 'string') : 'number';
    block.append(text.slice(end, found.index), h('span', {class: kind}, plain(found[1] ?? found[3] ?? found[4])), found[2]
      ?? '');
    end = found.index + found[0].length;
  }
  block.append(text.slice(end));
  return h('div', {class: 'code-box'}, block, button('', {icon: 'copy', label: `Copy ${label}`, kind: 'corner'},
    () => copied(whole, label)));
}

/** Objects with their keys in order and without absent values, for exact comparisons. */
export function sorted(value) {
  if (Array.isArray(value)) return value.map(sorted);
  if (value === null || typeof value !== 'object') return value;
  return Object.fromEntries(Object.keys(value).sort().map((key) => [key, sorted(value[key])]));
}

/** Whether two values are the same JSON, whatever the order of keys. */
export const same = (a, b) => JSON.stringify(sorted(a)) === JSON.stringify(sorted(b));
