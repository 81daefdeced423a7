// Where pushes go: couriers and endpoints, what providers answered last, tests.
import {json} from '../core/code.js';
import {dialog} from '../core/dialog.js';
import {act, facts, listing} from '../core/operate.js';
import {panel} from '../core/panel.js';
import {has} from '../core/session.js';
import {badge} from '../core/states.js';
import {marked, plain, time, user} from '../core/text.js';
import {texts} from '../core/texts-running.js';
import {button, h} from '../core/view.js';

const names = {apns: texts.apns, webPush: texts.webPush, webhook: texts.webhook, webcourier: texts.webCourier};
const outcomes = {sent: texts.sentWord, accepted: texts.accepted, failed: texts.failedWord, dropped: texts.dropped, gone: texts.gone,
  doubtful: texts.notKnown,
  misconfigured: texts.refusedTheSender, tooLarge: texts.tooLarge, notSetUp: texts.notSetUp};
const nameOf = (one) => names[one.kind] ?? plain(one.kind, 40);
const keyOf = (one) => `${one.kind} ${one.userRecordName} ${one.deviceID}`;
const none = (text) => h('span', {class: 'quiet'}, text);

function answer({outcome, status}) {
  const fine = outcome === 'sent' || outcome === 'accepted';
  return badge(`${fine ? '✓' : '✕'} ${outcomes[outcome] ?? plain(outcome, 40)}${status ? ` ${status}` : ''}`, fine ? 'good' : 'bad');
}
const last = (one) => one.last ? answer(one.last) : none(texts.nothingSentYet);

/** What the providers answered to a test. */
const answers = (results) => h('ul', {class: 'list'}, results.map((one) => h('li', null,
  h('div', {class: 'grow'}, h('b', null, nameOf(one)),
  one.host && h('span', {class: 'quiet'}, ' ', marked(one.host, 120)),
  (one.answer ?? one.reason) && h('p', {class: 'note'}, marked(one.answer ?? one.reason, 300))), answer(one))));

/** Opens the page. */
export function open(view) {
  const off = view.barred();
  const noTest = has(['couriers/test']) ? off : texts.thisBuildSends;
  const noRemove = has(['couriers/remove']) ? off : texts.thisBuildRemoves;

  async function test(one) {
    const made = await act(view, {title: texts.sendATestTo(plain(one.deviceID, 60)),
      text: texts.onePushGoes, yes: texts.send, name: one.deviceID,
      path: 'couriers/test', body: () => ({deviceID: one.deviceID, kind: one.kind})});
    if (!made) return;
    await dialog({title: texts.whatTheProviders, actions: [{text: texts.close, kind: 'main'}],
      body: made.results?.length ? answers(made.results) : h('p', null, texts.theDeviceHas)});
    list.redraw();
  }

  async function remove(one, pane) {
    const gone = await act(view, {title: texts.removeThisAddressAsk, text: one.kind === 'webcourier'
      ? texts.aWebCourier
      : texts.noPushGoes, yes: texts.remove, danger: true, name: one.deviceID,
    path: 'couriers/remove', body: () => ({deviceID: one.deviceID, kind: one.kind}), done: texts.removed});
    if (gone) { pane.end(); list.redraw(); }
  }

  function show(one) {
    const pane = panel({title: [nameOf(one), texts.toWord, marked(one.deviceID, 60)], content: [last(one),
      facts([['user', user(one.userRecordName)], ['device', marked(one.deviceID, 60)], ['since', one.created && time(one.created)],
        ['contents', one.contents && marked(one.contents, 60)], ['expires', one.expires && time(one.expires)],
        [texts.lastAnswer, one.last && time(one.last.time, true)], [texts.lastSent, one.lastSuccess && time(one.lastSuccess, true)],
        [texts.lastFailure, one.lastFailure && [time(one.lastFailure.time, true),
          one.lastFailure.status ? ` ${one.lastFailure.status} ` : ' ', marked(one.lastFailure.reason ?? '', 500)]]]),
      h('div', {class: 'row'}, button(texts.sendATest, {icon: 'push', kind: 'main', disabled: Boolean(noTest), title: noTest},
        () => test(one)), button(texts.removeMore, {icon: 'trash', kind: 'danger', disabled: Boolean(noRemove), title: noRemove},
        () => remove(one, pane))), json(one, texts.theAddress)]});
  }

  const list = listing(view, {title: texts.push, noun: texts.addresses, path: 'couriers/list', items: (all) => all.couriers, key: keyOf,
    open: show, pages: 'after', limit: 50, empty: {text: texts.noDeviceHas},
    lead: texts.aPushSays,
    columns: [{key: 'kind', title: texts.kind, width: 100, draw: nameOf},
      {key: 'user', title: texts.user, width: 130, draw: (one) => user(one.userRecordName)},
      {key: 'device', title: texts.device, width: 120, grow: 1.3, draw: (one) => marked(one.deviceID, 60)},
      {key: 'last', title: texts.lastAnswer, width: 150, grow: 1.2, draw: last},
      {key: 'reason', title: texts.reason, width: 150, grow: 1.2, draw: (one) => one.last?.reason ? marked(one.last.reason, 120)
        : none('–')},
      {key: 'time', title: texts.when, width: 180, grow: 0, draw: (one) => time(one.last?.time)},
      {key: 'expires', title: texts.expires, width: 180, grow: 0, draw: (one) => time(one.expires)}]});
}
