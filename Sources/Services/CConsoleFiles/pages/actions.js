// What operators did: who, when, to what, with which outcome. Refused acts are here, too.
import {json} from '../core/code.js';
import {panel} from '../core/panel.js';
import {code, facts, listing} from '../core/operate.js';
import {badge} from '../core/states.js';
import {csvCell} from '../core/values.js';
import {marked, time} from '../core/text.js';
import {button} from '../core/view.js';
import {download} from '../core/controls.js';

const names = ['number', 'time', 'operator', 'role', 'act', 'subject', 'outcome', 'request'];

function outcome({outcome: text}) {
  if (text === 'done') return badge('✓ done', 'good');
  return /^(intended|intent|begun|started)/.test(text) ? badge(`… ${text}`, 'warn') : badge(`✕ ${text}`, 'bad');
}

function show(one) {
  panel({title: marked(one.act, 60),
    content: [outcome(one), facts([['when', time(one.time, true)], ['operator', marked(one.operator, 80)],
    ['role', one.role], ['on', one.subject && marked(one.subject, 500)], ['request', one.request && code(one.request, 60)]]),
  json(one, 'the action')]});
}

/** Opens the page. */
export function open(view) {
  function save() {
    const rows = [names, ...list.items().map((one) => names.map((name) => name === 'time' ? new Date(one.time).toISOString() : one[name]
      ?? ''))];
    const text = rows.map((row) => row.map((cell) => csvCell(String(cell))).join(',')).join('\r\n');
    download('actions.csv', new Blob([text], {type: 'text/csv'}));
  }
  const list = listing(view, {title: 'Actions', noun: 'actions', path: 'actions', pages: 'before', items: (answer) => answer.actions,
    key: (one) => String(one.number), open: show, lead: 'Each act is on record with its outcome, and so is each that was refused.',
    actions: [button('Export', {icon: 'down'}, save)], empty: {text: 'No operator has done anything yet.'},
    columns: [{key: 'time', title: 'when', width: 180, grow: 0, draw: (one) => time(one.time)},
      {key: 'operator', title: 'operator', width: 120, draw: (one) => marked(one.operator, 60)},
      {key: 'act', title: 'act', width: 150, draw: (one) => marked(one.act, 60)},
      {key: 'subject', title: 'on', width: 160, grow: 2, draw: (one) => one.subject ? marked(one.subject, 120) : '–'},
      {key: 'outcome', title: 'outcome', width: 160, draw: outcome}]});
}
