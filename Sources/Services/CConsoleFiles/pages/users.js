// All who have signed in: who they are, what they use, what they are signed in with; and what an operator may do.
import {operate} from '../core/api.js';
import {dialog} from '../core/dialog.js';
import {goes} from '../core/goes.js';
import {panel as openPanel} from '../core/panel.js';
import {act, code, facts, listing} from '../core/operate.js';
import {amend, here, to} from '../core/router.js';
import {has} from '../core/session.js';
import {badge, load} from '../core/states.js';
import {size} from '../core/values.js';
import {grouped, marked, plain, time, user} from '../core/text.js';
import {button, fill, h, icon, skeleton} from '../core/view.js';

const givenName = (one) => [one.givenName, one.familyName].filter(Boolean).join(' ');
const titleOf = (one) => givenName(one) || one.emailAddress || one.userRecordName;
const words = {privateRecords: 'private records', privateBytes: 'private data', publicRecords: 'public records',
  publicBytes: 'public data',
  assetBytes: 'files', uploadBytes: 'uploads that wait', invitedAddresses: 'invited addresses', schemaParts: 'schema parts',
    shares: 'shares',
  zones: 'zones', acceptedShares: 'accepted shares', devices: 'devices', webCouriers: 'web couriers',
    supersededVersions: 'older versions',
  supersededBytes: 'data of older versions'};
const wordOf = (name) => words[name] ?? (name.startsWith('subscriptions.') ? `subscriptions, ${name.slice(14)}` : name);
const behind = ({token}) => token?.notificationsBehind === undefined ? 'has not read yet'
  : token.notificationsBehind ? `${grouped(token.notificationsBehind)} behind` : 'up to date';
const amount = (name, value) => /Bytes$/.test(name) ? size(value) : grouped(value);

/** Usage beside its quota, what is near its end first. */
function usage(all) {
  const list = Object.entries(all).map(([name, {used, quota}]) => ({name, used, quota, part: quota ? used / quota : 0}))
    .sort((a, b) => b.part - a.part || a.name.localeCompare(b.name));
  return h('ul', {class: 'list'}, list.filter((one) => one.used > 0).map(({name, used, quota, part}) => h('li', null,
    h('div', {class: 'grow'}, h('div', {class: 'row'}, h('span', {class: 'grow'}, wordOf(name)),
      h('span', {class: 'quiet'}, quota === null ? amount(name, used) : `${amount(name, used)} of ${amount(name, quota)}`),
      part > 0.9 && badge(part >= 1 ? 'full' : 'nearly full', part >= 1 ? 'bad' : 'warn')),
    h('progress', {class: 'progress', max: '1', value: String(Math.min(1, part)), 'aria-label': `${wordOf(name)} of the quota`})))),
  !list.some((one) => one.used > 0) && h('li', {class: 'quiet'}, 'nothing'));
}

function goesWithUser(all, devices) {
  const used = (name) => all[name]?.used ?? 0;
  const subscriptions = Object.keys(all).filter((name) => name.startsWith('subscriptions.')).reduce((sum, name) => sum + used(name), 0);
  return [goes([['records', 'private records', used('privateRecords')], ['zones', 'zones', used('zones')],
    ['records', 'files', used('assetBytes') && size(used('assetBytes'))], ['sharing', 'shares', used('shares')],
    ['subscriptions', 'subscriptions', subscriptions], ['devices', 'devices', devices.length]],
  'Its name and sessions: it has no records, subscriptions or devices.'),
  used('publicRecords') > 0 && h('p', {class: 'note'}, `${grouped(used('publicRecords'))} records in the public database stay.`)];
}

