// The zones of a database, and what a device reads of them: change feeds, tokens, and two tokens side by side.
import {database, item} from '../core/api.js';
import {curl} from '../core/curl.js';
import {copied, dialog, menu, note} from '../core/dialog.js';
import {signIn} from '../core/frame.js';
import {grid} from '../core/grid.js';
import {openRecord} from '../core/record.js';
import {isDefault, onChanges, zoneOf, zoneText} from '../core/records.js';
import {amend, go, here, to} from '../core/router.js';
import {userOf} from '../core/session.js';
import {badge, emptyBox, errorBox, load} from '../core/states.js';
import {texts} from '../core/texts-zones.js';
import {knownTypes, rememberType} from '../core/types.js';
import {absent, grouped, marked, plain, time, user} from '../core/text.js';
import {button, fill, h, icon, skeleton} from '../core/view.js';
import {labelled} from '../core/controls.js';

const page = 200;
const comparedMost = 2000;
const bare = ({zoneName, ownerRecordName}) => ({zoneName, ownerRecordName});
const titled = (zoneID) => isDefault(zoneID) ? texts.defaultZone : marked(zoneID.zoneName, 120);
const brief = (token) => token.length > 20 ? `${token.slice(0, 6)}…${token.slice(-8)}` : token;
const place = (scope, zoneID) => to('zones', [scope, isDefault(zoneID) ? '_defaultZone' : zoneText(zoneID)]);
const plural = (count, one, many = `${one}s`) => `${grouped(count)} ${count === 1 ? one : many}`;

function databases(scope) {
  return h('div', {class: 'tabs', role: 'group', 'aria-label': texts.database},
    ['public', 'private', 'shared'].map((name) => button(name, {'aria-current': name === scope ? 'true' : undefined},
    () => go(to('zones', [name])))));
}

/** A token as one sees it: its ends, and the whole one to copy. */
function chip(token, label = texts.syncToken) {
  return h('span', {class: 'token'}, h('code', {title: token}, brief(token)), button('', {icon: 'copy', label: texts.copyThe(label)},
    () => copied(token, texts.the(label))));
}

/** The feed of a database: the zones that changed. */
const ofDatabase = (scope) => ({
  name: `${scope} database`, noun: texts.zone, scope, path: 'changes/database',
  body: (token, reverse, count) => ({resultsLimit: count, ...(token && {syncToken: token})}),
  async read(token, reverse, count, options) {
    const answer = await database(this.scope, this.path, this.body(token, reverse, count), options);
    return {...answer, entries: answer.zones.map((zone) => ({name: zoneText(zone.zoneID), zone, deleted: zone.deleted,
      tag: zone.syncToken}))};
  },
  columns: [{key: 'what', title: texts.change, width: 96, grow: 0, draw: ({deleted}) => sign(deleted)},
    {key: 'zone', title: texts.zone, width: 180,
    grow: 2, draw: ({zone}) => marked(zone.zoneID.zoneName, 120)},
    {key: 'owner', title: texts.owner, width: 120, draw: ({zone}) => user(zone.zoneID.ownerRecordName)},
      {key: 'token', title: texts.syncToken, width: 150, code: true, draw: ({zone}) => zone.syncToken ? brief(zone.syncToken) : absent()}],
  open: ({zone}) => { if (!zone.deleted) go(place(scope, zone.zoneID)); },
});

