import assert from 'node:assert/strict';
import test from 'node:test';
import {MemoryStorage} from '../../Clients/JavaScript/fanfare.js';
import {anonymous, newZone, randomness, signedIn, take, Tokens, unique} from './support.mjs';
import {startProxy} from './proxy.mjs';

const seed = Number(process.env.JAVASCRIPT_SEED ?? 1);
const changes = Number(process.env.JAVASCRIPT_CHANGES ?? 1000);

/** Resolves when the condition holds for the records of a live query. */
const until = (live, holds) => new Promise((resolve, reject) => {
  const end = live.subscribe((change) => {
    if (change.type === 'error') reject(change.error);
    else if (holds(change.records)) { resolve(); queueMicrotask(() => end()); }
  });
});

/** All records of a query, asked for page by page. */
async function queried(database, query, options) {
  const found = [];
  for (let page; page === undefined || page.moreComing;) {
    page = await database.performQuery(page ?? query, page ? {} : options);
    found.push(...page.records);
  }
  return found;
}

test('a live query has the result first, then enter, update and leave', async () => {
  const [reader, writer] = [await signedIn(), await signedIn()];
  const recordType = unique('Task');
  const {records: [first]} = await writer.publicCloudDatabase.saveRecords({recordType, fields: {open: 1, n: 1}});
  const live = reader.publicCloudDatabase.liveQuery(
    {recordType, filterBy: {fieldName: 'open', comparator: 'EQUALS', fieldValue: 1}, sortBy: {fieldName: 'n'}});
  const seen = take(4, live);
  assert.deepEqual((await live.ready).map(({recordName}) => recordName), [first.recordName]);
  const {records: [second]} = await writer.publicCloudDatabase.saveRecords({recordType, fields: {open: 1, n: 0}});
  await until(live, (records) => records.length === 2);
  await writer.publicCloudDatabase.saveRecords({...first, fields: {n: 5}});
  await until(live, (records) => records[1].fields.n.value === 5);
  await writer.publicCloudDatabase.saveRecords({...second, fields: {open: 0}});
  const [result, ...rest] = await seen;
  assert.deepEqual([result.type, result.records.length], ['result', 1]);
  assert.deepEqual(rest.map(({type, record}) => [type, record.recordName]),
    [['enter', second.recordName], ['update', first.recordName], ['leave', second.recordName]]);
  assert.deepEqual(live.records.map(({recordName}) => recordName), [first.recordName]);
  await live.close({forget: true});
  assert.deepEqual((await reader.publicCloudDatabase.fetchAllSubscriptions()).subscriptions, []);
});

test('changes of the same client are in its live query, and no notifications of it', async () => {
  const container = await signedIn();
  const database = container.privateCloudDatabase;
  const zoneID = await newZone(database);
  const recordType = unique('Card');
  await container.registerForNotifications();
  container.addNotificationListener(() => assert.fail('a live query\'s notification reached a listener'));
  const live = database.liveQuery({recordType}, {zoneID});
  await live.ready;
  await database.saveRecords({recordType, recordName: 'a'}, {zoneID});
  await until(live, (records) => records.length === 1);
  await database.deleteRecords('a', {zoneID});
  await until(live, (records) => records.length === 0);
  await live.close();
});

test('a live query of all zones, and one of the shared database, see each change', async () => {
  const [ada, bob] = [await signedIn(), await signedIn()];
  const recordType = unique('Card');
  const zones = [await newZone(ada.privateCloudDatabase), await newZone(ada.privateCloudDatabase)];
  const everywhere = ada.privateCloudDatabase.liveQuery({recordType}, {zoneWide: true});
  await everywhere.ready;
  const {records: [share]} = await ada.privateCloudDatabase.saveRecords({recordType: 'cloudkit.share',
    recordName: 'cloudkit.zoneshare', publicPermission: 'READ_WRITE', participants: []}, {zoneID: zones[0]});
  await bob.acceptShares(share.shortGUID);
  const shared = bob.sharedCloudDatabase.liveQuery({recordType}, {zoneWide: true});
  await shared.ready;
  for (const zoneID of zones) await ada.privateCloudDatabase.saveRecords({recordType, recordName: 'a', fields: {n: 1}}, {zoneID});
  await until(everywhere, (records) => records.length === 2);
  await until(shared, (records) => records.length === 1);
  const [card] = shared.records;
  await bob.sharedCloudDatabase.saveRecords({...card, fields: {n: 2}}, {zoneID: card.zoneID});
  await until(everywhere, (records) => records.some(({fields}) => fields.n.value === 2));
  await until(shared, (records) => records[0].fields.n.value === 2);
  await everywhere.close();
  await shared.close();
});

test('two live queries of one condition share a subscription; another client of the user has it, too', async () => {
  const name = unique('user-');
  const [one, other] = [await signedIn(name), await signedIn(name)];
  const recordType = unique('Task');
  const query = {recordType, filterBy: [{fieldName: 'n', comparator: 'LESS_THAN', fieldValue: {value: 5}}]};
  const lives = [one, one, other].map((container) => container.publicCloudDatabase.liveQuery(query));
  await Promise.all(lives.map((live) => live.ready));
  assert.equal((await one.publicCloudDatabase.fetchAllSubscriptions()).subscriptions.length, 1);
  await (await signedIn()).publicCloudDatabase.saveRecords([{recordType, fields: {n: 1}}, {recordType, fields: {n: 9}}]);
  await Promise.all(lives.map((live) => until(live, (records) => records.length === 1)));
  for (const live of lives) await live.close();
});

