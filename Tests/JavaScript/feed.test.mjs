import assert from 'node:assert/strict';
import test from 'node:test';
import {MemoryStorage} from '../../Clients/JavaScript/fanfare.js';
import {randomness, signedIn, take, unique} from './support.mjs';
import {startProxy} from './proxy.mjs';

const seed = Number(process.env.JAVASCRIPT_SEED ?? 1);

/** A user with a subscription to a type, and another client of the user that saves records of it. */
async function watched(configuration, services) {
  const name = unique('user-');
  const [reader, writer] = [await signedIn(name, configuration, services), await signedIn(name)];
  const recordType = unique('News');
  // Order is across records in private databases alone.
  const {errors} = await reader.privateCloudDatabase.saveSubscriptions({subscriptionID: 'news', subscriptionType: 'query',
    firesOn: ['create'], query: {recordType}, notificationInfo: {alertBody: 'News', additionalFields: ['n']}});
  assert.deepEqual(errors, []);
  const save = (...numbers) => writer.privateCloudDatabase.saveRecords(numbers.map((n) => ({recordType, fields: {n}})));
  return {reader, writer, recordType, save};
}

const numbers = (notifications) => notifications.map(({recordFields}) => recordFields.n.value);
const range = (from, to) => Array.from({length: to - from}, (_, index) => from + index);

test('notifications come once and in order, from the first kept one on', async () => {
  const {reader, save} = await watched();
  await save(0, 1);
  await save(2);
  const found = take(5, reader.notifications());
  await save(3);
  await save(4);
  assert.deepEqual(numbers(await found), range(0, 5));
});

test('each notification has the token after it: a loop that broke off goes on behind it', async () => {
  const {reader, save} = await watched();
  for (const n of range(0, 6)) await save(n);
  const seen = [];
  let after;
  // One at a time, from pages and from the stream.
  for (const n of range(0, 9)) {
    if (n >= 6) await save(n);
    const [next] = await take(1, reader.notifications({after}));
    seen.push(next.recordFields.n.value);
    after = next.serverChangeToken;
  }
  assert.deepEqual(seen, range(0, 9));
});

test('what the device changed itself does not come to it, and comes to the user\'s other device', async () => {
  const {reader, recordType, save} = await watched();
  await reader.registerForNotifications();
  await reader.privateCloudDatabase.saveRecords({recordType, fields: {n: 100}});
  await save(1);
  assert.deepEqual(numbers(await take(1, reader.notifications())), [1]);
});

test('two devices of a user have feeds of their own', async () => {
  const name = unique('user-');
  const [one, other] = [await signedIn(name), await signedIn(name)];
  const recordType = unique('News');
  await one.publicCloudDatabase.saveSubscriptions({subscriptionID: 'news', subscriptionType: 'query', firesOn: ['create'],
    query: {recordType}, notificationInfo: {additionalFields: ['n']}});
  await Promise.all([one.registerForNotifications(), other.registerForNotifications()]);
  const found = take(1, other.notifications());
  await one.publicCloudDatabase.saveRecords({recordType, fields: {n: 1}});
  assert.deepEqual(numbers(await found), [1]);
});

test('listeners are called, until they are removed', async () => {
  const {reader, save} = await watched();
  const calls = [];
  let wake;
  const listener = (notification) => { calls.push(notification.recordFields.n.value); wake?.(); };
  const next = () => new Promise((resolve) => { wake = resolve; });
  await reader.registerForNotifications();
  reader.addNotificationListener(listener);
  const [first] = [next(), await save(1)];
  await first;
  reader.removeNotificationListener(listener);
  const seen = take(2, reader.notifications());
  await save(2);
  assert.deepEqual(numbers(await seen), [1, 2]);
  assert.deepEqual(calls, [1]);
});

test('notifications are marked as read on the other device, and the badge is the user\'s', async () => {
  const name = unique('user-');
  const [one, other] = [await signedIn(name), await signedIn(name)];
  const recordType = unique('News');
  await one.publicCloudDatabase.saveSubscriptions({subscriptionID: 'news', subscriptionType: 'query', firesOn: ['create'],
    query: {recordType}, notificationInfo: {shouldBadge: true}});
  await other.registerForNotifications();
  await (await signedIn()).publicCloudDatabase.saveRecords({recordType});
  const [{notificationID}] = await take(1, one.notifications());
  assert.equal(await one.fetchBadge(), 1);
  const marks = take(1, other.notifications(), ({notificationType}) => notificationType === 'readNotification');
  assert.deepEqual((await one.markNotificationsRead(notificationID)).errors, []);
  assert.equal((await marks)[0].notificationID, notificationID);
  await other.setBadge(0);
  assert.equal(await one.fetchBadge(), 0);
});

test('a user chooses delivery policies for this browser, with its clock, and takes them back', async () => {
  const zone = process.env.TZ;
  process.env.TZ = 'Europe/Berlin';
  try {
    const container = await signedIn();
    const subscriptions = [{databaseScope: 'private', subscriptionID: 's', deliveryPolicy: {}}];
    const deliveryPolicy = {grouping: 'digest', windowSeconds: 60, quietHours: {from: '22:00', to: '07:00'}};
    const chosen = await container.setDeliveryPolicies({deliveryPolicy, subscriptions});
    assert.deepEqual(await container.fetchDeliveryPolicies(), chosen);
    assert.equal(chosen.deliveryPolicy.grouping, 'digest');
    assert.equal(chosen.subscriptions[0].subscriptionID, 's');
    // The clock shows what the formatter of dates shows, which has tables of its own.
    const hours = new Intl.DateTimeFormat('en',
      {timeZone: 'Europe/Berlin', hour: 'numeric', minute: 'numeric', hourCycle: 'h23'});
    const [now, random] = [Date.now(), randomness(seed)];
    for (let count = 0; count < 1000; count += 1) {
      const time = now + Math.floor(random.next() * 700 * 86_400_000);
      const {utcOffsetMinutes} = chosen.clock.findLast(({from}) => from <= time);
      const local = new Date(time + utcOffsetMinutes * 60_000).toISOString().slice(11, 16);
      assert.equal(local, hours.format(time), `${time}`);
    }
    assert.ok(chosen.clock.length >= 4);
    const none = await container.setDeliveryPolicies();
    assert.equal(none.deliveryPolicy, undefined);
    assert.deepEqual(none.subscriptions, []);
  } finally {
    if (zone === undefined) delete process.env.TZ; else process.env.TZ = zone;
  }
});

