// Entries that are set aside: processes died at them, or they cannot be read. They can be met again.
import {operate} from '../core/api.js';
import {json} from '../core/code.js';
import {dialog} from '../core/dialog.js';
import {panel} from '../core/panel.js';
import {act, facts, listing} from '../core/operate.js';
import {to} from '../core/router.js';
import {badge, load} from '../core/states.js';
import {has} from '../core/session.js';
import {grouped, marked, time} from '../core/text.js';
import {button, fill, h, icon} from '../core/view.js';

const short = (one, {container, environment}) =>
  `${one.topic.replace(`${container}.${environment}.`, '')}/${one.partition} at ${grouped(one.offset)}`;
const risk = 'It is appended to its topic once more, so that it is met again. Where the cause is still there, processes may die at it '
  + 'again, '
  + 'and it is set aside again.';

const outcomes = (results) => h('ul', {class: 'list'},
  results.map((one) => h('li', null, one.isDone ? badge('✓ sent', 'good') : badge('✕ not sent', 'bad'),
  h('span', {class: 'grow'}, marked(one.entry, 200)), h('span', {class: 'quiet'}, marked(one.outcome ?? '', 200)))));

/** Opens the page. */
export function open(view) {
  const off = view.barred();
  async function retry(body, count) {
    if (off || !count) return;
    const answer = await act(view, {title: count === 1 ? 'Retry this entry?' : `Retry ${grouped(count)} entries?`, text: risk,
      yes: 'Retry',
      name: 'retry', path: 'poison/retry', body: () => body});
    if (!answer) return;
    await dialog({title: 'Sent again', wide: true, body: [outcomes(answer.entries ?? []), h('p', {class: 'quiet'},
      'One that is met without a death is not set aside again: read the list to follow it.')], actions: [{text: 'Close', kind: 'main'}]});
    list.redraw();
  }
  function show(one) {
    const follow = h('div');
    const database = /changes\.(public|private|shared)$/.exec(one.topic)?.[1];
    const look = () => load(follow, async () => {
      const now = (await operate('poison/list', {}, {signal: view.signal})).entries.find((other) => other.entry === one.entry);
      fill(follow, now ? [badge(now.retried ? '… was sent again' : '✕ still set aside', 'warn'), ' ', now.retried
        && time(now.retried, true)]
        : badge('✓ not set aside any more', 'good'));
    }, {signal: view.signal});
    panel({title: marked(short(one, view.route), 80), content: [badge(`✕ ${one.reason ?? 'set aside'}`, 'bad'), h('div', {class: 'row'},
      button('Retry', {icon: 'refresh', kind: 'main', disabled: Boolean(off), title: off}, () => retry({entries: [one.entry]}, 1)),
      button('What became of it?', {}, look),
      database && has(['changes/read'])
        && h('a', {class: 'button', href: to('changes', [database], {partition: one.partition, offset: one.offset})},
        icon('changes'), 'The change')), follow,
    facts([['stage', one.stage], ['topic', h('code', null, marked(one.topic, 200))], ['partition', String(one.partition)],
      ['offset', grouped(one.offset)],
      ['deaths', grouped(one.deaths ?? 0)], ['last', time(one.last, true)], ['sent again', one.retried && time(one.retried, true)]]),
        json(one, 'the entry')]});
  }
  const all = button('Retry all …', {icon: 'refresh', disabled: Boolean(off), title: off},
    () => retry({all: true}, list.items().filter((one) => !one.retried).length));
  const list = listing(view, {title: 'Set aside', noun: 'entries', path: 'poison/list', items: (answer) => answer.entries,
    key: (one) => one.entry,
    open: show, actions: [all], lead: 'One entry must not stop a partition: after a few deaths at it, it is set aside here, and the '
      + 'others go on.',
    empty: {text: '✓ Nothing is set aside.'},
    columns: [{key: 'place', title: 'place', width: 200, grow: 1.2, draw: (one) => marked(short(one, view.route), 120)},
      {key: 'stage', title: 'stage', width: 90, draw: (one) => one.stage ?? '–'},
      {key: 'reason', title: 'reason', width: 200, grow: 1.6, draw: (one) => marked(one.reason ?? '–', 200)},
      {key: 'deaths', title: 'deaths', width: 80, grow: 0, align: 'right', draw: (one) => grouped(one.deaths ?? 0)},
      {key: 'last', title: 'last', width: 180, grow: 0, draw: (one) => time(one.last)},
      {key: 'retried', title: 'sent again', width: 180, grow: 0, draw: (one) => one.retried ? time(one.retried)
        : h('span', {class: 'quiet'}, '–')}]});
}
