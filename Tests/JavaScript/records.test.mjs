import assert from 'node:assert/strict';
import test from 'node:test';
import {readFileSync} from 'node:fs';
import {CKError, MemoryStorage} from '../../Clients/JavaScript/fanfare.js';
import {anonymous, dev, failure, newZone, signedIn, Tokens, unique} from './support.mjs';

test('a record is saved, fetched, updated by its change tag and deleted', async () => {
  const database = (await signedIn()).publicCloudDatabase;
  const recordType = unique('Artwork');
  const created = await database.saveRecords({recordType, fields: {title: {value: 'Sunrise'}, artist: 'Turner'}});
  assert.equal(created.hasErrors, false);
  const [record] = created.records;
  assert.deepEqual([record.fields.title.value, record.fields.artist.value], ['Sunrise', 'Turner']);
  const updated = await database.saveRecords({...record, fields: {title: 'Sunset'}});
  assert.equal(updated.records[0].fields.artist.value, 'Turner');
  const stale = await database.saveRecords({...record, fields: {title: 'Noon'}});
  assert.deepEqual([stale.hasErrors, stale.records, stale.errors[0].ckErrorCode], [true, [], 'CONFLICT']);
  assert.equal(stale.errors[0].recordName, record.recordName);
  const {records: [fetched]} = await database.fetchRecords(record.recordName, {desiredKeys: ['title']});
  assert.deepEqual(Object.keys(fetched.fields), ['title']);
  const [refused] = (await database.deleteRecords(record)).errors;
  assert.equal(refused.serverErrorCode, 'CONFLICT');
  const deleted = await database.deleteRecords(record.recordName);
  assert.equal(deleted.records[0].deleted, true);
  assert.equal((await database.fetchRecords([record.recordName])).errors[0].ckErrorCode, 'NOT_FOUND');
});

test('a batch sends each kind of operation', async () => {
  const database = (await signedIn()).privateCloudDatabase;
  const zoneID = await newZone(database);
  const recordType = unique('Note');
  const first = await database.newRecordsBatch({zoneID}).create({recordName: 'a', recordType, fields: {n: 1, m: 1}})
    .create([{recordName: 'b', recordType, fields: {n: 2}}, {recordName: 'c', recordType}, {recordName: 'd', recordType}])
    .forceUpdate({recordName: 'e', recordType, fields: {n: 5}}).forceReplace({recordName: 'f', recordType, fields: {n: 6}})
    .commit();
  const [a, b, c] = first.records;
  const second = await database.newRecordsBatch({zoneID}).update({...a, fields: {n: 10}}).replace({...b, fields: {m: 20}})
    .delete(c).forceDelete('d').createOrUpdate({recordName: 'g', recordType}).commit();
  assert.deepEqual(second.errors, []);
  const {records} = await database.fetchRecords(['a', 'b', 'g'], {zoneID});
  assert.deepEqual(records.map(({fields: {n, m}}) => [n?.value, m?.value]), [[10, 1], [undefined, 20], [undefined, undefined]]);
  const atomic = await database.newRecordsBatch({zoneID}).create({recordName: 'a', recordType})
    .create({recordName: 'h', recordType}).commit();
  assert.deepEqual(atomic.errors.map((error) => error.ckErrorCode).sort(), ['ATOMIC_ERROR', 'EXISTS']);
  const partial = await database.newRecordsBatch({zoneID, atomic: false}).create({recordName: 'a', recordType})
    .create({recordName: 'h', recordType}).commit();
  assert.deepEqual([partial.errors.length, partial.records.length], [1, 1]);
  const {ckErrorCode} = await failure(database.newRecordsBatch().commit());
  assert.equal(ckErrorCode, 'INVALID_ARGUMENTS');
});

test('a query returns pages, and goes on with its answer', async () => {
  const database = (await signedIn()).publicCloudDatabase;
  const recordType = unique('Task');
  await database.saveRecords(Array.from({length: 25}, (_, n) => ({recordType, fields: {n, even: n % 2}})));
  const query = {recordType, filterBy: {fieldName: 'even', comparator: 'EQUALS', fieldValue: {value: 0}},
    sortBy: {fieldName: 'n', ascending: false}};
  const found = [];
  let page = await database.performQuery(query, {resultsLimit: 5, desiredKeys: ['n']});
  let pages = 1;
  for (;; pages++) {
    found.push(...page.records.map(({fields}) => fields.n.value));
    if (!page.moreComing) break;
    assert.ok(page.continuationMarker);
    page = await database.performQuery(page);
  }
  assert.deepEqual(found, Array.from({length: 13}, (_, n) => 24 - 2 * n));
  assert.ok(pages >= 3);
  const predicate = await database.performQuery({recordType, predicate: 'n > %@', predicateArguments: [22]});
  assert.equal(predicate.records.length, 2);
});