test('a database\'s notifications are its own; a signal ends the loop', async () => {
  const {reader, recordType, save} = await watched();
  await reader.publicCloudDatabase.saveSubscriptions({subscriptionID: 'open', subscriptionType: 'query', firesOn: ['create'],
    query: {recordType}, notificationInfo: {additionalFields: ['n']}});
  await reader.publicCloudDatabase.saveRecords({recordType, fields: {n: 50}});
  await save(1);
  assert.deepEqual(numbers(await take(1, reader.publicCloudDatabase.notifications())), [50]);
  assert.deepEqual(numbers(await take(1, reader.privateCloudDatabase.notifications())), [1]);
  const end = new AbortController();
  const rest = (async () => { for await (const _ of reader.notifications({signal: end.signal})) end.abort(); })();
  await rest;
  const idle = new AbortController();
  const {after} = {after: (await take(2, reader.notifications()))[1].serverChangeToken};
  const waiting = (async () => { for await (const _ of reader.notifications({after, signal: idle.signal})) assert.fail('there is none'); })();
  setImmediate(() => idle.abort());
  await waiting;
});

test('a sign-out ends the loops with AUTHENTICATION_REQUIRED', async () => {
  const {reader, save} = await watched();
  await save(1);
  const loop = (async () => { for await (const _ of reader.notifications()) await reader.signOut(); })();
  await assert.rejects(loop, ({ckErrorCode}) => ckErrorCode === 'AUTHENTICATION_REQUIRED');
});

test('a token of another user is refused to the loop', async () => {
  const [{reader, save}, other] = [await watched(), await signedIn()];
  await save(1);
  const [{serverChangeToken: after}] = await take(1, reader.notifications());
  await assert.rejects(take(1, other.notifications({after})), ({ckErrorCode}) => ckErrorCode === 'BAD_REQUEST');
});

test('a loop after a token leaves out what a late stream delivers from before it', async () => {
  const proxy = Object.assign(await startProxy(seed), {calm: true});
  let release;
  proxy.held = new Promise((resolve) => { release = resolve; });
  try {
    const {reader, save} = await watched({url: proxy.url}, {storage: new MemoryStorage()});
    await reader.registerForNotifications();
    for (const n of range(0, 3)) await save(n);
    // From pages, while the stream is silent: all three are there before the loops begin.
    const page = {deviceID: await reader.deviceID()};
    while ((await reader.request('device', 'notifications/changes', page)).notifications.length < 3);
    const [, {serverChangeToken: after}] = await take(2, reader.notifications());
    const loop = reader.notifications({after})[Symbol.asyncIterator]();
    const seen = [(await loop.next()).value];
    release();
    for (const n of range(3, 6)) {
      await save(n);
      seen.push((await loop.next()).value);
    }
    assert.deepEqual(numbers(seen), range(2, 6));
    await loop.return();
  } finally {
    proxy.end();
  }
});

test('behind a proxy that cuts and repeats, each notification comes once and in order', async () => {
  const proxy = await startProxy(seed, {bytesMax: 4000});
  try {
    const {reader, save} = await watched({url: proxy.url}, {storage: new MemoryStorage()});
    const count = 40;
    const found = take(count, reader.notifications());
    // Whether in one loop, or in loops that break off after random numbers of notifications.
    const pieces = (async () => {
      const all = [];
      for (let after; all.length < count;) {
        const some = await take(Math.min(count - all.length, 1 + (all.length * 7) % 9), reader.notifications({after}));
        all.push(...some);
        after = some.at(-1).serverChangeToken;
      }
      return all;
    })();
    const listened = [];
    const heard = new Promise((resolve) => {
      reader.addNotificationListener(({recordFields}) => {
        listened.push(recordFields.n.value);
        if (listened.at(-1) === count - 1) resolve();
      });
    });
    await reader.registerForNotifications();
    for (const n of range(0, count)) await save(n);
    assert.deepEqual(numbers(await found), range(0, count));
    assert.deepEqual(numbers(await pieces), range(0, count));
    await heard;
    assert.deepEqual(listened, range(0, count));
    assert.ok(proxy.cuts > 3 && proxy.repeated > 3, `${proxy.cuts} cuts, ${proxy.repeated} repeated events`);
  } finally {
    proxy.end();
  }
});

test('a device that was removed is registered again, and the loop goes on', async () => {
  const {reader, save} = await watched();
  await save(1);
  const seen = [];
  for await (const {recordFields, serverChangeToken} of reader.notifications()) {
    seen.push(recordFields.n.value);
    assert.ok(serverChangeToken);
    if (seen.length === 1) {
      await reader.request('device', 'devices/unregister', {deviceID: await reader.deviceID()});
      await save(2);
    } else break;
  }
  assert.deepEqual(seen, [1, 2]);
});
