// Shows the pushes of a Fanfare service as notifications of the browser.
//
// A browser registers workers of the app's own origin only: the app's worker imports this file, or has a copy of it.
//
//     self.fanfare = {
//       name: 'Gallery',            // the title of notifications that have none; absent: the worker's host
//       icon: '/icon.png',          // the image of notifications
//       badgeIcon: '/badge.png',    // the small image of one colour that Android shows in its status bar
//       open: '/inbox',             // the page that a click opens where none is open; absent: the worker's scope
//       strings: {                  // texts by localisation key, and by language, or for all languages without one
//         en: {NEW_NOTE: '%@ wrote: %@'},
//         de: {NEW_NOTE: '%@ schrieb: %@'},
//       },
//     };
//     importScripts('https://service.example/fanfare/service-worker.js');
//
// Messages from a page to the worker (`registration.active.postMessage`):
//
//     {type: 'fanfare.read', ids: [notificationID, …]}       closes the shown notifications with these IDs
//
// Messages from the worker to the pages in its scope (`navigator.serviceWorker.onmessage`):
//
//     {type: 'fanfare.push', notificationID, payload}        a push came; payload has `aps` and `ck`
//     {type: 'fanfare.click', notificationID, payload}       the user clicked its notification; to one page
(() => {
  'use strict';

  /// The key of the text that is shown where a push has no other.
  const genericKey = 'FANFARE_NOTIFICATION';
  const genericText = 'Something is new';
  /// The key of the line that says how many changes a push stands for; the number is its argument.
  const changesKey = 'FANFARE_CHANGES';

  const settings = () => object(self.fanfare);

  // Payloads are not trusted to have their form: a push that throws would show nothing, and browsers take the
  // permission away from apps whose pushes show nothing.

  const object = (value) => (typeof value === 'object' && value !== null && !Array.isArray(value) ? value : {});
  const array = (value) => (Array.isArray(value) ? value : []);
  const text = (value) => (typeof value === 'string' && value !== '' ? value : undefined);

  /// The payload of a push; an empty object for what is no payload.
  function payloadOf(data) {
    try {
      return object(data?.json());
    } catch {
      return {};
    }
  }

  // MARK: Texts

  /// The app's texts in the user's language; else in the app's first one.
  function strings() {
    const all = object(settings().strings);
    const tables = Object.keys(all).filter((name) => typeof all[name] === 'object' && all[name] !== null);
    if (tables.length === 0) return all;
    for (const language of navigator.languages ?? [navigator.language]) {
      const parts = language.toLowerCase().split('-');
      for (; parts.length > 0; parts.pop()) {
        const name = tables.find((name) => name.toLowerCase() === parts.join('-'));
        if (name !== undefined) return all[name];
      }
    }
    return all[tables[0]];
  }

  /// The app's text of a key, with arguments in its places (`%@`, `%1$@`; `%%` is a percent sign). Undefined for a key
  /// that the app does not have.
  function localized(key, args) {
    const table = strings();
    const format = typeof key === 'string' && Object.prototype.hasOwnProperty.call(table, key) ? text(table[key]) : undefined;
    const values = array(args);
    let next = 0;
    return format?.replace(/%(?:%|(?:(\d+)\$)?@)/g, (place, number) =>
      place === '%%' ? '%' : String(values[number === undefined ? next++ : number - 1] ?? ''));
  }

  /// Title and body of an alert, with the number of changes if there are several. A key that the app has wins over the
  /// text.
  function texts(alert, changes) {
    const named = object(alert);
    const title = localized(named['title-loc-key'], named['title-loc-args']) ?? text(named.title);
    const subtitle = localized(named['subtitle-loc-key'], named['subtitle-loc-args']) ?? text(named.subtitle);
    const body = localized(named['loc-key'], named['loc-args']) ?? text(named.body) ?? text(alert);
    // Notifications of browsers have no subtitle.
    const lines = [subtitle, body].filter((line) => line !== undefined);
    if (title === undefined && lines.length === 0) lines.push(localized(genericKey) ?? genericText);
    if (Number.isSafeInteger(changes) && changes > 1) lines.push(localized(changesKey, [changes]) ?? `${changes} changes`);
    return {title: title ?? text(settings().name) ?? self.location.hostname, body: lines.join('\n')};
  }

  // MARK: Pushes

  /// Shows and closes one after the other: a browser may forget a notification that is listed while it is shown.
  let turn = Promise.resolve();
  const inTurn = (work) => (turn = turn.then(work, work));

  self.addEventListener('push', (event) => event.waitUntil(inTurn(() => receive(payloadOf(event.data)))));

  async function receive(payload) {
    const {alert, badge, 'content-available': isSilent} = object(payload.aps);
    const pages = await openPages();
    await withdraw(object(payload.ck).read);
    if (Number.isSafeInteger(badge) && badge >= 0) await setBadge(badge);
    // Browsers want every push to show something, but for those that come while the user sees the app.
    const isSeen = pages.some((page) => page.visibilityState === 'visible');
    if (!isMark(payload) && (!isSeen || !isSilent || alert !== undefined)) await show(payload);
    for (const page of pages) page.postMessage(message('fanfare.push', payload));
  }

  /// No notification: a badge, or notifications that were read elsewhere. Only registrations with `silent` get these.
  function isMark(payload) {
    const {ce, qry, fet, met} = object(payload.ck);
    return ce === 2 && qry === undefined && fet === undefined && met === undefined;
  }

  async function show(payload) {
    const {tag: collapsing, changes} = object(payload.fanfare);
    const {title, body} = texts(object(payload.aps).alert, changes);
    const own = ownTag(payload);
    const tag = text(collapsing) ?? own;
    // Another push with the tag is new; one that was sent again takes the place of itself in silence.
    const options = {body, tag, renotify: tag !== own, data: message('fanfare.notification', payload)};
    for (const [name, image] of [['icon', settings().icon], ['badge', settings().badgeIcon]]) {
      if (text(image) !== undefined) options[name] = image;
    }
    await self.registration.showNotification(title, options);
  }

  /// The tag of a push without a collapse identifier: it takes the place of itself alone.
  function ownTag(payload) {
    const {nid, qry, fet, met} = object(payload.ck);
    return text(nid) === undefined ? 'fanfare' : `${nid}/${object(qry ?? fet ?? met).sid}`;
  }

  const notificationID = (payload) => text(object(payload.ck).nid);
  const message = (type, payload) => ({type, notificationID: notificationID(payload), payload});

  /// Not every browser has badges, and one that has them may refuse.
  async function setBadge(count) {
    try {
      await navigator.setAppBadge?.(count);
    } catch {}
  }

  /// Closes the shown notifications with these IDs.
  async function withdraw(ids) {
    const read = new Set(array(ids).filter((id) => text(id) !== undefined));
    if (read.size === 0) return;
    for (const shown of await self.registration.getNotifications()) {
      if (read.has(shown.data?.notificationID)) shown.close();
    }
  }

  // MARK: Pages

  /// The pages in the worker's scope, those that it does not control as well.
  async function openPages() {
    const windows = await self.clients.matchAll({type: 'window', includeUncontrolled: true});
    return windows.filter((page) => page.url.startsWith(self.registration.scope));
  }

  self.addEventListener('message', (event) => {
    if (event.data?.type === 'fanfare.read') event.waitUntil(inTurn(() => withdraw(event.data.ids)));
  });

  self.addEventListener('notificationclick', (event) => {
    const {data} = event.notification;
    if (data?.type !== 'fanfare.notification') return;
    event.notification.close();
    event.waitUntil(open(message('fanfare.click', object(data.payload))));
  });

  /// Brings a page of the app to the front, or opens one, and posts the message to it.
  async function open(click) {
    const pages = await openPages();
    let page = pages.find((page) => page.focused) ?? pages.find((page) => page.visibilityState === 'visible') ?? pages[0];
    if (page === undefined) {
      page = await self.clients.openWindow(new URL(text(settings().open) ?? '', self.registration.scope));
    } else {
      try {
        page = await page.focus();
      } catch {
        // The user finds the page without it.
      }
    }
    page?.postMessage(click);
  }
})();
