// Every setting of the running service: its value, and where that comes from.
import {listing} from '../core/operate.js';
import {badge} from '../core/states.js';
import {marked} from '../core/values.js';
import {h} from '../core/view.js';

const from = {flag: 'accent', environment: 'accent', file: 'accent'};
const value = (one) => one.isSecret ? badge(one.isSet === false ? 'not set' : 'set', one.isSet === false ? '' : 'good')
  : one.value === undefined || one.value === null ? h('span', {class: 'quiet'}, '–') : h('code', null, marked(String(one.value), 200));

/** Opens the page. */
export function open(view) {
  listing(view, {title: 'Settings', noun: 'settings', path: 'settings', items: (answer) => answer.settings, key: (one) => one.name,
    lead: 'They are read at the start: a flag wins, then the environment (FANFARE_…), then the file of config. The command: fanfare configuration.',
    columns: [{key: 'name', title: 'setting', width: 200, grow: 1, code: true, draw: (one) => marked(one.name, 80)}, {key: 'value', title: 'value', width: 180, grow: 2, draw: value},
      {key: 'source', title: 'where from', width: 130, grow: 0, draw: (one) => badge(one.source, from[one.source])}]});
}
