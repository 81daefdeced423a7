// Two devices side by side: one changes a record, the other is notified, and the page says why the first is not.
import {database, device, item} from '../core/api.js';
import {dialog, note} from '../core/dialog.js';
import {example} from '../core/example.js';
import {event, look, readFeed} from '../core/feed.js';
import {control} from '../core/fields.js';
import {ownDevice, subscribe} from '../core/firststeps.js';
import {live} from '../core/frame.js';
import {chips, ends, follow, hasSteps} from '../core/playway.js';
import {hasWay} from '../core/pages.js';
import {to} from '../core/router.js';
import {scopeOf} from '../core/session.js';
import {other} from '../core/sign.js';
import {errorBox} from '../core/states.js';
import {texts} from '../core/texts-play.js';
import {rememberType} from '../core/types.js';
import {clock, marked, plain} from '../core/text.js';
import {button, fill, h, icon} from '../core/view.js';
import {ms} from '../core/way.js';
import {eachFrame, labelled} from '../core/controls.js';

const type = example.query.recordType;

// The change tags of records that were saved here, for both halves.
const tags = new Map();

/** One half: a user's device, with a record to change and the notifications as a phone shows them. */
function half(view, {name, changed, trace}) {
  const off = view.locked();
  const own = {user: undefined, deviceID: undefined};
  const place = h('div', {class: 'stack'});
  const notes = h('ul', {class: 'phone', tabindex: '0', 'aria-label': texts.notificationsOf(name)});
  const count = h('span', {class: 'badge'}, texts.badgeWord);
  const head = h('div', {class: 'card-head'});
  const why = h('p', {class: 'why', role: 'status'});
  const title = control('STRING', 'Composition', {label: texts.title2(name)});
  const year = control('INT64', '1913', {label: texts.year2(name)});
  const record = h('input', {value: 'play-1', 'aria-label': texts.recordName(name), autocomplete: 'off',
    spellcheck: 'false'});
  let feed;
  let shownBadge;

  const draw = eachFrame(() => {
    const marks = feed.entries.filter((entry) => entry.notificationType !== 'readNotification').slice(-12).reverse();
    fill(notes, marks.length ? marks.map((entry) => {
      const {title: head2, body} = look(entry);
      const read = feed.read.has(entry.notificationID);
      return h('li', {class: `phone-note ${read ? 'read' : ''}`},
        h('div', {class: 'row'}, h('b', null, marked(head2 ?? body ?? 'silent', 80)), h('span', {class: 'space'}),
        h('span', {class: 'quiet'}, clock(entry.changed))), h('span', null, marked(entry.recordName ?? '', 60),
        ` ${event(entry)}`, entry.recordFields?.title && `: ${plain(String(entry.recordFields.title.value), 60)}`),
        h('div', {class: 'row'}, read ? h('span', {class: 'good'}, texts.read)
          : button(texts.markRead,
          {kind: 'plain', 'aria-label': texts.markAsRead(plain(entry.recordName ?? 'it', 40), own.deviceID)},
          () => feed.mark([entry.notificationID]).catch(fault)), hasWay()
            && h('a', {href: to('notification', [entry.notificationID], {subscription: entry.subscriptionID})},
          texts.itsWay)));
    }) : h('li', {class: 'quiet'}, texts.noNotificationsYet));
    const last = feed.entries.findLast((entry) => entry.badge !== undefined);
    if (last && last.badge !== shownBadge) { shownBadge = last.badge; fill(count, texts.badge(last.badge)); }
    changed(own, feed.entries);
  });

  const fault = (error) => fill(why, h('span', {class: 'bad'}, `${error.code ?? 'ERROR'}: ${plain(error.message, 300)}`));

  function drawHead() {
    fill(head, icon('devices'), h('h2', {class: 'cut'}, marked(own.deviceID ?? name, 40)),
      h('span', {class: 'quiet cut'}, own.user?.name), h('span', {class: 'space'}), count,
      button(texts.change, {'aria-label': texts.anotherUserOr(name)}, pick));
  }

  async function pick() {
    const user = h('input', {value: own.user?.name ?? '', autocomplete: 'off',
      disabled: !scopeOf(view.route).signInByName});
    const field = h('input', {value: own.deviceID ?? '', autocomplete: 'off', autofocus: true});
    await dialog({title: texts.whoIsTheAsk(name), body: [labelled(texts.user, user), labelled(texts.device, field)],
      actions: [{text: texts.cancel}, {text: texts.useThem, kind: 'main', act: async () => {
      const before = own.user;
      if (user.value !== own.user.name) own.user = user.value === view.user().name ? view.user() : await other(user.value);
      const same = field.value.trim() === own.deviceID && before !== own.user;
      own.deviceID = same ? undefined : field.value.trim() || undefined;
      await own.start();
    }}]});
  }

  own.start = async () => {
    feed?.stop();
    own.user ??= view.user();
    drawHead();
    try {
      if (own.deviceID) {
        const given = {deviceID: own.deviceID, name: `My ${own.deviceID}`, platform: 'console'};
        await device('devices/register', given, {as: own.as()});
      } else own.deviceID = await ownDevice(name, own.user, own.as());
      drawHead();
      const current = await device('badge/current', undefined, {query: {deviceID: own.deviceID}, as: own.as()});
      fill(count, texts.badge(current.badgeValue));
    } catch (error) { return fault(error); }
    if (view.signal.aborted) return undefined;
    feed = readFeed({deviceID: own.deviceID, as: own.as(), changed: draw,
      state: ({state, seconds, error}) => { if (error) fault(error); else live(state, seconds); }, fault});
    return draw();
  };
  // The tab's own user keeps its fresh token.
  own.as = () => own.user && own.user.userRecordName !== view.user()?.userRecordName ? own.user : undefined;

  async function save(operationType) {
    fill(why);
    try {
      const fields = {title: {type: 'STRING', value: title.read()}, year: {type: 'INT64', value: year.read()}};
      const from = hasSteps() ? await ends() : undefined;
      const began = performance.now();
      const recordName = record.value.trim() || 'play-1';
      own.pending = {began, recordName, by: own.deviceID, heard: {}};
      changed(own, undefined, own.pending);
      const {records: [answer]} = await database('public', 'records/modify',
        {operations: [{operationType,
        record: {recordName, recordType: type, ...(operationType !== 'forceDelete' && {fields})}}]},
        {query: {clientId: own.deviceID}, as: own.as()});
      item(answer);
      rememberType('public', type, {title: 'STRING', year: 'INT64'});
      own.pending.saved = performance.now() - began;
      // A save of what is there already is no change.
      const same = answer.recordChangeTag && tags.get(recordName) === answer.recordChangeTag;
      tags.set(recordName, answer.recordChangeTag);
      own.pending.same = same;
      fill(why, h('span', null, same ? texts.theRecordWas
        : [texts.madeThisChange(own.deviceID),
          texts.theOtherDevices(own.user.name)]));
      changed(own, undefined, own.pending);
      if (from && !same) trace(own.pending, from);
    } catch (error) { own.pending = undefined; fault(error); }
  }

  own.element = h('section', {class: 'card half', 'aria-label': name}, head,
    h('div', {class: 'play-form'}, labelled(texts.record, record), labelled(texts.title, title.element),
    labelled(texts.year, year.element)),
    h('div', {class: 'row'},
      button(texts.save, {kind: 'main', disabled: Boolean(off), title: off, 'aria-label': texts.saveOn(name)},
      () => save('forceUpdate')), button(texts.deleteText, {disabled: Boolean(off), 'aria-label': texts.deleteOn(name)},
      () => save('forceDelete')),
      button(texts.badge02, {disabled: Boolean(off), 'aria-label': texts.setTheBadge(name)},
      async () => { try { await device('badge/modify', {deviceID: own.deviceID, badgeValue: 0}, {as: own.as()});
      fill(count, texts.badge0); shownBadge = 0; } catch (error) { fault(error); } }),
      button(texts.readAll, {icon: 'check', disabled: Boolean(off), 'aria-label': texts.markAllAs(name)},
        () => feed?.mark([...new Set(feed.entries.filter((entry) => entry.notificationType !== 'readNotification'
        && !feed.read.has(entry.notificationID)).map((entry) => entry.notificationID))]).catch(fault))), why, notes,
        place);
  own.stop = () => feed?.stop();
  own.setBadge = (value) => { shownBadge = value; fill(count, texts.badge(value)); };
  return own;
}

