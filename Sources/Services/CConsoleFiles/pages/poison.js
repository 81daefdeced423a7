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
import {texts} from '../core/texts-running.js';
import {button, fill, h, icon} from '../core/view.js';

const short = (one, {container, environment}) =>
  `${one.topic.replace(`${container}.${environment}.`, '')}/${one.partition} at ${grouped(one.offset)}`;
const risk = texts.itIsAppended
  + 'again, '
  + texts.andItIs;

const outcomes = (results) => h('ul', {class: 'list'},
  results.map((one) => h('li', null, one.isDone ? badge(texts.sent, 'good') : badge(texts.notSent, 'bad'),
  h('span', {class: 'grow'}, marked(one.entry, 200)), h('span', {class: 'quiet'}, marked(one.outcome ?? '', 200)))));

/** Opens the page. */
export function open(view) {
  const off = view.barred();
  async function retry(body, count) {
    if (off || !count) return;
    const answer = await act(view, {title: count === 1 ? texts.retryThisEntryAsk : texts.retryEntriesAsk(grouped(count)), text: risk,
      yes: texts.retry,
      name: 'retry', path: 'poison/retry', body: () => body});
    if (!answer) return;
    await dialog({title: texts.sentAgain2, wide: true, body: [outcomes(answer.entries ?? []), h('p', {class: 'quiet'},
      texts.oneThatIs)], actions: [{text: texts.close, kind: 'main'}]});
    list.redraw();
  }
  function show(one) {
    const follow = h('div');
    const database = /changes\.(public|private|shared)$/.exec(one.topic)?.[1];
    const look = () => load(follow, async () => {
      const now = (await operate('poison/list', {}, {signal: view.signal})).entries.find((other) => other.entry === one.entry);
      fill(follow, now ? [badge(now.retried ? texts.wasSentAgain : texts.stillSetAside, 'warn'), ' ', now.retried
        && time(now.retried, true)]
        : badge(texts.notSetAside, 'good'));
    }, {signal: view.signal});
    panel({title: marked(short(one, view.route), 80), content: [badge(`✕ ${one.reason ?? texts.setAsideWord}`, 'bad'),
      h('div', {class: 'row'},
      button(texts.retry, {icon: 'refresh', kind: 'main', disabled: Boolean(off), title: off}, () => retry({entries: [one.entry]}, 1)),
      button(texts.whatBecameOf, {}, look),
      database && has(['changes/read'])
        && h('a', {class: 'button', href: to('changes', [database], {partition: one.partition, offset: one.offset})},
        icon('changes'), texts.theChange)), follow,
    facts([['stage', one.stage], ['topic', h('code', null, marked(one.topic, 200))], ['partition', String(one.partition)],
      ['offset', grouped(one.offset)],
      ['deaths', grouped(one.deaths ?? 0)], ['last', time(one.last, true)], [texts.sentAgain, one.retried && time(one.retried, true)]]),
        json(one, texts.theEntry)]});
  }
  const all = button(texts.retryAllMore, {icon: 'refresh', disabled: Boolean(off), title: off},
    () => retry({all: true}, list.items().filter((one) => !one.retried).length));
  const list = listing(view, {title: texts.setAside, noun: texts.entries, path: 'poison/list', items: (answer) => answer.entries,
    key: (one) => one.entry,
    open: show, actions: [all], lead: texts.oneEntryMust,
    empty: {text: texts.nothingIsSet},
    columns: [{key: 'place', title: texts.place, width: 200, grow: 1.2, draw: (one) => marked(short(one, view.route), 120)},
      {key: 'stage', title: texts.stage, width: 90, draw: (one) => one.stage ?? '–'},
      {key: 'reason', title: texts.reason, width: 200, grow: 1.6, draw: (one) => marked(one.reason ?? '–', 200)},
      {key: 'deaths', title: texts.deaths, width: 80, grow: 0, align: 'right', draw: (one) => grouped(one.deaths ?? 0)},
      {key: 'last', title: texts.last, width: 180, grow: 0, draw: (one) => time(one.last)},
      {key: 'retried', title: texts.sentAgain, width: 180, grow: 0, draw: (one) => one.retried ? time(one.retried)
        : h('span', {class: 'quiet'}, '–')}]});
}
