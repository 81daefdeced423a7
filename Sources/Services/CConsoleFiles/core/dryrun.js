// What a subscription or a predicate would have fired on, and its cost: the operation `test` of subscriptions.
import {database, item} from './api.js';
import {faultOf} from './filter.js';
import {zoneText} from './records.js';
import {to} from './router.js';
import {badge} from './states.js';
import {texts} from './texts-subscriptions.js';
import {shown} from './values.js';
import {grouped, marked, plain, time} from './text.js';
import {fill, h} from './view.js';

const reasons = {recordCreated: texts.created, recordUpdated: texts.updated, recordDeleted: texts.deleted,
  zoneCreated: texts.zoneCreated, zoneDeleted: texts.zoneDeleted};
const relations = {EQUALS: '=', NOT_EQUALS: '≠', LESS_THAN: '<', LESS_THAN_OR_EQUALS: '≤', GREATER_THAN: '>',
  GREATER_THAN_OR_EQUALS: '≥'};

/** Sends a test of a subscription; `options` are those of the operation, as `changesMax`, `parseOnly`, `nearly`. */
export async function test(scope, subscription, options) {
  const given = {...subscription, startingFrom: undefined};
  const answer = await database(scope, 'subscriptions/modify',
    {operations: [{operationType: 'test', ...options, subscription: given}]});
  return item(answer.subscriptions[0]);
}

/** What a predicate costs and which indexes it uses, as a text; undefined where the service does not say. */
export async function cost(scope, recordType, predicate) {
  const subscription = {subscriptionType: 'query', firesOn: ['create'], query: {recordType, predicate},
    notificationInfo: {}};
  try {
    return costText(await test(scope, subscription, {parseOnly: true, changesMax: 1}));
  } catch { return undefined; }
}

function costText({predicateCost, predicateCostMax = 10000, indexes}) {
  const text = `costs ${grouped(predicateCost)} of ${grouped(predicateCostMax)}`;
  if (!indexes) return text;
  return indexes.length
    ? texts.byTheIndex(text, indexes.map((one) => plain(one.fieldName ?? one.systemFieldName ?? '', 40)).join(', '))
    : texts.looksAtEach(text);
}

function matchLine(scope, match, more) {
  const place = {open: match.recordName, zone: zoneText(match.zoneID)};
  const name = match.recordName
    ? h('a', {href: to('records', [scope, match.recordType ?? '~'], place)}, marked(match.recordName, 60))
      : zoneText(match.zoneID);
  return h('li', null, h('span', {class: 'grow cut'}, name, more && h('span', {class: 'quiet'}, ` ${more}`)),
    badge(reasons[match.change] ?? match.change), h('span', {class: 'quiet'}, time(match.changed)));
}

function missText({fieldName, systemFieldName, relation, operand, value}) {
  const sign = relations[relation] ?? String(relation ?? '').toLowerCase().replaceAll('_', ' ');
  return `${plain(fieldName ?? systemFieldName ?? '', 40)} is ${shown(value, 40)}, not ${sign} ${shown(operand, 40)}`;
}

const list = (label, lines) => lines.length > 0
  && h('ul', {class: 'list short-list', tabindex: '0', 'aria-label': label}, lines);

let runs = 0;

/**
 * Shows in `place` on which of the latest changes a subscription would have fired: first of 50, then of 1,000, and those
 * that
 * fail by one condition. `where` is the predicate's text, in which an error is underlined. A later run takes an earlier
 * one's place.
 */
export async function dryRun(scope, subscription, place, where) {
  const own = ++runs;
  if (subscription.subscriptionType === 'query' && !subscription.query.recordType) {
    return fill(place, h('p', {class: 'quiet'}, texts.nameARecord));
  }
  if (subscription.subscriptionType === 'zone' && !subscription.zoneID?.zoneName) {
    return fill(place, h('p', {class: 'quiet'}, texts.nameAZone));
  }
  for (const changesMax of [50, 1000]) {
    try {
      const began = performance.now();
      const answer = await test(scope, subscription,
        {changesMax, ...(subscription.subscriptionType === 'query' && {nearly: true})});
      if (own !== runs) return undefined;
      const near = (answer.nearMisses ?? []).slice(-10).reverse();
      fill(place, h('p', null,
        h('b', null, texts.firesOnOf(grouped(answer.changesMatched), grouped(answer.changesExamined))),
        texts.latestChanges(costText(answer)),
          h('span', {class: 'quiet'}, texts.ms(Math.round(performance.now() - began)))),
      answer.changesLeftOut > 0
        && h('p', {class: 'warn'},
          texts.changesWereLeft(grouped(answer.changesLeftOut))),
      list(texts.changesThatIt, answer.matches.slice(-30).reverse().map((match) => matchLine(scope, match))),
      near.length > 0 && h('p', {class: 'quiet'},
        texts.nearlyFailBy(grouped(answer.changesNear ?? near.length))),
      list(texts.changesThatFail,
        near.map((match) => matchLine(scope, match, match.failed && missText(match.failed)))));
      if (answer.changesExamined !== changesMax) return undefined;
    } catch (error) {
      if (own !== runs) return undefined;
      return fill(place, where && faultOf(where.trim(), error),
        h('p', {class: 'bad'}, h('b', {class: 'code'}, error.code), ' ', plain(error.message, 600)));
    }
  }
  return undefined;
}
