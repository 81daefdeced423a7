// A device's feed over time: a slider sets a place, and a fetch from there shows what a device with that token would get.
import {device, operate} from '../core/api.js';
import {copied} from '../core/dialog.js';
import {look} from '../core/feed.js';
import {signIn} from '../core/frame.js';
import {grid} from '../core/grid.js';
import {json} from '../core/code.js';
import {facts} from '../core/operate.js';
import {panel} from '../core/panel.js';
import {hasWay} from '../core/pages.js';
import {amend, to} from '../core/router.js';
import {badge, load} from '../core/states.js';
import {counted, grouped, marked, time, user} from '../core/text.js';
import {texts} from '../core/texts-feed.js';
import {button, fill, h, icon, skeleton} from '../core/view.js';

const most = 10000;
const page = 500;
const words = {notification: texts.notification, read: texts.readMarkWord, registered: texts.registered, unregistered: texts.removed,
  badge: texts.badge,
  unreadable: texts.unreadable};

/** What an entry is, for a row. */
function text(one) {
  const {title, body} = look(one.notification ?? {});
  if (one.kind === 'badge') return texts.badgeWord(one.badge ?? '');
  if (one.kind !== 'notification') return words[one.kind] ?? marked(one.kind, 40);
  return title || body ? marked([title, body].filter(Boolean).join(': '), 200) : texts.silent;
}

/** Entries as a grid: those of the log, or notifications as a device gets them. */
const list = (label, open) => grid({label, key: (one) => String(one.offset ?? one.at), open, columns: [
  {key: 'offset', title: texts.offset, width: 72, grow: 0, align: 'right', draw: (one) => one.offset === undefined ? ''
    : grouped(one.offset)},
  {key: 'what', title: texts.entry, width: 150, grow: 2, draw: text},
  {key: 'record', title: texts.record, width: 96, draw: (one) => marked(one.notification?.recordName ?? '', 80)},
  {key: 'time', title: texts.changedWord, width: 176, grow: 0, draw: (one) => time(one.changed ?? one.notification?.changed
    ?? one.time)}]});

/** What a notification or a read mark is known by, in the log and in an answer. */
const nameOf = (one) => `${one.notificationID} ${one.kind === 'read' || one.notificationType === 'readNotification' ? texts.readWord : ''}`;

/** Reads a feed or a journal from its start. */
async function readAll(path, body, signal) {
  const first = await operate(path, {...body, limit: 1}, {signal});
  const found = {...first, entries: []};
  let offset = first.start;
  while (offset < first.end && found.entries.length < most && !signal.aborted) {
    const part = await operate(path, {...body, ...(first.epoch !== undefined && {epoch: first.epoch}), offset, limit: page}, {signal});
    found.entries.push(...part.entries);
    if (part.next <= offset) break;
    offset = part.next;
  }
  return found;
}

/** All that a device gets with a token, page by page; `progress(count, pages)`. */
async function fetchFrom(deviceID, token, signal, progress) {
  const found = [];
  let after = token;
  let pages = 0;
  for (;;) {
    const answer = await device('notifications/changes', {deviceID, ...(after && {serverChangeToken: after})}, {signal});
    found.push(...answer.notifications);
    after = answer.serverChangeToken;
    progress(found.length, pages += 1);
    if (!answer.moreComing || signal.aborted) return {found, pages};
  }
}

function details(one) {
  panel({title: text(one), content: [facts([['kind', words[one.kind] ?? one.kind], ['offset', grouped(one.offset)],
    ['appended', time(one.time, true)], ['changed', one.changed && time(one.changed, true)],
    [texts.causedBy, one.deviceID && marked(one.deviceID, 60)], ['subscription', one.subscriptionID && marked(one.subscriptionID, 80)]]),
  one.notificationID && hasWay() && h('a', {class: 'button', href: to('notification', [one.notificationID],
    {subscription: one.subscriptionID})}, icon('bell'), texts.itsWay),
  one.token && button(texts.copyTheToken, {icon: 'copy'}, () => copied(one.token, texts.theChangeToken)),
  json(one, texts.theEntry)]});
}

/** Whether what a device had and what it gets are the whole, as a sentence. */
function whole(all, had, got) {
  const names = (entries) => entries.filter((one) => one.notificationID).map(nameOf);
  const [before, after] = [names(had), names(got)];
  const wanted = names(all.filter((one) => one.kind === 'notification' || one.kind === 'read'));
  const both = [...before, ...after];
  const missing = wanted.filter((name) => !both.includes(name)).length;
  const twice = both.length - new Set(both).size - (wanted.length - new Set(wanted).size);
  const good = !missing && twice <= 0;
  return h('p', {class: good ? 'good' : 'bad'}, h('b', null, good ? texts.bothHalvesTogether
    : texts.theHalvesDiffer),
    texts.ofText2(grouped(before.length), grouped(after.length), grouped(wanted.length)), missing > 0 && texts.missing(grouped(missing)),
    twice > 0 && texts.twice(grouped(twice)));
}

