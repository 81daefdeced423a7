// A device's feed as the device reads it, live, with what a push would carry.
import {device} from '../core/api.js';
import {curl} from '../core/curl.js';
import {json} from '../core/code.js';
import {copied, dialog, menu, note} from '../core/dialog.js';
import {event, look, readFeed} from '../core/feed.js';
import {live, signIn} from '../core/frame.js';
import {panel} from '../core/panel.js';
import {grid} from '../core/grid.js';
import {zoneText} from '../core/records.js';
import {amend, go, here, to} from '../core/router.js';
import {hasWay} from '../core/pages.js';
import {has, operator} from '../core/session.js';
import {badge, emptyBox, errorBox, load} from '../core/states.js';
import {texts} from '../core/texts-feed.js';
import {shown, size} from '../core/values.js';
import {absent, clock, counted, grouped, marked, plain, time, user} from '../core/text.js';
import {button, fill, h, skeleton} from '../core/view.js';
import {eachFrame} from '../core/controls.js';

/** Opens the page. Without a device in the address it lists the user's. */
export function open(view) {
  const [deviceID] = view.route.parts;
  if (!deviceID) return choose(view);
  view.root.classList.add('full');
  const table = grid({label: texts.feedOf(deviceID),
    key: (row) => `${row.notificationID} ${row.changed} ${row.notificationType}`, live: true, open: show, columns: [
    {key: 'time', title: texts.timeUtc, width: 116, grow: 0,
      draw: (row) => h('time', {datetime: new Date(row.changed).toISOString(), title: new Date(row.changed).toISOString()},
      clock(row.changed))},
    {key: 'text', title: texts.notification2, width: 180, grow: 2, draw: (row) => { const {title, body} = look(row);
      return row.notificationType === 'readNotification' ? h('span', {class: 'quiet'}, texts.readMark) : title || body
      ? marked([title, body].filter(Boolean).join(': '), 200) : h('span', {class: 'quiet'}, texts.silent); }},
    {key: 'event', title: texts.what, width: 96, grow: 0, draw: (row) => event(row)},
      {key: 'record', title: texts.record2, width: 120, draw: (row) => row.recordName ? marked(row.recordName, 80) : row.zoneID
      ? zoneText(row.zoneID) || texts.defaultZone : absent()},
    {key: 'subscription', title: texts.subscription2, width: 120, draw: (row) => row.subscriptionID
      ? marked(row.subscriptionID, 80) : absent()}, {key: 'read', title: texts.read2, width: 72, grow: 0,
      draw: (row) => feed.read.has(row.notificationID) ? h('span', {class: 'good'}, texts.read)
      : row.notificationType === 'readNotification' ? '' : h('b', null, texts.newText2)},
      {key: 'badge', title: texts.badge2, width: 64, grow: 0, align: 'right', draw: (row) => row.badge ?? ''}]});
  const status = h('span');
  const count = h('span', {class: 'badge accent'});
  const message = h('div', {class: 'message'});
  const spoken = h('span', {class: 'away', role: 'status'});
  const more = h('span');
  const holds = button(texts.pause, {icon: 'pause', 'aria-pressed': 'false', title: texts.pause2}, pause);
  const off = view.locked();
  let list = [];
  let heard = 0;
  let at = 'live';
  let seconds;

  const draw = eachFrame(() => {
    if (view.signal.aborted) return;
    const top = table.element.scrollTop < 4;
    const grown = feed.entries.length + feed.dropped - drawnCount;
    drawnCount = feed.entries.length + feed.dropped;
    if (grown || list.length !== feed.entries.length) list = feed.entries.toReversed();
    if (!top && grown > 0 && list.length > grown) { table.element.scrollTop += grown * table.height; unseen += grown;
      } else if (top) unseen = 0;
    fill(more, unseen > 0 && button(texts.newText(grouped(unseen)), {icon: 'up', kind: 'plain'},
      () => { table.element.scrollTop = 0; unseen = 0; fill(more); }));
    table.rows(list, !feed.loading);
    table.draw();
    const marks = list.filter((entry) => entry.notificationType !== 'readNotification');
    const unread = marks.filter((entry) => !feed.read.has(entry.notificationID)).length;
    fill(status, texts.notReadHere(counted(marks.length, texts.notification), grouped(unread)), feed.dropped > 0
      && texts.theOldestAre(grouped(feed.dropped)), feed.waiting > 0 && texts.wait(grouped(feed.waiting)));
    const last = list.find((entry) => entry.badge !== undefined);
    if (grown && last) fill(count, texts.badgeWord(last.badge));
    if (!feed.loading && !list.length) fill(message,
      emptyBox(texts.nothingHasCome,
        {actions: [h('a', {class: 'button main', href: to('play')}, texts.tryItIn),
        h('a', {class: 'button', href: to('subscriptions')}, texts.subscriptions)],
        curl: curl('device', 'notifications/changes', {deviceID, waitSeconds: 10})}));
    else if (list.length && message.firstChild?.classList.contains('empty')) fill(message);
    table.element.hidden = !list.length;
    if (feed.loading) fill(status, `${grouped(list.length)} …`);
  });
  let drawnCount = 0;
  let unseen = 0;
  const feed = readFeed({deviceID, after: view.route.query.after, changed: () => { draw(); }, state: (message2) => {
    if (message2.error) { live('ended');
      return fill(message, errorBox(message2.error, () => go(to('feed', [deviceID])), () => signIn('user'))); }
    at = message2.state;
    seconds = message2.seconds;
    if (!feed.paused) live(at, seconds);
  }, fault: (error) => { fill(message, errorBox(error, () => { amend({after: undefined}); location.reload(); },
    () => signIn('user'))); table.element.hidden = true; }});
  const speak = setInterval(() => { const now = feed.entries.length + feed.dropped;
    if (now > heard && heard) spoken.textContent = texts.newNotifications(now - heard); heard = now; }, 5000);
  view.signal.addEventListener('abort', () => { feed.stop(); clearInterval(speak); });

  fill(view.root, h('div', {class: 'page-head'}, view.title(marked(deviceID, 60), ' ', count), holds,
    button(texts.markAllRead, {icon: 'check', disabled: Boolean(off), title: off}, markAll),
    button('', {icon: 'more', label: texts.more}, menuOf)), message, table.element,
    h('div', {class: 'under-grid'}, status, more, spoken));
  device('badge/current', undefined, {query: {deviceID}}).then(({badgeValue}) => fill(count, texts.badgeWord(badgeValue)),
    () => {});

  function pause() {
    feed.pause(!feed.paused);
    holds.setAttribute('aria-pressed', String(feed.paused));
    holds.lastChild.textContent = feed.paused ? texts.resume : texts.pause;
    live(feed.paused ? 'paused' : at, seconds);
  }

  async function markAll() {
    const ids = [...new Set(feed.entries.filter((entry) => entry.notificationType !== 'readNotification'
      && !feed.read.has(entry.notificationID)).map((entry) => entry.notificationID))];
    if (!ids.length) return note(texts.allIsRead);
    await mark(ids);
  }

  async function mark(ids) {
    try { await feed.mark(ids); } catch (error) { note(`${error.code}: ${error.message}`, {kind: 'bad'}); }
  }

  function menuOf(opener) {
    menu(opener.currentTarget, [{text: texts.fromTheStart, act: () => go(to('feed', [deviceID]))},
      {text: texts.fromThisPlace, note: texts.anAddressTo, act: () => go(to('feed', [deviceID], {after: feed.token}))},
      {text: texts.fetchAsA, act: fetchFrom},
      ...(operator() && has(['feeds/read']) ? [{text: texts.replayMore, note: texts.aSliderOver, act: () => go(to('replay', [deviceID]))}]
        : []), null,
      {text: texts.copyTheChange, icon: 'copy', act: () => copied(feed.token ?? '', texts.theChangeToken)},
      {text: texts.copyAsCurl, icon: 'copy',
      act: () => copied(curl('device', 'notifications/changes', {deviceID, serverChangeToken: feed.token}),
      texts.aCurlLine)}]);
  }

  async function fetchFrom() {
    const token = h('textarea', {'aria-label': texts.changeToken, rows: '3', value: feed.token ?? '', spellcheck: 'false'});
    const found = h('div', {class: 'stack', role: 'status'});
    await dialog({title: texts.whatADevice, wide: true,
      body: [h('p', {class: 'quiet'}, texts.onePageOf), token, found],
      actions: [{text: texts.close}, {text: texts.fetch, kind: 'main', act: async () => {
      const page = await device('notifications/changes',
        {deviceID, ...(token.value.trim() && {serverChangeToken: token.value.trim()})});
      fill(found, h('p', null,
        texts.notifications(page.notifications.length, page.moreComing ? texts.moreAreComing : texts.noMore)),
        json(page, texts.thePage));
      return false;
    }}]});
  }

  function show(entry) {
    const {title, subtitle, body} = look(entry);
    const payload = entry.pushPayload;
    const bytes = payload && new TextEncoder().encode(JSON.stringify(payload)).length;
    const own = panel({title: event(entry),
      key: {y: [texts.copyTheNotification, () => copied(JSON.stringify(entry), texts.theNotification)],
      m: [texts.markItAs, () => mark([entry.notificationID])]},
      actions: [entry.notificationType !== 'readNotification' && !feed.read.has(entry.notificationID)
      && button(texts.markRead, {icon: 'check', disabled: Boolean(off)},
      async (event2) => { event2.currentTarget.disabled = true; await mark([entry.notificationID]);
      })].filter(Boolean), content: [
      entry.notificationType !== 'readNotification'
        && h('div', {class: 'phone-note', 'aria-label': texts.asAPhone, role: 'group'},
        h('div', {class: 'quiet'}, plain(here().container.replace(/^.*\./, ''), 40)), title
        && h('b', null, marked(title, 200)), subtitle && h('span', null, marked(subtitle, 200)),
        h('span', {class: body ? '' : 'quiet'}, body ? marked(body, 500)
        : texts.aSilentNotification)),
      h('dl', {class: 'facts'}, h('dt', null, texts.changedWord), h('dd', null, time(entry.changed, true)), entry.recordName
        && [h('dt', null, texts.record),
        h('dd', null, h('a',
        {href: to('records', [scopeName(entry), entry.recordType ?? '~'],
        {open: entry.recordName, zone: zoneText(entry.zoneID)})}, marked(entry.recordName, 100)))], entry.recordType
        && [h('dt', null, texts.type), h('dd', null, marked(entry.recordType, 80))],
        Object.entries(entry.recordFields ?? {}).map(([name, field]) => [h('dt', null, marked(name, 80)),
          h('dd', null, shown(field, 500))]), entry.subscriptionID
          && [h('dt', null, texts.subscription),
          h('dd', null, h('a', {href: to('subscriptions', [], {open: entry.subscriptionID})},
          marked(entry.subscriptionID, 100)))], entry.databaseScope
          && [h('dt', null, texts.database), h('dd', null, String(entry.databaseScope).toLowerCase())], entry.zoneID
          && [h('dt', null, texts.zone), h('dd', null, zoneText(entry.zoneID) || texts.defaultZone)],
        entry.badge !== undefined && [h('dt', null, texts.badge), h('dd', null, entry.badge)], entry.isBackfilled
          && [h('dt', null, texts.backfill), h('dd', null, badge(texts.fromBeforeThe, 'warn'))],
          entry.subscriptionOwnerUserRecordName
          && [h('dt', null, texts.owner), h('dd', null, user(entry.subscriptionOwnerUserRecordName))], h('dt', null, texts.id),
          h('dd', {class: 'code'}, entry.notificationID, ' ', button('', {icon: 'copy', label: texts.copyTheId},
          () => copied(entry.notificationID, texts.theId)))),
      hasWay() && h('a',
        {class: 'button', href: to('notification', [entry.notificationID], {subscription: entry.subscriptionID,
          user: entry.subscriptionOwnerUserRecordName ?? view.user()?.userRecordName})},
        texts.itsWayAnd),
      payload && [h('h3', null, texts.asApnsWould), h('p', {class: bytes > 4096 ? 'bad' : 'quiet'},
        texts.of4Kib(size(bytes)), payload.ck?.p ? texts.somethingWasLeft : texts.nothingIsLeft),
        json(payload, texts.thePayload)], h('details', null, h('summary', null, texts.asJson),
        json({...entry, pushPayload: undefined}, texts.theNotificationAs))]});
    own.focus();
  }

  const scopeName = (entry) => String(entry.databaseScope ?? 'public').toLowerCase();
  view.keys({'.': [texts.pauseAndResume, pause],
    m: [texts.markItAs, () => table.current() && mark([table.current().notificationID])],
    y: [texts.copyTheNotification, () => table.current() && copied(JSON.stringify(table.current()), texts.theNotification)],
    'Shift y': [texts.copyACurl,
    () => copied(curl('device', 'notifications/changes', {deviceID, serverChangeToken: feed.token}),
    texts.aCurlLine)]});
}

/** The user's devices, to choose one. */
function choose(view) {
  const place = h('div', {class: 'page'}, skeleton());
  fill(view.root, view.title(texts.feed), place);
  load(place, async () => {
    const {devices} = await device('devices/list');
    if (!devices.length) return fill(place, emptyBox(texts.youHaveNo,
      {actions: [h('a', {class: 'button main', href: to('devices')}, texts.devices)]}));
    fill(place, h('section', {class: 'card'}, h('h2', null, texts.whoseFeedAsk),
      h('ul', {class: 'list'},
      devices.map((one) => h('li', null, h('a', {class: 'grow cut', href: to('feed', [one.deviceID])},
      marked(one.deviceID, 80)), one.name && h('span', {class: 'quiet'}, marked(one.name, 60)),
      h('span', {class: 'quiet'}, time(one.lastSeen)))))));
  }, {signal: view.signal, signIn: () => signIn('user')});
}
