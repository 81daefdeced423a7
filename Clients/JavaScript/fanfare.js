// The JavaScript client of Fanfare: CloudKit JS's objects and names against your own service, with durable feeds, live
// queries, an offline queue and Web Push. No dependency, no build step: docs/javascript.md.
//
//     import {configure, getDefaultContainer} from 'https://service.example/fanfare/fanfare.js';
//
// As a classic script, which defines window.CloudKit, the service serves this file at /fanfare/cloudkit.js.

/** The version of Fanfare, as in the file VERSION. */
const version = '0.3.0';
const livePrefix = 'fanfare-live-';
const scopes = ['PUBLIC', 'PRIVATE', 'SHARED'];
const isPage = typeof document !== 'undefined';
const sleep = (seconds, signal) => new Promise((resolve) => {
  if (signal?.aborted) return resolve();
  const end = () => { clearTimeout(timer); signal?.removeEventListener('abort', end); resolve(); };
  const timer = setTimeout(end, seconds * 1000);
  signal?.addEventListener('abort', end);
});
const aborted = (signal) => new Promise((resolve) => signal.addEventListener('abort', resolve));
const list = (value) => (value === undefined || value === null ? [] : Array.isArray(value) ? value : [value]);
const isObject = (value) => typeof value === 'object' && value !== null && !Array.isArray(value);
/** An object without its members that are undefined. */
const given = (members) => Object.fromEntries(Object.entries(members).filter(([, value]) => value !== undefined));
/** The members of an object with these names, as far as it has them. */
const pick = (object, names) => given(Object.fromEntries(names.map((name) => [name, object[name]])));
/** A name that nobody guesses; `crypto.randomUUID` is for secure contexts alone. */
const randomName = () => [...crypto.getRandomValues(new Uint8Array(16))]
  .map((byte) => byte.toString(16).padStart(2, '0')).join('');

// MARK: JSON with exact integers

