// What operators did: who, when, to what, with which outcome. Refused acts are here, too.
import {panel} from '../core/frame.js';
import {code, facts, listing} from '../core/operate.js';
import {json} from '../core/code.js';
import {badge} from '../core/states.js';
import {csvCell, marked, time} from '../core/values.js';
import {button, download} from '../core/view.js';

const outcome = (one) => badge(`${/refus|fail|denied/i.test(one.outcome) ? '✕' : /intent|running/i.test(one.outcome) ? '…' : '✓'} ${one.outcome}`, /refus|fail|denied/i.test(one.outcome) ? 'bad' : /intent|running/i.test(one.outcome) ? 'warn' : 'good');
const subject = (one) => one.on === undefined ? '' : typeof one.on === 'string' ? one.on : JSON.stringify(one.on);
const columns = ['time', 'operator', 'role', 'action', 'on', 'outcome', 'request', 'container', 'environment'];

function show(one) {
  panel({title: marked(one.action, 60), content: [outcome(one), facts([['when', time(one.time, true)], ['operator', marked(one.operator, 80)], ['role', one.role], ['on', subject(one) && marked(subject(one), 500)],
    ['request', one.request && code(one.request, 60)], ['scope', one.container && `${one.container}, ${one.environment}`]]), json(one, 'the action')]});
}

/** Opens the page. */
export function open(view) {
  const save = () => {
    const rows = [columns, ...list.items().map((one) => columns.map((name) => name === 'time' ? new Date(one.time).toISOString() : name === 'on' ? subject(one) : one[name] ?? ''))];
    download('actions.csv', new Blob([rows.map((row) => row.map((cell) => csvCell(String(cell))).join(',')).join('\r\n')], {type: 'text/csv'}));
  };
  const list = listing(view, {title: 'Actions', noun: 'actions', path: 'actions', items: (answer) => answer.actions, key: (one) => `${one.time} ${one.request} ${one.action} ${one.outcome}`, open: show,
    lead: 'Each act is written where it happens, with its outcome, and so is each that was refused.', actions: [button('Export', {icon: 'down'}, save)], empty: {text: 'No operator has done anything yet.'},
    columns: [{key: 'time', title: 'when', width: 180, grow: 0, draw: (one) => time(one.time)}, {key: 'operator', title: 'operator', width: 120, draw: (one) => marked(one.operator, 60)}, {key: 'action', title: 'action', width: 150, draw: (one) => marked(one.action, 60)},
      {key: 'on', title: 'on', width: 160, grow: 2, draw: (one) => subject(one) ? marked(subject(one), 120) : '–'}, {key: 'outcome', title: 'outcome', width: 160, draw: outcome}]});
}