test('a query without a user reads the public database', async () => {
  const recordType = unique('Open');
  await (await signedIn()).publicCloudDatabase.saveRecords({recordType, fields: {n: 1}});
  const {records} = await anonymous().publicCloudDatabase.performQuery({recordType});
  assert.equal(records.length, 1);
});

test('integers keep all their digits, both ways', async () => {
  const database = (await signedIn()).publicCloudDatabase;
  const recordType = unique('Number');
  const most = 9223372036854775807n;
  const values = [most, -most - 1n, 2n ** 53n + 1n, 2 ** 53 - 1, -5, 0];
  const text = '"12345678901234567890", 1234567890123456789\\';
  const saved = await database.saveRecords({recordType, fields: {list: values, one: most, text, half: {type: 'DOUBLE', value: 1e17},
    part: 0.12345678901234568}});
  for (const record of [saved.records[0], (await database.fetchRecords(saved.records[0].recordName)).records[0],
    (await database.performQuery({recordType, filterBy: {fieldName: 'one', comparator: 'EQUALS', fieldValue: most}})).records[0]]) {
    const {list, one, text: read, half, part} = record.fields;
    assert.deepEqual(list.value, values);
    assert.equal(one.value, most);
    assert.equal(read.value, text);
    assert.equal(half.value, 1e17);
    assert.equal(part.value, 0.12345678901234568);
  }
  const {records: [strings]} = await database.fetchRecords(saved.records[0].recordName, {numbersAsStrings: true});
  assert.equal(strings.fields.one.value, String(most));
});

test('dates, bytes and references have their types; a boolean is refused before it is sent', async () => {
  const database = (await signedIn()).publicCloudDatabase;
  const recordType = unique('Value');
  const at = new Date(1_700_000_000_123);
  const {records: [target]} = await database.saveRecords({recordType});
  const {records: [record], errors} = await database.saveRecords({recordType, fields: {at, bytes: new Uint8Array([1, 2, 255]),
    target: {value: {recordName: target.recordName, action: 'VALIDATE'}}, none: null}});
  assert.deepEqual(errors, []);
  assert.deepEqual([record.fields.at, record.fields.bytes, 'none' in record.fields], [
    {value: at.getTime(), type: 'TIMESTAMP'}, {value: 'AQL/', type: 'BYTES'}, false]);
  assert.equal(record.fields.target.type, 'REFERENCE');
  const {ckErrorCode} = await failure(Promise.resolve().then(() => database.saveRecords({recordType, fields: {is: true}})));
  assert.equal(ckErrorCode, 'INVALID_ARGUMENTS');
});

test('a file is uploaded with its record, downloaded and used again', async () => {
  const database = (await signedIn()).publicCloudDatabase;
  const recordType = unique('Picture');
  const {records: [record], errors} = await database.saveRecords({recordType,
    fields: {image: new Blob(['contents']), others: [new Blob(['one']), new Blob(['two'])]}});
  assert.deepEqual(errors, []);
  const {size, downloadURL} = record.fields.image.value;
  assert.equal(size, 8);
  assert.equal(await (await fetch(downloadURL)).text(), 'contents');
  assert.deepEqual(record.fields.others.value.map((file) => file.size), [3, 3]);
  const {assets: [again]} = await database.rereferenceAssets({recordName: record.recordName, fieldName: 'image'});
  const {records: [other]} = await database.saveRecords({recordType, fields: {image: {value: again, type: 'ASSETID'}}});
  assert.equal(other.fields.image.value.fileChecksum, record.fields.image.value.fileChecksum);
});

