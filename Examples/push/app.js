import {Service, ServiceError} from './service.js';

const name = location.pathname.split('/')[1];
const service = new Service(self.service);
const find = (selector) => document.querySelector(selector);

/// What this browser keeps for the user: its device, the place in the feed, and what the feed had.
const key = `notes/${name}`;
const kept = {deviceID: crypto.randomUUID(), notifications: [], ...JSON.parse(localStorage.getItem(key) ?? '{}')};
const keep = () => localStorage.setItem(key, JSON.stringify(kept));

const unread = () => kept.notifications.filter((notification) => !notification.isRead);

function report(error) {
  find('#problem').textContent = error instanceof ServiceError ? `${error.code}: ${error.message}` : `${error}`;
  find('#problem').hidden = false;
}

/// Does what a button says; a failure is shown on the page.
function on(selector, event, action) {
  find(selector).addEventListener(event, async (event) => {
    event.preventDefault();
    find('#problem').hidden = true;
    try {
      await action(event);
    } catch (error) {
      report(error);
    }
  });
}

// MARK: Notifications of the browser

/// The notification that the user clicked last.
let clicked;

const isAble = 'serviceWorker' in navigator && 'PushManager' in self && 'Notification' in self;

async function registration() {
  await navigator.serviceWorker.register('/service-worker.js', {scope: `/${name}/`});
  return navigator.serviceWorker.ready;
}

async function turnOn() {
  // Before anything else is waited for: browsers ask only right after a click.
  if (await Notification.requestPermission() !== 'granted') return showState();
  const {pushManager} = await registration();
  const {applicationServerKey} = await service.device('push/keys');
  const options = {userVisibleOnly: true, applicationServerKey};
  let subscription;
  try {
    subscription = await pushManager.subscribe(options);
  } catch (error) {
    // The service has another key than when the browser subscribed.
    if (error.name !== 'InvalidStateError') throw error;
    await (await pushManager.getSubscription())?.unsubscribe();
    subscription = await pushManager.subscribe(options);
  }
  await service.device('devices/push', {
    deviceID: kept.deviceID, webPush: subscription.toJSON(), contents: kept.isPrivate ? 'none' : 'full',
  });
  kept.isOn = true;
  keep();
  showState();
}

async function turnOff() {
  kept.isOn = false;
  keep();
  await service.device('devices/push/remove', {deviceID: kept.deviceID, kind: 'webPush'});
  await (await (await registration()).pushManager.getSubscription())?.unsubscribe();
  showState();
}

function showState() {
  const isOn = kept.isOn === true && Notification.permission === 'granted';
  find('#turn-on').hidden = isOn;
  find('#turn-on').disabled = !isAble || Notification.permission === 'denied';
  find('#turn-off').hidden = !isOn;
  find('#private').checked = kept.isPrivate === true;
  find('#state').textContent =
    !isAble ? 'This browser has no Web Push here. On an iPhone or iPad, add the page to the Home Screen and open it there.'
    : Notification.permission === 'denied' ? 'You blocked notifications. The settings of the browser for this page have them.'
    : isOn ? 'On: close the page, and they come all the same.'
    : 'Off: the page shows what arrives, but only while it is open.';
}

/// Closes the browser's notifications that were read.
async function withdraw(ids) {
  const {active} = (await navigator.serviceWorker?.getRegistration()) ?? {};
  active?.postMessage({type: 'fanfare.read', ids});
}

navigator.serviceWorker?.addEventListener('message', ({data}) => {
  if (data.type === 'fanfare.push') {
    find('#latest').textContent = `The latest push came at ${new Date().toLocaleTimeString()}.`;
    find('#latest').hidden = false;
  }
  if (data.type === 'fanfare.click') {
    clicked = data.notificationID;
    render();
    document.getElementById(clicked)?.scrollIntoView({block: 'center'});
  }
});

// MARK: The feed

function receive(notification, token) {
  const {notificationID: id, notificationType: type, collapseIDKey} = notification;
  kept.token = token;
  if (type === 'readNotification') {
    for (const other of kept.notifications) if (other.notificationID === id) other.isRead = true;
    withdraw([id]);
    refreshBadge().catch(report);
  } else if (type === 'query') {
    // As on a device, one with the same collapse identifier takes the other's place.
    const rest = kept.notifications.filter((other) =>
      other.notificationID !== id && (!collapseIDKey || other.collapseIDKey !== collapseIDKey));
    kept.notifications = [notification, ...rest].slice(0, 50);
    if (notification.badge !== undefined) showBadge(notification.badge);
  }
  keep();
  render();
}

async function follow() {
  for (;;) {
    try {
      find('#connection').hidden = true;
      await service.stream(kept.deviceID, kept.token, undefined, receive);
    } catch (error) {
      if (error instanceof ServiceError) return report(error);
    }
    find('#connection').hidden = false;
    await new Promise((resolve) => setTimeout(resolve, 1000));
  }
}

