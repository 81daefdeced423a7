// Where pushes go: couriers and endpoints, what providers answered last, failures by reason.
import {operate} from '../core/api.js';
import {json} from '../core/code.js';
import {dialog} from '../core/dialog.js';
import {panel} from '../core/frame.js';
import {act, facts, listing} from '../core/operate.js';
import {badge} from '../core/states.js';
import {has} from '../core/session.js';
import {grouped, marked, plain, time, user} from '../core/values.js';
import {button, h} from '../core/view.js';

const names = {apns: 'APNs', webPush: 'Web Push', webhook: 'webhook', webcourier: 'web courier'};
const keyOf = (one) => `${one.kind} ${one.userRecordName} ${one.deviceID}`;
const good = /sent|accepted|ok|delivered/i;
function answer({outcome, status}) {
  const fine = good.test(outcome);
  return badge(`${fine ? '✓' : '✕'} ${outcome}${status ? ` ${status}` : ''}`, fine ? 'good' : 'bad');
}
const last = (one) => one.last ? answer(one.last) : h('span', {class: 'quiet'}, 'nothing sent yet');
const request = (one) => ({kind: one.kind, userRecordName: one.userRecordName, deviceID: one.deviceID});

/** Opens the page. */
export function open(view) {
  const off = view.barred();
  const noTest = has(['couriers/test']) ? off : 'This build sends tests by the command alone: fanfare push test.';
  const noRemove = has(['couriers/remove']) ? off : 'This build removes none here.';

  async function test(one) {
    const {results = []} = await act(view, {title: `Send a test to ${plain(one.deviceID, 60)}?`,
      text: 'One push goes to each address of the device, past its queue. People may see it.', yes: 'Send', name: one.deviceID,
      path: 'couriers/test', body: () => request(one)}) ?? {};
    if (!results.length) return;
    await dialog({title: 'What the providers answered',
      body: h('ul', {class: 'list'}, results.map((one) => h('li', null, h('b', {class: 'grow'}, names[one.kind] ?? one.kind), answer(one),
      one.reason && h('span', {class: 'quiet'}, marked(one.reason, 200))))),
      actions: [{text: 'Close', kind: 'main'}]});
    list.redraw();
  }

  function show(one) {
    const pane = panel({title: [names[one.kind] ?? one.kind, ' to ', marked(one.deviceID, 60)], content: [last(one),
      facts([['user', user(one.userRecordName)], ['device', marked(one.deviceID, 60)], ['since', one.created && time(one.created)],
        ['last answer', one.last && time(one.last.time, true)], ['reason', one.last?.reason && marked(one.last.reason, 500)],
        ['failures', one.failures !== undefined ? grouped(one.failures) : undefined], ['host', one.host && marked(one.host, 120)]]),
      h('div', {class: 'row'}, button('Send a test', {icon: 'push', kind: 'main', disabled: Boolean(noTest), title: noTest},
        () => test(one)), button('Remove …', {icon: 'trash', kind: 'danger', disabled: Boolean(noRemove), title: noRemove}, async () => {
        if (await act(view, {title: 'Remove this address?', text: 'No push goes there any more. The device can register it again.',
          yes: 'Remove', danger: true, name: one.deviceID, path: 'couriers/remove', body: () => request(one), done: 'Removed.'})) {
          pane.end(); list.redraw(); }
      })), json(one, 'the courier')]});
  }

  const list = listing(view, {title: 'Push', noun: 'addresses', path: 'couriers/list', items: (answer) => answer.couriers, key: keyOf,
    open: show, empty: {text: 'No device has an address for pushes yet: notifications wait in feeds.'},
    lead: 'A push says that there is something; the feed has it. A push that is lost loses no notification.',
    columns: [{key: 'kind', title: 'kind', width: 100, draw: (one) => names[one.kind] ?? one.kind},
      {key: 'user', title: 'user', width: 130,
      draw: (one) => user(one.userRecordName)}, {key: 'device', title: 'device', width: 120, grow: 1.3,
      draw: (one) => marked(one.deviceID, 60)}, {key: 'last', title: 'last answer', width: 150, grow: 1.2, draw: last},
      {key: 'reason', title: 'reason', width: 150, grow: 1.2, draw: (one) => one.last?.reason ? marked(one.last.reason, 120)
        : h('span', {class: 'quiet'}, '–')}, {key: 'failures', title: 'failures', width: 80, grow: 0, align: 'right',
        draw: (one) => grouped(one.failures ?? 0)}, {key: 'time', title: 'when', width: 180, grow: 0,
        draw: (one) => time(one.last?.time)}]});
}
