// What a user has, and the first three steps to a notification.
import {database, device} from './api.js';
import {curl} from './curl.js';
import {called, example} from './example.js';
import {signIn} from './frame.js';
import {locked} from './rights.js';
import {go, here, to} from './router.js';
import {badge, errorBox, load} from './states.js';
import {clock, marked, time} from './text.js';
import {texts} from './texts-parts.js';
import {knownTypes} from './types.js';
import {button, fill, h, icon} from './view.js';

function steps(state, redraw) {
  const off = locked(here());
  const step = (number, title, text, done, ...actions) => h('li', {class: `step ${done ? 'done' : ''}`},
    h('span', {class: 'sign', 'aria-hidden': 'true'}, done ? icon('check') : String(number)),
    h('h3', null, title, done && h('span', {class: 'good'}, texts.done)), h('div', {class: 'row'}, actions), h('p', null, text));
  const act = (text, isNext, action, notYet) => button(text, {kind: isNext ? 'main' : '', disabled: Boolean(off || notYet), title: off},
    async (event) => {
      event.currentTarget.disabled = true;
      try { await action(await import('./firststeps.js')); await redraw(); } catch (error) {
        (await import('./dialog.js')).note(`${error.code ?? 'ERROR'}: ${error.message}`, {kind: 'bad', seconds: 12});
        redraw();
      }
    });
  const devices = state.devices.length >= 2;
  const subscribed = state.subscriptions.length > 0;
  const notified = state.notifications.length > 0;
  return h('section', {class: 'card'}, h('h2', null, texts.threeStepsTo), h('ol', {class: 'steps'},
    step(1, texts.twoDevices, texts.aDeviceHas, devices,
      act(devices ? texts.registerThemAgain : texts.registerLaptopAnd, !devices, (does) => does.makeDevices(state.view.user()))),
    step(2, texts.aSubscription, texts.itFiresOn, subscribed,
      act(texts.subscribeToYear, !subscribed, (does) => does.subscribe(), !devices || subscribed),
      h('a', {class: 'button', href: to('subscriptions')}, texts.allSubscriptions)),
    step(3, texts.aChangeAnd,
      texts.theLaptopSaves, notified,
      act(texts.saveAnArtwork, subscribed && !notified, async (does) => {
        await does.saveArtwork(called(state.devices, 'laptop'));
        go(to('feed', [state.device]));
      }, !subscribed), h('a', {class: 'button', href: to('play')}, texts.seeBothSide))),
  h('div', {class: 'curl'}, h('code', {tabindex: '0', 'aria-label': texts.step2As},
    curl('database', 'public/subscriptions/modify', {operations: [{operationType: 'create', subscription: example}]}))));
}

/** A card with a list, or a sentence where it is empty. */
const card = (title, link, all, items, empty) => h('section', {class: 'card'}, h('div', {class: 'card-head'}, h('h2', null, title),
  link && h('a', {href: link}, all)), items.length ? h('ul', {class: 'list'}, items.map((nodes) => h('li', null, nodes)))
  : h('p', {class: 'quiet'}, empty));

function cards({devices, subscriptions, zones, notifications, device: phone, badge: count}) {
  const figure = (number, text, address) => h('a', {class: 'figure', href: address}, h('b', null, number),
    h('span', {class: 'quiet'}, text));
  return [h('div', {class: 'figures'}, figure(devices.length, texts.devicesWord, to('devices')),
    figure(subscriptions.length, texts.subscriptions, to('subscriptions')),
    figure(zones.length, texts.privateZones, to('zones', ['private'])),
    figure(count ?? '–', texts.badge, phone ? to('feed', [phone]) : to('devices'))),
  h('div', {class: 'cards'}, card(texts.lastNotifications, phone && to('feed', [phone]), texts.feed,
    notifications.reverse().map((entry) => [
      h('span', {class: 'grow cut'}, marked(entry.alertBody ?? entry.title ?? entry.notificationType, 80), ' ',
        h('span', {class: 'quiet'}, marked(entry.recordName ?? '', 40))), h('span', {class: 'quiet'}, clock(entry.changed))]),
    texts.noneYet),
  card(texts.records, to('records', ['public']), texts.all, knownTypes('public').slice(0, 8).map((type) => [icon('records'),
    h('a', {class: 'grow', href: to('records', ['public', type])}, marked(type, 60)), badge('public')]),
  texts.typesThatYou),
  card(texts.devices, to('devices'), texts.all, devices.slice(0, 8).map((one) => [icon('devices'),
    h('a', {class: 'grow cut', href: to('feed', [one.deviceID])}, marked(one.deviceID, 60)),
    h('span', {class: 'quiet'}, time(one.lastSeen))]), texts.noneYet))];
}

/** The newest 20 notifications of a device: feeds are read from the start, so all pages are, up to an abort. */
async function newest(deviceID, signal) {
  let found = [], serverChangeToken, more = true;
  while (more && !signal.aborted) {
    const page = await device('notifications/changes', {deviceID, serverChangeToken, shouldFetchPushPayload: false}, {signal});
    found = [...found, ...page.notifications.filter((entry) => entry.notificationType !== 'readNotification')].slice(-20);
    [serverChangeToken, more] = [page.serverChangeToken, page.moreComing];
  }
  return found;
}

/** Draws in `body` what the tab's user has; answers a function that draws it again. */
export function home(view, body) {
  const {signal} = view;
  const redraw = () => load(body, async () => {
    const [{devices}, {subscriptions}, {zones}] = await Promise.all([device('devices/list', undefined, {signal}),
      database('public', 'subscriptions/list', undefined, {signal}), database('private', 'zones/list', undefined, {signal})]);
    const state = {view, devices: devices.filter((one) => one.platform !== 'webcourier'), subscriptions, zones, notifications: []};
    state.device = called(state.devices, 'phone') ?? state.devices[0]?.deviceID;
    if (state.device) {
      const [notifications, current] = await Promise.all([newest(state.device, signal),
        device('badge/current', undefined, {query: {deviceID: state.device}, signal})]);
      Object.assign(state, {notifications, badge: current.badgeValue});
    }
    if (signal.aborted) return;
    const first = state.devices.length < 2 || !subscriptions.length || !state.notifications.length;
    fill(body, first ? [steps(state, redraw), cards(state)] : [cards(state), steps(state, redraw)]);
  }, {signal, signIn: () => signIn('user')});
  redraw().catch((error) => { fill(body, errorBox(error, redraw)); if (!error.code) throw error; });
  return redraw;
}