async function markRead(notifications) {
  const ids = notifications.map((notification) => notification.notificationID);
  for (const notification of notifications) notification.isRead = true;
  keep();
  render();
  // The badge first: other devices look at it when they see the marks.
  const badgeValue = unread().length;
  await service.device('badge/modify', {deviceID: kept.deviceID, badgeValue});
  await service.device('notifications/markRead', {deviceID: kept.deviceID, notificationIDs: ids});
  showBadge(badgeValue);
  withdraw(ids);
}

async function refreshBadge() {
  showBadge((await service.device('badge/current', undefined, {deviceID: kept.deviceID})).badgeValue);
}

function showBadge(count) {
  find('#badge').textContent = count;
  find('#badge').hidden = count === 0;
  document.title = count > 0 ? `(${count}) Notes` : 'Notes';
  navigator.setAppBadge?.(count).catch(() => {});
}

/// The text of a key in the user's language, with arguments in its places; for a key that is not there, the text.
function localized(text = '', key, args = []) {
  const language = navigator.languages.map((language) => language.split('-')[0]).find((name) => name in self.strings);
  let next = 0;
  return self.strings[language ?? 'en'][key]?.replace(/%@/g, () => args[next++] ?? '') ?? text;
}

function render() {
  const list = find('#notifications');
  list.replaceChildren(...kept.notifications.map((notification) => {
    const item = find('#notification').content.cloneNode(true).firstElementChild;
    item.id = notification.notificationID;
    item.classList.toggle('new', !notification.isRead);
    item.classList.toggle('clicked', notification.notificationID === clicked);
    item.querySelector('strong').textContent =
      localized(notification.title, notification.titleLocalizationKey, notification.titleLocalizationArgs);
    item.querySelector('p').textContent =
      localized(notification.alertBody, notification.alertLocalizationKey, notification.alertLocalizationArgs);
    const changed = new Date(notification.changed);
    item.querySelector('time').dateTime = changed.toISOString();
    item.querySelector('time').textContent = changed.toLocaleTimeString([], {hour: '2-digit', minute: '2-digit'});
    const button = item.querySelector('button');
    button.hidden = notification.isRead === true;
    button.addEventListener('click', () => markRead([notification]).catch(report));
    return item;
  }));
  find('#empty').hidden = kept.notifications.length > 0;
  find('#read-all').hidden = unread().length === 0;
}

// MARK: Start

/// Notes to the user, each by itself; and the status of others, of each the latest.
const subscriptions = [
  {
    subscriptionID: 'notes', subscriptionType: 'query', firesOn: ['create'],
    query: {
      recordType: 'Note', filterBy: [{fieldName: 'to', comparator: 'EQUALS', fieldValue: {value: name}}],
    },
    notificationInfo: {
      titleLocalizationKey: 'NOTE_TITLE', titleLocalizationArgs: ['author'],
      alertLocalizationKey: 'TEXT', alertLocalizationArgs: ['text'], shouldBadge: true,
    },
  },
  {
    subscriptionID: 'status', subscriptionType: 'query', firesOn: ['create', 'update'],
    query: {
      recordType: 'Status', filterBy: [{fieldName: 'author', comparator: 'NOT_EQUALS', fieldValue: {value: name}}],
    },
    notificationInfo: {
      titleLocalizationKey: 'STATUS_TITLE', titleLocalizationArgs: ['author'],
      alertLocalizationKey: 'TEXT', alertLocalizationArgs: ['text'], collapseIDKey: 'author',
    },
  },
];

function write(event) {
  const {to, text} = Object.fromEntries(new FormData(event.target));
  const kind = event.submitter?.value ?? 'Note';
  const fields = {author: {value: name}, text: {value: text}, ...(kind === 'Note' && {to: {value: to}})};
  const recordName = kind === 'Note' ? crypto.randomUUID() : `status-${name}`;
  find('#text').value = '';
  return service.save({recordType: kind, recordName, fields}, kept.deviceID);
}

async function start() {
  if (!name) {
    find('#door').hidden = false;
    return;
  }
  keep();
  find('#user').textContent = name;
  find('#to').value = name === 'ada' ? 'bob' : 'ada';
  on('#turn-on', 'click', turnOn);
  on('#turn-off', 'click', turnOff);
  on('#write form', 'submit', write);
  on('#read-all', 'click', () => markRead(unread()));
  on('#private', 'change', () => {
    kept.isPrivate = find('#private').checked;
    keep();
    return kept.isOn ? turnOn() : undefined;
  });
  // Another tab of the user's.
  addEventListener('storage', (event) => {
    if (event.key !== key || event.newValue === null) return;
    Object.assign(kept, JSON.parse(event.newValue));
    render();
    showState();
  });
  await service.signIn(name);
  await service.device('devices/register', {deviceID: kept.deviceID, name: 'Notes in a browser', platform: 'web'});
  await service.subscribe(subscriptions);
  await refreshBadge();
  showState();
  render();
  for (const section of ['#push', '#write', '#feed']) find(section).hidden = false;
  follow();
  // Endpoints change with time: the service has the present one after each start.
  if (kept.isOn && Notification.permission === 'granted') await turnOn();
}

start().catch(report);
