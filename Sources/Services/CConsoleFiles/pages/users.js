// All who have signed in: who they are, what they use, what they are signed in with; and what an operator may do.
import {operate} from '../core/api.js';
import {dialog} from '../core/dialog.js';
import {goes} from '../core/goes.js';
import {panel as openPanel} from '../core/panel.js';
import {act, code, facts, listing} from '../core/operate.js';
import {amend, here, to} from '../core/router.js';
import {has} from '../core/session.js';
import {badge, load} from '../core/states.js';
import {texts} from '../core/texts-people.js';
import {size} from '../core/values.js';
import {grouped, marked, plain, time, user} from '../core/text.js';
import {button, fill, h, icon, skeleton} from '../core/view.js';

const givenName = (one) => [one.givenName, one.familyName].filter(Boolean).join(' ');
const titleOf = (one) => givenName(one) || one.emailAddress || one.userRecordName;
const words = {privateRecords: texts.privateRecords, privateBytes: texts.privateData, publicRecords: texts.publicRecords,
  publicBytes: texts.publicData,
  assetBytes: texts.files, uploadBytes: texts.uploadsThatWait, invitedAddresses: texts.invitedAddresses, schemaParts: texts.schemaParts,
    shares: texts.shares,
  zones: texts.zones, acceptedShares: texts.acceptedShares, devices: texts.devicesWord, webCouriers: texts.webCouriers,
    supersededVersions: texts.olderVersions,
  supersededBytes: texts.dataOfOlder};
const wordOf = (name) => words[name] ?? (name.startsWith('subscriptions.') ? texts.subscriptions(name.slice(14)) : name);
const behind = ({token}) => token?.notificationsBehind === undefined ? texts.hasNotRead
  : token.notificationsBehind ? texts.behind(grouped(token.notificationsBehind)) : texts.upToDate;
const amount = (name, value) => /Bytes$/.test(name) ? size(value) : grouped(value);

/** Usage beside its quota, what is near its end first. */
function usage(all) {
  const list = Object.entries(all).map(([name, {used, quota}]) => ({name, used, quota, part: quota ? used / quota : 0}))
    .sort((a, b) => b.part - a.part || a.name.localeCompare(b.name));
  return h('ul', {class: 'list'}, list.filter((one) => one.used > 0).map(({name, used, quota, part}) => h('li', null,
    h('div', {class: 'grow'}, h('div', {class: 'row'}, h('span', {class: 'grow'}, wordOf(name)),
      h('span', {class: 'quiet'}, quota === null ? amount(name, used) : texts.ofText(amount(name, used), amount(name, quota))),
      part > 0.9 && badge(part >= 1 ? texts.full : texts.nearlyFull, part >= 1 ? 'bad' : 'warn')),
    h('progress', {class: 'progress', max: '1', value: String(Math.min(1, part)), 'aria-label': texts.ofTheQuota(wordOf(name))})))),
  !list.some((one) => one.used > 0) && h('li', {class: 'quiet'}, texts.nothing));
}