/** The feed of a zone: its records, each once, in its present state. */
const ofZone = (scope, zoneID) => ({
  name: `zone ${plain(zoneID.zoneName, 60)}`, noun: texts.record, scope, path: 'changes/zone', reverses: true,
  body: (token, reverse, count, more) =>
    ({zones: [{zoneID: bare(zoneID), resultsLimit: count, ...(token && {syncToken: token}), ...(reverse && {reverse}), ...more}]}),
  async read(token, reverse, count, options, more) {
    const {zones: [zone]} = await database(this.scope, this.path, this.body(token, reverse, count, more), options);
    for (const record of item(zone).records) if (!record.deleted) rememberType(scope, record.recordType,
      Object.fromEntries(Object.entries(record.fields).map(([name, field]) => [name, field.type])));
    return {...zone, entries: zone.records.map((record) => ({name: record.recordName, record, deleted: record.deleted,
      tag: record.recordChangeTag}))};
  },
  columns: [{key: 'what', title: texts.change, width: 96, grow: 0, draw: ({deleted}) => sign(deleted)},
    {key: 'record', title: texts.recordname,
    width: 160, grow: 2, draw: ({record}) => marked(record.recordName, 120)},
    {key: 'type', title: texts.recordtype, width: 120, draw: ({record}) => record.recordType ? marked(record.recordType, 60) : absent()},
      {key: 'modified', title: texts.modified, width: 180, grow: 0, draw: ({record}) => time(record.modified?.timestamp)},
    {key: 'by', title: texts.by, width: 120, grow: 0, draw: ({record}) => user(record.modified?.userRecordName)},
      {key: 'tag', title: texts.changeTag, width: 96, grow: 0, draw: ({tag}) => tag ?? absent()}],
  open: ({record}, done) => { if (!record.deleted) openRecord({scope, recordName: record.recordName, zoneID, done}); },
});

const sign = (deleted) => deleted ? h('span', {class: 'bad'}, texts.deleted2) : h('span', {class: 'good'}, texts.saved);

/** A feed as a device reads it: page after page, from a token on. */
function reading(view, feed) {
  const body = h('div', {class: 'stack'});
  const status = h('p', {class: 'quiet', role: 'status'});
  const news = h('span');
  const after = h('input', {class: 'code', autocomplete: 'off', spellcheck: 'false', placeholder: texts.noneFromThe,
    value: view.route.query.after ?? ''});
  const newest = h('input', {type: 'checkbox', checked: Boolean(view.route.query.newest), onchange: () => again()});
  const table = grid({label: texts.changesOfThe(feed.name), columns: feed.columns, key: ({name}) => name,
    open: (entry) => feed.open(entry, () => on())});
  table.element.classList.add('own');
  const next = button(texts.readOn, {icon: 'run'}, () => on());
  let rows = [];
  let pages = 0;
  let token;
  let more = false;

  after.addEventListener('keydown', (event) => { if (event.key === 'Enter') again(); });
  function again() { amend({after: after.value.trim() || undefined, newest: newest.checked || undefined}); rows = []; pages = 0;
    token = after.value.trim() || undefined; return on(); }

  async function on() {
    const from = token;
    await load(body, async () => {
      const answer = await feed.read(from, newest.checked, page, {signal: view.signal});
      if (view.signal.aborted) return;
      token = answer.syncToken;
      more = answer.moreComing;
      pages += 1;
      rows = rows.concat(answer.entries);
      fill(news);
      show(answer.entries.length);
    }, {signal: view.signal, signIn: () => signIn('user')});
  }

  function show(last) {
    next.lastChild.textContent = more ? texts.readTheNext : texts.readOn;
    const what = `${plural(rows.length, feed.noun)} in ${plural(pages, texts.page)}${pages > 1 ? texts.inTheLast(grouped(last)) : ''}`;
    const then = more ? texts.moreIsComing : texts.thisIsThe;
    fill(status, rows.length ? `${what}. ${then}` : pages > 1 || after.value ? texts.nothingChangedAfter : '');
    table.element.style.height = `${Math.min(420, Math.max(120, 32 + rows.length * 29))}px`;
    fill(body, rows.length ? table.element : !after.value && pages === 1 && emptyBox(texts.noWasChanged(feed.noun),
      {curl: curl('database', `${feed.scope}/${feed.path}`, feed.body(token, false, page))}),
      h('div', {class: 'under-grid'}, status, news, h('span', {class: 'space'}), token && [h('span', {class: 'note'}, texts.nowAt),
        chip(token)], next));
    table.rows(rows, !more);
  }

  onChanges((changed) => { if (view.route.parts[0] === changed.database && changed.count) fill(news,
    button(texts.changedInAnother(changed.count), {kind: 'plain', icon: 'refresh'}, () => on())); }, view.signal);
  const element = h('section', {class: 'card'}, h('div', {class: 'card-head'}, h('h2', null, texts.theAsA(feed.name)),
    button('', {icon: 'copy', label: texts.copyTheRequest},
    () => copied(curl('database', `${feed.scope}/${feed.path}`, feed.body(after.value.trim(), newest.checked, page)), texts.aCurlLine))),
    h('div', {class: 'tools'}, h('div', {class: 'filter'}, h('label', {class: 'away', for: 'after'}, texts.readAfterThis), after,
      button(texts.read, {icon: 'run', kind: 'main'}, again)), button(texts.fromTheStart, {}, () => { after.value = ''; again(); }),
        feed.reverses
      && h('label', {class: 'check'}, newest, texts.newestFirst)), body);
  after.id = 'after';
  fill(body, skeleton(3));
  return {element, start: again, token: () => token, focus: () => after.focus()};
}

