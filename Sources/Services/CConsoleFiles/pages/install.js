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
    h('p', null, h('b', null, good ? '✓ The same, in the same order' : '✕ The histories differ'),
      `: ${counted(both, 'notification')} in both.`),
    extra > 0 && h('p', null, `${grouped(extra)} more on the new device: changes that `, marked(oldest, 60),
      ' made itself, which it is not notified of, or of before it was registered.'),
    only > 0 && h('p', null, `${grouped(only)} are on `, marked(oldest, 60), ' alone.'), !ordered && h('p', null, 'Their order differs.'));
}

const said = (one) => { if (!one) return absent(); const {title, body} = look(one);
  return title || body ? marked([title, body].filter(Boolean).join(': '), 160) : 'silent'; };

/** Opens the page. */
export function open(view) {
  const {signal} = view;
  const off = view.locked();
  const body = h('div', {class: 'stack'}, skeleton(3));
  const result = h('div', {class: 'stack'});
  fill(view.root, h('div', {class: 'page-head'}, h('a', {href: to('devices')}, 'Devices'),
    h('span', {class: 'quiet', 'aria-hidden': 'true'},
    '/'), view.title('Install on a new device')), body, result);

  async function install(id, oldest) {
    await load(result, async () => {
      const made = await device('devices/register', {...(id && {deviceID: id}), name: 'A new device', platform: 'console'}, {signal});
      const say = (name) => (count) => fill(result, h('p', {class: 'quiet', role: 'status'},
        `Reading ${name}: ${counted(count, 'notification')} …`));
      const newer = await history(made.deviceID, signal, say('the new device'));
      const older = await history(oldest.deviceID, signal, say('the oldest one'));
      if (signal.aborted) return;
      const found = aligned(older, newer);
      const side = (title, which) => ({key: which, title, width: 150, grow: 2, draw: (row) => said(row[which])});
      const table = grid({label: 'Both histories, side by side', key: (row) => keyOf(row.newer ?? row.older), columns: [
        {key: 'time', title: 'changed', width: 180, grow: 0, draw: (row) => time((row.newer ?? row.older).changed)},
        {key: 'record', title: 'record', width: 110, draw: (row) => marked((row.newer ?? row.older).recordName ?? '', 60)},
        {key: 'event', title: 'what', width: 84, grow: 0, draw: (row) => event(row.newer ?? row.older)},
        side(oldest.deviceID, 'older'), side(made.deviceID, 'newer'),
        {key: 'same', title: 'same', width: 110, grow: 0, draw: (row) => row.older && row.newer ? h('span', {class: 'good'}, '✓ both')
          : row.newer ? h('span', {class: 'quiet'}, 'new alone') : h('span', {class: 'bad'}, '✕ old alone')}]});
      table.element.classList.add('own');
      table.element.style.height = '480px';
      fill(result, verdict(found, oldest.deviceID), h('div', {class: 'row'}, h('a', {class: 'button', href: to('feed', [made.deviceID])},
        icon('feed'), 'The new device’s feed'), h('a', {class: 'button', href: to('devices')}, 'All devices')), table.element);
      table.rows(found.rows);
    }, {signal, signIn: () => signIn('user')});
  }

  load(body, async () => {
    const devices = (await device('devices/list', undefined, {signal})).devices.filter((one) => one.platform !== 'webcourier');
    if (signal.aborted) return;
    if (!devices.length) {
      return fill(body, emptyBox('You have no device yet: the first one has no older one to be compared with.',
        {actions: [h('a', {class: 'button main', href: to('devices')}, 'Devices')], curl: curl('device', 'devices/list')}));
    }
    const oldest = devices.toSorted((a, b) => a.registered - b.registered)[0];
    const id = h('input', {placeholder: 'made by the service when empty', autocomplete: 'off', spellcheck: 'false'});
    const start = button('Install', {icon: 'plus', kind: 'main', disabled: Boolean(off), title: off},
      () => install(id.value.trim(), oldest).catch((error) => fill(result, errorBox(error))));
    fill(body, h('section', {class: 'card'}, h('p', {class: 'lead'},
      'Somebody installs the app on a second device, weeks later. Its first fetch has the whole past: the same as the oldest device, ',
      'in the same order.'), h('div', {class: 'pair'}, labelled('ID of the new device', id), start),
    h('p', {class: 'note'}, 'It is compared with ', h('b', null, marked(oldest.deviceID, 60)), ', registered ', time(oldest.registered),
      ' ',
      badge(`one of ${grouped(devices.length)}`))));
  }, {signal, signIn: () => signIn('user')});
}