const mark = `fanfare${randomName()}:`;
const jsonTokens = /"[^"\\]*(?:\\.[^"\\]*)*"|-?\d+(?:\.\d+)?(?:[eE][+-]?\d+)?/g;

/** JSON in which a BigInt is a number with all its digits. */
function encode(value) {
  const text = JSON.stringify(value, (_, member) => (typeof member === 'bigint' ? mark + member : member));
  return text?.replaceAll(new RegExp(`"${mark}(-?\\d+)"`, 'g'), '$1');
}

/** Reads JSON; an integer that a number does not hold exactly is a BigInt, unless its field is a DOUBLE. */
function decode(text) {
  if (!/[:[,]\s*-?\d{16}/.test(text)) return JSON.parse(text);
  const marked = text.replace(jsonTokens, (token) =>
    (/^-?\d{16,}$/.test(token) && !Number.isSafeInteger(Number(token)) ? `"${mark}${token}"` : token));
  return JSON.parse(marked, (_, member) => {
    if (typeof member === 'string' && member.startsWith(mark)) return BigInt(member.slice(mark.length));
    if (isObject(member) && /^(DOUBLE|TIMESTAMP)/.test(member.type)) {
      const number = (value) => (typeof value === 'bigint' ? Number(value) : value);
      member.value = Array.isArray(member.value) ? member.value.map(number) : number(member.value);
    }
    return member;
  });
}

// MARK: Errors

/**
 * An error of the service, of one item of an answer, or of this library. `ckErrorCode` has the code in each case;
 * `serverErrorCode` is absent for errors that did not come from the service.
 */
class CKError extends Error {
  constructor(members) {
    super(members.reason ?? members.serverErrorCode ?? members.ckErrorCode);
    Object.assign(this, members);
    this.name = 'CKError';
    this.isCKError = this.isError = true;
    this.isServerError = members.serverErrorCode !== undefined;
    this.ckErrorCode = members.serverErrorCode ?? members.ckErrorCode;
    this.reason = this.message;
  }
}

const words = (...names) => Object.freeze(Object.fromEntries(names.map((name) => [name, name])));
// CloudKit JS has the codes as constants: `CKError.NOT_FOUND`.
Object.assign(CKError, words('ACCESS_DENIED', 'ATOMIC_ERROR', 'AUTH_PERSIST_ERROR', 'AUTHENTICATION_FAILED',
  'AUTHENTICATION_REQUIRED', 'BAD_REQUEST', 'CONFIGURATION_ERROR', 'CONFLICT', 'EXISTS', 'INTERNAL_ERROR',
  'INVALID_ARGUMENTS', 'NETWORK_ERROR', 'NOT_FOUND', 'QUOTA_EXCEEDED', 'SERVICE_UNAVAILABLE', 'SHARE_UI_TIMEOUT',
  'SIGN_IN_FAILED', 'THROTTLED', 'TRY_AGAIN_LATER', 'UNEXPECTED_SERVER_RESPONSE', 'UNIQUE_FIELD_ERROR',
  'UNKNOWN_ERROR', 'VALIDATING_REFERENCE_ERROR', 'ZONE_NOT_FOUND'));

const invalid = (reason) => new CKError({ckErrorCode: 'INVALID_ARGUMENTS', reason});
const needsUser = (error) => ['AUTHENTICATION_REQUIRED', 'AUTHENTICATION_FAILED'].includes(error.ckErrorCode);
/** Returns true if the same request may succeed later. */
const isTemporary = (error) => error.isCKError === true && (error.retryAfter !== undefined ||
  ['NETWORK_ERROR', 'TRY_AGAIN_LATER', 'THROTTLED', 'INTERNAL_ERROR', 'UNEXPECTED_SERVER_RESPONSE']
    .includes(error.ckErrorCode));
const unreachable = (error) => new CKError(
  {ckErrorCode: 'NETWORK_ERROR', reason: `the service cannot be reached: ${error.message}`});

/** The pauses between attempts: a quarter of a second, doubled up to 30 s, or longer where the service says so. */
class Backoff {
  failures = 0;
  reset() { this.failures = 0; }
  pause(error, signal) {
    const seconds = Math.min(30, 0.25 * 2 ** this.failures++) * (0.75 + Math.random() / 2);
    const back = new AbortController();
    const end = () => back.abort();
    // The connection is back: the pauses begin again with the shortest.
    const begin = () => { this.reset(); end(); };
    signal?.addEventListener('abort', end);
    globalThis.addEventListener?.('online', begin);
    return sleep(Math.max(seconds, error?.retryAfter ?? 0), back.signal).finally(() => {
      signal?.removeEventListener('abort', end);
      globalThis.removeEventListener?.('online', begin);
    });
  }
}

/** Repeats work until it succeeds, or fails in a way that another attempt does not change. */
async function persist(work, signal) {
  for (const backoff = new Backoff();;) {
    try {
      return await work();
    } catch (error) {
      if (signal?.aborted || !isTemporary(error)) throw error;
      await backoff.pause(error, signal);
    }
  }
}

// MARK: Answers

/** CloudKit JS's classes of answers, by the name of their items. */
const responseTypes = {
  records: 'Records', zones: 'RecordZones', subscriptions: 'Subscriptions', users: 'UserIdentities',
  results: 'RecordInfos',
};

/** The answer to a request: items that were done, and `errors` for those that were not. */
class Response {
  #kind;
  #type;

  constructor(kind, answer, request, type = responseTypes[kind]) {
    this.#kind = kind;
    this.#type = type;
    const all = list(answer[kind]);
    Object.assign(this, given({...answer, [kind]: all.filter((item) => !item.serverErrorCode)}));
    this.errors = all.filter((item) => item.serverErrorCode).map((item) => new CKError(item));
    this.hasErrors = this.errors.length > 0;
    // The request goes on with what it was: performQuery(response), fetchDatabaseChanges(response).
    Object.defineProperty(this, 'request', {value: request});
  }

  // CloudKit JS has a class for each, and a query's is a subclass of that of records.
  get isResponse() { return true; }
  get isRecordsResponse() { return this.#type === 'Records' || this.isQueryResponse; }
  get isQueryResponse() { return this.#type === 'Query'; }
  get isRecordZonesResponse() { return this.#type === 'RecordZones'; }
  get isRecordZoneChangesResponse() { return this.#type === 'RecordZoneChanges'; }
  get isDatabaseChangesResponse() { return this.#type === 'DatabaseChanges'; }
  get isSubscriptionsResponse() { return this.#type === 'Subscriptions'; }
  get isUserIdentitiesResponse() { return this.#type === 'UserIdentities'; }
  get isRecordInfosResponse() { return this.#type === 'RecordInfos'; }

  toString() {
    const count = `${this[this.#kind].length} ${this.#kind}`;
    return `[${this.#type ?? ''}Response ${count}, ${this.errors.length} errors]`;
  }
}

/** A notification: it has the members of the service's. */
class Notification {
  constructor(members) { Object.assign(this, members); }
  get isQueryNotification() { return this.notificationType === 'query'; }
  get isRecordZoneNotification() { return this.notificationType === 'recordZone'; }
  toString() { return `[Notification ${this.notificationType} ${this.notificationID}]`; }
}

// The values are the service's. Subclasses inherit the constants.
Object.assign(Notification, {
  NOTIFICATION_TYPE_QUERY: 'query', NOTIFICATION_TYPE_RECORD_ZONE: 'recordZone',
  QUERY_NOTIFICATION_REASON_RECORD_CREATED: 'recordCreated',
  QUERY_NOTIFICATION_REASON_RECORD_UPDATED: 'recordUpdated',
  QUERY_NOTIFICATION_REASON_RECORD_DELETED: 'recordDeleted',
});

class QueryNotification extends Notification {
  get isPublicDatabase() { return this.databaseScope === 'public'; }
}

class RecordZoneNotification extends Notification {}

const notificationTypes = {query: QueryNotification, recordZone: RecordZoneNotification};

// MARK: Storage

/** Keeps values in memory, as long as the program runs. */
class MemoryStorage {
  #values = new Map();
  async get(key) { return this.#values.get(key); }
  async set(key, value) { this.#values.set(key, structuredClone(value)); }
  async delete(key) { this.#values.delete(key); }
  async keys(prefix) { return [...this.#values.keys()].filter((key) => key.startsWith(prefix)).sort(); }
}

const isPlain = (value) => Object.prototype.toString.call(value) === '[object Object]';

/** A copy in which bytes take the places of files: private windows of WebKit refuse a Blob in IndexedDB. */
async function withBytes(value) {
  if (isBlob(value)) return {bytes: await value.arrayBuffer(), type: value.type, name: value.name};
  if (Array.isArray(value)) return Promise.all(value.map(withBytes));
  if (!isPlain(value)) return value;
  const members = Object.entries(value).map(async ([name, member]) => [name, await withBytes(member)]);
  return Object.fromEntries(await Promise.all(members));
}

/** The value that `withBytes` copied. */
function withFiles(value) {
  if (Array.isArray(value)) return value.map(withFiles);
  if (!isPlain(value)) return value;
  const {bytes, type, name} = value;
  if (!(bytes instanceof ArrayBuffer)) {
    return Object.fromEntries(Object.entries(value).map(([key, member]) => [key, withFiles(member)]));
  }
  return name === undefined ? new Blob([bytes], {type}) : new File([bytes], name, {type});
}

/** Keeps values in IndexedDB; `set` and `delete` return when the browser has written them. */
class BrowserStorage {
  #opened;
  #open() {
    this.#opened ??= new Promise((resolve, reject) => {
      const request = indexedDB.open('fanfare', 1);
      request.onupgradeneeded = () => request.result.createObjectStore('values');
      request.onsuccess = () => resolve(request.result);
      request.onerror = () => { this.#opened = undefined; reject(request.error); };
    });
    return this.#opened;
  }
  async #run(mode, work) {
    const transaction = (await this.#open()).transaction('values', mode, {durability: 'strict'});
    const request = work(transaction.objectStore('values'));
    return new Promise((resolve, reject) => {
      transaction.oncomplete = () => resolve(request.result);
      // A transaction has no error yet at the error of its request, which aborts it.
      transaction.onabort = () => reject(transaction.error);
    });
  }
  async get(key) { return withFiles(await this.#run('readonly', (store) => store.get(key))); }
  async set(key, value) {
    const put = (stored) => this.#run('readwrite', (store) => store.put(stored, key));
    await put(value).catch(async (error) => {
      if (!isPlain(value)) throw error;
      await put(await withBytes(value));
    });
  }
  async delete(key) { await this.#run('readwrite', (store) => store.delete(key)); }
  keys(prefix) {
    return this.#run('readonly', (store) => store.getAllKeys(IDBKeyRange.bound(prefix, `${prefix}\uffff`)));
  }
}

/** Web auth tokens: in localStorage where the configuration says `persist`, else in memory. */
class TokenStore {
  #memory = new Map();
  #local;
  constructor(persists) {
    try { this.#local = persists ? globalThis.localStorage : undefined; } catch { this.#local = undefined; }
  }
  getToken(name) { return this.#memory.get(name) ?? this.#local?.getItem(`fanfare-token ${name}`) ?? null; }
  putToken(name, token) {
    if (token) this.#memory.set(name, token); else this.#memory.delete(name);
    try {
      if (token) this.#local?.setItem(`fanfare-token ${name}`, token);
      else this.#local?.removeItem(`fanfare-token ${name}`);
    } catch (error) {
      throw new CKError({ckErrorCode: 'AUTH_PERSIST_ERROR', reason: `the browser kept no token: ${error.message}`});
    }
  }
}

// MARK: Records as requests have them

/** A zone ID of one, or of a zone's name; undefined for none. */
const zoneOf = (zone) => (typeof zone === 'string' ? {zoneName: zone} : zone?.zoneID ?? zone ?? undefined);
const zoneKey = (zone) => `${zone?.ownerRecordName ?? ''}/${zone?.zoneName ?? '_defaultZone'}`;
const isBlob = (value) => typeof Blob !== 'undefined' && value instanceof Blob;

function base64(bytes) {
  let text = '';
  for (let start = 0; start < bytes.length; start += 0x8000) {
    text += String.fromCharCode(...bytes.subarray(start, start + 0x8000));
  }
  return btoa(text);
}

/** A field as the service reads it: a plain value is one without a type, a Date a TIMESTAMP, bytes are BYTES. */
function fieldOf(field) {
  const isField = isObject(field) && !isBlob(field) && ('value' in field || 'type' in field);
  const {value, ...rest} = isField ? field : {value: field};
  if (typeof value === 'boolean') throw invalid('a boolean is no value of a field: save 0 or 1');
  if (value instanceof Date) return {type: 'TIMESTAMP', ...rest, value: value.getTime()};
  if (value instanceof ArrayBuffer) return {type: 'BYTES', ...rest, value: base64(new Uint8Array(value))};
  if (ArrayBuffer.isView(value)) {
    return {type: 'BYTES', ...rest, value: base64(new Uint8Array(value.buffer, value.byteOffset, value.byteLength))};
  }
  if (typeof value === 'bigint') return {type: 'INT64', ...rest, value};
  return value === undefined ? {...rest, value: null} : {...rest, value};
}

function recordOf(record) {
  if (!isObject(record)) throw invalid('a record is an object with recordType and fields');
  const {fields, created, modified, deleted, pluginFields, zoneID, ...rest} = record;
  const sent = fields && Object.fromEntries(Object.entries(fields).map(([name, field]) => [name, fieldOf(field)]));
  return given({...rest, fields: sent});
}

const nameOf = (record) => given(typeof record === 'string' ? {recordName: record}
  : {recordName: record?.recordName, recordChangeTag: record?.recordChangeTag});

function queryOf({recordType, filterBy, sortBy, predicate, predicateArguments}) {
  // As with CloudKit JS, a filter with a distance needs no comparator.
  const filters = filterBy && list(filterBy).map((filter) => given({
    comparator: filter.distance === undefined ? undefined : 'NEAR', ...filter,
    fieldValue: fieldOf(filter.fieldValue)}));
  return given({recordType, filterBy: filters, sortBy: sortBy && list(sortBy), predicate, predicateArguments});
}

/** Operations of records, which `commit` sends in one request. */
class RecordsBatchBuilder {
  #database;
  #options;
  #operations = [];
  constructor(database, options) {
    this.#database = database;
    this.#options = options;
  }
  #add(kind, records, options) {
    for (const record of list(records)) {
      const deletes = kind === 'delete' || kind === 'forceDelete';
      const operationType = typeof kind === 'function' ? kind(record) : kind;
      this.#operations.push({operationType, record: deletes ? nameOf(record) : recordOf(record), ...options});
    }
    return this;
  }
  create(records, options) { return this.#add('create', records, options); }
  update(records, options) { return this.#add('update', records, options); }
  forceUpdate(records, options) { return this.#add('forceUpdate', records, options); }
  replace(records, options) { return this.#add('replace', records, options); }
  forceReplace(records, options) { return this.#add('forceReplace', records, options); }
  createOrUpdate(records, options) {
    return this.#add((record) => (record.recordChangeTag ? 'update' : 'create'), records, options);
  }
  delete(records, options) { return this.#add('delete', records, options); }
  forceDelete(records, options) { return this.#add('forceDelete', records, options); }
  commit() { return this.#database.modifyRecords(this.#operations, this.#options); }
}

// MARK: Databases

/** A database of a container: CloudKit JS's operations, and live queries. */
class Database {
  constructor(container, databaseScope) {
    Object.assign(this, {container, databaseScope, containerIdentifier: container.containerIdentifier});
    this.isPublic = databaseScope === 'PUBLIC';
    this.isPrivate = databaseScope === 'PRIVATE';
    this.isShared = databaseScope === 'SHARED';
  }

  toString() { return `[Database ${this.containerIdentifier} ${this.databaseScope}]`; }

  #send(path, body, options) {
    return this.container.request('database', `${this.databaseScope.toLowerCase()}/${path}`, body, options);
  }

  /** Sends a request; `kept` are members of it that the response has, too. */
  async #items(path, kind, body, {request, type, kept = []} = {}) {
    return Object.assign(new Response(kind, await this.#send(path, body), request, type), pick(body ?? {}, kept));
  }

  /** Finds records. With the answer to an earlier query it fetches the next page. */
  async performQuery(query, options = {}) {
    const earlier = query instanceof Response ? query : undefined;
    const request = earlier ? {...earlier.request}
      : {...options, query: queryOf(query), zoneID: zoneOf(options.zoneID)};
    if (earlier) Object.assign(request, options, {continuationMarker: earlier.continuationMarker});
    const response = await this.#items('records/query', 'records', given(request), {request, type: 'Query',
      kept: ['query', 'zoneID', 'zoneWide', 'desiredKeys', 'resultsLimit', 'numbersAsStrings']});
    response.moreComing = response.continuationMarker !== undefined;
    return response;
  }

  fetchRecords(records, {zoneID, ...options} = {}) {
    return this.#items('records/lookup', 'records',
      given({...options, records: list(records).map((record) => ({recordName: nameOf(record).recordName})),
        zoneID: zoneOf(zoneID)}), {kept: ['numbersAsStrings']});
  }

  /** Saves records: those with a change tag are updated, others created. */
  saveRecords(records, options) { return this.newRecordsBatch(options).createOrUpdate(records).commit(); }

  /** Deletes records: those with a change tag only if it is the present one. */
  deleteRecords(records, options) {
    const batch = this.newRecordsBatch(options);
    for (const record of list(records)) batch[record.recordChangeTag ? 'delete' : 'forceDelete'](record);
    return batch.commit();
  }

  newRecordsBatch(options) { return new RecordsBatchBuilder(this, options); }

  // CloudKit JS 1 had one record each, which names its zone itself.
  saveRecord(record, options) { return this.saveRecords(record, {zoneID: record.zoneID, ...options}); }
  deleteRecord(record, options) { return this.deleteRecords(record, {zoneID: record.zoneID, ...options}); }
  fetchRecord(record, options) { return this.fetchRecords(record, {zoneID: record.zoneID, ...options}); }

  /** Sends operations as records/modify has them; files in fields (Blob, File) are uploaded first. */
  async modifyRecords(operations, {zoneID, ...options} = {}) {
    if (operations.length === 0) throw invalid('there is no record: give at least one');
    const zone = zoneOf(zoneID);
    await this.#uploadFiles(operations.map((operation) => operation.record), zone);
    const body = given({...options, operations, zoneID: zone});
    return new Response('records', await this.#send('records/modify', body, {isChange: true}));
  }

  async #uploadFiles(records, zoneID) {
    const files = records.flatMap((record) => Object.entries(record.fields ?? {})
      .filter(([, {value}]) => list(value).some(isBlob))
      .map(([fieldName, field]) => ({record, fieldName, field})));
    for (const {record, fieldName, field} of files) {
      if (!record.recordName) record.recordName = randomName();
      const values = [];
      for (const value of list(field.value)) {
        values.push(isBlob(value) ? await this.uploadAsset({...record, fieldName, file: value, zoneID}) : value);
      }
      record.fields[fieldName] = Array.isArray(field.value) ? {...field, type: 'ASSETID_LIST', value: values}
        : {...field, type: 'ASSETID', value: values[0]};
    }
  }

  /** Uploads a file for a field, and returns the field's value. */
  async uploadAsset({recordName, recordType, fieldName, file, zoneID}) {
    const tokens = [given({recordName, recordType, fieldName})];
    const answer = new Response('tokens', await this.#send('assets/upload', given({tokens, zoneID: zoneOf(zoneID)})));
    if (answer.hasErrors) throw answer.errors[0];
    return (await this.container.post(answer.tokens[0].url, file)).singleFile;
  }

  /** The files of records' fields, as values for fields of other records. */
  async rereferenceAssets(assets) { return this.#items('assets/rereference', 'assets', {assets: list(assets)}); }

  // Zones

  #zones(operationType, zones) {
    const operations = list(zones).map((zone) => ({operationType, zone: {zoneID: zoneOf(zone)}}));
    return this.#items('zones/modify', 'zones', {operations});
  }
  fetchAllRecordZones() { return this.#items('zones/list', 'zones'); }
  fetchRecordZones(zones) { return this.#items('zones/lookup', 'zones', {zones: list(zones).map(zoneOf)}); }
  saveRecordZones(zones) { return this.#zones('create', zones); }
  deleteRecordZones(zones) { return this.#zones('delete', zones); }
  fetchRecordZone(zone) { return this.fetchRecordZones(zone); }
  saveRecordZone(zone) { return this.saveRecordZones(zone); }
  deleteRecordZone(zone) { return this.deleteRecordZones(zone); }

  // Changes

  /** The zones that changed after `syncToken`, or after an earlier answer. */
  fetchDatabaseChanges({syncToken, resultsLimit, request = {}} = {}) {
    const body = given({...request, syncToken, resultsLimit: resultsLimit ?? request.resultsLimit});
    return this.#items('changes/database', 'zones', body,
      {request: body, type: 'DatabaseChanges', kept: ['resultsLimit']});
  }

  /** The changed records of zones: `{zoneID, syncToken}`, or a list of these. Each zone's answer has its own token. */
  async fetchRecordZoneChanges(zones, options = {}) {
    const asked = list(zones?.zones ?? zones).map((zone) => (typeof zone === 'string' || zone.zoneName
      ? {zoneID: zoneOf(zone)}
      : given({...zone, zoneID: zoneOf(zone.zoneID), records: undefined, moreComing: undefined})));
    return this.#items('changes/zone', 'zones', {...options, zones: asked}, {type: 'RecordZoneChanges'});
  }

  /** The changed records of one zone: `{zoneID, syncToken}`, or the zone and the options after it. */
  fetchChangedRecords(zone, further) {
    const {zoneID, ...options} = zone?.zoneID ? {...zone, ...further} : {zoneID: zone, ...further};
    return this.#items('records/changes', 'records', {...options, zoneID: zoneOf(zoneID)});
  }
  async fetchChangedRecordZones({syncToken, ...options} = {}) {
    const answer = await this.#items('zones/changes', 'zones', given({...options, metaSyncToken: syncToken}));
    answer.syncToken = answer.metaSyncToken;
    return answer;
  }
  fetchChanges(options) { return this.fetchDatabaseChanges(options); }
  fetchZoneChanges(zones, options) { return this.fetchRecordZoneChanges(zones, options); }

  // Subscriptions

  #subscriptions(operationType, subscriptions) {
    const operations = list(subscriptions).map((each) => {
      const subscription = typeof each === 'string' ? {subscriptionID: each} : {...each};
      if (subscription.query) subscription.query = queryOf(subscription.query);
      if (subscription.zoneID) subscription.zoneID = zoneOf(subscription.zoneID);
      // The service asks for notificationInfo, CloudKit JS does not.
      if (operationType === 'create') subscription.notificationInfo ??= {};
      return {operationType, subscription};
    });
    return this.#items('subscriptions/modify', 'subscriptions', {operations});
  }
  fetchAllSubscriptions() { return this.#items('subscriptions/list', 'subscriptions'); }
  fetchSubscriptions(subscriptions) {
    const names = list(subscriptions).map((each) => ({subscriptionID: each.subscriptionID ?? each}));
    return this.#items('subscriptions/lookup', 'subscriptions', {subscriptions: names});
  }
  saveSubscriptions(subscriptions) { return this.#subscriptions('create', subscriptions); }
  updateSubscriptions(subscriptions) { return this.#subscriptions('update', subscriptions); }
  deleteSubscriptions(subscriptions) { return this.#subscriptions('delete', subscriptions); }
  fetchSubscription(subscription) { return this.fetchSubscriptions(subscription); }
  saveSubscription(subscription) { return this.saveSubscriptions(subscription); }
  deleteSubscription(subscription) { return this.deleteSubscriptions(subscription); }

  async shareWithUI() {
    throw new CKError({ckErrorCode: 'NOT_SUPPORTED',
      reason: 'there is no dialog for sharing: save a record of the type cloudkit.share, and send its shareURL'});
  }

  /** This database's notifications: as `container.notifications`. */
  notifications(options) {
    const scope = this.databaseScope.toLowerCase();
    return this.container.notifications({...options,
      where: ({databaseScope}) => databaseScope === undefined || databaseScope === scope});
  }

  /** The records of a query now, and each change of them: a LiveQuery. */
  liveQuery(query, options) { return new LiveQuery(this, query, options); }
}

// MARK: The feed of a device

/** The last keys of a feed's entries, to leave out repeated ones. */
class Recent {
  #keys = new Set();
  #key({notificationID, notificationType, subscriptionID, changed, recordName}) {
    return [notificationID, notificationType, subscriptionID, changed, recordName].join(' ');
  }
  has(entry) { return this.#keys.has(this.#key(entry)); }
  /** Returns true if the entry is new. */
  add(entry) {
    if (this.has(entry)) return false;
    this.#keys.add(this.#key(entry));
    if (this.#keys.size > 5000) this.#keys.delete(this.#keys.values().next().value);
    return true;
  }
}

/** Divides server-sent events; text before the end of an event waits for the rest. */
class EventReader {
  #rest = '';
  read(text) {
    const parts = (this.#rest + text).replaceAll('\r\n', '\n').split('\n\n');
    this.#rest = parts.pop();
    return parts.map((part) => Object.fromEntries(part.split('\n').filter((line) => line && line[0] !== ':')
      .map((line) => line.split(/: ?(.*)/s, 2)))).filter((event) => event.event);
  }
}

/**
 * The feed of one device of the user. Of all tabs of a browser one holds the stream (Web Locks) and posts what comes to
 * the others (BroadcastChannel). A follower gets `{entry, token}`; `{gap: true}` where entries may be missing, so that
 * it has to read what it follows again; and `{error}` at the end.
 */
class Feed {
  #container;
  #followers = new Set();
  #stop;
  #channel;
  #leader;
  #number;
  #token;
  #recent = new Recent();
  #begun;
  #deviceReady;

  constructor(container, kind) {
    this.#container = container;
    this.kind = kind;
    this.name = `${container.storageName}/${kind}`;
  }

  get #storage() { return this.#container.storage; }

  /** Registers the device if it is none, and returns its ID. */
  device() {
    this.#deviceReady ??= (async () => {
      const deviceID = await this.#container.deviceID() + (this.kind === 'live' ? '-live' : '');
      const device = {deviceID, name: `JavaScript${isPage ? `, ${location.host}` : ''}`.slice(0, 200), platform: 'web'};
      await persist(() => this.#container.request('device', 'devices/register', device), this.#stop?.signal);
      return deviceID;
    })().catch((error) => { this.#deviceReady = undefined; throw error; });
    return this.#deviceReady;
  }

  /** Calls `follower` with each message from now on; returns a function that ends this. */
  follow(follower) {
    this.#followers.add(follower);
    this.#begun ??= this.#begin();
    return () => {
      this.#followers.delete(follower);
      if (this.#followers.size === 0) this.end();
    };
  }

  /** Resolves when every later entry reaches the followers. */
  get ready() { return this.#begun ?? Promise.resolve(); }

  end(error) {
    this.#stop?.abort();
    this.#channel?.close();
    this.#stop = this.#channel = this.#begun = this.#leader = undefined;
    if (error) {
      this.#deliver({error});
      this.#followers.clear();
    }
  }

  #deliver(message) { for (const follower of [...this.#followers]) follower(message); }

  async #begin() {
    const {signal} = this.#stop = new AbortController();
    const fail = (error) => { if (!signal.aborted) this.end(error); };
    const lead = () => new Promise((resolve) => { this.#lead(signal, resolve).catch(fail).finally(resolve); });
    const {locks} = globalThis.navigator ?? {};
    if (!isPage || !locks || typeof BroadcastChannel === 'undefined') return lead();
    this.#channel = new BroadcastChannel(`fanfare ${this.name}`);
    this.#channel.onmessage = ({data}) => this.#receive(data);
    const name = `fanfare ${this.name}`;
    // The lock is free, or this tab waits for it beside the leader's messages. A page that the user leaves gives it
    // back, and asks again on return: WebKit keeps such a page without its locks, older versions keep it with them.
    let turn;
    const join = () => new Promise((ready) => {
      turn = new AbortController();
      const {signal: ended} = turn;
      const hold = () => Promise.race([this.#lead(ended, ready).catch(fail), aborted(ended)]);
      locks.request(name, {ifAvailable: true}, (lock) => {
        if (lock) return hold();
        ready();
        return locks.request(name, {signal: ended}, hold);
      }).catch((error) => { if (!ended.aborted) fail(error); }).finally(ready);
    });
    const leave = () => turn.abort();
    signal.addEventListener('abort', leave);
    addEventListener('pagehide', leave, {signal});
    addEventListener('pageshow', ({persisted}) => {
      if (!persisted) return;
      this.#begun = join();
      this.#deliver({gap: true});
    }, {signal});
    document.addEventListener('resume', () => this.#deliver({gap: true}), {signal});
    return join();
  }

  // A message of the leader's: a missing number, or a new beginning, may stand for missing entries.
  #receive(message) {
    const isNext = this.#leader === message.leader && message.number === this.#number + 1;
    if (this.#leader !== undefined && !isNext && !message.begins) this.#deliver({gap: true});
    this.#leader = message.leader;
    this.#number = message.number;
    this.#take(message);
  }

  #take({begins, entry, token, isLate}) {
    this.#token = token;
    if (begins) this.#deliver({gap: true});
    else if (entry) this.#deliver({entry, token, isLate});
  }

  /**
   * Holds the stream until the signal. First it reads the pages after the last known token, up to their end: those
   * entries are late, as followers with a token of their own read pages, too. A new device begins at the end.
   */
  async #lead(signal, begun) {
    const leader = randomName();
    const backoff = new Backoff();
    let number = 0;
    const publish = (message) => {
      this.#channel?.postMessage({...message, leader, number: number++});
      this.#take(message);
      this.#storage.set(`${this.name}/token`, message.token).catch(() => {});
    };
    let token = this.#token ?? await this.#storage.get(`${this.name}/token`);
    let isNew = token === undefined;
    let isBehind = true;
    while (!signal.aborted) {
      try {
        const deviceID = await this.device();
        if (isBehind) {
          for await (const step of this.pages(token, signal)) {
            token = step.token;
            if (!isNew && step.entry && this.#recent.add(step.entry)) publish({...step, isLate: true});
          }
          isBehind = isNew = false;
          publish({begins: true, token});
          begun();
        }
        await this.#stream(deviceID, token, signal, (entry, next) => {
          backoff.reset();
          // A repeated entry moves nothing: the place after it may be an earlier one.
          if (this.#recent.add(entry)) publish({entry, token: token = next});
        });
      } catch (error) {
        if (signal.aborted) return;
        if (['CHANGE_TOKEN_EXPIRED', 'NOT_FOUND'].includes(error.ckErrorCode)) {
          // The device was removed, or the entries after the token are gone: all that is kept, from the start.
          this.#deviceReady = token = undefined;
          isBehind = true;
        } else if (!isTemporary(error)) throw error;
        await backoff.pause(error, signal);
      }
    }
  }

  async #stream(deviceID, token, signal, receive) {
    const stop = new AbortController();
    const end = () => stop.abort();
    signal.addEventListener('abort', end);
    // The service writes a comment every 10 s: a silent connection is a dead one.
    let timer = setTimeout(end, 30_000);
    try {
      const query = {deviceID, shouldFetchPushPayload: false, ...(token && {serverChangeToken: token})};
      const {body} = await this.#container.fetch('device', 'notifications/stream', undefined,
        {query, signal: stop.signal});
      const reader = body.getReader();
      const decoder = new TextDecoder();
      const events = new EventReader();
      for (;;) {
        const {value, done} = await reader.read();
        if (done) throw new CKError({ckErrorCode: 'NETWORK_ERROR', reason: 'the stream ended'});
        clearTimeout(timer);
        timer = setTimeout(end, 30_000);
        for (const {event, data, id} of events.read(decoder.decode(value, {stream: true}))) {
          if (event === 'error') throw new CKError(decode(data));
          if (event === 'notification') receive(decode(data), id);
        }
      }
    } catch (error) {
      // What a broken connection left is no event, and no JSON.
      throw error.isCKError ? error : unreachable(error);
    } finally {
      clearTimeout(timer);
      signal.removeEventListener('abort', end);
      stop.abort();
    }
  }

  /**
   * The entries after a token, `{entry, token}`, and at last `{token}`. A token in the middle of a page is that of the
   * page with the number of entries to leave out, as the service has none for it.
   */
  async *pages(after, signal) {
    const deviceID = await this.device();
    const divided = (after ?? '').split('~');
    let [token, skip] = [divided[0] || undefined, Number(divided[1] ?? 0)];
    for (;;) {
      const body = given({deviceID, serverChangeToken: token, shouldFetchPushPayload: false});
      const page = await persist(
        () => this.#container.request('device', 'notifications/changes', body, {signal}), signal);
      const entries = page.notifications;
      for (let index = Math.min(skip, entries.length); index < entries.length; index++) {
        const isLast = index === entries.length - 1;
        yield {entry: entries[index], token: isLast ? page.serverChangeToken : `${token ?? ''}~${index + 1}`};
      }
      skip = Math.max(0, skip - entries.length);
      token = page.serverChangeToken;
      if (!page.moreComing) return yield {token};
    }
  }

  /** The entries after a token, and those that follow, each once and in order, until the signal. */
  async *entries(after, signal) {
    const messages = [];
    const recent = new Recent();
    let wake;
    const stop = this.follow((message) => { messages.push(message); wake?.(); });
    const end = () => wake?.();
    signal?.addEventListener('abort', end);
    try {
      let token = after;
      let isBehind = true;
      let hasRead = false;
      // The feed may still be before a token that came from a page. Until it delivers an entry that was read here, an
      // unknown one may be before the token, too: the pages decide.
      let isPast = after === undefined;
      let unknown;
      while (!signal?.aborted) {
        if (isBehind) {
          // The feed delivers from before the first page on: what is in both is left out once.
          await this.ready;
          isBehind = false;
          try {
            for await (const step of this.pages(token, signal)) {
              token = step.token;
              hasRead = true;
              if (step.entry && recent.add(step.entry)) yield step;
            }
          } catch (error) {
            // The device was removed meanwhile, and begins again; a token that the caller brought is the caller's.
            if (!['NOT_FOUND', 'CHANGE_TOKEN_EXPIRED'].includes(error.ckErrorCode) || !hasRead) throw error;
            this.#deviceReady = token = undefined;
            isBehind = true;
            continue;
          }
          isPast ||= unknown !== undefined && recent.has(unknown);
        }
        if (messages.length === 0) await new Promise((resolve) => { wake = resolve; });
        wake = undefined;
        for (const {entry, token: next, gap, isLate, error} of messages.splice(0)) {
          if (error) throw error;
          if (gap) isBehind = true;
          // Late entries, and those behind a gap, come with the pages.
          else if (isLate || isBehind) continue;
          else if (recent.has(entry)) isPast = true;
          else if (isPast) {
            recent.add(entry);
            yield {entry, token: token = next};
          } else {
            unknown = entry;
            isBehind = true;
          }
        }
      }
    } catch (error) {
      if (!signal?.aborted) throw error;
    } finally {
      signal?.removeEventListener('abort', end);
      stop();
    }
  }
}

// MARK: Live queries

/** Compares texts as their UTF-8 bytes do. */
function compareTexts(one, other) {
  const [left, right] = [[...one], [...other]];
  for (let index = 0; index < left.length && index < right.length; index++) {
    const difference = left[index].codePointAt(0) - right[index].codePointAt(0);
    if (difference !== 0) return difference;
  }
  return left.length - right.length;
}

function compareValues(one, other) {
  if (typeof one === 'string' && typeof other === 'string') return compareTexts(one, other);
  return one < other ? -1 : one > other ? 1 : 0;
}

const systemFields = {
  recordName: (record) => record.recordName,
  createdTimestamp: (record) => record.created?.timestamp,
  modifiedTimestamp: (record) => record.modified?.timestamp,
  createdUserRecordName: (record) => record.created?.userRecordName,
  modifiedUserRecordName: (record) => record.modified?.userRecordName,
};

/** The order of a query: records without the field come last, equals in the order of their creation. */
function orderOf(sorts) {
  return (one, other) => {
    for (const {fieldName, systemFieldName, ascending = true} of sorts) {
      const read = systemFields[systemFieldName] ?? ((record) => record.fields?.[fieldName]?.value);
      const [left, right] = [read(one) ?? null, read(other) ?? null];
      if (left === null || right === null) {
        if (left !== right) return left === null ? 1 : -1;
        continue;
      }
      const difference = compareValues(left?.recordName ?? left, right?.recordName ?? right);
      if (difference !== 0) return ascending ? difference : -difference;
    }
    const age = (one.created?.timestamp ?? 0) - (other.created?.timestamp ?? 0) ||
      compareTexts(one.recordName, other.recordName);
    return sorts[0]?.ascending === false ? -age : age;
  };
}

/** A name of a value: 106 bits, for the IDs of subscriptions. */
function nameOfValue(value) {
  const text = JSON.stringify(value, (_, member) => (typeof member === 'bigint' ? `${member}n` : isObject(member)
    ? Object.fromEntries(Object.entries(member).sort(([one], [other]) => (one < other ? -1 : 1))) : member));
  const half = (seed) => {
    let [high, low] = [0xdeadbeef ^ seed, 0x41c6ce57 ^ seed];
    for (const character of text) {
      const code = character.codePointAt(0);
      high = Math.imul(high ^ code, 2654435761);
      low = Math.imul(low ^ code, 1597334677);
    }
    high = Math.imul(high ^ (high >>> 16), 2246822507) ^ Math.imul(low ^ (low >>> 13), 3266489909);
    low = Math.imul(low ^ (low >>> 16), 2246822507) ^ Math.imul(high ^ (high >>> 13), 3266489909);
    return (4294967296 * (2097151 & low) + (high >>> 0)).toString(36);
  };
  return `${half(0)}-${half(1)}`;
}

/**
 * The records of a query now, and each change: `{type: 'result', records}` first, then `{type: 'enter' | 'update' |
 * 'leave', record, records}`. The order is: the subscription, the feed, the query. So each change is in the first
 * result or has a notification, and a notification only says which record to look up: what came twice changes nothing.
 */
class LiveQuery {
  #database;
  #query;
  #options;
  #feed;
  #listeners = new Set();
  #stop;
  #abort = new AbortController();
  #known = new Map();
  #records;
  #order;
  #dirty = new Map();
  #isStale = false;
  #draining;
  #subscriptionID;

  constructor(database, query, {zoneID, zoneWide, desiredKeys, resultsLimit} = {}) {
    this.#database = database;
    this.#query = queryOf(query);
    this.#options = given({zoneID: zoneOf(zoneID), zoneWide, desiredKeys, resultsLimit});
    const sorts = this.#query.sortBy ?? [];
    // Distances are the service's to compare: then each change asks for the whole result.
    this.#order = sorts.some((sort) => sort.relativeLocation) ? undefined : orderOf(sorts);
    /** Resolves with the first result. */
    this.ready = this.#start();
    this.ready.catch(() => {});
  }

  /** The records of the query, in its order. */
  get records() {
    this.#records ??= this.#order ? [...this.#known.values()].sort(this.#order) : [...this.#known.values()];
    return this.#records;
  }

  /** Calls `listener` with the result and each change from now on, or with `{type: 'error', error}` at the end. */
  subscribe(listener) {
    this.#listeners.add(listener);
    if (this.isReady) listener({type: 'result', records: this.records});
    if (this.error) listener({type: 'error', error: this.error});
    return () => this.#listeners.delete(listener);
  }

  async *[Symbol.asyncIterator]() {
    const changes = [];
    let wake;
    const end = this.subscribe((change) => { changes.push(change); wake?.(); });
    this.#abort.signal.addEventListener('abort', () => wake?.());
    try {
      for (;;) {
        while (changes.length > 0) {
          const change = changes.shift();
          if (change.type === 'error') throw change.error;
          yield change;
        }
        if (this.#abort.signal.aborted) return;
        await new Promise((resolve) => { wake = resolve; });
      }
    } finally {
      end();
    }
  }

  /** Ends it. Its subscription stays, as other devices of the user may use it: `forget` deletes it. */
  async close({forget = false} = {}) {
    this.#abort.abort();
    this.#stop?.();
    this.#database.container.liveQueries.delete(this);
    if (forget && this.#subscriptionID) await this.#database.deleteSubscriptions(this.#subscriptionID);
  }

  /** Resolves when the result has every change that a notification has arrived for. */
  async settled() {
    await this.ready;
    while (this.#draining) await this.#draining;
  }

  #emit(change) {
    this.#records = undefined;
    for (const listener of [...this.#listeners]) listener({...change, records: this.records});
  }

  #fail(error) {
    if (this.#abort.signal.aborted) return;
    this.error = error;
    for (const listener of [...this.#listeners]) listener({type: 'error', error});
    this.close();
  }

  async #start() {
    const {signal} = this.#abort;
    try {
      this.#database.container.liveQueries.add(this);
      this.#feed = await persist(() => this.#database.container.feed('live'), signal);
      await this.#feed.device();
      await persist(() => this.#watch(), signal);
      if (signal.aborted) return [];
      this.#stop = this.#feed.follow((message) => this.#take(message));
      await this.#feed.ready;
      await persist(() => this.#refresh(() => {}), signal);
      this.isReady = true;
      this.#emit({type: 'result'});
      this.#drain();
      return this.records;
    } catch (error) {
      this.#fail(error);
      throw error;
    }
  }

  /** Saves the subscription; saved before, it stays as it is. In the shared database it is of the whole database. */
  async #watch() {
    const {sortBy, ...query} = this.#query;
    const {zoneID, zoneWide} = this.#options;
    // A query without a zone looks into the default one.
    const zone = zoneWide ? {zoneWide: true} : {zoneID: zoneID ?? {zoneName: '_defaultZone'}};
    const condition = this.#database.isShared ? {subscriptionType: 'database'}
      : {subscriptionType: 'query', query, firesOn: ['enter', 'update', 'leave'], ...zone};
    const subscriptionID = livePrefix + nameOfValue([this.#database.databaseScope, condition]);
    const answer = await this.#database.saveSubscriptions({subscriptionID, ...condition, notificationInfo: {}});
    this.#subscriptionID = subscriptionID;
    if (!answer.hasErrors) return;
    // The same condition may have another name: an app's own subscription, or one in other words.
    const {subscriptions} = await this.#database.fetchAllSubscriptions();
    const same = subscriptions.find((each) => answer.errors[0].reason.includes(`"${each.subscriptionID}"`) ||
      answer.errors[0].reason.split(/[\s'".,;:]+/).includes(each.subscriptionID));
    if (!same) throw answer.errors[0];
    this.#subscriptionID = same.subscriptionID;
  }

  #take({entry, gap, error}) {
    if (error) return this.#fail(error);
    if (gap || entry.notificationType === 'omitted') this.#isStale = true;
    else if (entry.subscriptionID !== this.#subscriptionID) return;
    else if (entry.notificationType !== 'query' || !this.#order) this.#isStale = true;
    else this.#dirty.set(`${zoneKey(entry.zoneID)}/${entry.recordName}`, entry);
    if (this.isReady) this.#drain();
  }

  #drain() {
    this.#draining ??= this.#work().catch((error) => this.#fail(error)).finally(() => { this.#draining = undefined; });
  }

  async #work() {
    const {signal} = this.#abort;
    const emit = (change) => this.#emit(change);
    while (!signal.aborted && (this.#isStale || this.#dirty.size > 0)) {
      if (this.#isStale) await persist(() => this.#watch().then(() => this.#refresh(emit)), signal);
      else await persist(() => this.#lookUp(emit), signal);
    }
  }

  /** Queries all pages, and says what differs from the known records. */
  async #refresh(emit) {
    this.#isStale = false;
    const dirty = new Map(this.#dirty);
    this.#dirty.clear();
    try {
      const found = new Map();
      for (let page; page === undefined || page.moreComing;) {
        page = await this.#database.performQuery(page ?? this.#query, page ? {} : this.#options);
        for (const record of page.records) found.set(`${zoneKey(record.zoneID)}/${record.recordName}`, record);
      }
      if (this.#abort.signal.aborted) return;
      const before = this.#known;
      this.#known = found;
      for (const [key, record] of before) if (!found.has(key)) emit({type: 'leave', record});
      for (const [key, record] of found) {
        const known = before.get(key);
        if (known?.recordChangeTag !== record.recordChangeTag) emit({type: known ? 'update' : 'enter', record});
      }
    } catch (error) {
      this.#isStale = true;
      for (const [key, entry] of dirty) this.#dirty.set(key, entry);
      throw error;
    }
  }

  /** Asks for the records with notifications, by the query and their names: one that is not found is none of it. */
  async #lookUp(emit) {
    const [, first] = this.#dirty.entries().next().value;
    const asked = [...this.#dirty].filter(([, entry]) => zoneKey(entry.zoneID) === zoneKey(first.zoneID)).slice(0, 100);
    for (const [key] of asked) this.#dirty.delete(key);
    try {
      const names = asked.map(([, entry]) => entry.recordName);
      const filter = {systemFieldName: 'recordName', comparator: 'IN', fieldValue: {type: 'STRING_LIST', value: names}};
      const query = {...this.#query, sortBy: undefined, filterBy: [...(this.#query.filterBy ?? []), filter]};
      const found = new Map();
      for (let page; page === undefined || page.moreComing;) {
        page = await this.#database.performQuery(page ?? query,
          page ? {} : given({desiredKeys: this.#options.desiredKeys, zoneID: first.zoneID}));
        for (const record of page.records) found.set(record.recordName, record);
      }
      if (this.#abort.signal.aborted) return;
      for (const [key, entry] of asked) this.#apply(key, found.get(entry.recordName), emit);
    } catch (error) {
      for (const [key, entry] of asked) if (!this.#dirty.has(key)) this.#dirty.set(key, entry);
      throw error;
    }
  }

  #apply(key, record, emit) {
    const known = this.#known.get(key);
    if (record === undefined) {
      this.#known.delete(key);
      if (known) emit({type: 'leave', record: known});
    } else if (known?.recordChangeTag !== record.recordChangeTag) {
      this.#known.set(key, record);
      emit({type: known ? 'update' : 'enter', record});
    }
  }
}

// MARK: The offline queue

/**
 * Changes that are kept in the storage before they are sent, in order for each record. The one that the service refuses
 * because of another change goes to `onConflict`; another refusal goes to `onError`. Neither is lost: without an answer
 * of the app the change stays in `failed`.
 */
class OfflineQueue {
  #container;
  #onConflict;
  #onError;
  #listeners = new Set();
  #abort = new AbortController();
  #running;
  #again = false;
  #last = 0;
  #backoff = new Backoff();
  #retry;
  #saved = new Map();

  constructor(container, {onConflict = () => {}, onError} = {}) {
    this.#container = container;
    this.#onConflict = onConflict;
    this.#onError = onError;
    globalThis.addEventListener?.('online', () => {
      this.#backoff.reset();
      this.#kick();
    }, {signal: this.#abort.signal});
    // WebKit keeps a page that the user leaves without its locks: a wait for one has failed on return.
    globalThis.addEventListener?.('pageshow', async ({persisted}) => {
      if (!persisted) return;
      await this.#running;
      this.#kick();
    }, {signal: this.#abort.signal});
    this.#kick();
  }

  get #prefix() { return `${this.#container.storageName}/queue/`; }
  get #storage() { return this.#container.storage; }

  /** Keeps a change of a record: resolves with it when it is stored. A new record gets its name here. */
  save(database, record, {zoneID} = {}) {
    const {recordName = randomName(), ...rest} = recordOf(record);
    return this.#add(database, {kind: 'save', record: {recordName, ...rest}, zoneID: zoneOf(zoneID ?? record.zoneID)});
  }

  delete(database, record, {zoneID} = {}) {
    return this.#add(database, {kind: 'delete', record: nameOf(record), zoneID: zoneOf(zoneID ?? record.zoneID)});
  }

  async #add(database, change) {
    if (!this.#container.userRecordName) {
      throw new CKError(
        {ckErrorCode: 'AUTHENTICATION_REQUIRED', reason: 'a queue is of a user: await setUpAuth first'});
    }
    // Names in the order of time, also of two changes in one millisecond.
    this.#last = Math.max(Date.now(), this.#last + 0.001);
    const id = `${this.#last.toFixed(3).padStart(17, '0')}-${randomName().slice(0, 8)}`;
    const entry = {id, scope: database.databaseScope, ...change};
    await this.#storage.set(this.#prefix + id, entry);
    this.#tell();
    this.#kick();
    return entry;
  }

  /** The kept changes, the oldest first; those that were refused have `error`. */
  async pending() {
    const keys = await this.#storage.keys(this.#prefix);
    return (await Promise.all(keys.map((key) => this.#storage.get(key)))).filter(Boolean);
  }

  async failed() { return (await this.pending()).filter((entry) => entry.error); }

  /** Sends a refused change again. */
  async retry({id}) {
    const entry = await this.#storage.get(this.#prefix + id);
    if (entry) await this.#storage.set(this.#prefix + id, given({...entry, error: undefined}));
    this.#kick();
  }

  async discard({id}) {
    await this.#storage.delete(this.#prefix + id);
    this.#tell();
  }

  /** Calls `listener` when the kept changes are others. */
  subscribe(listener) {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  /** Sends what can be sent now; resolves when nothing is left to send, or the rest has to wait. */
  async flush() {
    this.#kick();
    while (this.#running) await this.#running;
  }

  close() { this.#abort.abort(); }

  #tell() { for (const listener of [...this.#listeners]) listener(); }

  #kick() {
    if (this.#abort.signal.aborted) return;
    this.#again = true;
    this.#running ??= this.#run().catch(() => {}).finally(() => { this.#running = undefined; });
  }

  // One tab sends at a time.
  async #run() {
    const {locks} = globalThis.navigator ?? {};
    const work = async () => {
      while (this.#again && !this.#abort.signal.aborted) {
        this.#again = false;
        try {
          await this.#sendAll();
          this.#backoff.reset();
        } catch (error) {
          if (!isTemporary(error)) throw error;
          // The next attempt comes by itself, after `flush` has returned.
          this.#retry ??= this.#backoff.pause(error, this.#abort.signal).then(() => {
            this.#retry = undefined;
            this.#kick();
          });
          return;
        }
      }
    };
    if (isPage && locks) await locks.request(`fanfare ${this.#prefix}`, {signal: this.#abort.signal}, work);
    else await work();
  }

  async #sendAll() {
    if (!this.#container.userRecordName) return;
    // Changes of one record that follow each other are one; a refused one holds those after it.
    const groups = new Map();
    for (const entry of await this.pending()) {
      const key = recordKey(entry);
      groups.set(key, [...(groups.get(key) ?? []), entry]);
    }
    for (const entries of groups.values()) {
      if (!entries.some((entry) => entry.error)) await this.#sendRecord(entries);
    }
  }

  async #sendRecord(entries) {
    const database = this.#container.getDatabaseWithDatabaseScope(entries[0].scope);
    const {zoneID} = entries[0];
    const last = entries.at(-1);
    let tag = entries.find((entry) => entry.record.recordChangeTag)?.record.recordChangeTag;
    // A record that an app got before this queue changed it has the tag from before.
    const saved = this.#saved.get(recordKey(last));
    if (saved && (tag === undefined || saved.before.has(tag))) tag = saved.tag;
    const merged = (some) => some.filter((entry) => entry.kind === 'save').reduce((whole, {record: next}) =>
      ({...whole, ...next, fields: {...whole.fields, ...next.fields}}), {});
    let record = last.kind === 'delete' ? last.record : merged(entries);
    let isForced = false;
    let wasHeld = false;
    for (;;) {
      const isNew = entries[0].kind === 'save' && tag === undefined;
      const operationType = last.kind === 'delete' ? (tag && !isForced ? 'delete' : 'forceDelete')
        : isNew ? 'create' : 'update';
      const sent = given({...structuredCopy(record), recordChangeTag: tag});
      try {
        const answer = await database.modifyRecords([{operationType, record: sent}], {zoneID});
        if (answer.hasErrors) throw answer.errors[0];
        this.#remember(last, tag, answer.records[0]);
        return await this.#done(entries, answer.records[0]);
      } catch (error) {
        if (isTemporary(error) || needsUser(error)) throw error;
        const theirs = ['CONFLICT', 'EXISTS', 'NOT_FOUND'].includes(error.ckErrorCode)
          ? await this.#theirs(database, record, zoneID) : undefined;
        if (last.kind === 'delete' && error.ckErrorCode === 'NOT_FOUND') return this.#done(entries);
        // An answer that was lost: some of the changes, or all, are there already.
        let count = theirs && !wasHeld ? entries.length : 0;
        const isThere = () => entries[count - 1].kind === 'save' && holds(theirs, merged(entries.slice(0, count)));
        while (count > 0 && !isThere()) count--;
        if (count === entries.length) return this.#done(entries, theirs);
        if (count > 0) {
          wasHeld = true;
          tag = theirs.recordChangeTag;
          if (last.kind === 'save') record = {...merged(entries.slice(count)), recordName: record.recordName};
          continue;
        }
        if (['CONFLICT', 'EXISTS', 'NOT_FOUND'].includes(error.ckErrorCode)) {
          const conflict = {mine: record, theirs, kind: last.kind, database, zoneID, error};
          const decided = await Promise.resolve(conflict).then(this.#onConflict).catch((fault) => fault);
          if (decided instanceof Error) return this.#refused(entries, record, decided);
          if (decided === 'theirs') return this.#done(entries, theirs);
          if (decided === 'mine' || isObject(decided)) {
            if (isObject(decided)) record = recordOf({...decided, recordName: record.recordName});
            tag = theirs?.recordChangeTag;
            isForced = last.kind === 'delete';
            continue;
          }
        }
        return this.#refused(entries, record, error);
      }
    }
  }

  #remember(entry, tag, {recordChangeTag}) {
    const before = this.#saved.get(recordKey(entry))?.before ?? new Set();
    if (!recordChangeTag) return this.#saved.delete(recordKey(entry));
    if (tag) before.add(tag);
    this.#saved.set(recordKey(entry), {before, tag: recordChangeTag});
  }

  async #theirs(database, {recordName}, zoneID) {
    const {records, errors} = await database.fetchRecords(recordName, {zoneID});
    if (errors.length > 0 && errors[0].ckErrorCode !== 'NOT_FOUND') throw errors[0];
    return records[0];
  }

  async #refused(entries, record, error) {
    const {ckErrorCode = 'CONFLICT', reason = error.message} = error;
    for (const entry of entries) {
      await this.#storage.set(this.#prefix + entry.id, {...entry, error: {ckErrorCode, reason}});
    }
    this.#tell();
    await this.#onError?.({entries, record, error});
  }

  /** Removes sent changes; those that came meanwhile have the new change tag. */
  async #done(entries, record) {
    const sent = new Set(entries.map((entry) => entry.id));
    for (const later of await this.pending()) {
      if (sent.has(later.id) || recordKey(later) !== recordKey(entries[0]) || !record?.recordChangeTag) continue;
      later.record.recordChangeTag = record.recordChangeTag;
      await this.#storage.set(this.#prefix + later.id, later);
      this.#again = true;
    }
    for (const id of sent) await this.#storage.delete(this.#prefix + id);
    this.#tell();
  }
}

const recordKey = ({scope, zoneID, record}) => `${scope}/${zoneKey(zoneID)}/${record.recordName}`;

/** A copy of a record whose files stay files. */
const structuredCopy = (record) => (record.fields ? {...record, fields: {...record.fields}} : {...record});

/** Returns true if a stored record has all that a change sets. */
function holds(stored, {fields = {}}) {
  return Object.entries(fields).every(([name, {value}]) => {
    const kept = stored.fields?.[name]?.value ?? null;
    return encode(kept) === encode(value ?? null) || (isObject(value) && value.recordName !== undefined &&
      kept?.recordName === value.recordName);
  });
}

// MARK: Containers

let serviceURL;
/** The service that this file came from, by its address; a copy of the file elsewhere needs `url` in `configure`. */
function locate(address) {
  serviceURL = /^(https?:.*)\/fanfare\/(?:[^/]+\/)?(?:fanfare|cloudkit)\.js(?:[?#].*)?$/.exec(address ?? '')?.[1];
}

/** An app's container: sign-in, databases, users, shares, notifications, the offline queue. */
class Container {
  #configuration;
  #services;
  #tokens;
  #feeds = new Map();
  #session = 0;
  #device;
  #buttons = {};
  #direction;
  #popup;
  #waiting = {in: [], out: []};
  #listeners = new Map();
  #stopListening;
  #queue;
  #redirectURL;
  #messages;

  constructor(configuration, services = {}) {
    const {containerIdentifier, environment = 'development', apiToken, auth, serverToServerKeyAuth} = configuration;
    // In CloudKit JS 1 the token was beside the container's name.
    const apiTokenAuth = configuration.apiTokenAuth ?? (apiToken && {...auth, apiToken});
    if (!containerIdentifier) throw invalid('a container has a containerIdentifier');
    if (!apiTokenAuth?.apiToken && !serverToServerKeyAuth) {
      throw invalid('a container has apiTokenAuth with an apiToken, or serverToServerKeyAuth');
    }
    this.#configuration = {...configuration, apiTokenAuth};
    this.#services = services;
    this.containerIdentifier = containerIdentifier;
    this.environment = environment.toLowerCase();
    this.apnsEnvironment = configuration.apnsEnvironment ?? this.environment;
    this.url = (configuration.url ?? services.url ?? serviceURL ?? '').replace(/\/$/, '');
    if (!this.url) throw invalid('fanfare.js did not come from a service: configure needs url, the address of yours');
    this.#tokens = services.authTokenStore ?? new TokenStore(apiTokenAuth?.persist);
    this.storage = services.storage ?? (typeof indexedDB === 'undefined' ? new MemoryStorage() : new BrowserStorage());
    this.publicCloudDatabase = new Database(this, 'PUBLIC');
    this.privateCloudDatabase = new Database(this, 'PRIVATE');
    this.sharedCloudDatabase = new Database(this, 'SHARED');
    this.isRegisteredForNotifications = false;
    this.liveQueries = new Set();
  }

  toString() { return `[Container ${this.containerIdentifier} ${this.environment}]`; }

  getDatabaseWithDatabaseScope(scope) {
    if (!scopes.includes(scope)) throw invalid(`databaseScope is ${scopes.join(', ')}, not ${scope}`);
    return this[`${scope.toLowerCase()}CloudDatabase`];
  }

  get #tokenName() { return `${this.containerIdentifier}/${this.environment}`; }
  /** The names of values of this user in the storage begin with it. */
  get storageName() { return `${this.#tokenName}/${this.userRecordName ?? '-'}`; }

  // Requests

  /** Sends a request of a family, and returns the JSON of the answer. */
  async request(family, path, body, options) {
    const response = await this.fetch(family, path, body, options);
    const text = await response.text().catch((error) => { throw unreachable(error); });
    try {
      return decode(text);
    } catch {
      throw new CKError({ckErrorCode: 'UNEXPECTED_SERVER_RESPONSE', reason: `the answer to ${path} is no JSON`});
    }
  }

  /** Sends a request, and returns the answer with its body unread. */
  async fetch(family, path, body, {query = {}, method, signal, isChange = false} = {}) {
    const search = {...query};
    if (isChange && this.userRecordName) {
      search.clientId ??= this.#configuration.deviceID ?? await this.storage.get(`${this.storageName}/device`);
    }
    const scope = `${encodeURIComponent(this.containerIdentifier)}/${this.environment}`;
    const items = String(new URLSearchParams(given(search)));
    const address = `/${family}/1/${scope}/${path}${items && `?${items}`}`;
    const session = this.#session;
    const text = body === undefined ? undefined : encode(body);
    const {headers, token} = await this.#credentials(address, text);
    const response = await this.#fetch(this.url + address,
      {method: method ?? (body === undefined ? 'GET' : 'POST'), headers, body: text, signal, cache: 'no-store'});
    if (!response.ok) await this.#refuse(response, token, session);
    const fresh = response.headers.get('X-Apple-CloudKit-Web-Auth-Token');
    // The answer to a request of an earlier session renews nothing.
    if (fresh && token && session === this.#session) await this.#tokens.putToken(this.#tokenName, fresh);
    return response;
  }

  #fetch(address, options) {
    return (this.#services.fetch ?? globalThis.fetch)(address, options).catch((error) => {
      if (options.signal?.aborted) throw error;
      throw unreachable(error);
    });
  }

  async #refuse(response, token, session) {
    const answer = await response.text().then(decode).catch(() => undefined);
    const error = new CKError(answer?.serverErrorCode ? answer : {ckErrorCode: 'UNEXPECTED_SERVER_RESPONSE',
      reason: `the service, or a proxy before it, answered with the status ${response.status}`});
    if (error.redirectURL) this.#redirectURL = error.redirectURL;
    if (token && needsUser(error) && session === this.#session) await this.#signedOut(error);
    throw error;
  }

  async #credentials(address, text) {
    const {apiTokenAuth, serverToServerKeyAuth} = this.#configuration;
    if (serverToServerKeyAuth) return {headers: await this.#signed(serverToServerKeyAuth, address, text)};
    const token = await this.#tokens.getToken(this.#tokenName);
    const headers = {'X-Apple-CloudKit-API-Token': apiTokenAuth.apiToken};
    if (text !== undefined) headers['Content-Type'] = 'text/plain';
    if (token) headers.Authorization = `Bearer ${token}`;
    return {headers, token};
  }

  /** The headers of a signed request, in Node.js. */
  async #signed({keyID, privateKey, privateKeyFile}, address, text = '') {
    const {createHash, createPrivateKey, sign} = await import('node:crypto');
    const key = createPrivateKey(privateKey ?? await (await import('node:fs/promises')).readFile(privateKeyFile));
    const date = new Date().toISOString().replace(/\.\d+/, '');
    const signed = `${date}:${createHash('sha256').update(text).digest('base64')}:${address}`;
    return {'X-Apple-CloudKit-Request-KeyID': keyID, 'X-Apple-CloudKit-Request-ISO8601Date': date,
      'X-Apple-CloudKit-Request-SignatureV1': sign('sha256', Buffer.from(signed), key).toString('base64')};
  }

  /** Posts a file to an address that the service made. */
  async post(address, file) {
    const response = await this.#fetch(address, {method: 'POST', body: file});
    if (!response.ok) await this.#refuse(response);
    return decode(await response.text());
  }

  // Sign-in

  /**
   * Resolves with the signed-in user, or null. On a page it also puts a button into the elements of the configuration:
   * one that opens the service's sign-in page, or one that signs out.
   */
  async setUpAuth() {
    try {
      const user = await this.#fetchUser();
      this.#showButton('out');
      return user;
    } catch (error) {
      if (error.ckErrorCode === 'NETWORK_ERROR' && await this.#rememberedUser()) return this.#rememberedUser();
      if (!needsUser(error)) throw error;
      // Without the token that ended, the service says where users sign in.
      if (!this.#redirectURL) await this.#fetchUser().catch((again) => { if (!needsUser(again)) throw again; });
      this.#showButton('in');
      return null;
    }
  }

  async #fetchUser() {
    const user = await this.request('database', 'public/users/caller');
    this.userRecordName = user.userRecordName;
    await this.storage.set(`${this.#tokenName}/user`, user);
    this.#queue?.flush();
    return user;
  }

  /** The user of the kept token, where the service cannot be asked: an app that starts offline goes on. */
  async #rememberedUser() {
    const user = await this.#tokens.getToken(this.#tokenName) && await this.storage.get(`${this.#tokenName}/user`);
    if (user) this.userRecordName = user.userRecordName;
    return user;
  }

  fetchCurrentUserIdentity() { return this.#fetchUser(); }

  /** Resolves with the user at the next sign-in. */
  whenUserSignsIn() { return new Promise((resolve, reject) => this.#waiting.in.push({resolve, reject})); }
  /** Resolves at the next sign-out, or when the session ends. */
  whenUserSignsOut() { return new Promise((resolve) => this.#waiting.out.push(resolve)); }

  /** Signs in with an ID token of the service's provider (`idToken`), or in development by name (`user`). */
  async signIn(credentials) {
    const {ckWebAuthToken} = await this.request('auth', 'signin', credentials);
    return this.#signedIn(ckWebAuthToken);
  }

  async #signedIn(token) {
    this.#end();
    this.#session += 1;
    await this.#tokens.putToken(this.#tokenName, token);
    const user = await this.#fetchUser();
    this.#showButton('out');
    for (const {resolve} of this.#waiting.in.splice(0)) resolve(user);
    return user;
  }

  async signOut(options = {}) {
    this.#end();
    await this.request('auth', 'signout', options).catch((error) => { if (!needsUser(error)) throw error; });
    await this.#signedOut();
  }

  async #signedOut(error) {
    this.#session += 1;
    this.#end(error);
    await this.#tokens.putToken(this.#tokenName, null);
    await this.storage.delete(`${this.#tokenName}/user`);
    if (!this.userRecordName) return;
    this.userRecordName = undefined;
    this.#showButton('in');
    for (const resolve of this.#waiting.out.splice(0)) resolve();
  }

  // The feeds are a user's.
  #end(error = new CKError({ckErrorCode: 'AUTHENTICATION_REQUIRED', reason: 'the user signed out'})) {
    for (const feed of this.#feeds.values()) feed.end(error);
    this.#feeds.clear();
    this.#device = this.#stopListening = undefined;
    this.isRegisteredForNotifications = false;
  }

  #showButton(direction) {
    if (!isPage) return;
    // Scripts of a page that is still loading may make the buttons' places later.
    if (document.readyState === 'loading' || document.readyState === 'interactive') {
      if (!this.#direction) addEventListener('load', () => this.#showButton(this.#direction), {once: true});
      this.#direction = direction;
    }
    const {signInButton, signOutButton} = this.#configuration.apiTokenAuth ?? {};
    for (const [name, id] of [['in', signInButton?.id ?? 'apple-sign-in-button'],
      ['out', signOutButton?.id ?? 'apple-sign-out-button']]) {
      const place = document.getElementById(id);
      if (!place) continue;
      this.#buttons[name] ??= Object.assign(document.createElement('button'), {type: 'button',
        textContent: name === 'in' ? signInButton?.text ?? 'Sign in' : signOutButton?.text ?? 'Sign out',
        onclick: () => (name === 'in' ? this.openSignIn() : this.signOut())});
      if (name === direction) place.replaceChildren(this.#buttons[name]); else this.#buttons[name].remove();
    }
  }

  /** Opens the service's sign-in page in a window: in a handler of a click, or the browser blocks it. */
  openSignIn() {
    if (!this.#redirectURL) {
      throw new CKError({ckErrorCode: 'SIGN_IN_FAILED',
        reason: 'the service has no sign-in page, or setUpAuth was not awaited'});
    }
    this.#messages ??= addEventListener('message', ({origin, source, data}) => {
      if (origin !== new URL(this.#redirectURL).origin || source !== this.#popup || !data?.ckWebAuthToken) return;
      this.#signedIn(data.ckWebAuthToken)
        .catch((error) => { for (const {reject} of this.#waiting.in.splice(0)) reject(error); });
    }) ?? true;
    this.#popup = open(this.#redirectURL, 'fanfare-sign-in', 'popup,width=480,height=640');
  }

  // Users

  async #users(path, body) {
    return new Response('users', await this.request('database', `public/users/${path}`, body));
  }
  /** Finds users by `{emailAddress}` or `{userRecordName}`. */
  discoverUserIdentities(lookupInfos) { return this.#users('discover', {lookupInfos: list(lookupInfos)}); }
  discoverAllUserIdentities() { return this.#users('discover'); }
  discoverUserIdentityWithEmailAddress(emailAddress) { return this.discoverUserIdentities({emailAddress}); }
  discoverUserIdentityWithPhoneNumber(phoneNumber) { return this.discoverUserIdentities({phoneNumber}); }
  discoverUserIdentityWithUserRecordName(userRecordName) { return this.discoverUserIdentities({userRecordName}); }
  // The names of CloudKit JS 1.
  fetchUserInfo() { return this.#fetchUser(); }
  discoverAllContactUserInfos() { return this.discoverAllUserIdentities(); }
  discoverUserInfoWithEmailAddress(emailAddress) { return this.#users('lookup/email', {users: [{emailAddress}]}); }
  discoverUserInfoWithUserRecordName(userRecordName) { return this.#users('lookup/id', {users: [{userRecordName}]}); }
  /** Lets other users find this one, or not any more. */
  setDiscoverable(isDiscoverable) { return this.request('database', 'public/users/discoverable', {isDiscoverable}); }

  // Shares

  async #shares(path, shortGUIDs) {
    const asked = list(shortGUIDs).map((each) => (typeof each === 'string' ? {value: each} : each));
    return new Response('results', await this.request('database', `public/records/${path}`, {shortGUIDs: asked}));
  }
  fetchRecordInfos(shortGUIDs) { return this.#shares('resolve', shortGUIDs); }
  acceptShares(shortGUIDs) { return this.#shares('accept', shortGUIDs); }

  // Notifications

  /** The user's feed of a kind: 'device', without what the device changed itself, or 'live', with that. */
  async feed(kind) {
    await this.deviceID();
    if (!this.#feeds.has(kind)) this.#feeds.set(kind, new Feed(this, kind));
    return this.#feeds.get(kind);
  }

  /** The ID of this browser's device for the user: kept in the storage, or the configuration's. */
  deviceID() {
    this.#device ??= (async () => {
      if (!this.userRecordName) await this.#fetchUser();
      const key = `${this.storageName}/device`;
      const found = this.#configuration.deviceID ?? await this.storage.get(key) ?? `js-${randomName()}`;
      await this.storage.set(key, found);
      return found;
    })().catch((error) => { this.#device = undefined; throw error; });
    return this.#device;
  }

  async #registered() { return (await this.feed('device')).device(); }

  /** Registers this browser as a device, and begins to call the listeners. Resolves with the container. */
  async registerForNotifications() {
    const feed = await this.feed('device');
    await feed.device();
    const recent = new Recent();
    this.#stopListening ??= feed.follow(({entry}) => {
      if (!entry || !recent.add(entry)) return;
      if (entry.notificationType === 'readNotification') this.#withdraw([entry.notificationID]);
      if (entry.subscriptionID?.startsWith(livePrefix)) return;
      const notification = this.#notification(entry);
      for (const listener of this.#listeners.keys()) listener(notification);
    });
    await feed.ready;
    this.isRegisteredForNotifications = true;
    return this;
  }

  /** Removes the device: its feed and its address of pushes. */
  async unregisterForNotifications() {
    const deviceID = await this.deviceID();
    this.#stopListening?.();
    this.#feeds.get('device')?.end(new CKError({ckErrorCode: 'NOT_FOUND', reason: 'the device was unregistered'}));
    this.#feeds.delete('device');
    this.#stopListening = undefined;
    this.isRegisteredForNotifications = false;
    await this.request('device', 'devices/unregister', {deviceID});
    for (const name of ['device', 'device/token']) await this.storage.delete(`${this.storageName}/${name}`);
    this.#device = undefined;
    return this;
  }

  addNotificationListener(listener) { this.#listeners.set(listener, true); }
  removeNotificationListener(listener) { this.#listeners.delete(listener); }

  /**
   * The notifications after a token, each once and in order, without end: each has `serverChangeToken`, the token after
   * it. Without `after` they begin with the first one that is kept. `signal` ends it.
   */
  async *notifications({after, signal, where = () => true} = {}) {
    const feed = await this.feed('device');
    for await (const {entry, token} of feed.entries(after, signal)) {
      if (entry.subscriptionID?.startsWith(livePrefix) || !where(entry)) continue;
      yield this.#notification({...entry, serverChangeToken: token});
    }
  }

  #notification(entry) {
    const type = notificationTypes[entry.notificationType] ?? Notification;
    return new type({...entry, containerIdentifier: this.containerIdentifier});
  }

  /** Marks notifications as read on all devices of the user, and closes those that this browser shows. */
  async markNotificationsRead(notificationIDs) {
    const body = {deviceID: await this.#registered(), notificationIDs: list(notificationIDs)};
    const answer = await this.request('device', 'notifications/markRead', body);
    await this.#withdraw(body.notificationIDs);
    return new Response('notifications', answer);
  }

  async #withdraw(ids) {
    const registration = await globalThis.navigator?.serviceWorker?.getRegistration();
    registration?.active?.postMessage({type: 'fanfare.read', ids});
  }

  async fetchBadge() {
    const query = {deviceID: await this.#registered()};
    return (await this.request('device', 'badge/current', undefined, {query})).badgeValue;
  }
  async setBadge(badgeValue) {
    await this.request('device', 'badge/modify', {deviceID: await this.#registered(), badgeValue});
  }

  /** Has pushes sent to this browser: `registration` is the app's service worker. In a handler of a click. */
  async subscribeToPush(registration, {contents, silent} = {}) {
    const deviceID = await this.#registered();
    const {applicationServerKey} = await this.request('device', 'push/keys');
    const options = {userVisibleOnly: true, applicationServerKey};
    const {pushManager} = registration;
    const subscription = await pushManager.subscribe(options).catch(async (error) => {
      // The service has another key than when the browser subscribed.
      if (error.name !== 'InvalidStateError') throw error;
      await (await pushManager.getSubscription())?.unsubscribe();
      return pushManager.subscribe(options);
    });
    const address = given({...subscription.toJSON(), silent});
    return this.request('device', 'devices/push', given({deviceID, webPush: address, contents}));
  }

  /**
   * Chooses the delivery policies of this browser's device, in place of those of subscriptions: `deliveryPolicy` for
   * all of them, `subscriptions` for single ones. Without either, theirs hold again. Quiet hours are by the browser's
   * clock: call it once a year.
   */
  async setDeliveryPolicies({deliveryPolicy, subscriptions} = {}) {
    const body = {deviceID: await this.#registered(), clock: clockOffsets(), deliveryPolicy, subscriptions};
    return this.request('device', 'devices/policies', given(body));
  }

  async fetchDeliveryPolicies() {
    return this.request('device', 'devices/policies', undefined, {query: {deviceID: await this.#registered()}});
  }

  async unsubscribeFromPush(registration) {
    await this.request('device', 'devices/push/remove', {deviceID: await this.deviceID(), kind: 'webPush'});
    await (await registration.pushManager.getSubscription())?.unsubscribe();
  }

  /** Ends feeds, live queries and the queue, so that a program can end. */
  close() {
    for (const live of [...this.liveQueries]) live.close();
    this.#queue?.close();
    this.#end(new CKError({ckErrorCode: 'CLOSED', reason: 'the container was closed'}));
  }

  /** The queue of changes that are kept until they are sent. The options of the first call hold. */
  offlineQueue(options) {
    this.#queue ??= new OfflineQueue(this, options);
    return this.#queue;
  }
}

/** The changes of a clock that the service takes at most. */
const clockOffsetsMax = 20;

/** The distance from UTC of this browser's clock, and its changes in the next two years. */
function clockOffsets() {
  const [day, now] = [86_400_000, Date.now()];
  const minutes = (time) => -new Date(time).getTimezoneOffset();
  const offsets = [{from: 0, utcOffsetMinutes: minutes(now)}];
  for (let time = now; time < now + 730 * day && offsets.length < clockOffsetsMax; time += day) {
    if (minutes(time + day) === minutes(time)) continue;
    let [before, after] = [time, time + day];
    while (after - before > 1) {
      const middle = Math.floor((before + after) / 2);
      if (minutes(middle) === minutes(time)) before = middle; else after = middle;
    }
    offsets.push({from: after, utcOffsetMinutes: minutes(after)});
  }
  return offsets;
}

// MARK: The namespace

let containers = [];

/** Configures the containers: CloudKit JS's dictionary, with `url`, the address of the service, where it is needed. */
function configure({containers: configurations, services = {}}) {
  containers = list(configurations).map((configuration) => new Container(configuration, services));
  if (containers.length === 0) throw invalid('there is no container: configure needs one');
  return CloudKit;
}

/** The first container of the configuration. */
function getDefaultContainer() {
  if (containers.length === 0) throw new CKError({ckErrorCode: 'CONFIGURATION_ERROR', reason: 'call configure first'});
  return containers[0];
}

const getAllContainers = () => [...containers];
const getContainer = (name) => containers.find(({containerIdentifier}) => containerIdentifier === name);

const CloudKit = {
  configure, getDefaultContainer, getAllContainers, getContainer, CKError, Container, Database, LiveQuery,
  MemoryStorage, Notification, OfflineQueue, Promise, QueryNotification, RecordsBatchBuilder, RecordZoneNotification,
  Response,
  VERSION: version, BUILD_VERSION: version,
  DEVELOPMENT_ENVIRONMENT: 'development', PRODUCTION_ENVIRONMENT: 'production', WS_API_VERSION: '1',
  CLOUDKIT_LOADED: 'cloudkitloaded',
  AppleIDButtonTheme: words('BLACK', 'WHITE', 'WHITE_WITH_OUTLINE'),
  DatabaseScope: words(...scopes),
  ReferenceAction: words('NONE', 'DELETE_SELF', 'VALIDATE'),
  SubscriptionType: {QUERY: 'query', RECORD_ZONE: 'zone', DATABASE: 'database'},
  ShareParticipantAcceptanceStatus: {...words('INVITED', 'ACCEPTED', 'REMOVED', 'UNKNOWN'), PENDING: 'INVITED'},
  ShareParticipantPermission: words('NONE', 'READ_ONLY', 'READ_WRITE', 'UNKNOWN'),
  ShareParticipantType: {...words('OWNER', 'ADMINISTRATOR', 'USER', 'PUBLIC_USER', 'UNKNOWN'), PRIVATE_USER: 'USER'},
  ShareRecordType: {SHARE: 'cloudkit.share', NAME: 'cloudkit.share', TITLE_FIELD_NAME: 'cloudkit.title',
    TYPE_FIELD_NAME: 'cloudkit.type', THUMBNAIL_IMAGE_DATA_FIELD_NAME: 'cloudkit.thumbnailImageData'},
  QueryFilterComparator: words('EQUALS', 'NOT_EQUALS', 'LESS_THAN', 'LESS_THAN_OR_EQUALS', 'GREATER_THAN',
    'GREATER_THAN_OR_EQUALS', 'NEAR', 'CONTAINS_ALL_TOKENS', 'CONTAINS_ANY_TOKENS', 'IN', 'NOT_IN', 'BEGINS_WITH',
    'NOT_BEGINS_WITH', 'LIST_CONTAINS', 'NOT_LIST_CONTAINS', 'LIST_CONTAINS_ANY', 'LIST_CONTAINS_ALL',
    'LIST_MEMBER_BEGINS_WITH', 'NOT_LIST_CONTAINS_ANY', 'NOT_LIST_CONTAINS_ALL', 'NOT_LIST_MEMBER_BEGINS_WITH'),
};

if (isPage) {
  window.CloudKit = CloudKit;
  // As CloudKit JS does, for scripts that load before it.
  setTimeout(() => window.dispatchEvent(new Event(CloudKit.CLOUDKIT_LOADED)));
}

// MARK: Exports of the module, which /fanfare/cloudkit.js lacks

export default CloudKit;
export {
  configure, getDefaultContainer, getAllContainers, getContainer, CKError, CloudKit, Container, Database, LiveQuery,
  MemoryStorage, Notification, OfflineQueue, QueryNotification, RecordsBatchBuilder, RecordZoneNotification, Response,
};
locate(import.meta.url);
