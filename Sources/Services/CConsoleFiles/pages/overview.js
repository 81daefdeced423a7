// What there is, and the first three steps.
import {curl, database, device} from '../core/api.js';
import {called, ownDevice} from '../core/devices.js';
import {note} from '../core/dialog.js';
import {signIn} from '../core/frame.js';
import {go, to} from '../core/router.js';
import {has, operator} from '../core/session.js';
import {badge, errorBox, load, skeleton} from '../core/states.js';
import {knownTypes, rememberType} from '../core/types.js';
import {clock, marked, time} from '../core/values.js';
import {button, fill, h, icon} from '../core/view.js';

const example = {subscriptionID: 'modern', subscriptionType: 'query', firesOn: ['create', 'update'],
  query: {recordType: 'Artwork', predicate: 'year > 1900'},
  notificationInfo: {alertBody: 'A modern artwork', additionalFields: ['title', 'year'], shouldBadge: true}};

/** Registers two devices, so that one can see what the other does. */
async function makeDevices(user) {
  for (const kind of ['laptop', 'phone']) await ownDevice(kind, user);
}

/** Makes the subscription of the example. */
async function subscribe() {
  const {subscriptions: [answer]} = await database('public', 'subscriptions/modify',
    {operations: [{operationType: 'create', subscription: example}]});
  if (answer.serverErrorCode
    && !/identical|duplicate|same condition/i.test(answer.reason)) throw Object.assign(new Error(answer.reason),
    {code: answer.serverErrorCode});
}

/** Saves a record that the subscription fires on. */
async function save(laptop) {
  const number = Math.floor(Math.random() * 1e6);
  const record = {recordType: 'Artwork', recordName: `try-${number}`,
    fields: {title: {value: `Composition ${number}`, type: 'STRING'},
    year: {value: String(1901 + number % 120), type: 'INT64'}}};
  const {records: [answer]} = await database('public', 'records/modify',
    {operations: [{operationType: 'forceUpdate', record}]}, {query: {clientId: laptop}});
  if (answer.serverErrorCode) throw Object.assign(new Error(answer.reason), {code: answer.serverErrorCode});
  rememberType('public', 'Artwork');
}

function steps(state, redraw) {
  const locked = state.view.locked();
  const step = (number, title, text, done, actions) => h('li', {class: `step ${done ? 'done' : ''}`},
    h('span', {class: 'sign', 'aria-hidden': 'true'}, done ? icon('check') : String(number)),
    h('h3', null, title, done && h('span', {class: 'good'}, ' ✓ done')), h('div', {class: 'row'}, actions),
      h('p', null, text));
  const act = (text, kind, action, off) => button(text, {kind, disabled: Boolean(off || locked), title: locked},
    async (event) => {
    event.currentTarget.disabled = true;
    try { await action(); await redraw(); } catch (error) { note(`${error.code ?? 'ERROR'}: ${error.message}`,
      {kind: 'bad', seconds: 12}); redraw(); }
  });
  const devices = state.devices.length >= 2;
  const subscribed = state.subscriptions.length > 0;
  const told = state.notifications.length > 0;
  return h('section', {class: 'card'}, h('h2', null, 'Three steps to a notification'), h('ol', {class: 'steps'},
    step(1, 'Two devices',
      'A device has a feed of its own. One that makes a change is not notified of it, so it takes two.', devices,
      [act(devices ? 'Register them again' : 'Register laptop and phone', devices ? '' : 'main', () => makeDevices(state.view.user()))]),
    step(2, 'A subscription', 'It fires on each artwork that is saved with a year after 1900.', subscribed,
      [act('Subscribe to year > 1900', subscribed ? '' : 'main', subscribe, !devices || subscribed),
      h('a', {class: 'button', href: to('subscriptions')}, 'All subscriptions')]),
    step(3, 'A change, and its notification',
      'The laptop saves an artwork. The phone is notified; the laptop is not, since it made the change.', told,
      [act('Save an artwork', subscribed && !told ? 'main' : '', async () => {
        await save(called(state.devices, 'laptop'));
        go(to('feed', [state.device]));
      }, !subscribed), h('a', {class: 'button', href: to('play')}, 'See both side by side')])),
  h('div', {class: 'curl'}, h('code', {tabindex: '0', 'aria-label': 'Step 2 as a curl line'},
    curl('database', 'public/subscriptions/modify', {operations: [{operationType: 'create', subscription: example}]}))));
}

