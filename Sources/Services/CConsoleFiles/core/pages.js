// The pages: their names in addresses, their places at the left, and whose voice they need.
import {has, operator} from './session.js';
import {texts} from './texts.js';

/** The groups at the left, in their order. */
export const groups = ['', texts.data, texts.notifications, texts.running, texts.people];

/**
 * All pages by name: `title`, `group`, `icon`, `voice` (`user`, `operator` or `any`), `routes` of the
 * operator that it needs, `hidden` from the left, `load()` of the module with
 * `open(view)`. A page whose routes the service lacks is not linked.
 */
export const pages = {
  overview: {title: texts.overview, group: '', voice: 'any', load: () => import('../pages/overview.js')},
  records: {title: texts.records, group: 'Data', path: ['records', 'public'], voice: 'any',
    load: () => import('../pages/records.js')},
  zones: {title: texts.zones, group: 'Data', path: ['zones', 'private'], voice: 'user',
    load: () => import('../pages/zones.js')},
  sharing: {title: texts.sharing, group: 'Data', voice: 'user', load: () => import('../pages/sharing.js')},
  schema: {title: texts.schema, group: 'Data', voice: 'operator', routes: ['schema'], load: () => import('../pages/schema.js')},
  'schema/promote': {title: texts.promote, group: 'Data', under: 'schema', hidden: true, voice: 'operator',
    routes: ['schema/difference'], load: () => import('../pages/promote.js')},
  subscriptions: {title: texts.subscriptions, group: 'Notifications', voice: 'user',
    load: () => import('../pages/subscriptions.js')},
  devices: {title: texts.devices, group: 'Notifications', voice: 'user', load: () => import('../pages/devices.js')},
  'devices/all': {title: texts.devicesOf, group: 'Notifications', under: 'devices', hidden: true, voice: 'operator',
    routes: ['devices/list'], load: () => import('../pages/everydevice.js')},
  'devices/install': {title: texts.installOn, group: 'Notifications', under: 'devices', hidden: true, voice: 'user',
    load: () => import('../pages/install.js')},
  'subscriptions/all': {title: texts.subscriptionsOf, group: 'Notifications', under: 'subscriptions', hidden: true,
    voice: 'operator', routes: ['subscriptions/list'], load: () => import('../pages/everysubscription.js')},
  feed: {title: texts.feed, group: 'Notifications', voice: 'user', load: () => import('../pages/feed.js')},
  replay: {title: texts.replay, group: 'Notifications', under: 'feed', hidden: true, voice: 'operator', routes: ['feeds/read'],
    load: () => import('../pages/replay.js')},
  play: {title: texts.playground, group: 'Notifications', voice: 'user', load: () => import('../pages/play.js')},
  explain: {title: texts.whyAsk, group: 'Notifications', voice: 'operator', routes: ['explain'], load: () => import('../pages/explain.js')},
  notification: {title: texts.notification, group: 'Notifications', under: 'explain', hidden: true, voice: 'operator',
    routes: ['explain'], load: () => import('../pages/notification.js')},
  changes: {title: texts.changes, group: 'Running', path: ['changes', 'public'], voice: 'operator', routes: ['changes/read'],
    load: () => import('../pages/changes.js')},
  stages: {title: texts.stages, group: 'Running', voice: 'operator', routes: ['stages'], load: () => import('../pages/stages.js')},
  poison: {title: texts.setAside, group: 'Running', voice: 'operator', routes: ['poison/list', 'poison/retry'],
    load: () => import('../pages/poison.js')},
  audit: {title: texts.audit, group: 'Running', voice: 'operator', routes: ['audits/list', 'audits/start', 'audits/lookup'],
    load: () => import('../pages/audit.js')},
  push: {title: texts.push, group: 'Running', voice: 'operator', routes: ['couriers/list'], load: () => import('../pages/push.js')},
  log: {title: texts.log, group: 'Running', voice: 'operator', routes: ['log'], load: () => import('../pages/log.js')},
  users: {title: texts.users, group: 'People', voice: 'operator', routes: ['users/list', 'users/lookup'],
    load: () => import('../pages/users.js')},
  credentials: {title: texts.tokensAnd, group: 'People', voice: 'operator', routes: ['tokens/list'],
    load: () => import('../pages/credentials.js')},
  actions: {title: texts.actions, group: 'People', voice: 'operator', routes: ['actions'], load: () => import('../pages/actions.js')},
  settings: {title: texts.settings, group: 'People', voice: 'operator', routes: ['settings'], load: () => import('../pages/settings.js')},
};

/** Whether the way of a notification can be shown: there is an operator, and the service has the route. */
export const hasWay = () => Boolean(operator()) && has(pages.notification?.routes ?? ['']);