test('zones are made, listed, looked up and deleted, and changes of zones and records are read by tokens', async () => {
  const database = (await signedIn()).privateCloudDatabase;
  const start = await database.fetchDatabaseChanges();
  const zoneName = await newZone(database);
  assert.ok((await database.fetchAllRecordZones()).zones.some(({zoneID}) => zoneID.zoneName === zoneName));
  const {zones: [zone]} = await database.fetchRecordZones({zoneName});
  assert.equal(zone.zoneID.zoneName, zoneName);
  const recordType = unique('Note');
  await database.saveRecords([{recordType, recordName: 'a'}, {recordType, recordName: 'b'}], {zoneID: zone});
  const changed = await database.fetchDatabaseChanges(start);
  assert.deepEqual([changed.zones.map(({zoneID}) => zoneID.zoneName), changed.moreComing], [[zoneName], false]);
  const first = (await database.fetchRecordZoneChanges({zoneID: zone.zoneID, resultsLimit: 1})).zones[0];
  assert.deepEqual([first.records.map(({recordName}) => recordName), first.moreComing], [['a'], true]);
  const second = (await database.fetchRecordZoneChanges([first])).zones[0];
  assert.deepEqual([second.records.map(({recordName}) => recordName), second.moreComing], [['b'], false]);
  await database.deleteRecords('a', {zoneID: zoneName});
  const third = (await database.fetchZoneChanges({zones: [second]})).zones[0];
  assert.deepEqual(third.records.map(({recordName, deleted}) => [recordName, deleted]), [['a', true]]);
  const older = await database.fetchChangedRecords({zoneID: zoneName});
  assert.deepEqual([older.records.length, typeof older.syncToken], [1, 'string']);
  assert.ok((await database.fetchChangedRecordZones()).syncToken);
  assert.equal((await database.fetchChanges({syncToken: changed.syncToken})).zones.length, 1);
  assert.equal((await database.deleteRecordZones(zoneName)).zones[0].deleted, true);
  const [gone] = (await database.fetchRecordZones(zoneName)).errors;
  assert.deepEqual([gone.ckErrorCode, gone.zoneID.zoneName], ['ZONE_NOT_FOUND', zoneName]);
});

test('subscriptions are saved, listed, looked up, updated and deleted', async () => {
  const database = (await signedIn()).publicCloudDatabase;
  const subscription = {subscriptionID: 'mine', subscriptionType: 'query', firesOn: ['create'],
    query: {recordType: unique('Task'), filterBy: {fieldName: 'n', comparator: 'EQUALS', fieldValue: 1}}, notificationInfo: {}};
  assert.deepEqual((await database.saveSubscriptions(subscription)).errors, []);
  await database.updateSubscriptions({...subscription, notificationInfo: {alertBody: 'A task'}});
  const {subscriptions: [found]} = await database.fetchSubscriptions('mine');
  assert.equal(found.notificationInfo.alertBody, 'A task');
  assert.equal((await database.fetchAllSubscriptions()).subscriptions.length, 1);
  assert.equal((await database.fetchSubscriptions({subscriptionID: 'other'})).errors[0].subscriptionID, 'other');
  await database.deleteSubscriptions('mine');
  assert.deepEqual((await database.fetchAllSubscriptions()).subscriptions, []);
});

test('users are found if they allow it', async () => {
  const [ada, bob] = [await signedIn(), await signedIn(unique('bob-'))];
  const info = {userRecordName: bob.userRecordName};
  await bob.setDiscoverable(false);
  assert.deepEqual((await ada.discoverUserIdentityWithUserRecordName(info.userRecordName)).users, []);
  await bob.setDiscoverable(true);
  const {users: [found]} = await ada.discoverUserIdentities(info);
  assert.equal(found.userRecordName, bob.userRecordName);
  const {users: [same]} = await ada.discoverUserIdentityWithUserRecordName(info.userRecordName);
  assert.equal(same.userRecordName, bob.userRecordName);
  assert.deepEqual((await ada.discoverUserIdentityWithEmailAddress('nobody@example.com')).users, []);
  assert.deepEqual((await ada.discoverUserIdentityWithPhoneNumber('0')).users, []);
  assert.ok(Array.isArray((await ada.discoverAllUserIdentities()).users));
  assert.equal((await bob.fetchCurrentUserIdentity()).userRecordName, bob.userRecordName);
});

