// A predicate: as text, or as rows that write the text.
import {dialog} from './dialog.js';
import {int64, milliseconds} from './fields.js';
import {texts} from './texts-parts.js';
import {columnOf} from './values.js';
import {plain} from './text.js';
import {button, fill, h} from './view.js';
import {choice} from './controls.js';

const operators = [['==', '='], ['!=', '≠'], ['<', '<'], ['<=', '≤'], ['>', '>'], ['>=', '≥'],
  ['BEGINSWITH', texts.beginsWith], ['CONTAINS', texts.contains], ['ENDSWITH', texts.endsWith], ['IN', texts.isOneOf],
  ['== nil', texts.isAbsent], ['!= nil', texts.isThere]];
const names = new Set(
  'and or not in contains beginswith endswith like between true false yes no nil null any all some none self now'.split(
  ' '));

/** A field's name in a predicate. */
export const fieldText = (name) => names.has(name.toLowerCase()) ? `#${name}` : name;

/** A text as a string of a predicate. */
export const literal = (text) =>
  `"${text.replace(/[\\"]/g, String.raw`\$&`).replace(/[\n\r\t]/g, (sign) => ({'\n': '\\n', '\r': '\\r', '\t': '\\t'})[sign])}"`;

function valueText(type, text, args) {
  const base = type.replace('_LIST', '').replace('ENCRYPTED_', '');
  if (base === 'INT64') return int64(text);
  if (base === 'DOUBLE') return text.trim();
  if (base === 'TIMESTAMP') { args.push({type: 'TIMESTAMP', value: milliseconds(text)}); return '%@'; }
  if (base === 'REFERENCE') { args.push({type: 'REFERENCE', value: {recordName: text.replace(/^→ /, '')}}); return '%@'; }
  return literal(text);
}

/**
 * Opens rows of field, comparison and value; answers a promise of `{where, args}`, undefined when cancelled. `fields` are
 * types by name.
 */
export async function filterRows(fields) {
  const all = [...Object.entries(fields), ['recordID', 'STRING'], ['creationDate', 'TIMESTAMP'],
    ['modificationDate', 'TIMESTAMP']];
  const rows = [];
  const list = h('div', {class: 'stack'});
  const any = choice([['AND', texts.allOfThese], ['OR', texts.anyOfThese]], 'AND',
    {'aria-label': texts.howTheRows});
  const wrong = h('p', {class: 'bad', role: 'alert'});
  let result;
  const add = () => {
    const own = {field: choice(all.map(([name, type]) => [name, `${plain(name, 40)} (${type.toLowerCase()})`]), all[0][0],
      {'aria-label': texts.field}), operator: choice(operators, '==', {'aria-label': texts.comparison}),
      value: h('input', {'aria-label': texts.value, autocomplete: 'off'})};
    own.operator.addEventListener('change', () => { own.value.hidden = own.operator.value.endsWith('nil'); });
    own.element = h('div', {class: 'filter-row'}, own.field, own.operator, own.value,
      button('', {icon: 'trash', label: texts.removeTheRow}, () => { rows.splice(rows.indexOf(own), 1); own.element.remove();
      }));
    rows.push(own);
    list.append(own.element);
  };
  add();
  await dialog({title: texts.filter, wide: true, body: [any, list, button(texts.anotherRow, {icon: 'plus'}, add), wrong],
    actions: [{text: texts.cancel}, {text: texts.useIt, kind: 'main', act: () => {
    const args = [];
    try {
      const parts = rows.map(({field, operator, value}) => {
        const type = fields[field.value] ?? all.find(([name]) => name === field.value)[1];
        const left = fieldText(field.value);
        if (operator.value.endsWith('nil')) return `${left} ${operator.value}`;
        const all2 = () => value.value.split(',').map((text) => valueText(type, text.trim(), args)).join(', ');
        if (operator.value === 'IN') return `${left} IN {${all2()}}`;
        return `${left} ${operator.value} ${valueText(type, value.value, args)}`;
      });
      result = {where: parts.join(` ${any.value} `), args: args.length ? JSON.stringify(args) : undefined};
      return true;
    } catch (error) { fill(wrong, error.message); return false; }
  }}]});
  return result;
}

/** A predicate whose part at an error's column is underlined; undefined where the error names no column. */
export function faultOf(where, error) {
  const column = error.item?.predicateColumn ?? (/predicate/.test(error.message) ? columnOf(error.message) : undefined);
  if (!column) return undefined;
  const signs = [...where];
  return h('p', {class: 'source code'}, signs.slice(0, column - 1).join(''),
    h('span', {class: 'fault'}, signs.slice(column - 1).join('') || ' '));
}
