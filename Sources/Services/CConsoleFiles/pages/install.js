// A second device, weeks later: one is registered, and its first fetch is shown beside the history of the user's oldest device.
import {device} from '../core/api.js';
import {labelled} from '../core/controls.js';
import {curl} from '../core/curl.js';
import {event, look} from '../core/feed.js';
import {signIn} from '../core/frame.js';
import {grid} from '../core/grid.js';
import {to} from '../core/router.js';
import {badge, emptyBox, errorBox, load} from '../core/states.js';
import {absent, counted, grouped, marked, time} from '../core/text.js';
import {texts} from '../core/texts-devices.js';
import {button, fill, h, icon, skeleton} from '../core/view.js';

const most = 10000;
const isMark = (one) => one.notificationType === 'readNotification';
const keyOf = (one) => `${one.notificationID} ${one.subscriptionID ?? ''} ${one.notificationType}`;

/** All that a device gets without a token: its whole history, as it is kept. */
async function history(deviceID, signal, progress) {
  const found = [];
  let token;
  for (;;) {
    const answer = await device('notifications/changes', {deviceID, ...(token && {serverChangeToken: token})}, {signal});
    found.push(...answer.notifications);
    token = answer.serverChangeToken;
    progress(found.length);
    if (!answer.moreComing || signal.aborted || found.length >= most) return found.filter((one) => !isMark(one));
  }
}

/** The two histories row by row: what both have stands in one row; what one has alone stands by itself. */
function aligned(older, newer) {
  const known = new Map(older.map((one, at) => [keyOf(one), at]));
  const rows = [];
  let at = 0;
  let ordered = true;
  for (const one of newer) {
    const there = known.get(keyOf(one));
    if (there === undefined) { rows.push({newer: one}); continue; }
    if (there < at) { ordered = false; continue; }
    while (at < there) rows.push({older: older[at++]});
    rows.push({older: older[at++], newer: one});
  }
  while (at < older.length) rows.push({older: older[at++]});
  return {rows, ordered};
}

/** What the comparison says. A device is not notified of what it did itself, so the new one may have more. */
function verdict({rows, ordered}, oldest) {
  const [only, extra] = [rows.filter((row) => !row.newer).length, rows.filter((row) => !row.older).length];
  const both = rows.length - only - extra;
  const good = ordered && !only;
  return h('div', {class: `box ${good ? 'good-box' : 'bad-box'}`, role: 'status'},
    h('p', null, h('b', null, good ? texts.theSameIn : texts.theHistoriesDiffer),
      texts.inBoth(counted(both, texts.notification))),
    extra > 0 && h('p', null, texts.moreOnThe(grouped(extra)), marked(oldest, 60),
      texts.madeItselfWhich),
    only > 0 && h('p', null, texts.areOn(grouped(only)), marked(oldest, 60), texts.alone), !ordered
      && h('p', null, texts.theirOrderDiffers));
}

const said = (one) => { if (!one) return absent(); const {title, body} = look(one);
  return title || body ? marked([title, body].filter(Boolean).join(': '), 160) : 'silent'; };

/** Opens the page. */
export function open(view) {
  const {signal} = view;
  const off = view.locked();
  const body = h('div', {class: 'stack'}, skeleton(3));
  const result = h('div', {class: 'stack'});
  fill(view.root, h('div', {class: 'page-head'}, h('a', {href: to('devices')}, texts.devices),
    h('span', {class: 'quiet', 'aria-hidden': 'true'},
    '/'), view.title(texts.installOnA)), body, result);

  async function install(id, oldest) {
    await load(result, async () => {
      const made = await device('devices/register', {...(id && {deviceID: id}), name: texts.aNewDevice, platform: 'console'}, {signal});
      const say = (name) => (count) => fill(result, h('p', {class: 'quiet', role: 'status'},
        texts.readingMore(name, counted(count, texts.notification))));
      const newer = await history(made.deviceID, signal, say(texts.theNewDevice2));
      const older = await history(oldest.deviceID, signal, say(texts.theOldestOne));
      if (signal.aborted) return;
      const found = aligned(older, newer);
      const side = (title, which) => ({key: which, title, width: 150, grow: 2, draw: (row) => said(row[which])});
      const table = grid({label: texts.bothHistoriesSide, key: (row) => keyOf(row.newer ?? row.older), columns: [
        {key: 'time', title: texts.changed, width: 180, grow: 0, draw: (row) => time((row.newer ?? row.older).changed)},
        {key: 'record', title: texts.record, width: 110, draw: (row) => marked((row.newer ?? row.older).recordName ?? '', 60)},
        {key: 'event', title: texts.what, width: 84, grow: 0, draw: (row) => event(row.newer ?? row.older)},
        side(oldest.deviceID, 'older'), side(made.deviceID, 'newer'),
        {key: 'same', title: texts.same, width: 110, grow: 0, draw: (row) => row.older && row.newer ? h('span', {class: 'good'}, texts.both)
          : row.newer ? h('span', {class: 'quiet'}, texts.newAlone) : h('span', {class: 'bad'}, texts.oldAlone)}]});
      table.element.classList.add('own');
      table.element.style.height = '480px';
      fill(result, verdict(found, oldest.deviceID), h('div', {class: 'row'}, h('a', {class: 'button', href: to('feed', [made.deviceID])},
        icon('feed'), texts.theNewDevice), h('a', {class: 'button', href: to('devices')}, texts.allDevices)), table.element);
      table.rows(found.rows);
    }, {signal, signIn: () => signIn('user')});
  }

  load(body, async () => {
    const devices = (await device('devices/list', undefined, {signal})).devices.filter((one) => one.platform !== 'webcourier');
    if (signal.aborted) return;
    if (!devices.length) {
      return fill(body, emptyBox(texts.youHaveNoDevice,
        {actions: [h('a', {class: 'button main', href: to('devices')}, texts.devices)], curl: curl('device', 'devices/list')}));
    }
    const oldest = devices.toSorted((a, b) => a.registered - b.registered)[0];
    const id = h('input', {placeholder: texts.madeByThe, autocomplete: 'off', spellcheck: 'false'});
    const start = button(texts.install, {icon: 'plus', kind: 'main', disabled: Boolean(off), title: off},
      () => install(id.value.trim(), oldest).catch((error) => fill(result, errorBox(error))));
    fill(body, h('section', {class: 'card'}, h('p', {class: 'lead'},
      texts.somebodyInstallsThe,
      texts.inTheSame), h('div', {class: 'pair'}, labelled(texts.idOfThe, id), start),
    h('p', {class: 'note'}, texts.itIsCompared, h('b', null, marked(oldest.deviceID, 60)), texts.registered2, time(oldest.registered),
      ' ',
      badge(texts.oneOf(grouped(devices.length))))));
  }, {signal, signIn: () => signIn('user')});
}