test('a zone is shared, accepted, and changed by the participant; the dialog of CloudKit JS is refused', async () => {
  const [ada, bob] = [await signedIn(), await signedIn()];
  const zoneID = await newZone(ada.privateCloudDatabase);
  const recordType = unique('Card');
  const {records: [share]} = await ada.privateCloudDatabase.saveRecords({recordType: 'cloudkit.share',
    recordName: 'cloudkit.zoneshare', publicPermission: 'READ_WRITE', participants: []}, {zoneID});
  await ada.privateCloudDatabase.saveRecords({recordType, recordName: 'card', fields: {text: 'one'}}, {zoneID});
  const {results: [info]} = await bob.fetchRecordInfos(share.shortGUID);
  assert.equal(info.participantStatus, 'INVITED');
  const {results: [accepted]} = await bob.acceptShares([{value: share.shortGUID}]);
  assert.equal(accepted.participantStatus, 'ACCEPTED');
  const {records: [card]} = await bob.sharedCloudDatabase.performQuery({recordType}, {zoneWide: true});
  await bob.sharedCloudDatabase.saveRecords({...card, fields: {text: 'two'}}, {zoneID: card.zoneID});
  const {records: [seen]} = await ada.privateCloudDatabase.fetchRecords('card', {zoneID});
  assert.equal(seen.fields.text.value, 'two');
  const refused = await failure(bob.sharedCloudDatabase.shareWithUI());
  assert.equal(refused.ckErrorCode, 'NOT_SUPPORTED');
  assert.match(refused.reason, /cloudkit\.share/);
});

test('a user signs in and out, a fresh token is kept, and both promises resolve', async () => {
  const tokens = new Tokens();
  const container = anonymous({}, {authTokenStore: tokens});
  assert.equal(await container.setUpAuth(), null);
  const name = unique('user-');
  const [signed, user] = await Promise.all([container.whenUserSignsIn(), container.signIn({user: name})]);
  assert.equal(signed.userRecordName, user.userRecordName);
  const first = tokens.token;
  assert.equal((await container.setUpAuth()).userRecordName, user.userRecordName);
  assert.ok(tokens.token && tokens.token !== first);
  const other = anonymous({}, {authTokenStore: tokens});
  assert.equal((await other.setUpAuth()).userRecordName, user.userRecordName);
  await Promise.all([container.whenUserSignsOut(), container.signOut()]);
  assert.deepEqual([tokens.token, container.userRecordName], [null, undefined]);
  assert.equal((await failure(container.privateCloudDatabase.fetchAllRecordZones())).ckErrorCode, 'AUTHENTICATION_REQUIRED');
});

test('a session that ended elsewhere signs the user out', async () => {
  const [here, elsewhere] = [await signedIn('everywhere'), await signedIn('everywhere')];
  const out = here.whenUserSignsOut();
  await elsewhere.signOut({everywhere: true});
  assert.equal((await failure(here.privateCloudDatabase.fetchAllRecordZones())).ckErrorCode, 'AUTHENTICATION_FAILED');
  await out;
  assert.equal(await here.setUpAuth(), null);
});

test('requests are signed with a server-to-server key', async () => {
  const server = anonymous({apiTokenAuth: undefined,
    serverToServerKeyAuth: {keyID: dev.keyID, privateKeyFile: dev.privateKeyPath}});
  assert.ok((await server.setUpAuth()).userRecordName);
  const recordType = unique('Signed');
  const {records, errors} = await server.publicCloudDatabase.saveRecords({recordType, fields: {title: 'é'}});
  assert.deepEqual([errors, records[0].fields.title.value], [[], 'é']);
});

test('storage, fetch and tokens are the app\'s, where it gives them', async () => {
  const storage = new MemoryStorage();
  const addresses = [];
  const container = await signedIn(undefined, {}, {storage, fetch: (address, options) => { addresses.push(address); return fetch(address, options); }});
  await container.registerForNotifications();
  assert.ok(addresses.every((address) => address.startsWith(dev.url)));
  assert.ok((await storage.keys('')).some((key) => key.endsWith('/device')));
  await container.unregisterForNotifications();
  assert.equal(container.isRegisteredForNotifications, false);
  assert.ok(!(await storage.keys('')).some((key) => key.endsWith('/device')));
});

test('a configuration that cannot work is refused with the reason', () => {
  for (const [configuration, reason] of [[{containerIdentifier: undefined}, /containerIdentifier/],
    [{apiTokenAuth: {}}, /apiToken/], [{url: undefined}, /url/]]) {
    assert.throws(() => anonymous(configuration), (error) => error instanceof CKError && reason.test(error.reason));
  }
  assert.throws(() => anonymous().getDatabaseWithDatabaseScope('OURS'), /PUBLIC, PRIVATE, SHARED/);
});
