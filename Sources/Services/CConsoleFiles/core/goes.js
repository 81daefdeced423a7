// What would go with something that is deleted.
import {database} from './api.js';
import {isDefault} from './records.js';
import {grouped, marked, plain} from './text.js';
import {texts} from './texts-parts.js';
import {referring} from './types.js';
import {h, icon} from './view.js';

const fieldsMost = 12;

/** A list of what would go: rows are `[icon, name, count]`; those without a count are left out. `none` is said where none is left. */
export function goes(rows, none) {
  const some = rows.filter((row) => row && row[2]);
  if (!some.length && !none) return undefined;
  return [h('h3', null, texts.whatWouldGo), some.length ? h('ul', {class: 'list'},
    some.map(([sign, name, count]) => h('li', null, icon(sign),
    h('span', {class: 'grow'}, name), typeof count === 'number' ? grouped(count) : count))) : h('p', {class: 'quiet'}, none)];
}

/** The records that go with a record, since they refer to it by `DELETE_SELF`: rows for `goes`, of the types that this browser knows. */
export async function goesWith(scope, record) {
  const fields = referring(scope).slice(0, fieldsMost);
  const zone = isDefault(record.zoneID) ? {} : {zoneID: record.zoneID};
  const found = await Promise.all(fields.map(async ([type, field, kind]) => {
    const predicate = kind.endsWith('LIST') ? `${field} CONTAINS %@` : `${field} == %@`;
    const answer = await database(scope, 'records/query', {query: {recordType: type, predicate,
      predicateArguments: [{type: 'REFERENCE', value: {recordName: record.recordName, action: 'NONE'}}]}, ...zone, valueBytesMax: 200,
    resultsLimit: 200}).catch(() => ({records: []}));
    const count = answer.records.filter(({fields: all}) => [all[field]?.value].flat().some((one) => one?.recordName === record.recordName
      && one.action === 'DELETE_SELF')).length;
    return ['records', [marked(type, 60), ' by ', marked(field, 60)], answer.continuationMarker ? `${grouped(count)}+` : count];
  }));
  return found.filter(([, , count]) => count && count !== '0+');
}

/** What goes with a device: rows for `goes`. */
export const goesWithDevice = (one) => [['feed', texts.itsFeedAnd, one.token?.entriesBehind !== undefined
  ? texts.entriesNotRead(grouped(one.token.entriesBehind)) : '1'], ['push', texts.addressesOfPushes, one.push?.length
  && one.push.map((courier) => plain(courier.kind, 30)).join(', ')]];