/** The slider over a device's feed. */
function slide(view, found) {
  const {signal} = view;
  const {entries, deviceID} = found;
  const mine = view.user()?.userRecordName === found.userRecordName;
  const had = list(texts.entriesThatIt, details);
  const gets = list(texts.whatItWould);
  const said = h('div', {role: 'status'});
  const where = h('p', null);
  const slider = h('input', {type: 'range', min: '0', max: String(entries.length), 'aria-label': texts.placeInThe,
    oninput: () => move(Number(slider.value))});
  const own = found.place ? entries.findLastIndex((one) => one.offset < found.place.offset) + 1 : undefined;
  let at;

  function move(index) {
    at = index;
    slider.value = String(index);
    const last = entries[index - 1];
    slider.setAttribute('aria-valuetext', last ? texts.behindTheEntryAt(last.offset, grouped(index)) : texts.atTheStart2);
    amend({offset: last ? last.offset + 1 : undefined});
    had.rows(entries.slice(0, index).reverse());
    gets.rows([]);
    fill(said);
    fill(where, last ? [texts.behindTheEntry, h('b', null, grouped(last.offset)), texts.ofText, time(last.time, true), texts.itHad,
      h('b', null, grouped(index)), texts.and, h('b', null, grouped(entries.length - index)), texts.areToCome]
      : [texts.atTheStart, h('b', null, grouped(entries.length)), '.'], own === index && [' ',
      badge(texts.theDeviceItself, 'accent')]);
  }

  async function get() {
    const last = entries[at - 1];
    const before = entries.slice(0, at);
    await load(said, async () => {
      const {found: got, pages} = await fetchFrom(deviceID, last?.token, signal,
        (count, number) => fill(said, h('p', {class: 'quiet'}, texts.inMore(grouped(count), counted(number, texts.page)))));
      if (signal.aborted) return;
      gets.rows(got.map((one, number) => ({at: number, kind: one.notificationType === 'readNotification' ? 'read' : 'notification',
        notification: one, changed: one.changed})).reverse());
      fill(said, whole(entries, before, got),
        h('p', {class: 'note'}, texts.inText(counted(got.length, texts.notification), counted(pages, texts.page))));
    }, {signal, signIn: () => signIn('user')});
  }

  const fetcher = button(texts.fetchFromHere, {icon: 'run', kind: 'main', disabled: !mine,
    title: mine ? undefined : texts.aFetchSpeaksAs}, get);
  for (const table of [had, gets]) { table.element.classList.add('own'); table.element.style.height = '360px'; }
  const step = (text, index) => button(text, {kind: 'plain', disabled: index === undefined}, () => move(index));
  const start = view.route.query.offset === undefined ? own ?? entries.length
    : entries.findLastIndex((one) => one.offset < Number(view.route.query.offset)) + 1;
  const parts = [h('section', {class: 'card'}, h('div', {class: 'row'}, step(texts.theStart, 0), step(texts.whereTheDevice, own),
    step(texts.theEnd, entries.length), h('span', {class: 'space'}), fetcher), slider, where, said,
  !mine && h('p', {class: 'quiet'}, texts.aFetchSpeaks, user(found.userRecordName),
    texts.signInAs)),
  h('div', {class: 'cards'}, h('section', {class: 'card'}, h('h2', null, texts.itHadAlready), had.element),
    h('section', {class: 'card'}, h('h2', null, texts.itWouldGet), gets.element))];
  queueMicrotask(() => move(start));
  return parts;
}

/** Opens the page. */
export function open(view) {
  const [deviceID] = view.route.parts;
  const {user: owner, epoch} = view.route.query;
  const {signal} = view;
  const body = h('div', {class: 'stack'}, skeleton(5));
  const ofUser = !deviceID && owner;
  fill(view.root, h('div', {class: 'page-head'}, view.title(ofUser ? texts.journal : texts.replay, ' ',
    h('span', {class: 'quiet'}, ofUser ? user(owner) : marked(deviceID ?? '', 60))),
  deviceID && h('a', {class: 'button', href: to('feed', [deviceID])}, icon('feed'), texts.feed),
  button('', {icon: 'refresh', label: texts.readAgain}, () => read())), body);
  if (!deviceID && !owner) return fill(body, h('p', {class: 'quiet'}, texts.openItFrom));
  const read = () => load(body, async () => {
    const found = ofUser ? await readAll('journals/read', {user: owner}, signal)
      : await readAll('feeds/read', {deviceID, ...(epoch && {epoch: Number(epoch)})}, signal);
    if (signal.aborted) return;
    const head = h('section', {class: 'card'}, facts([['topic', h('code', null, marked(found.topic, 120))],
      ['of', user(found.userRecordName)],
      ['epoch', found.epoch !== undefined ? grouped(found.epoch) : undefined],
      ['kept', texts.entriesFromTo(grouped(found.entries.length), grouped(found.start), grouped(found.end))],
      [texts.itReads, found.place && `its ${found.place.part}, at ${grouped(found.place.offset)}`]]),
    found.valuesLeftOut && h('p', {class: 'quiet'}, texts.contentsAreLeft));
    if (!ofUser) return fill(body, head, slide(view, found));
    const table = list(texts.entriesOfThe, details);
    table.element.classList.add('own');
    table.element.style.height = '480px';
    table.rows(found.entries.toReversed());
    return fill(body, head, table.element);
  }, {signal, signIn: () => signIn('operator')});
  read();
}
