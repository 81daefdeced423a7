// Records: reading by pages, saving, deleting, and taking back.
import {base, database, item, ServiceError} from './api.js';
import {note} from './dialog.js';
import {here} from './router.js';
import {userOf} from './session.js';
import {texts} from './texts-records.js';
import {rememberType} from './types.js';

/** The most that a request of records takes. */
export const batch = 200;
// Characters of a request: its body has 32 MiB at most, and a character four bytes.
const bodyMax = 6 * 1024 * 1024;
const longest = 4096;

/** Whether a zone ID is the default zone's, or absent. */
export const isDefault = (zoneID) => !zoneID || zoneID.zoneName === '_defaultZone';

/** A zone as text for addresses: its name, with the owner after a slash where it is somebody else's. */
export function zoneText(zoneID) {
  if (isDefault(zoneID)) return '';
  const owner = zoneID.ownerRecordName;
  return owner && !/^_+defaultOwner_*$/.test(owner) && owner !== userOf(here())?.userRecordName
    ? `${zoneID.zoneName}/${owner}` : zoneID.zoneName;
}

/** The zone ID of such a text. */
export function zoneOf(text) {
  const [zoneName, ownerRecordName] = text.split(/\/(?=_[0-9a-f]{32}$)/);
  return {zoneName, ...(ownerRecordName && {ownerRecordName})};
}

/**
 * The body of a query: `where` is a predicate, `args` its arguments, `sort` a field with `-` before it for descending,
 * `zone` a zone as text, `*` for all.
 */
export function queryBody({type, where, args, sort, zone}) {
  const name = sort?.replace(/^-/, '');
  const system = {recordName: 'recordName', created: 'createdTimestamp', modified: 'modifiedTimestamp'}[name];
  return {query: {recordType: type, ...(where && {predicate: where, ...(args && {predicateArguments: args})}),
    ...(name && {sortBy: [{...(system ? {systemFieldName: system} : {fieldName: name}),
    ascending: !sort.startsWith('-')}]})},
    ...(zone === '*' ? {zoneWide: true} : zone ? {zoneID: zoneOf(zone)} : {})};
}

/**
 * Reads a query page by page: `next()` answers the next records, `[]` at the end; `complete` says whether that was the last
 * page.
 */
export function reader(scope, query, {whole = false, signal} = {}) {
  const body = queryBody(query);
  let marker;
  const own = {complete: false, async next() {
    const answer = await database(scope, 'records/query',
      {...body, resultsLimit: batch, ...(!whole && {valueBytesMax: longest}), ...(marker && {continuationMarker: marker})},
      {signal});
    marker = answer.continuationMarker;
    own.complete = !marker;
    if (answer.records.length) rememberType(scope, query.type, fieldsOf(answer.records));
    return answer.records;
  }};
  return own;
}

/** The fields of records with their types, those that most records have first. */
function fieldsOf(records) {
  const counts = Object.create(null);
  const kinds = Object.create(null);
  for (const record of records) for (const [name, field] of Object.entries(record.fields).slice(0,
    200)) { counts[name] = (counts[name] ?? 0) + 1; kinds[name] = field.type; }
  return Object.fromEntries(Object.entries(kinds).sort(([a], [b]) => counts[b] - counts[a]));
}

/** Looks up a record; throws `ServiceError` where it is not there. */
export async function lookup(scope, recordName, zoneID) {
  const {records: [found]} = await database(scope, 'records/lookup',
    {records: [{recordName}], ...(!isDefault(zoneID) && {zoneID: bare(zoneID)})});
  return item(found);
}

// Whole records of 1 MiB that an answer has room for.
const wholeBatch = 20;

/** The records with whole values: those that a page has cut are looked up again. Throws where one is gone. */
export async function whole(scope, records) {
  const cut = (record) => Object.values(record.fields).some((field) => field.cut);
  const result = [...records];
  const zones = new Map();
  records.forEach((record, at) => {
    if (!cut(record)) return;
    const zone = zoneText(record.zoneID);
    if (zones.has(zone)) zones.get(zone).push(at); else zones.set(zone, [at]);
  });
  for (const places of zones.values()) {
    const {zoneID} = records[places[0]];
    for (let at = 0; at < places.length; at += wholeBatch) {
      const part = places.slice(at, at + wholeBatch);
      const answer = await database(scope, 'records/lookup',
        {records: part.map((place) => ({recordName: records[place].recordName})), ...(!isDefault(zoneID) && {zoneID: bare(zoneID)})});
      part.forEach((place, one) => { result[place] = item(answer.records[one]); });
    }
  }
  return result;
}

/** A zone ID as requests have it. */
export const bare = ({zoneName, ownerRecordName}) => ({zoneName, ...(ownerRecordName && {ownerRecordName})});
const news = 'BroadcastChannel' in window ? new BroadcastChannel('fanfare changes') : undefined;

/**
 * Calls `action` with `{database, types, count}` when another tab of this browser changed records of the scope that is
 * shown.
 */
