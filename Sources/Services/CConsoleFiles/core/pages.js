// The pages: their names in addresses, their places at the left, and whose voice they need.
import {has, operator} from './session.js';

/** The groups at the left, in their order. */
export const groups = ['', 'Data', 'Notifications', 'Running', 'People'];

/**
 * All pages by name: `title`, `group`, `icon`, `voice` (`user`, `operator` or `any`), `routes` of the
 * operator that it needs, `hidden` from the left, `load()` of the module with
 * `open(view)`. A page whose routes the service lacks is not linked.
 */
export const pages = {
  overview: {title: 'Overview', group: '', voice: 'any', load: () => import('../pages/overview.js')},
  records: {title: 'Records', group: 'Data', path: ['records', 'public'], voice: 'any',
    load: () => import('../pages/records.js')},
  zones: {title: 'Zones', group: 'Data', path: ['zones', 'private'], voice: 'user',
    load: () => import('../pages/zones.js')},
  sharing: {title: 'Sharing', group: 'Data', voice: 'user', load: () => import('../pages/sharing.js')},
  schema: {title: 'Schema', group: 'Data', voice: 'operator', routes: ['schema'], load: () => import('../pages/schema.js')},
  'schema/promote': {title: 'Promote', group: 'Data', under: 'schema', hidden: true, voice: 'operator',
    routes: ['schema/difference'], load: () => import('../pages/promote.js')},
  subscriptions: {title: 'Subscriptions', group: 'Notifications', voice: 'user',
    load: () => import('../pages/subscriptions.js')},
  devices: {title: 'Devices', group: 'Notifications', voice: 'user', load: () => import('../pages/devices.js')},
  'devices/all': {title: 'Devices of all users', group: 'Notifications', under: 'devices', hidden: true, voice: 'operator',
    routes: ['devices/list'], load: () => import('../pages/everydevice.js')},
  'devices/install': {title: 'Install on a new device', group: 'Notifications', under: 'devices', hidden: true, voice: 'user',
    load: () => import('../pages/install.js')},
  'subscriptions/all': {title: 'Subscriptions of all users', group: 'Notifications', under: 'subscriptions', hidden: true,
    voice: 'operator', routes: ['subscriptions/list'], load: () => import('../pages/everysubscription.js')},
  feed: {title: 'Feed', group: 'Notifications', voice: 'user', load: () => import('../pages/feed.js')},
  replay: {title: 'Replay', group: 'Notifications', under: 'feed', hidden: true, voice: 'operator', routes: ['feeds/read'],
    load: () => import('../pages/replay.js')},
  play: {title: 'Playground', group: 'Notifications', voice: 'user', load: () => import('../pages/play.js')},
  explain: {title: 'Why?', group: 'Notifications', voice: 'operator', routes: ['explain'], load: () => import('../pages/explain.js')},
  notification: {title: 'Notification', group: 'Notifications', under: 'explain', hidden: true, voice: 'operator',
    routes: ['explain'], load: () => import('../pages/notification.js')},
  changes: {title: 'Changes', group: 'Running', path: ['changes', 'public'], voice: 'operator', routes: ['changes/read'],
    load: () => import('../pages/changes.js')},
  stages: {title: 'Stages', group: 'Running', voice: 'operator', routes: ['stages'], load: () => import('../pages/stages.js')},
  poison: {title: 'Set aside', group: 'Running', voice: 'operator', routes: ['poison/list', 'poison/retry'],
    load: () => import('../pages/poison.js')},
  audit: {title: 'Audit', group: 'Running', voice: 'operator', routes: ['audits/list', 'audits/start', 'audits/lookup'],
    load: () => import('../pages/audit.js')},
  push: {title: 'Push', group: 'Running', voice: 'operator', routes: ['couriers/list'], load: () => import('../pages/push.js')},
  log: {title: 'Log', group: 'Running', voice: 'operator', routes: ['log'], load: () => import('../pages/log.js')},
  users: {title: 'Users', group: 'People', voice: 'operator', routes: ['users/list', 'users/lookup'],
    load: () => import('../pages/users.js')},
  credentials: {title: 'Tokens and keys', group: 'People', voice: 'operator', routes: ['tokens/list'],
    load: () => import('../pages/credentials.js')},
  actions: {title: 'Actions', group: 'People', voice: 'operator', routes: ['actions'], load: () => import('../pages/actions.js')},
  settings: {title: 'Settings', group: 'People', voice: 'operator', routes: ['settings'], load: () => import('../pages/settings.js')},
};

/** Whether the way of a notification can be shown: there is an operator, and the service has the route. */
export const hasWay = () => Boolean(operator()) && has(pages.notification?.routes ?? ['']);
