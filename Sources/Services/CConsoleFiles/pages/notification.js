// The way of a notification: from the commit to the device, with times, waits and places in the log.
import {operate} from '../core/api.js';
import {json} from '../core/code.js';
import {copied} from '../core/dialog.js';
import {sign, spot, stepName, steps, verdict} from '../core/explain.js';
import {signIn} from '../core/frame.js';
import {facts} from '../core/operate.js';
import {go, to} from '../core/router.js';
import {badge, emptyBox, load, skeleton} from '../core/states.js';
import {has} from '../core/session.js';
import {grouped, marked, plain, time, user} from '../core/values.js';
import {button, fill, h, icon} from '../core/view.js';

const ms = (value) => value < 1000 ? `${Number(value.toPrecision(3))} ms` : value < 60000 ? `${(value / 1000).toFixed(2)} s`
  : value < 3600000 ? `${Math.round(value / 60000)} min` : `${(value / 3600000).toFixed(1)} h`;
// What a step waited for since the one before.
const waits = {outbox: 'the relay', matched: 'stage 1', delivery: 'stage 1', journal: 'stage 2', feed: 'stage 2', fetched: 'the device',
  read: 'a person', push: 'the sender'};

/** The time line: a row a step, its bar from the step before to it. What a device or a person did later is off the scale. */
function line(list) {
  const timed = list.filter((one) => one.time !== undefined && one.time !== null).sort((a, b) => a.time - b.time);
  if (!timed.length) return undefined;
  const first = timed[0].time;
  const own = timed.filter((one) => !['fetched', 'read'].includes(one.step));
  const end = Math.max(first + 1, (own.at(-1) ?? timed.at(-1)).time);
  const long = timed.slice(1).map((one, at) => one.time - timed[at].time);
  const longest = Math.max(0, ...long.slice(0, Math.max(1, own.length - 1)));
  return h('ol', {class: 'trail'}, list.map((one) => {
    const at = timed.indexOf(one);
    const since = at > 0 ? one.time - timed[at - 1].time : 0;
    const off = one.time > end;
    const bar = h('div', {class: `trail-bar ${at > 0 && since === longest && since > 0 && !off ? 'longest' : ''}`,
      'aria-hidden': 'true'});
    if (at >= 0) {
      bar.style.setProperty('--from', `${Math.min(100, (at > 0 ? (timed[at - 1].time - first) / (end - first) : 0) * 100)}%`);
      bar.style.setProperty('--to', `${off ? 100 : (one.time - first) / (end - first) * 100}%`);
    }
    return h('li', null, sign(one.outcome ?? (at >= 0 ? 'yes' : 'unknown')),
      h('div', {class: 'trail-name'}, h('b', null, stepName(one.step)), one.deviceID && h('span', {class: 'quiet'}, ' ',
      marked(one.deviceID, 60)), h('p', {class: 'note'}, spot(one) ?? marked(one.text ?? '', 200))),
      h('div', {class: 'trail-scale'}, at >= 0 && bar, off && h('span', {class: 'note'}, 'later ⋯')),
      h('div', {class: 'trail-time'}, at < 0 ? h('span', {class: 'quiet'}, '–') : at === 0 ? time(one.time, true)
        : [h('b', null, `+${ms(one.time - first)}`), h('p', {class: 'note'}, `${ms(since)} for ${waits[one.step] ?? 'it'}`)]));
  }));
}

/** Opens the page. */
export function open(view) {
  const [id] = view.route.parts;
  const {subscription, user: owner} = view.route.query;
  const body = h('div', {class: 'stack'}, skeleton(6));
  if (!id) {
    const field = h('input', {class: 'code', autocomplete: 'off', spellcheck: 'false', 'aria-label': 'The notification’s ID',
      placeholder: 'bff8bddd-d093-…'});
    const show = () => { if (field.value.trim()) go(to('notification', [field.value.trim()])); };
    field.addEventListener('keydown', (event) => { if (event.key === 'Enter') show(); });
    return fill(view.root, h('div', {class: 'page-head'}, view.title('Notification')),
      h('section', {class: 'card'}, h('h2', null, 'The way of a notification'),
      h('div', {class: 'pair'}, field, button('Show', {kind: 'main'}, show))),
      emptyBox('A notification’s ID is in the feed, in its payload, and in the header of its push.',
      {actions: [h('a', {class: 'button', href: to('feed')}, icon('feed'), 'Feed')]}));
  }
  fill(view.root, h('div', {class: 'page-head'}, view.title('Notification', h('code', {class: 'quiet'}, marked(id, 60))),
    button('Copy the ID', {icon: 'copy'}, () => copied(id, 'the ID')), button('Copy the link', {icon: 'copy'},
    () => copied(location.href, 'the link'))), body);
  document.title = [plain(id, 40), 'Notification', view.route.container, 'Fanfare'].join(' · ');
  return load(body, async () => {
    const way = await operate('notifications/way', {notificationID: id, ...(subscription && {subscriptionID: subscription}),
      ...(owner && {user: owner})}, {signal: view.signal});
    if (view.signal.aborted) return;
    const times = way.steps.filter((one) => one.time && !['fetched', 'read'].includes(one.step)).map((one) => one.time);
    const total = times.length > 1 && Math.max(...times) - Math.min(...times);
    const failed = way.steps.some((one) => one.outcome === 'no');
    fill(body, h('section', {class: 'card'}, h('div', {class: 'card-head'}, h('h2', null, 'Its way'), total !== false
      && badge(`${ms(total)} from the commit to the feed`, failed ? 'bad' : 'good')), line(way.steps),
      facts([['change', has(['explain'])
        ? h('a', {href: to('explain', [], {change: way.change, subscription: way.subscriptionID, user: way.userRecordName})},
        grouped(way.change)) : grouped(way.change)], ['subscription', marked(way.subscriptionID ?? '–', 120)],
        ['owner', user(way.userRecordName)]])),
    way.explain && [verdict(way.explain), h('section', {class: 'card'}, h('h2', null, 'Why it fired'), steps(way.explain))],
    way.devices?.length > 0 && h('section', {class: 'card'}, h('h2', null, 'Other devices of the user'),
      h('ul', {class: 'list'},
        way.devices.map((one) => h('li', null, icon('devices'), h('span', {class: 'grow'}, marked(one.deviceID, 60)),
      sign(one.outcome ?? 'unknown'), h('span', {class: 'quiet'}, marked(one.text ?? '', 200)))))),
    h('details', {class: 'card'}, h('summary', null, 'As data'), json(way, 'the way')));
  }, {signal: view.signal, signIn: () => signIn('operator')});
}