export function onChanges(action, signal) {
  const take = ({data}) => { const {container, environment} = here();
    if (data.container === container && data.environment === environment) action(data); };
  news?.addEventListener('message', take);
  signal.addEventListener('abort', () => news?.removeEventListener('message', take));
}

/**
 * Sends operations, at most 200 at a time, and answers an item for each in order. `progress(done)` answers false to stop. Changes
 * come from the device of the tab, or `clientId`.
 */
export async function modify(scope, operations, {zoneID, atomic = false, progress = () => true,
  clientId = userOf(here())?.device} = {}) {
  const results = [];
  while (results.length < operations.length) {
    let length = 0;
    const next = operations.slice(results.length, results.length + batch);
    const most = next.findIndex((one) => (length += JSON.stringify(one).length) > bodyMax);
    const part = most < 0 ? next : next.slice(0, Math.max(1, most));
    const {records} = await database(scope, 'records/modify',
      {operations: part, atomic, ...(!isDefault(zoneID) && {zoneID: bare(zoneID)})}, {query: {clientId}});
    results.push(...records);
    const {container, environment} = here();
    news?.postMessage({container, environment, database: scope,
      types: [...new Set(part.map((one) => one.record.recordType))],
      count: records.filter((one) => !one.serverErrorCode).length});
    if (progress(results.length) === false) break;
  }
  return results;
}

/** Sends one operation; throws `ServiceError` where it failed. */
export const change = async (scope, operationType, record, options) =>
  item((await modify(scope, [{operationType, record}], options))[0]);

const given = (fields) =>
  Object.fromEntries(Object.entries(fields).map(([name, {value, type, isEncrypted, exactSeconds}]) =>
  [name, {value, type, ...(isEncrypted && {isEncrypted}), ...(exactSeconds && {exactSeconds})}]));

/** What of a record is sent to have it once more. */
export const sendable = (record) => ({recordName: record.recordName, recordType: record.recordType,
  fields: given(record.fields), ...(record.parent && {parent: {recordName: record.parent.recordName}})});

/** The record as it is now, with receipts for its files, so that it can be sent again after it was changed. */
export async function remembered(scope, record) {
  const copy = sendable((await whole(scope, [record]))[0]);
  const files = Object.entries(copy.fields).filter(([, field]) => /^ASSET(ID)?$/.test(field.type));
  if (files.length) {
    const {assets} = await database(scope, 'assets/rereference',
      {assets: files.map(([fieldName]) => ({recordName: record.recordName, fieldName})),
      ...(!isDefault(record.zoneID) && {zoneID: bare(record.zoneID)})}).catch(() => ({assets: []}));
    assets.forEach((answer, at) => { const value = answer.singleFile ?? answer;
      if (value.receipt) copy.fields[files[at][0]].value = value; });
  }
  return copy;
}

/** Offers for 10 s to send records again as they were: that is a change, which notifies. */
export function offerUndo(text, scope, records, zoneID, done) {
  note(text, {action: {text: texts.undoAChange, act: async () => {
    const results = await modify(scope, records.map((record) => ({operationType: 'forceReplace', record})),
      {zoneID}).catch((error) => [{serverErrorCode: error.code, reason: error.message}]);
    const failed = results.filter((one) => one.serverErrorCode);
    note(failed.length ? texts.notTakenBack(failed[0].serverErrorCode, failed[0].reason) : texts.takenBack,
      {kind: failed.length ? 'bad' : ''});
    done();
  }}});
}

/** Uploads a file for a field, and answers the value of it. */
export async function upload(scope, {recordType, recordName, fieldName, zoneID}, file) {
  const {tokens: [token]} = await database(scope, 'assets/upload', {tokens: [{recordType, recordName, fieldName}],
    ...(!isDefault(zoneID) && {zoneID: bare(zoneID)})});
  const response = await fetch(own(item(token).url), {method: 'POST', body: file});
  const answer = await response.json();
  if (!response.ok) throw new ServiceError(answer, response.status);
  return answer.singleFile;
}

const own = (address) => base + address.slice(address.indexOf('/assets/'));

/** The bytes of a file of a record, as a `Blob`. */
export async function fetchFile(value) {
  const response = await fetch(own(value.downloadURL));
  if (!response.ok) throw new ServiceError(await response.json().catch(() => ({})), response.status);
  return new Blob([await response.arrayBuffer()]);
}

const starts = {'image/png': [0x89, 0x50, 0x4e, 0x47], 'image/jpeg': [0xff, 0xd8, 0xff],
  'image/gif': [0x47, 0x49, 0x46, 0x38], 'image/webp': [0x52, 0x49, 0x46, 0x46]};

/** The type of a picture that may be shown, by its first bytes; undefined for every other file. */
export async function pictureType(blob) {
  if (blob.size > 10 * 1024 * 1024) return undefined;
  const bytes = new Uint8Array(await blob.slice(0, 12).arrayBuffer());
  const found = Object.entries(starts).find(([, start]) => start.every((byte, at) => bytes[at] === byte))?.[0];
  return found === 'image/webp' && String.fromCharCode(...bytes.slice(8, 12)) !== 'WEBP' ? undefined : found;
}