function details(view, one, done) {
  const off = view.barred();
  const body = h('div', {class: 'stack'}, skeleton(4));
  const name = titleOf(one);
  const request = () => ({user: one.userRecordName});
  let found;
  const pane = openPanel({title: marked(name, 60), content: body,
    closed: () => { if (here().query.open === one.userRecordName && !view.signal.aborted) amend({open: undefined}); }});
  amend({open: one.userRecordName});

  const acts = {
    block: () => act(view, {title: `Block ${plain(name, 60)}?`,
      text: 'All sessions end, and no new one begins until the user is unblocked. Nothing is deleted.', yes: 'Block', danger: true,
      name: one.userRecordName, path: 'users/block', body: request, done: 'Blocked.'}),
    unblock: () => act(view, {title: `Unblock ${plain(name, 60)}?`, text: 'The user may sign in again.', yes: 'Unblock',
      path: 'users/unblock', body: request, done: 'Unblocked.'}),
    signOut: () => act(view, {title: `Sign ${plain(name, 60)} out?`,
      text: 'All sessions and web couriers of the user end at once. The user may sign in again.', yes: 'Sign out', danger: true,
      name: one.userRecordName, path: 'users/signOut', body: request, done: 'Signed out.'}),
    remove: () => act(view, {title: `Delete ${plain(name, 60)} for good?`,
      text: 'Sessions, devices, subscriptions, shares and the private database go, with its files, name and address. This cannot be '
        + 'undone.', what: goesWithUser(found.usage ?? {}, found.devices ?? []), yes: 'Delete', danger: true, name: one.userRecordName,
        always: true, path: 'users/delete',
      body: () => ({...request(), confirm: one.userRecordName}), done: 'Deleted.'}),
  };
  const doing = (verb) => async () => {
    const answer = !off && await acts[verb]();
    if (!answer) return;
    if (verb === 'remove') pane.end();
    done(verb === 'remove' ? undefined : one.userRecordName);
    if (answer.remains?.length) await dialog({title: 'What remains', wide: true, actions: [{text: 'Close', kind: 'main'}],
      body: h('ul', {class: 'list'}, answer.remains.map((text) => h('li', null, marked(text, 500))))});
  };

  load(body, async () => {
    found = await operate('users/lookup', request(), {signal: view.signal});
    const {user: now, usage: used, sessions, devices} = found;
    fill(body, h('div', {class: 'row'}, now.isBlocked ? badge('✕ blocked', 'bad') : badge('✓ may sign in', 'good'), now.isDiscoverable
      && badge('may be found')),
      facts([['record name', code(now.userRecordName, 40)], ['name', givenName(now) && marked(givenName(now), 80)],
        ['address', now.emailAddress && marked(now.emailAddress, 80)],
        ['signs in by', marked(now.issuer ?? '', 120)], ['as', now.subject && marked(now.subject, 120)], ['since', time(now.created)],
          ['throttled', now.throttled !== undefined ? `${grouped(now.throttled)} times` : undefined]]),
      h('div', {class: 'row'}, button(now.isBlocked ? 'Unblock' : 'Block', {icon: 'lock', kind: now.isBlocked ? '' : 'danger',
        disabled: Boolean(off), title: off}, doing(now.isBlocked ? 'unblock' : 'block')),
        button('Sign out', {icon: 'close', disabled: Boolean(off), title: off}, doing('signOut')),
          button('Delete …', {icon: 'trash', kind: 'danger', disabled: Boolean(off), title: off}, doing('remove'))),
      has(['journals/read']) && has(['feeds/read']) && h('a', {href: to('replay', [], {user: now.userRecordName})},
        'The journal of notifications'),
      used && [h('h3', null, 'Uses'), usage(used)],
      devices && [h('h3', null, `Devices: ${grouped(devices.length)}`),
        h('ul', {class: 'list'}, devices.map((device) => h('li', null, icon('devices'),
        h('span', {class: 'grow'}, marked(device.deviceID, 60), device.name && h('span', {class: 'quiet'}, ' ', marked(device.name, 60))),
        h('span', {class: 'quiet'}, behind(device)))), !devices.length
          && h('li', {class: 'quiet'}, 'none'))],
      sessions && [h('h3', null, `Sessions: ${grouped(sessions.length)}`),
        h('ul', {class: 'list'}, sessions.slice(0, 50).map((session) => h('li', null, icon('credentials'),
        h('span', {class: 'grow'}, 'since ', time(session.created)), session.used && h('span', {class: 'quiet'}, 'last ',
        time(session.used)))),
        !sessions.length && h('li', {class: 'quiet'}, 'none'))]);
  }, {signal: view.signal});
}

/** Opens the page. */
export function open(view) {
  const wanted = view.route.query.open;
  const show = (one) => details(view, one, async (again) => { await list.redraw(); const now = again && list.find(again);
    if (now) show(now); });
  const list = listing(view, {title: 'Users', noun: 'users', path: 'users/list',
    search: {label: 'Find by record name, address, or name of development', name: 'search'}, pages: 'after',
    items: (answer) => answer.users, key: (one) => one.userRecordName, open: show,
    empty: {text: 'Nobody has signed in yet.', actions: [h('a', {class: 'button', href: to('overview')}, 'Overview')]},
    columns: [{key: 'who', title: 'user', width: 170, grow: 1.4, draw: (one) => [one.isBlocked && h('span', {class: 'bad'}, '✕ blocked '),
      marked(titleOf(one), 80)]}, {key: 'record', title: 'record name', width: 140, draw: (one) => user(one.userRecordName)},
      {key: 'address', title: 'address', width: 180, draw: (one) => one.emailAddress ? marked(one.emailAddress, 80)
        : h('span', {class: 'quiet'}, '–')}, {key: 'issuer', title: 'signs in by', width: 150,
          draw: (one) => marked(one.issuer ?? '', 80)},
        {key: 'created', title: 'since', width: 180, grow: 0, draw: (one) => time(one.created)}]});
  if (wanted) show({userRecordName: wanted});
}
