// The way of a notification: from the commit to the device, with times, waits and places in the log.
import {operate} from '../core/api.js';
import {json} from '../core/code.js';
import {copied} from '../core/dialog.js';
import {notified, sign, spot, stepName, steps, verdict} from '../core/explain.js';
import {signIn} from '../core/frame.js';
import {facts} from '../core/operate.js';
import {go, to} from '../core/router.js';
import {badge, emptyBox, load, skeleton} from '../core/states.js';
import {grouped, marked, plain, time, user} from '../core/values.js';
import {button, fill, h, icon, labelled} from '../core/view.js';

const ms = (value) => value < 1000 ? `${Number(value.toPrecision(3))} ms` : value < 60000 ? `${(value / 1000).toFixed(2)} s`
  : value < 3600000 ? `${Math.round(value / 60000)} min` : `${(value / 3600000).toFixed(1)} h`;
// What a step waited for since the one before.
const waits = {outbox: 'the relay', matched: 'stage 1', delivery: 'stage 1', journal: 'stage 2', feed: 'stage 2', push: 'the sender'};

/** The time line: a row a step, its bar from the step before to it. A push that was sent later is off the scale. */
function line(list) {
  const timed = list.filter((one) => one.time !== undefined && one.time !== null).sort((a, b) => a.time - b.time);
  if (!timed.length) return undefined;
  const first = timed[0].time;
  const own = timed.filter((one) => one.step !== 'push');
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

const stages = {committed: 'commit', changes: 'outbox', deliveries: 'delivery', journal: 'journal', feed: 'feed', sent: 'push'};

/** The rows of a way: what the service answers, and what devices have read. */
const rows = (way) => way.map((one) => ({...one.place, step: stages[one.stage] ?? one.stage, time: one.time ?? one.sentAt,
  deviceID: one.deviceID,
  text: one.readPast ? 'the device has read past it' : '', readPast: one.readPast}));

/** Asks for what names a notification. */
function ask(view, id = '', subscription = '') {
  const field = h('input', {class: 'code', autocomplete: 'off', spellcheck: 'false', required: true, value: id,
    placeholder: 'bff8bddd-d093-…'});
  const name = h('input', {class: 'code', autocomplete: 'off', spellcheck: 'false', required: true, value: subscription,
    placeholder: 'modern'});
  function show(event) {
    event.preventDefault();
    go(to('notification', [field.value.trim()], {subscription: name.value.trim()}));
  }
  fill(view.root, h('div', {class: 'page-head'}, view.title('Notification')), h('form', {class: 'card', onsubmit: show},
    h('h2', null, 'The way of a notification'),
    h('div', {class: 'form-row'}, labelled('The notification’s ID', field), labelled('Subscription', name),
      h('button', {type: 'submit', class: 'button main'}, h('span', null, 'Show')))),
  emptyBox('A notification’s ID is in the feed, in its payload, and in the header of its push.',
    {actions: [h('a', {class: 'button', href: to('feed')}, icon('feed'), 'Feed')]}));
}

/** Opens the page. */
export function open(view) {
  const [id] = view.route.parts;
  const {subscription, user: owner} = view.route.query;
  if (!id || !subscription) return ask(view, id, subscription);
  const body = h('div', {class: 'stack grow'}, skeleton(6));
  fill(view.root, h('div', {class: 'page-head'}, view.title('Notification', h('code', {class: 'quiet'}, marked(id, 60))),
    button('Copy the ID', {icon: 'copy'}, () => copied(id, 'the ID')),
    button('Copy the link', {icon: 'copy'}, () => copied(location.href, 'the link'))), body);
  document.title = [plain(id, 40), 'Notification', view.route.container, 'Fanfare'].join(' · ');
  return load(body, async () => {
    const found = await operate('explain', {change: id, subscriptionID: subscription, ...(owner && {user: owner})}, {signal: view.signal});
    if (view.signal.aborted) return;
    const way = rows(found.way ?? []);
    const times = way.filter((one) => one.time && one.step !== 'push').map((one) => one.time);
    const total = times.length > 1 && Math.max(...times) - Math.min(...times);
    const devices = found.steps.filter((one) => one.step === 'device');
    fill(body, way.length > 0 && h('section', {class: 'card'}, h('div', {class: 'card-head'}, h('h2', null, 'Its way'), total !== false
      && badge(`${ms(total)} from the commit to the feed`, notified(found) ? 'good' : 'bad')), line(way)), verdict(found),
      h('section', {class: 'card'}, h('h2', null, 'Why'),
        facts([['change', h('a', {href: to('explain', [], {change: found.change, subscription, user: found.userRecordName})},
        grouped(found.change))], ['subscription', marked(subscription, 120)], ['owner', user(found.userRecordName)]]), steps(found)),
      devices.length > 0 && h('section', {class: 'card'}, h('h2', null, 'Devices of the user'),
        h('ul', {class: 'list'}, devices.map((one) => h('li', null, icon('devices'),
        h('span', {class: 'grow'}, marked(one.text ?? one.deviceID ?? '', 300)), sign(one.outcome))))),
      h('details', {class: 'card'}, h('summary', null, 'As data'), json(found, 'the way')));
  }, {signal: view.signal, signIn: () => signIn('operator')});
}