/** Reads on from a token to the end, or to `comparedMost`. */
async function all(feed, token, signal) {
  const found = new Map();
  for (let from = token, more = true; more && found.size < comparedMost;) {
    const answer = await feed.read(from, false, page, {signal}, feed.reverses && {desiredKeys: []});
    for (const entry of answer.entries) found.set(entry.name, entry);
    from = answer.syncToken;
    more = answer.moreComing;
    if (found.size >= comparedMost && more) return {found, cut: true};
  }
  return {found, cut: false};
}

/** Two tokens side by side: what a device with one would get that a device with the other has. */
function comparison(view, feed, reader) {
  const one = h('input', {class: 'code', autocomplete: 'off', spellcheck: 'false', placeholder: texts.noneTheStart});
  const other = h('input', {class: 'code', autocomplete: 'off', spellcheck: 'false', placeholder: texts.pasteAToken});
  const result = h('div', {class: 'stack', 'aria-live': 'polite'});
  const here2 = (field) => button(texts.whereTheReading, {kind: 'plain'}, () => { field.value = reader.token() ?? ''; });
  async function compare() {
    await load(result, async () => {
      const [a, b] = await Promise.all([[one, 'A'], [other, 'B']].map(async ([field, name]) => {
        try { return await all(feed, field.value.trim() || undefined, view.signal);
          } catch (error) { if (error.code) error.message = `Token ${name}: ${error.message}`; throw error; }
      }));
      const only = (mine, others) => [...mine.found.values()].filter((entry) => others.found.get(entry.name)?.tag !== entry.tag
        || !others.found.has(entry.name));
      const [left, right] = [only(a, b), only(b, a)];
      const between = left.length >= right.length ? left : right;
      const table = grid({label: texts.changesBetweenThe, columns: feed.columns, key: ({name}) => name,
        open: (entry) => feed.open(entry, () => {})});
      table.element.classList.add('own');
      table.element.style.height = `${Math.min(320, Math.max(120, 32 + between.length * 29))}px`;
      const some = a.cut || b.cut ? texts.onlyTheFirst(grouped(comparedMost)) : '';
      const newer = left.length >= right.length ? 'B' : 'A';
      const says = between.length
        ? texts.isNewerBy(newer, plural(between.length, feed.noun), newer, some)
        : texts.bothAreAt(some);
      fill(result, h('dl', {class: 'facts'}, h('dt', null, texts.withA),
        h('dd', null, texts.toFetch(plural(a.found.size, feed.noun), a.cut ? texts.orMore : '')), h('dt', null, texts.withB),
        h('dd', null, texts.toFetch(plural(b.found.size, feed.noun), b.cut ? texts.orMore : ''))),
        h('p', null, says), between.length ? table.element : undefined);
      if (between.length) table.rows(between, true);
    }, {signal: view.signal});
  }
  return h('details', {class: 'card'}, h('summary', null, texts.compareTwoTokens),
    h('p', {class: 'lead'}, texts.whatWouldTwo),
    h('div', {class: 'cards'}, h('div', {class: 'stack'}, labelled(texts.tokenA, one), here2(one)),
      h('div', {class: 'stack'}, labelled(texts.tokenB, other), here2(other))),
      h('div', {class: 'row'}, button(texts.compare, {icon: 'run'}, compare)), result);
}

