// An explanation as a picture: steps with their outcomes, and the predicate as a tree with the record's values.
import {to} from './router.js';
import {badge} from './states.js';
import {has} from './session.js';
import {texts} from './texts-why.js';
import {shown} from './values.js';
import {marked, plain, time} from './text.js';
import {h} from './view.js';

const signs = {yes: ['✓', 'good'], no: ['✕', 'bad'], unknown: ['?', 'warn'], lost: ['✕', 'bad'], none: ['–', 'quiet']};
const names = {change: texts.change, subscription: texts.subscription, reader: texts.reader, predicate: 'predicate', fires: texts.fires,
  matched: texts.stage1,   hit: texts.hit, delivered: texts.stage2,
  journal: texts.journal, device: texts.device, push: texts.push, commit: texts.saved, outbox: texts.inChanges,
    delivery: texts.inDeliveries,
    handed: texts.handedToThe, waits: texts.pushWaits, collapsed: texts.pushCollapsed,
  dropped: texts.pushDropped, sent: texts.sent, feed: texts.feed,
    fetched: texts.fetched, read: texts.read};
const relations = {EQUALS: '=', NOT_EQUALS: '≠', LESS_THAN: '<', LESS_THAN_OR_EQUALS: '≤', GREATER_THAN: '>', GREATER_THAN_OR_EQUALS: '≥',
  BEGINS_WITH: texts.beginsWith, NOT_BEGINS_WITH: texts.doesNotBegin, IN: texts.isIn, NOT_IN: texts.isNotIn, CONTAINS: texts.contains,
  LIST_CONTAINS: texts.contains, NEAR: texts.isNear, BETWEEN: texts.isBetween, ENDS_WITH: texts.endsWith, LIKE: texts.isLike,
    MATCHES: texts.matches};
const groups = {all: texts.allOf, any: texts.oneOf, not: texts.not, always: texts.always};

/** What a step is called. */
export const stepName = (name) => names[name] ?? plain(name, 40);

/** The sign and the word of an outcome. */
export const sign = (outcome) => { const [text, kind] = signs[outcome] ?? signs.unknown;
  return h('span', {class: `sign ${kind}`, role: 'img', 'aria-label': {good: 'yes', bad: 'no', quiet: 'no', warn: texts.notKnown}[kind]},
    text); };

/** A place in the log as text, as a link where a page can show it: a change, or an entry of a journal that is `owner`'s. */
export function spot({topic, partition, offset}, owner) {
  if (topic === undefined || offset === undefined) return undefined;
  const database = /(?:^|\.)changes\.(public|private|shared)$/.exec(topic)?.[1];
  const brief = topic.replace(/^.*\.(development|production)\./, '').replace(/_([0-9a-f]{6})[0-9a-f]{20,}([0-9a-f]{4})/, '_$1…$2');
  const text = `${brief}${partition === undefined ? '' : `/${partition}`} at ${offset}`;
  if (database && has(['changes/read'])) return h('a', {href: to('changes', [database], {partition, offset})}, text);
  const user = /(?:^|\.)journals$/.test(topic) ? owner : undefined;
  const where = user && has(['feeds/read', 'journals/read']) && to('replay', [], {user, offset: Number(offset) + 1});
  return where ? h('a', {href: where, title: topic}, marked(text, 120)) : h('code', {title: topic}, marked(text, 120));
}

/** A predicate as a tree: each node ✓ ✕ ?, with the record's value beside the condition; the node that decided is marked. */
export function tree(node, hover = () => {}) {
  const name = node.fieldName ?? node.systemFieldName;
  const holds = node.isMissing ? 'unknown' : node.holds ? 'yes' : 'no';
  const text = node.node === 'comparison' ? [h('code', {class: 'key'}, marked(name, 80)), ' ', relations[node.relation]
    ?? plain(node.relation ?? '', 40).toLowerCase().replaceAll('_', ' '), ' ', node.operand && h('code', {class: 'string'},
    shown(node.operand, 120)), node.distance !== undefined && ` within ${node.distance} m`, node.ignores && h('span', {class: 'note'},
    ` [${node.ignores}]`)] : groups[node.node] ?? node.node;
  return h('li', {class: `node ${node.decides ? 'decides' : ''}`, onpointerenter: name && (() => hover(name)), onpointerleave: name
    && (() => hover())}, h('div', {class: 'node-line'}, sign(holds), h('span', null, text), node.node === 'comparison'
      && (node.isMissing || node.value)
    && h('span', {class: 'node-value'}, node.isMissing ? texts.theRecordHasNo : node.value?.isEncrypted
    && node.value.value === undefined ? [texts.theRecordHas, texts.aSealedValue]
    : [texts.theRecordHas, h('code', null, shown(node.value, 120))]), node.decides
      && badge(texts.decided, holds === 'yes' ? 'good' : 'bad')),
    node.parts?.length > 0 && h('ul', {class: 'nodes'}, node.parts.map((part) => tree(part, hover))));
}

function detailList(details) {
  return h('ul', {class: 'nodes'}, details.map((one) => {
    const item = h('li', {class: 'node'}, h('div', {class: 'node-line'}, sign(one.outcome), marked(one.text, 1000)));
    item.style.setProperty('--depth', one.depth ?? 0);
    return item;
  }));
}

/** The step that is the nearest reason of a *no*: the first that said so. */
export const reason = (explained) => explained.steps.find((step) => step.outcome === 'no' && step.step !== 'device'
  && step.step !== 'push')
  ?? explained.steps.find((step) => step.outcome === 'no');

/** Whether an explanation ends in a notification. */
export const notified = (explained) => /^notified/.test(explained.verdict ?? '');

const placed = (step, owner) => { const found = spot(step.place ?? step, owner); return found && h('span', {class: 'note'}, found); };

/** The predicate over the record before and after the change, or the sentences where there is no tree. */
function picture(step) {
  const sides = [[texts.beforeTheChange, step.before], [texts.afterTheChange, step.after]].filter(([, node]) => node);
  if (!sides.length) return step.details?.length > 0 && detailList(step.details);
  return sides.map(([text, node]) => [h('p', {class: 'note'}, text), h('ul', {class: 'nodes'}, tree(node))]);
}

/** The steps of an explanation, one below the other. */
export function steps(explained) {
  return h('ol', {class: 'why'}, explained.steps.map((step) => h('li', null, sign(step.outcome),
    h('div', {class: 'grow'}, h('div', {class: 'row'}, h('b', null, stepName(step.step)), step.time && h('span', {class: 'note'},
    time(step.time, true)), placed(step, explained.userRecordName)), h('p', null, marked(step.text, 2000)),
    picture(step)))));
}

/** The verdict as a box, with the nearest reason first where it is a *no*. */
export function verdict(explained) {
  const good = notified(explained);
  const lost = /LOST|DOUBLE|WRONG/.test(explained.verdict);
  const why = !good && reason(explained);
  return h('div', {class: `box ${good ? 'good-box' : lost ? 'bad-box' : 'warn-box'}`, role: 'status'},
    h('p', {class: 'verdict'}, sign(good ? 'yes' : 'no'), h('b', null, marked(explained.verdict, 500))),
    why && h('p', null, h('span', {class: 'quiet'}, texts.theNearestReason), h('b', null, stepName(why.step)), ', ',
    marked(why.text, 500)));
}