function goesWithUser(all, devices) {
  const used = (name) => all[name]?.used ?? 0;
  const subscriptions = Object.keys(all).filter((name) => name.startsWith('subscriptions.')).reduce((sum, name) => sum + used(name), 0);
  return [goes([['records', texts.privateRecords, used('privateRecords')], ['zones', 'zones', used('zones')],
    ['records', 'files', used('assetBytes') && size(used('assetBytes'))], ['sharing', 'shares', used('shares')],
    ['subscriptions', 'subscriptions', subscriptions], ['devices', 'devices', devices.length]],
  texts.itsNameAnd),
  used('publicRecords') > 0 && h('p', {class: 'note'}, texts.recordsInThe(grouped(used('publicRecords'))))];
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
    block: () => act(view, {title: texts.blockAsk(plain(name, 60)),
      text: texts.allSessionsEnd, yes: texts.block, danger: true,
      name: one.userRecordName, path: 'users/block', body: request, done: texts.blocked3}),
    unblock: () => act(view, {title: texts.unblockAsk(plain(name, 60)), text: texts.theUserMay, yes: texts.unblock,
      path: 'users/unblock', body: request, done: texts.unblocked}),
    signOut: () => act(view, {title: texts.signOutAsk(plain(name, 60)),
      text: texts.allSessionsAnd, yes: texts.signOut, danger: true,
      name: one.userRecordName, path: 'users/signOut', body: request, done: texts.signedOut}),
    remove: () => act(view, {title: texts.deleteForGoodAsk(plain(name, 60)),
      text: texts.sessionsDevicesSubscriptions, what: goesWithUser(found.usage ?? {}, found.devices ?? []), yes: texts.deleteText,
        danger: true, name: one.userRecordName,
        always: true, path: 'users/delete',
      body: () => ({...request(), confirm: one.userRecordName}), done: texts.deleted}),
  };
  const doing = (verb) => async () => {
    const answer = !off && await acts[verb]();
    if (!answer) return;
    if (verb === 'remove') pane.end();
    done(verb === 'remove' ? undefined : one.userRecordName);
    if (answer.remains?.length) await dialog({title: texts.whatRemains, wide: true, actions: [{text: texts.close, kind: 'main'}],
      body: h('ul', {class: 'list'}, answer.remains.map((text) => h('li', null, marked(text, 500))))});
  };

  load(body, async () => {
    found = await operate('users/lookup', request(), {signal: view.signal});
    const {user: now, usage: used, sessions, devices} = found;
    fill(body, h('div', {class: 'row'}, now.isBlocked ? badge(texts.blocked2, 'bad') : badge(texts.maySignIn, 'good'), now.isDiscoverable
      && badge(texts.mayBeFound)),
      facts([[texts.recordName, code(now.userRecordName, 40)], ['name', givenName(now) && marked(givenName(now), 80)],
        ['address', now.emailAddress && marked(now.emailAddress, 80)],
        [texts.signsInBy, marked(now.issuer ?? '', 120)], ['as', now.subject && marked(now.subject, 120)], ['since', time(now.created)],
          ['throttled', now.throttled !== undefined ? `${grouped(now.throttled)} times` : undefined]]),
      h('div', {class: 'row'}, button(now.isBlocked ? texts.unblock : texts.block, {icon: 'lock', kind: now.isBlocked ? '' : 'danger',
        disabled: Boolean(off), title: off}, doing(now.isBlocked ? 'unblock' : 'block')),
        button(texts.signOut, {icon: 'close', disabled: Boolean(off), title: off}, doing('signOut')),
          button(texts.deleteMore, {icon: 'trash', kind: 'danger', disabled: Boolean(off), title: off}, doing('remove'))),
      has(['journals/read']) && has(['feeds/read']) && h('a', {href: to('replay', [], {user: now.userRecordName})},
        texts.theJournalOf),
      used && [h('h3', null, texts.uses), usage(used)],
      devices && [h('h3', null, texts.devices(grouped(devices.length))),
        h('ul', {class: 'list'}, devices.map((device) => h('li', null, icon('devices'),
        h('span', {class: 'grow'}, marked(device.deviceID, 60), device.name && h('span', {class: 'quiet'}, ' ', marked(device.name, 60))),
        h('span', {class: 'quiet'}, behind(device)))), !devices.length
          && h('li', {class: 'quiet'}, texts.none))],
      sessions && [h('h3', null, texts.sessions(grouped(sessions.length))),
        h('ul', {class: 'list'}, sessions.slice(0, 50).map((session) => h('li', null, icon('credentials'),
        h('span', {class: 'grow'}, texts.sinceWord, time(session.created)), session.used && h('span', {class: 'quiet'}, texts.last,
        time(session.used)))),
        !sessions.length && h('li', {class: 'quiet'}, texts.none))]);
  }, {signal: view.signal});
}

/** Opens the page. */
export function open(view) {
  const wanted = view.route.query.open;
  const show = (one) => details(view, one, async (again) => { await list.redraw(); const now = again && list.find(again);
    if (now) show(now); });
  const list = listing(view, {title: texts.users2, noun: texts.users, path: 'users/list',
    search: {label: texts.findByRecord, name: 'search'}, pages: 'after',
    items: (answer) => answer.users, key: (one) => one.userRecordName, open: show,
    empty: {text: texts.nobodyHasSigned, actions: [h('a', {class: 'button', href: to('overview')}, texts.overview)]},
    columns: [{key: 'who', title: texts.user, width: 170, grow: 1.4, draw: (one) => [one.isBlocked
      && h('span', {class: 'bad'}, texts.blocked),
      marked(titleOf(one), 80)]}, {key: 'record', title: texts.recordName, width: 140, draw: (one) => user(one.userRecordName)},
      {key: 'address', title: texts.address, width: 180, draw: (one) => one.emailAddress ? marked(one.emailAddress, 80)
        : h('span', {class: 'quiet'}, '–')}, {key: 'issuer', title: texts.signsInBy, width: 150,
          draw: (one) => marked(one.issuer ?? '', 80)},
        {key: 'created', title: texts.since, width: 180, grow: 0, draw: (one) => time(one.created)}]});
  if (wanted) show({userRecordName: wanted});
}
