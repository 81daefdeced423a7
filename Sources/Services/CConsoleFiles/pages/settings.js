// Every setting of the running service: its value, and where that comes from.
import {listing} from '../core/operate.js';
import {badge} from '../core/states.js';
import {marked} from '../core/text.js';
import {h} from '../core/view.js';

function value({value: text}) {
  if (text === '(hidden)') return badge('✓ set, and hidden', 'good');
  return text === undefined || text === null || text === '–' ? h('span', {class: 'quiet'}, '–')
    : h('code', null, marked(String(text), 200));
}

/** Opens the page. */
export function open(view) {
  listing(view, {title: 'Settings', noun: 'settings', path: 'settings', items: (answer) => answer.settings, key: (one) => one.name,
    lead: 'Read at the start: a flag wins, then the environment (FANFARE_…), then the file of config. fanfare configuration shows the '
      + 'same.',
    columns: [{key: 'name', title: 'setting', width: 200, grow: 1, code: true, draw: (one) => marked(one.name, 80)},
      {key: 'value', title: 'value', width: 180, grow: 2, draw: value},
      {key: 'source', title: 'where from', width: 150, draw: (one) => badge(one.source, one.source === 'default' ? '' : 'accent')}]});
}