/** Opens the page. */
export function open(view) {
  const way = h('ol', {class: 'way', 'aria-label': texts.theWayOf});
  const foot = h('p', {class: 'quiet'});
  const message = h('div', {class: 'message'});
  let last;
  const drawWay = eachFrame(() => {
    if (!last) return fill(way, h('li', {class: 'quiet'}, texts.saveARecord));
    const step = (text, value, kind = '') => h('li', {class: kind}, h('b', null, text), value !== undefined
      && h('span', {class: 'quiet'}, ` ${ms(value)}`));
    const others = halves.filter((one) => one !== last.half);
    return fill(way, step(texts.savedBy(last.by), last.saved, last.saved === undefined ? '' : 'good'),
      last.steps && !last.same && chips(last.steps),
      others.map((one) => { const heard = last.heard[one.deviceID]; return heard === undefined
        ? step(texts.notYet(one.deviceID), undefined, 'quiet') : step(texts.isNotified(one.deviceID), heard, 'good'); }),
      step(texts.notNotifiedIt(last.by), undefined, 'quiet'));
  });
  function changed(half2, entries, pending) {
    if (pending) { last = pending; last.half = half2; }
    if (entries && last && last.half !== half2 && last.heard[half2.deviceID] === undefined && entries.length) {
      const newest = entries.findLast((entry) => entry.recordName === last.recordName);
      if (newest && performance.timeOrigin
        + last.began - 2 <= newest.changed) last.heard[half2.deviceID] = performance.now() - last.began;
    }
    drawWay();
  }
  const halves = [half(view, {name: 'laptop', changed, trace}), half(view, {name: 'phone', changed, trace})];
  const off = view.locked();

  /** Reads the way of a save in the log, as it happens: `from` is where the log ended before it. */
  async function trace(pending, from) {
    const other = halves.find((one) => one !== pending.half);
    const stopped = () => last !== pending || view.signal.aborted;
    fill(foot);
    const change = await follow({from, recordName: pending.recordName, user: other.user.userRecordName, stopped,
      draw: (steps) => { pending.steps = steps; drawWay(); }}).catch(() => undefined);
    if (change === undefined || stopped()) return;
    fill(foot, texts.timesOfThe, h('a', {href: to('explain', [], {change, subscription: example.subscriptionID,
      user: other.user.userRecordName})}, texts.whyAsk));
  }

  view.signal.addEventListener('abort', () => halves.forEach((one) => one.stop()));
  fill(view.root, h('div', {class: 'page-head'}, view.title(texts.playground),
    button(texts.makeDevicesAnd, {icon: 'plus', disabled: Boolean(off), title: off}, make)),
    h('p', {class: 'lead'},
      texts.twoDevicesOf,
        texts.theSubscriptionModern), message,
        h('div', {class: 'halves'}, halves.map((one) => one.element)),
        h('section', {class: 'card', 'aria-label': texts.theWay}, h('h2', null, texts.theWayOf), way, foot,
        !hasSteps() && h('p', {class: 'quiet'}, texts.withAnOperator)));
  drawWay();

  async function make() {
    try {
      for (const half of new Map(halves.map((one) => [one.user?.userRecordName, one])).values()) await subscribe(half.as());
      note(texts.bothDevicesAre);
    } catch (error) { fill(message, errorBox(error, make)); }
  }
  Promise.all(halves.map((one) => one.start()));
}
