// Where pushes go: couriers and endpoints, what providers answered last, tests.
import {json} from '../core/code.js';
import {dialog} from '../core/dialog.js';
import {act, facts, listing} from '../core/operate.js';
import {panel} from '../core/panel.js';
import {has} from '../core/session.js';
import {badge} from '../core/states.js';
import {marked, plain, time, user} from '../core/text.js';
import {button, h} from '../core/view.js';

const names = {apns: 'APNs', webPush: 'Web Push', webhook: 'webhook', webcourier: 'web courier'};
const outcomes = {sent: 'sent', accepted: 'accepted', failed: 'failed', dropped: 'dropped', gone: 'gone', doubtful: 'not known',
  misconfigured: 'refused the sender', tooLarge: 'too large', notSetUp: 'not set up'};
const nameOf = (one) => names[one.kind] ?? plain(one.kind, 40);
const keyOf = (one) => `${one.kind} ${one.userRecordName} ${one.deviceID}`;
const none = (text) => h('span', {class: 'quiet'}, text);

function answer({outcome, status}) {
  const fine = outcome === 'sent' || outcome === 'accepted';
  return badge(`${fine ? '✓' : '✕'} ${outcomes[outcome] ?? plain(outcome, 40)}${status ? ` ${status}` : ''}`, fine ? 'good' : 'bad');
}
const last = (one) => one.last ? answer(one.last) : none('nothing sent yet');

/** What the providers answered to a test. */
const answers = (results) => h('ul', {class: 'list'}, results.map((one) => h('li', null,
  h('div', {class: 'grow'}, h('b', null, nameOf(one)),
  one.host && h('span', {class: 'quiet'}, ' ', marked(one.host, 120)),
  (one.answer ?? one.reason) && h('p', {class: 'note'}, marked(one.answer ?? one.reason, 300))), answer(one))));

/** Opens the page. */
export function open(view) {
  const off = view.barred();
  const noTest = has(['couriers/test']) ? off : 'This build sends tests by the command alone: fanfare push test.';
  const noRemove = has(['couriers/remove']) ? off : 'This build removes none here.';

  async function test(one) {
    const made = await act(view, {title: `Send a test to ${plain(one.deviceID, 60)}?`,
      text: 'One push goes to this address of the device, past its queue. People may see it.', yes: 'Send', name: one.deviceID,
      path: 'couriers/test', body: () => ({deviceID: one.deviceID, kind: one.kind})});
    if (!made) return;
    await dialog({title: 'What the providers answered', actions: [{text: 'Close', kind: 'main'}],
      body: made.results?.length ? answers(made.results) : h('p', null, 'The device has no address of this kind any more.')});
    list.redraw();
  }

  async function remove(one, pane) {
    const gone = await act(view, {title: 'Remove this address?', text: one.kind === 'webcourier'
      ? 'A web courier goes with its device. A page that opens it again is another device.'
      : 'No push goes there any more. The device can register it again.', yes: 'Remove', danger: true, name: one.deviceID,
    path: 'couriers/remove', body: () => ({deviceID: one.deviceID, kind: one.kind}), done: 'Removed.'});
    if (gone) { pane.end(); list.redraw(); }
  }

  function show(one) {
    const pane = panel({title: [nameOf(one), ' to ', marked(one.deviceID, 60)], content: [last(one),
      facts([['user', user(one.userRecordName)], ['device', marked(one.deviceID, 60)], ['since', one.created && time(one.created)],
        ['contents', one.contents && marked(one.contents, 60)], ['expires', one.expires && time(one.expires)],
        ['last answer', one.last && time(one.last.time, true)], ['last sent', one.lastSuccess && time(one.lastSuccess, true)],
        ['last failure', one.lastFailure && [time(one.lastFailure.time, true), ' ', marked(one.lastFailure.reason ?? '', 500)]]]),
      h('div', {class: 'row'}, button('Send a test', {icon: 'push', kind: 'main', disabled: Boolean(noTest), title: noTest},
        () => test(one)), button('Remove …', {icon: 'trash', kind: 'danger', disabled: Boolean(noRemove), title: noRemove},
        () => remove(one, pane))), json(one, 'the address')]});
  }

  const list = listing(view, {title: 'Push', noun: 'addresses', path: 'couriers/list', items: (all) => all.couriers, key: keyOf,
    open: show, pages: 'after', limit: 50, empty: {text: 'No device has an address for pushes yet: notifications wait in feeds.'},
    lead: 'A push says that there is something; the feed has it. A push that is lost loses no notification.',
    columns: [{key: 'kind', title: 'kind', width: 100, draw: nameOf},
      {key: 'user', title: 'user', width: 130, draw: (one) => user(one.userRecordName)},
      {key: 'device', title: 'device', width: 120, grow: 1.3, draw: (one) => marked(one.deviceID, 60)},
      {key: 'last', title: 'last answer', width: 150, grow: 1.2, draw: last},
      {key: 'reason', title: 'reason', width: 150, grow: 1.2, draw: (one) => one.last?.reason ? marked(one.last.reason, 120) : none('–')},
      {key: 'time', title: 'when', width: 180, grow: 0, draw: (one) => time(one.last?.time)},
      {key: 'expires', title: 'expires', width: 180, grow: 0, draw: (one) => time(one.expires)}]});
}
