// Every setting of the running service: its value, and where that comes from.
import {listing} from '../core/operate.js';
import {badge} from '../core/states.js';
import {marked} from '../core/text.js';
import {texts} from '../core/texts-people.js';
import {h} from '../core/view.js';

function value({value: text}) {
  if (text === '(hidden)') return badge(texts.setAndHidden, 'good');
  return text === undefined || text === null || text === '–' ? h('span', {class: 'quiet'}, '–')
    : h('code', null, marked(String(text), 200));
}

/** Opens the page. */
export function open(view) {
  listing(view, {title: texts.settings2, noun: texts.settings, path: 'settings', items: (answer) => answer.settings, key: (one) => one.name,
    lead: texts.readAtThe,
    columns: [{key: 'name', title: texts.setting, width: 200, grow: 1, code: true, draw: (one) => marked(one.name, 80)},
      {key: 'value', title: texts.value, width: 180, grow: 2, draw: value},
      {key: 'source', title: texts.whereFrom, width: 150, draw: (one) => badge(one.source, one.source === 'default' ? '' : 'accent')}]});
}
