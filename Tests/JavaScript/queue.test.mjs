import assert from 'node:assert/strict';
import test from 'node:test';
import {Container, MemoryStorage, OfflineQueue} from '../../Clients/JavaScript/fanfare.js';
import {anonymous, dev, newZone, randomness, signedIn, Tokens, unique} from './support.mjs';

const seed = Number(process.env.JAVASCRIPT_SEED ?? 1);

/** A client whose connection a test cuts: `lose` takes requests to the service and loses their answers. */
async function unsteady(options) {
  const state = {isOffline: false, lose: () => false};
  const name = unique('user-');
  const tokens = new Tokens();
  const container = await signedIn(name, {}, {authTokenStore: tokens, fetch: async (address, init) => {
    if (state.isOffline) throw new TypeError('offline');
    const answer = await fetch(address, init);
    if (state.lose(address)) throw new TypeError('the answer was lost');
    return answer;
  }});
  const database = container.privateCloudDatabase;
  const zoneID = await newZone(database);
  const queue = new OfflineQueue(container, options);
  // Another client of the user, which is always online.
  const direct = (await signedIn(name)).privateCloudDatabase;
  const one = async (recordName) => (await direct.fetchRecords(recordName, {zoneID})).records[0];
  /** Sends all, whatever pauses there are between attempts. */
  const drain = async () => { do await queue.flush(); while ((await queue.pending()).some((entry) => !entry.error)); };
  return {state, container, tokens, database, direct, zoneID, queue, one, drain, recordType: unique('Note')};
}

test('changes made offline are kept, and sent in order', async () => {
  const {state, database, zoneID, queue, one, recordType, container} = await unsteady();
  state.isOffline = true;
  const {record} = await queue.save(database, {recordType, fields: {text: 'one'}}, {zoneID});
  await queue.save(database, {recordName: record.recordName, recordType, fields: {text: 'two', more: 1}}, {zoneID});
  await queue.save(database, {recordName: 'other', recordType}, {zoneID});
  await queue.delete(database, 'other', {zoneID});
  await queue.flush();
  assert.equal((await queue.pending()).length, 4);
  // Another process with the same storage sends what this one kept.
  queue.close();
  state.isOffline = false;
  const later = new OfflineQueue(container);
  await later.flush();
  assert.deepEqual(await later.pending(), []);
  const saved = await one(record.recordName);
  assert.deepEqual([saved.fields.text.value, saved.fields.more.value], ['two', 1]);
  assert.equal(await one('other'), undefined);
});

test('a lost answer is no conflict, and nothing is done twice', async () => {
  const {state, database, zoneID, queue, one, drain, recordType} = await unsteady(
    {onConflict: () => assert.fail('there is no conflict')});
  const random = randomness(seed);
  state.lose = (address) => address.includes('records/modify') && random.next() < 0.5;
  for (let n = 0; n < 8; n++) {
    await queue.save(database, {recordName: 'a', recordType, fields: {n}}, {zoneID}).then(() => queue.flush());
    if (n % 3 === 0) await queue.save(database, {recordName: `b${n}`, recordType, fields: {n}}, {zoneID});
  }
  state.lose = () => false;
  await drain();
  assert.equal((await one('a')).fields.n.value, 7);
  assert.deepEqual(await queue.failed(), []);
});

test('a conflict goes to the app, which merges, wins or yields', async () => {
  const decisions = [];
  let decide;
  const {state, database, direct, zoneID, queue, one, drain, recordType} = await unsteady(
    {onConflict: (conflict) => { decisions.push(conflict); return decide(conflict); }});
  const conflict = async (recordName, decision) => {
    decide = decision;
    const {records: [base]} = await direct.saveRecords({recordName, recordType, fields: {text: 'base', list: ['x']}}, {zoneID});
    state.isOffline = true;
    await queue.save(database, {...base, fields: {text: 'mine'}}, {zoneID});
    await direct.saveRecords({...base, fields: {text: 'theirs', list: ['x', 'y']}}, {zoneID});
    state.isOffline = false;
    await drain();
    return (await one(recordName)).fields;
  };
  const mine = await conflict('a', () => 'mine');
  assert.deepEqual([mine.text.value, mine.list.value], ['mine', ['x', 'y']]);
  assert.equal((await conflict('b', () => 'theirs')).text.value, 'theirs');
  const merged = await conflict('c', ({mine: own, theirs}) =>
    ({recordType, fields: {text: `${own.fields.text.value} and ${theirs.fields.text.value}`}}));
  assert.equal(merged.text.value, 'mine and theirs');
  assert.deepEqual(decisions.map(({kind, theirs}) => [kind, theirs.fields.text.value]), Array(3).fill(['save', 'theirs']));
  decide = () => undefined;
  const undecided = await conflict('d', () => undefined);
  assert.equal(undecided.text.value, 'theirs');
  const [entry] = await queue.failed();
  assert.equal(entry.error.ckErrorCode, 'CONFLICT');
  decide = () => 'mine';
  await queue.retry(entry);
  await drain();
  assert.deepEqual([(await one('d')).fields.text.value, await queue.pending()], ['mine', []]);
});

