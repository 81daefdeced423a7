// What operators did: who, when, to what, with which outcome. Refused acts are here, too.
import {json} from '../core/code.js';
import {panel} from '../core/panel.js';
import {code, facts, listing} from '../core/operate.js';
import {badge} from '../core/states.js';
import {texts} from '../core/texts-people.js';
import {csvLine} from '../core/csv.js';
import {marked, time} from '../core/text.js';
import {button} from '../core/view.js';
import {download} from '../core/controls.js';

const names = [texts.number, texts.time, texts.operator, texts.role, texts.act, texts.subject, texts.outcome, texts.request];

function outcome({outcome: text}) {
  if (text === 'done') return badge(texts.done, 'good');
  return /^(intended|intent|begun|started)/.test(text) ? badge(`… ${text}`, 'warn') : badge(`✕ ${text}`, 'bad');
}

function show(one) {
  panel({title: marked(one.act, 60),
    content: [outcome(one), facts([['when', time(one.time, true)], ['operator', marked(one.operator, 80)],
    ['role', one.role], ['on', one.subject && marked(one.subject, 500)], ['request', one.request && code(one.request, 60)]]),
  json(one, texts.theAction)]});
}

/** Opens the page. */
export function open(view) {
  function save() {
    const rows = [names, ...list.items().map((one) => names.map((name) => name === 'time' ? new Date(one.time).toISOString() : one[name]
      ?? ''))];
    const text = rows.map((row) => csvLine(row.map((cell) => cell === '' ? undefined : String(cell)))).join('');
    download('actions.csv', new Blob([text], {type: 'text/csv'}));
  }
  const list = listing(view, {title: texts.actions2, noun: texts.actions, path: 'actions', pages: 'before',
    items: (answer) => answer.actions,
    key: (one) => String(one.number), open: show, lead: texts.eachActIs,
    actions: [button(texts.export, {icon: 'down'}, save)], empty: {text: texts.noOperatorHas},
    columns: [{key: 'time', title: texts.when, width: 180, grow: 0, draw: (one) => time(one.time)},
      {key: 'operator', title: texts.operator, width: 120, draw: (one) => marked(one.operator, 60)},
      {key: 'act', title: texts.act, width: 150, draw: (one) => marked(one.act, 60)},
      {key: 'subject', title: texts.on, width: 160, grow: 2, draw: (one) => one.subject ? marked(one.subject, 120) : '–'},
      {key: 'outcome', title: texts.outcome, width: 160, draw: outcome}]});
}