function cards(state) {
  const figure = (count, text, address) => h('a', {class: 'figure', href: address}, h('b', null, count),
    h('span', {class: 'quiet'}, text));
  return [h('div', {class: 'figures'}, figure(state.devices.length, 'devices', to('devices')),
    figure(state.subscriptions.length, 'subscriptions', to('subscriptions')),
    figure(state.zones.length, 'private zones', to('zones', ['private'])),
      figure(state.badge ?? '–', 'badge', state.devices[0] ? to('feed', [state.devices[0].deviceID]) : to('devices'))),
  h('div', {class: 'cards'},
    h('section', {class: 'card'}, h('div', {class: 'card-head'}, h('h2', null, 'Last notifications'), state.device
    && h('a', {href: to('feed', [state.device])}, 'Feed')),
    state.notifications.length
      ? h('ul', {class: 'list'},
      state.notifications.slice(-20).reverse().map((entry) => h('li', null,
      h('span', {class: 'grow cut'}, marked(entry.alertBody ?? entry.title ?? entry.notificationType, 80), ' ',
      h('span', {class: 'quiet'}, entry.recordName ? marked(entry.recordName, 40) : '')),
      h('span', {class: 'quiet'}, clock(entry.changed))))) : h('p', {class: 'quiet'}, 'None yet.')),
  h('section', {class: 'card'}, h('div', {class: 'card-head'}, h('h2', null, 'Records'),
    h('a', {href: to('records', ['public'])}, 'All')),
    knownTypes('public').length
      ? h('ul', {class: 'list'},
      knownTypes('public').slice(0, 8).map((type) => h('li', null, icon('records'),
      h('a', {class: 'grow', href: to('records', ['public', type])}, marked(type, 60)), badge('public'))))
      : h('p', {class: 'quiet'}, 'Types that you open are listed here.')),
  h('section', {class: 'card'}, h('div', {class: 'card-head'}, h('h2', null, 'Devices'),
    h('a', {href: to('devices')}, 'All')),
    state.devices.length
      ? h('ul', {class: 'list'},
      state.devices.slice(0,
      8).map((one) => h('li', null, icon('devices'), h('a', {class: 'grow cut', href: to('feed', [one.deviceID])},
      marked(one.deviceID, 60)), h('span', {class: 'quiet'}, time(one.lastSeen)))))
      : h('p', {class: 'quiet'}, 'None yet.')))];
}

/** Opens the page. */
export function open(view) {
  const {container, environment} = view.route;
  const body = h('div', {class: 'page'}, skeleton());
  const service = h('div', {hidden: true});
  if (operator() && has(['overview'])) import('../core/system.js').then(({systemCard}) => service.replaceWith(systemCard(view)));
  fill(view.root, h('div', {class: 'page-head'}, view.title('Overview'), button('', {icon: 'refresh', label: 'Read again'},
    () => redraw())), service, body);
  const user = view.user();
  if (!user) {
    fill(body, h('section', {class: 'card'}, h('h2', null, `Welcome to ${container.replace(/^iCloud\./, '')}`),
      h('p', {class: 'lead'}, environment === 'development'
        ? 'In development you may be anybody by name. Each tab has its own user, so two tabs are two people.'
        : 'Sign in with the account that users of this service have.'),
      h('div', {class: 'row'}, button('Sign in', {kind: 'main', icon: 'users'}, () => signIn('user')))));
    return;
  }
  async function redraw() {
    await load(body, async () => {
      const [devices, subscriptions, zones] = await Promise.all([device('devices/list', undefined, {signal: view.signal}),
        database('public', 'subscriptions/list'), database('private', 'zones/list')]);
      const state = {view, devices: devices.devices.filter((one) => one.platform !== 'webcourier'),
        subscriptions: subscriptions.subscriptions, zones: zones.zones, notifications: []};
      state.device = called(state.devices, 'phone') ?? state.devices[0]?.deviceID;
      if (state.device) {
        const [feed, current] = await Promise.all([device('notifications/changes',
          {deviceID: state.device, shouldFetchPushPayload: false}),
          device('badge/current', undefined, {query: {deviceID: state.device}})]);
        state.notifications = feed.notifications.filter((entry) => entry.notificationType !== 'readNotification');
        state.badge = current.badgeValue;
      }
      if (view.signal.aborted) return;
      const first = state.devices.length < 2 || !state.subscriptions.length || !state.notifications.length;
      fill(body, first ? [steps(state, redraw), cards(state)] : [cards(state), steps(state, redraw)]);
    }, {signal: view.signal, signIn: () => signIn('user')});
  }
  redraw().catch((error) => fill(body, errorBox(error, redraw)));
}