test('live queries and notifications need no setUpAuth, and keep their places for each user', async () => {
  const storage = new MemoryStorage();
  for (let n = 0; n < 2; n++) {
    const authTokenStore = new Tokens();
    await signedIn(unique('user-'), {}, {authTokenStore, storage: new MemoryStorage()});
    const container = anonymous({}, {authTokenStore, storage});
    const recordType = unique('Task');
    const live = container.privateCloudDatabase.liveQuery({recordType});
    await live.ready;
    await container.registerForNotifications();
    await container.privateCloudDatabase.saveRecords({recordType});
    await until(live, (records) => records.length === 1);
    container.close();
  }
  const keys = await storage.keys('');
  assert.deepEqual([keys.filter((key) => key.endsWith('/live/token')).length, keys.filter((key) => key.endsWith('/device/token')).length,
    keys.filter((key) => key.includes('/-/'))], [2, 2, []]);
});

test('a live query without a user fails with the reason', async () => {
  const container = await signedIn();
  await container.signOut();
  const live = container.publicCloudDatabase.liveQuery({recordType: 'Task'});
  await assert.rejects(live.ready, ({ckErrorCode}) => ckErrorCode === 'AUTHENTICATION_REQUIRED');
  await assert.rejects(take(1, live), ({ckErrorCode}) => ckErrorCode === 'AUTHENTICATION_REQUIRED');
  const wrong = (await signedIn()).publicCloudDatabase.liveQuery({recordType: 'not a type'});
  await assert.rejects(wrong.ready, ({ckErrorCode}) => ckErrorCode === 'BAD_REQUEST');
});

/** A random change of one of some records: most are saved, some deleted. */
function change(random, recordType, names) {
  const recordName = random.of(names);
  if (random.next() < 0.2) return {operationType: 'forceDelete', record: {recordName}};
  return {operationType: 'forceUpdate', record: {recordName, recordType,
    fields: {n: {value: random.below(10)}, text: {value: random.of(['a', 'b', 'é', '\u{1f389}', '\uffff'])}}}};
}

test(`after ${changes} random changes, a live query has what a plain query finds`, async (t) => {
  const random = randomness(seed);
  const proxy = await startProxy(seed, {bytesMax: 6000});
  try {
    const [reader, writer] = [await signedIn(undefined, {url: proxy.url}), await signedIn()];
    const recordType = unique('Task');
    const names = Array.from({length: 40}, (_, n) => `${recordType}-${n}`);
    const writing = writer.publicCloudDatabase;
    await writing.modifyRecords(names.map((recordName) => ({operationType: 'create', record: {recordName, recordType, fields: {}}})));
    const queries = [
      {recordType, filterBy: [{fieldName: 'n', comparator: 'LESS_THAN', fieldValue: {value: 5}}], sortBy: [{fieldName: 'text'}]},
      {recordType, predicate: "n >= 3 AND text != 'b'", sortBy: [{fieldName: 'n', ascending: false}]},
      {recordType, filterBy: [{fieldName: 'text', comparator: 'IN', fieldValue: {value: ['a', '\u{1f389}'], type: 'STRING_LIST'}}]},
    ];
    const open = () => queries.map((query) => reader.publicCloudDatabase.liveQuery(query));
    let lives = open();
    // What the events say, applied by themselves: the same records, and no event that changes nothing.
    const applied = new Map();
    const follow = (live) => {
      const records = new Map();
      applied.set(live, records);
      live.subscribe(({type, record, records: all, error}) => {
        if (error) throw error;
        if (type === 'result') return all.forEach((each) => records.set(each.recordName, each.recordChangeTag));
        assert.equal(records.has(record.recordName), type !== 'enter', `${type} of ${record.recordName}`);
        if (type === 'leave') return records.delete(record.recordName);
        assert.notEqual(records.get(record.recordName), record.recordChangeTag);
        records.set(record.recordName, record.recordChangeTag);
      });
    };
    lives.forEach(follow);
    // Some of the changes are made while the first results are asked for.
    for (let made = 0; made < changes;) {
      const count = Math.min(changes - made, 1 + random.below(20));
      const operations = new Map();
      for (let n = 0; n < count; n++) {
        const one = change(random, recordType, names);
        operations.set(one.record.recordName, one);
      }
      await writing.modifyRecords([...operations.values()]);
      made += operations.size;
      if (random.next() < 0.1) await proxy.cut();
      if (random.next() < 0.02) {
        for (const live of lives) await live.close();
        lives = open();
        lives.forEach(follow);
      }
    }
    proxy.calm = true;
    await Promise.all(lives.map((live) => live.ready));
    for (const [index, query] of queries.entries()) {
      const plain = await queried(writing, query);
      const state = (records) => new Map(records.map((record) => [record.recordName, record.recordChangeTag]));
      const wanted = JSON.stringify([...state(plain)].sort());
      await until(lives[index], (records) => JSON.stringify([...state(records)].sort()) === wanted);
      await lives[index].settled();
      assert.deepEqual(new Map([...applied.get(lives[index])].sort()), new Map([...state(plain)].sort()));
      const [{fieldName} = {}] = query.sortBy ?? [];
      const keys = (records) => records.map(({fields}) => fields[fieldName]?.value ?? null);
      if (fieldName) assert.deepEqual(keys(lives[index].records), keys(plain));
    }
    t.diagnostic(`live query: ${changes} changes by the seed ${seed}, ${proxy.cuts} cuts, ${proxy.repeated} repeated events, ` +
      `${proxy.lost} lost answers`);
    assert.ok(proxy.cuts > changes / 200);
    for (const live of lives) await live.close();
  } finally {
    proxy.end();
  }
});
