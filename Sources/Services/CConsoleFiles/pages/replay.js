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
import {button, fill, h, icon, skeleton} from '../core/view.js';

const most = 10000;
const page = 500;
const words = {notification: 'notification', read: 'read mark', registered: 'registered', unregistered: 'removed', badge: 'badge',
  unreadable: '? unreadable'};

/** What an entry is, for a row. */
function text(one) {
  const {title, body} = look(one.notification ?? {});
  if (one.kind === 'badge') return `badge ${one.badge ?? ''}`;
  if (one.kind !== 'notification') return words[one.kind] ?? marked(one.kind, 40);
  return title || body ? marked([title, body].filter(Boolean).join(': '), 200) : 'silent';
}

/** Entries as a grid: those of the log, or notifications as a device gets them. */
const list = (label, open) => grid({label, key: (one) => String(one.offset ?? one.at), open, columns: [
  {key: 'offset', title: 'offset', width: 72, grow: 0, align: 'right', draw: (one) => one.offset === undefined ? '' : grouped(one.offset)},
  {key: 'what', title: 'entry', width: 150, grow: 2, draw: text},
  {key: 'record', title: 'record', width: 96, draw: (one) => marked(one.notification?.recordName ?? '', 80)},
  {key: 'time', title: 'changed', width: 176, grow: 0, draw: (one) => time(one.changed ?? one.notification?.changed ?? one.time)}]});

/** What a notification or a read mark is known by, in the log and in an answer. */
const nameOf = (one) => `${one.notificationID} ${one.kind === 'read' || one.notificationType === 'readNotification' ? 'read' : ''}`;

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
    ['caused by', one.deviceID && marked(one.deviceID, 60)], ['subscription', one.subscriptionID && marked(one.subscriptionID, 80)]]),
  one.notificationID && hasWay() && h('a', {class: 'button', href: to('notification', [one.notificationID],
    {subscription: one.subscriptionID})}, icon('bell'), 'Its way'),
  one.token && button('Copy the token behind it', {icon: 'copy'}, () => copied(one.token, 'the change token')),
  json(one, 'the entry')]});
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
  return h('p', {class: good ? 'good' : 'bad'}, h('b', null, good ? '✓ Both halves together are the whole'
    : '✕ The halves differ from the whole'),
    `: ${grouped(before.length)} + ${grouped(after.length)} of ${grouped(wanted.length)}`, missing > 0 && `, ${grouped(missing)} missing`,
    twice > 0 && `, ${grouped(twice)} twice`);
}

/** The slider over a device's feed. */
function slide(view, found) {
  const {signal} = view;
  const {entries, deviceID} = found;
  const mine = view.user()?.userRecordName === found.userRecordName;
  const had = list('Entries that it had', details);
  const gets = list('What it would get');
  const said = h('div', {role: 'status'});
  const where = h('p', null);
  const slider = h('input', {type: 'range', min: '0', max: String(entries.length), 'aria-label': 'Place in the feed',
    oninput: () => move(Number(slider.value))});
  const own = found.place ? entries.findLastIndex((one) => one.offset < found.place.offset) + 1 : undefined;
  let at;

  function move(index) {
    at = index;
    slider.value = String(index);
    const last = entries[index - 1];
    slider.setAttribute('aria-valuetext', last ? `behind the entry at ${last.offset}, with ${grouped(index)} before` : 'at the start');
    amend({offset: last ? last.offset + 1 : undefined});
    had.rows(entries.slice(0, index).reverse());
    gets.rows([]);
    fill(said);
    fill(where, last ? ['Behind the entry at ', h('b', null, grouped(last.offset)), ' of ', time(last.time, true), ': it had ',
      h('b', null, grouped(index)), ', and ', h('b', null, grouped(entries.length - index)), ' are to come.']
      : ['At the start: a device that never fetched gets all ', h('b', null, grouped(entries.length)), '.'], own === index && [' ',
      badge('the device itself stands here', 'accent')]);
  }

  async function get() {
    const last = entries[at - 1];
    const before = entries.slice(0, at);
    await load(said, async () => {
      const {found: got, pages} = await fetchFrom(deviceID, last?.token, signal,
        (count, number) => fill(said, h('p', {class: 'quiet'}, `${grouped(count)} in ${counted(number, 'page')} …`)));
      if (signal.aborted) return;
      gets.rows(got.map((one, number) => ({at: number, kind: one.notificationType === 'readNotification' ? 'read' : 'notification',
        notification: one, changed: one.changed})).reverse());
      fill(said, whole(entries, before, got),
        h('p', {class: 'note'}, `${counted(got.length, 'notification')} in ${counted(pages, 'page')}`));
    }, {signal, signIn: () => signIn('user')});
  }

  const fetcher = button('Fetch from here', {icon: 'run', kind: 'main', disabled: !mine,
    title: mine ? undefined : 'A fetch speaks as the device’s user: sign in as that user in this tab.'}, get);
  for (const table of [had, gets]) { table.element.classList.add('own'); table.element.style.height = '360px'; }
  const step = (text, index) => button(text, {kind: 'plain', disabled: index === undefined}, () => move(index));
  const start = view.route.query.offset === undefined ? own ?? entries.length
    : entries.findLastIndex((one) => one.offset < Number(view.route.query.offset)) + 1;
  const parts = [h('section', {class: 'card'}, h('div', {class: 'row'}, step('The start', 0), step('Where the device is', own),
    step('The end', entries.length), h('span', {class: 'space'}), fetcher), slider, where, said,
  !mine && h('p', {class: 'quiet'}, 'A fetch speaks as the device’s user, ', user(found.userRecordName),
    ': sign in as that user in this tab to try it.')),
  h('div', {class: 'cards'}, h('section', {class: 'card'}, h('h2', null, 'It had already'), had.element),
    h('section', {class: 'card'}, h('h2', null, 'It would get'), gets.element))];
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
  fill(view.root, h('div', {class: 'page-head'}, view.title(ofUser ? 'Journal' : 'Replay', ' ',
    h('span', {class: 'quiet'}, ofUser ? user(owner) : marked(deviceID ?? '', 60))),
  deviceID && h('a', {class: 'button', href: to('feed', [deviceID])}, icon('feed'), 'Feed'),
  button('', {icon: 'refresh', label: 'Read again'}, () => read())), body);
  if (!deviceID && !owner) return fill(body, h('p', {class: 'quiet'}, 'Open it from a device, or from its feed.'));
  const read = () => load(body, async () => {
    const found = ofUser ? await readAll('journals/read', {user: owner}, signal)
      : await readAll('feeds/read', {deviceID, ...(epoch && {epoch: Number(epoch)})}, signal);
    if (signal.aborted) return;
    const head = h('section', {class: 'card'}, facts([['topic', h('code', null, marked(found.topic, 120))],
      ['of', user(found.userRecordName)],
      ['epoch', found.epoch !== undefined ? grouped(found.epoch) : undefined],
      ['kept', `${grouped(found.entries.length)} entries, from ${grouped(found.start)} to ${grouped(found.end)}`],
      ['it reads', found.place && `its ${found.place.part}, at ${grouped(found.place.offset)}`]]),
    found.valuesLeftOut && h('p', {class: 'quiet'}, 'Contents are left out: an operator reads no private database in production.'));
    if (!ofUser) return fill(body, head, slide(view, found));
    const table = list('Entries of the journal', details);
    table.element.classList.add('own');
    table.element.style.height = '480px';
    table.rows(found.entries.toReversed());
    return fill(body, head, table.element);
  }, {signal, signIn: () => signIn('operator')});
  read();
}
