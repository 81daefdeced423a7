// The way of a notification: from the commit to the device, with times, waits and places in the log, and why.
import {operate} from '../core/api.js';
import {json} from '../core/code.js';
import {labelled} from '../core/controls.js';
import {copied} from '../core/dialog.js';
import {sign, steps, verdict} from '../core/explain.js';
import {signIn} from '../core/frame.js';
import {facts} from '../core/operate.js';
import {go, to} from '../core/router.js';
import {has} from '../core/session.js';
import {badge, emptyBox, load} from '../core/states.js';
import {grouped, marked, plain, user} from '../core/text.js';
import {texts} from '../core/texts-why.js';
import {button, fill, h, icon, skeleton} from '../core/view.js';
import {ms, stepsOf, total, trail} from '../core/way.js';

/** Asks for what names a notification. */
function ask(view, id = '', subscription = '') {
  const field = h('input', {class: 'code', autocomplete: 'off', spellcheck: 'false', required: true, value: id,
    placeholder: texts.bff8bdddD093More});
  const name = h('input', {class: 'code', autocomplete: 'off', spellcheck: 'false', required: !has(['notifications/way']),
    value: subscription, placeholder: has(['notifications/way']) ? texts.theFirstOf : texts.modern});
  const show = (event) => {
    event.preventDefault();
    go(to('notification', [field.value.trim()], {subscription: name.value.trim()}));
  };
  fill(view.root, h('div', {class: 'page-head'}, view.title(texts.notification)), h('form', {class: 'card', onsubmit: show},
    h('h2', null, texts.theWayOf),
    h('div', {class: 'form-row'}, labelled(texts.theNotificationS, field), labelled(texts.subscription2, name),
      h('button', {type: 'submit', class: 'button main'}, h('span', null, texts.show)))),
  emptyBox(texts.aNotificationS,
    {actions: [h('a', {class: 'button', href: to('feed')}, icon('feed'), texts.feed2)]}));
}

/** The card of the time line. `way` is an answer of `notifications/way`. */
function card(way) {
  const length = total(way.steps);
  const others = (way.subscriptions ?? []).filter((one) => one !== way.subscriptionID);
  return h('section', {class: 'card'}, h('div', {class: 'card-head'}, h('h2', null, texts.itsWay), length > 0
    && badge(texts.fromTheCommit(ms(length)), 'good'), way.isBackfilled && badge(texts.ofThePast, 'accent')),
  facts([['change', grouped(way.change)], ['record', way.recordName && [marked(way.recordName, 120), ' ',
    h('span', {class: 'quiet'}, marked(way.recordType ?? '', 60))]], ['subscription', marked(way.subscriptionID ?? '', 120)],
  [texts.alsoBy, others.length > 0 && others.map((one, at) => [at > 0 && ', ', h('a', {href: to('notification', [way.notificationID],
    {subscription: one, user: way.userRecordName})}, marked(one, 80))])], ['owner', user(way.userRecordName)]]
    .filter(([, value]) => value)), trail(way.steps));
}

/** What `explain` says of the same, below the way. */
function explained(found, where) {
  const devices = found.steps.filter((one) => one.step === 'device');
  return [verdict(found), h('section', {class: 'card'}, h('div', {class: 'card-head'}, h('h2', null, texts.why),
    h('a', {class: 'button', href: to('explain', [], where)}, icon('explain'), texts.asAPicture)), steps(found)),
  devices.length > 0 && h('section', {class: 'card'}, h('h2', null, texts.devicesOfThe),
    h('ul', {class: 'list'}, devices.map((one) => h('li', null, icon('devices'),
      h('span', {class: 'grow'}, marked(one.text ?? one.deviceID ?? '', 300)), sign(one.outcome))))),
  h('details', {class: 'card'}, h('summary', null, texts.theExplanationAs), json(found, texts.theExplanation))];
}

/** Opens the page. */
export function open(view) {
  const [id] = view.route.parts;
  const {signal} = view;
  const {subscription, user: owner} = view.route.query;
  const whole = has(['notifications/way']);
  if (!id || (!subscription && !whole)) return ask(view, id, subscription);
  const line = h('div', {class: 'stack grow'}, skeleton(6));
  const why = h('div', {class: 'stack grow'});
  fill(view.root, h('div', {class: 'page-head'}, view.title(texts.notification, h('code', {class: 'quiet'}, marked(id, 60))),
    button(texts.copyTheId, {icon: 'copy'}, () => copied(id, texts.theId)),
    button(texts.copyTheLink, {icon: 'copy'}, () => copied(location.href, texts.theLink))), line, why);
  document.title = [plain(id, 40), 'Notification', view.route.container, 'Fanfare'].join(' · ');
  const again = () => signIn('operator');
  const explain = (change, subscriptionID, of) => load(why, async () => {
    const found = await operate('explain', {change, subscriptionID, ...(of && {user: of})}, {signal});
    if (signal.aborted) return undefined;
    fill(why, explained(found, {change: found.change, subscription: subscriptionID, user: found.userRecordName}));
    return found;
  }, {signal, signIn: again});
  if (!whole) {
    return explain(id, subscription, owner).then((found) => {
      if (!found) return fill(line);
      const way = {...found, subscriptionID: subscription, steps: stepsOf(found.way ?? [])};
      return fill(line, way.steps.length > 0 && card(way));
    });
  }
  return load(line, async () => {
    const way = await operate('notifications/way', {notificationID: id, ...(subscription && {subscriptionID: subscription}),
      ...(owner && {user: owner})}, {signal});
    if (signal.aborted) return;
    fill(line, card(way), h('details', {class: 'card'}, h('summary', null, texts.theWayAs), json(way, texts.theWay)));
    if (way.subscriptionID) explain(way.change, way.subscriptionID, way.userRecordName);
  }, {signal, signIn: again});
}