/** Counts what hangs on a zone: records by type, shares, subscriptions. */
async function hangs(scope, zoneID, signal) {
  const feed = ofZone(scope, zoneID);
  const [{found, cut}, {subscriptions}] = await Promise.all([all(feed, undefined, signal), database(scope, 'subscriptions/list', {},
    {signal})]);
  const types = {};
  for (const {record} of found.values()) if (!record.deleted) types[record.recordType] = (types[record.recordType] ?? 0) + 1;
  return {types, cut, people: [...found.values()].flatMap(({record}) => record.participants ?? []).filter((one) =>
    one.type !== 'OWNER').length,
    subscriptions: subscriptions.filter((one) => one.zoneID?.zoneName === zoneID.zoneName
      && (one.zoneID.ownerRecordName ?? zoneID.ownerRecordName) === zoneID.ownerRecordName)};
}

function hanging({types, cut, people, subscriptions}, whole = true) {
  const {'cloudkit.share': shares = 0, ...rest} = types;
  const list = Object.entries(rest).sort(([, a], [, b]) => b - a);
  return [h('ul', {class: 'list'},
    list.slice(0, 12).map(([type, count]) => h('li', null, icon('records'), h('span', {class: 'grow'}, marked(type, 60)),
    `${grouped(count)}${cut ? '+' : ''}`)),
    list.length > 12 && h('li', null, texts.andOtherTypes(list.length - 12)), !list.length
      && h('li', null, icon('records'), texts.noRecords),
    whole && h('li', null, icon('sharing'), h('span', {class: 'grow'}, texts.shares),
      shares ? texts.withText(grouped(shares), plural(people, texts.participant)) : texts.none),
    whole && h('li', null, icon('subscriptions'), h('span', {class: 'grow'}, texts.subscriptionsToIt, subscriptions.length > 0
      && [': ', plain(subscriptions.slice(0, 5).map((one) => one.subscriptionID).join(', '), 200)]), grouped(subscriptions.length))),
      cut && h('p', {class: 'note'}, texts.theFirstRecords(grouped(comparedMost)))];
}

async function modifyZone(scope, operationType, zoneID) {
  const {zones: [answer]} = await database(scope, 'zones/modify', {operations: [{operationType, zone: {zoneID}}]},
    {query: {clientId: userOf(here())?.device}});
  return item(answer);
}

/** Asks, with what would go, and deletes a zone; answers whether it is gone. */
async function remove(view, scope, zoneID) {
  const leaves = scope === 'shared';
  const empties = isDefault(zoneID);
  const what = h('div', {class: 'stack', 'aria-live': 'polite'}, empties || leaves ? undefined : skeleton(3));
  const typed = view.route.environment === 'production' && !leaves ? h('input', {autocomplete: 'off', spellcheck: 'false'}) : undefined;
  const text = leaves ? texts.youLeaveAll : empties
    ? texts.allRecordsOfThe
    : texts.withTheZone
      + 'CHANGE_TOKEN_EXPIRED.';
  if (!empties && !leaves) hangs(scope, zoneID, view.signal).then((found) => fill(what, h('h3', null, texts.whatWouldGo), hanging(found)),
    (error) => fill(what, errorBox(error)));
  const verb = leaves ? 'Leave' : empties ? 'Empty' : 'Delete';
  return await dialog({title: h('span', null, verb, ' ', empties ? texts.theDefaultZone2 : marked(zoneID.zoneName, 80), '?'),
    body: [h('p', null, text), what, h('p', null, h('b', null, texts.thisCannotBe)),
    typed && labelled(texts.typeTheZone, typed)],
    actions: [{text: texts.cancel}, {text: verb, kind: 'danger', value: true, act: async () => {
      if (typed && typed.value !== zoneID.zoneName) { typed.setAttribute('aria-invalid', 'true'); typed.focus(); return false; }
      await modifyZone(scope, 'delete', bare(zoneID));
      note(leaves ? texts.left : empties ? texts.emptied : texts.deleted);
    }}]}) === true;
}

async function create(scope) {
  const name = h('input', {autofocus: true, autocomplete: 'off', spellcheck: 'false', maxlength: '255', placeholder: texts.trips});
  let made;
  await dialog({title: texts.newZone2, body: [labelled(texts.name, name, texts.printableAsciiNot),
    h('p', {class: 'quiet'}, texts.aCustomZone)],
    actions: [{text: texts.cancel}, {text: texts.create, kind: 'main', act: async () => {
    if (!name.value) { name.focus(); return false; }
    made = await modifyZone(scope, 'create', {zoneName: name.value});
  }}]});
  if (made) go(place(scope, made.zoneID));
}