test('a record that somebody deleted meanwhile is a conflict, too; a deletion that was done is none', async () => {
  const {database, direct, zoneID, queue, one, drain, recordType, state} = await unsteady(
    {onConflict: ({theirs}) => (theirs ? 'theirs' : 'mine')});
  const {records: [record, other]} = await direct.saveRecords(
    [{recordName: 'a', recordType, fields: {n: 1}}, {recordName: 'b', recordType}], {zoneID});
  state.isOffline = true;
  await queue.save(database, {...record, fields: {n: 2}}, {zoneID});
  await queue.delete(database, other, {zoneID});
  await direct.deleteRecords(['a', 'b'], {zoneID});
  state.isOffline = false;
  await drain();
  assert.deepEqual([(await one('a')).fields.n.value, await one('b')], [2, undefined]);
});

test('a refused change goes to onError, stays, and holds no other record up', async () => {
  const refused = [];
  const {database, zoneID, queue, one, drain, recordType} = await unsteady({onError: ({error}) => { refused.push(error.ckErrorCode); }});
  await queue.save(database, {recordName: 'a', recordType, fields: {to: {value: {recordName: 'absent', action: 'VALIDATE'}}}}, {zoneID});
  await queue.save(database, {recordName: 'b', recordType}, {zoneID});
  await drain();
  assert.deepEqual(refused, ['VALIDATING_REFERENCE_ERROR']);
  assert.ok(await one('b'));
  const [entry] = await queue.failed();
  await queue.discard(entry);
  assert.deepEqual(await queue.pending(), []);
});

test('an app that starts offline has its last user, and keeps changes for the service', async () => {
  const first = await unsteady();
  const {container, zoneID, one, recordType} = first;
  let isOffline = true;
  const storage = container.storage;
  const later = anonymous({}, {storage, authTokenStore: first.tokens,
    fetch: (...request) => (isOffline ? Promise.reject(new TypeError('offline')) : fetch(...request))});
  assert.equal((await later.setUpAuth()).userRecordName, container.userRecordName);
  const queue = later.offlineQueue();
  await queue.save(later.privateCloudDatabase, {recordName: 'a', recordType}, {zoneID});
  isOffline = false;
  while ((await queue.pending()).length > 0) await queue.flush();
  assert.ok(await one('a'));
  await later.signOut();
  isOffline = true;
  await assert.rejects(later.setUpAuth(), ({ckErrorCode}) => ckErrorCode === 'NETWORK_ERROR');
  await assert.rejects(queue.save(later.privateCloudDatabase, {recordType}), ({ckErrorCode}) => ckErrorCode === 'AUTHENTICATION_REQUIRED');
});

test('the queue of a user waits until the user is back, and is no other user\'s', async () => {
  const storage = new MemoryStorage();
  const make = () => new Container({containerIdentifier: dev.container, environment: dev.environment, url: dev.url,
    apiTokenAuth: {apiToken: dev.apiToken}}, {storage, authTokenStore: undefined});
  const container = make();
  const [ada, bob] = [unique('ada-'), unique('bob-')];
  await container.signIn({user: ada});
  const queue = container.offlineQueue();
  const adas = container.storageName;
  await storage.set(`${adas}/queue/0`, {id: '0', scope: 'PRIVATE', kind: 'save', record: {recordName: 'a', recordType: 'Note', fields: {}}});
  await container.signOut();
  await container.signIn({user: bob});
  await queue.flush();
  assert.deepEqual(await queue.pending(), []);
  assert.equal((await container.privateCloudDatabase.fetchRecords('a')).records.length, 0);
  await container.signOut();
  await container.signIn({user: ada});
  await queue.flush();
  assert.equal((await container.privateCloudDatabase.fetchRecords('a')).records.length, 1);
});
