// Entries that are set aside: processes died at them, or they cannot be read. They can be met again.
import {operate} from '../core/api.js';
import {json} from '../core/code.js';
import {dialog} from '../core/dialog.js';
import {panel} from '../core/frame.js';
import {act, facts, listing} from '../core/operate.js';
import {badge, load} from '../core/states.js';
import {grouped, marked, time} from '../core/values.js';
import {button, fill, h} from '../core/view.js';

const keyOf = (one) => `${one.topic}/${one.partition}@${one.offset}`;
const placeOf = ({topic, partition, offset}) => ({topic, partition, offset});
const short = (one, {container, environment}) => `${one.topic.replace(`${container}.${environment}.`, '')}/${one.partition} at ${grouped(one.offset)}`;
const outcomes = (results) => h('ul', {class: 'list'}, results.map((one) => h('li', null, one.error || one.serverErrorCode ? badge('✕ failed', 'bad') : badge('✓ appended', 'good'), h('span', {class: 'grow'}, marked(keyOf(one), 200)), marked(one.reason ?? one.error ?? '', 200))));

/** Opens the page. */
export function open(view) {
  const off = view.barred();
  async function retry(entries) {
    if (off || !entries.length) return;
    const answer = await act(view, {title: entries.length === 1 ? 'Retry this entry?' : `Retry ${grouped(entries.length)} entries?`, text: 'It is appended to its topic once more, so that it is met again. Where the cause is still there, processes may die at it again, and it is set aside again.', yes: 'Retry', name: 'retry', path: 'poison/retry', body: () => ({entries: entries.map(placeOf)})});
    if (!answer) return;
    await dialog({title: 'Sent again', wide: true, body: [outcomes(answer.results ?? entries), h('p', {class: 'quiet'}, 'Each is gone from this list once it was met. Read the list again to follow it.')], actions: [{text: 'Close', kind: 'main'}]});
    list.redraw();
  }
  function show(one) {
    const follow = h('div');
    panel({title: marked(short(one, view.route), 80), content: [h('div', {class: 'row'}, badge(`✕ ${one.reason ?? 'set aside'}`, 'bad'), button('Retry', {icon: 'refresh', kind: 'main', disabled: Boolean(off), title: off}, () => retry([one])), button('Is it still here?', {}, async () => {
      await load(follow, async () => { const {entries} = await operate('poison/list', {}, {signal: view.signal}); fill(follow, entries.some((other) => keyOf(other) === keyOf(one)) ? badge('… still set aside', 'warn') : badge('✓ met, and gone from the list', 'good')); }, {signal: view.signal});
    })), follow, facts([['topic', h('code', null, marked(one.topic, 200))], ['partition', String(one.partition)], ['offset', grouped(one.offset)], ['deaths', one.deaths !== undefined ? grouped(one.deaths) : undefined], ['since', one.since && time(one.since, true)], ['record', one.recordName && marked(one.recordName, 120)], ['type', one.recordType && marked(one.recordType, 80)]]),
    h('h3', null, 'As far as it can be read'), json(one, 'the entry')]});
  }
  const all = button('Retry all …', {icon: 'refresh', disabled: Boolean(off), title: off}, () => retry(list.items()));
  const list = listing(view, {title: 'Set aside', noun: 'entries', path: 'poison/list', items: (answer) => answer.entries, key: keyOf, open: show, actions: [all],
    lead: 'One entry must not stop a partition: after a few deaths at it, it is set aside here, and the others go on.', empty: {text: '✓ Nothing is set aside.'},
    columns: [{key: 'place', title: 'place', width: 200, grow: 1.2, draw: (one) => marked(short(one, view.route), 120)}, {key: 'reason', title: 'reason', width: 180, grow: 1.5, draw: (one) => marked(one.reason ?? '–', 200)}, {key: 'deaths', title: 'deaths', width: 70, grow: 0, align: 'right', draw: (one) => one.deaths === undefined ? '–' : grouped(one.deaths)},
      {key: 'record', title: 'record', width: 150, draw: (one) => one.recordName ? marked(one.recordName, 80) : '–'}, {key: 'since', title: 'since', width: 180, grow: 0, draw: (one) => time(one.since)}]});
}