function row(view, scope, zone, redraw) {
  const {zoneID} = zone;
  const off = view.locked();
  return h('li', null, icon('zones'),
    h('div', {class: 'grow'}, h('div', {class: 'row'}, h('a', {href: place(scope, zoneID)}, h('b', null, titled(zoneID))), zone.share
    && badge('shared', 'accent'), scope === 'shared' && h('span', {class: 'quiet'}, texts.ofText, user(zoneID.ownerRecordName))),
    isDefault(zoneID) && h('p', {class: 'note'}, texts.noChangeFeed)),
  zone.syncToken && h('span', {class: 'wide-only'}, chip(zone.syncToken)),
    button('', {icon: 'more', label: texts.moreFor(plain(zoneID.zoneName, 60))}, (event) => menu(event.currentTarget, [
    {text: texts.changeFeed, icon: 'changes', off: isDefault(zoneID) && texts.theDefaultZoneHas, act: () => go(place(scope, zoneID))},
      {text: texts.records, icon: 'records', act: () => go(to('records', knownTypes(scope)[0] ? [scope, knownTypes(scope)[0]] : [scope],
      {zone: zoneText(zoneID)}))},
    {text: texts.sharing, icon: 'sharing', off: isDefault(zoneID) && texts.theDefaultZoneIs,
      act: () => go(to('sharing', [], {zone: zoneText(zoneID)}))}, {text: texts.copyTheSync, icon: 'copy', off: !zone.syncToken,
      act: () => copied(zone.syncToken, texts.theSyncToken)}, null,
    {text: scope === 'shared' ? texts.leaveMore : isDefault(zoneID) ? texts.emptyMore : texts.deleteMore, icon: 'trash', danger: true, off,
      act: async () => { if (await remove(view, scope, zoneID)) redraw(); }}])));
}

function listPage(view, scope) {
  const off = view.locked();
  const list = h('section', {class: 'card'}, skeleton(4));
  const feed = ofDatabase(scope);
  const reader = reading(view, feed);
  const isPrivate = scope === 'private';
  async function redraw() {
    await load(list, async () => {
      const {zones} = await database(scope, 'zones/list', {}, {signal: view.signal});
      zones.sort((a, b) => isDefault(b.zoneID) - isDefault(a.zoneID) || a.zoneID.zoneName.localeCompare(b.zoneID.zoneName));
      const own = zones.filter((zone) => !isDefault(zone.zoneID)).length;
      fill(list, h('div', {class: 'card-head'}, h('h2', null, own ? plural(own, isPrivate ? texts.customZone : texts.zone) : texts.zones),
        button('', {icon: 'refresh', label: texts.readAgain}, redraw)), zones.length > 0
        && h('ul', {class: 'list'}, zones.map((zone) => row(view, scope, zone, redraw))),
        !own && emptyBox(isPrivate ? texts.thereIsNoCustom
          : texts.nobodySharesA, isPrivate
          ? {actions: [button(texts.newZone2, {icon: 'plus', kind: 'main', disabled: Boolean(off), title: off}, () => create(scope))],
            curl: curl('database', 'private/zones/modify',
              {operations: [{operationType: 'create', zone: {zoneID: {zoneName: 'Trips'}}}]})}
          : {actions: [h('a', {class: 'button', href: to('sharing')}, texts.sharing)], curl: curl('database', 'shared/zones/list', {})}));
    }, {signal: view.signal, signIn: () => signIn('user')});
  }
  fill(view.root, h('div', {class: 'page-head'}, view.title(texts.zones), databases(scope), isPrivate
    && button(texts.newZone2, {icon: 'plus', kind: 'main', disabled: Boolean(off), title: off}, () => create(scope))), list, reader.element,
    comparison(view, feed, reader));
  view.keys({...(isPrivate && !off && {n: [texts.newZone, () => create(scope)]}), '/': [texts.theTokenTo, () => reader.focus()]});
  redraw();
  reader.start();
}

async function zonePage(view, scope, zoneID) {
  const off = view.locked();
  const facts = h('section', {class: 'card'}, skeleton(3));
  const counted = h('div', {class: 'stack', hidden: true});
  const feed = ofZone(scope, zoneID);
  const reader = reading(view, feed);
  const leaves = scope === 'shared';
  const verb = leaves ? 'Leave' : isDefault(zoneID) ? 'Empty' : 'Delete';
  const del = async () => { if (!off && await remove(view, scope, {ownerRecordName: userOf(here())?.userRecordName,
    ...zoneID})) go(to('zones', [scope])); };
  const count = async () => { counted.hidden = false; fill(counted, skeleton(2));
    await load(counted, async () => fill(counted, hanging(await hangs(scope, zoneID, view.signal), false)), {signal: view.signal}); };
  fill(view.root, h('div', {class: 'page-head'}, h('a', {href: to('zones', [scope])}, texts.zones),
    h('span', {class: 'quiet', 'aria-hidden': 'true'}, '/'), view.title(titled(zoneID), badge(scope)),
    h('a', {class: 'button', href: to('records', knownTypes(scope)[0] ? [scope, knownTypes(scope)[0]] : [scope],
      {zone: zoneText(zoneID)})},
    icon('records'), texts.records),
    !isDefault(zoneID) && h('a', {class: 'button', href: to('sharing', [], {zone: zoneText(zoneID)})}, icon('sharing'), texts.sharing),
      button(`${verb} …`, {icon: 'trash', kind: 'danger', disabled: Boolean(off), title: off}, del)), facts);
  document.title = [plain(zoneID.zoneName, 60), 'Zones', view.route.container, 'Fanfare'].join(' · ');
  view.keys({Delete: [texts.theZone(verb.toLowerCase()), del], '/': [texts.theTokenTo, () => reader.focus()]});
  await load(facts, async () => {
    const {zones: [zone]} = await database(scope, 'zones/lookup', {zones: [zoneID]}, {signal: view.signal});
    item(zone);
    fill(facts, h('dl', {class: 'facts'}, h('dt', null, texts.owner), h('dd', null, user(zone.zoneID.ownerRecordName),
      zone.zoneID.ownerRecordName === view.user()?.userRecordName && h('span', {class: 'quiet'}, texts.you)), h('dt', null, texts.saves),
      h('dd', null, zone.atomic ? texts.allRecordsOf : texts.eachRecordBy),
      h('dt', null, 'shared'), h('dd', null, zone.share ? h('a', {href: to('sharing', [], {zone: zoneText(zoneID)})}, texts.asAWhole)
        : isDefault(zoneID) ? texts.never : texts.notAsA), zone.syncToken && [h('dt', null, texts.syncToken),
        h('dd', null, chip(zone.syncToken))]),
    isDefault(zoneID) ? h('p', {class: 'quiet'},
      texts.theDefaultZone)
      : [counted, h('div', {class: 'row'}, button(texts.countItsRecords, {icon: 'refresh'}, count))]);
    if (isDefault(zoneID)) return;
    view.root.append(reader.element, comparison(view, feed, reader));
    reader.start();
  }, {signal: view.signal, signIn: () => signIn('user')});
}

/** Opens the page. */
export function open(view) {
  const [scope = 'private', name] = view.route.parts;
  const head = () => h('div', {class: 'page-head'}, view.title(texts.zones), databases(scope));
  if (!['public', 'private', 'shared'].includes(scope)) return fill(view.root, view.title(texts.zones),
    errorBox({code: 'NOT_FOUND', message: texts.thereIsNo(scope)}));
  if (scope === 'public') return fill(view.root, head(),
    emptyBox(texts.thePublicDatabase,
    {actions: [h('a', {class: 'button main', href: to('records', ['public'])}, texts.records),
    h('a', {class: 'button', href: to('subscriptions')}, texts.subscriptions)], curl: curl('database', 'public/zones/list', {})}));
  if (!view.user()) return fill(view.root, head(),
    emptyBox(texts.theDatabaseBelongs(scope),
    {actions: [button(texts.signIn, {kind: 'main'}, () => signIn('user'))]}));
  return name ? zonePage(view, scope, zoneOf(name)) : listPage(view, scope);
}
