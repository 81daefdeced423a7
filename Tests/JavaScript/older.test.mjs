// Forms and names of CloudKit JS 1, and of CloudKit JS's reference, as scripts/web-apps found them in code of others.
import assert from 'node:assert/strict';
import test from 'node:test';
import CloudKit, {CKError} from '../../Clients/JavaScript/fanfare.js';
import {anonymous, dev, newZone, signedIn, unique} from './support.mjs';

test('a configuration of CloudKit JS 1 has the token beside the name of the container', async () => {
  const container = anonymous({apiTokenAuth: undefined, apiToken: dev.apiToken, auth: {persist: true}});
  assert.equal(await container.setUpAuth(), null);
});

test('a record of CloudKit JS 1 names its zone', async () => {
  const database = (await signedIn()).privateCloudDatabase;
  const zoneID = await newZone(database);
  const {records: [saved]} = await database.saveRecord(
    {recordType: unique('Item'), recordName: 'item', zoneID, fields: {n: 1}});
  assert.equal(saved.zoneID.zoneName, zoneID);
  assert.equal((await database.fetchRecord({recordName: 'item', zoneID})).records[0].fields.n.value, 1);
  assert.equal((await database.fetchRecord('item')).errors[0].ckErrorCode, CKError.NOT_FOUND);
  assert.equal((await database.deleteRecord({recordName: 'item', zoneID})).records[0].deleted, true);
});

test('zones and subscriptions have names for one of them, too', async () => {
  const database = (await signedIn()).privateCloudDatabase;
  const zoneName = unique('zone-');
  assert.equal((await database.saveRecordZone({zoneName})).zones[0].zoneID.zoneName, zoneName);
  assert.equal((await database.fetchRecordZone(zoneName)).zones.length, 1);
  const {subscriptions: [{subscriptionID}]} = await database.saveSubscription(
    {subscriptionType: 'zone', zoneID: {zoneName}});
  assert.equal((await database.fetchSubscription({subscriptionID})).subscriptions[0].zoneID.zoneName, zoneName);
  assert.equal((await database.deleteSubscription({subscriptionID})).hasErrors, false);
  assert.equal((await database.deleteRecordZone(zoneName)).zones[0].deleted, true);
});

test('fetchChangedRecords takes a zone and options, and goes on with the token', async () => {
  const database = (await signedIn()).privateCloudDatabase;
  const zoneName = await newZone(database);
  const recordType = unique('Item');
  await database.saveRecords(['a', 'b', 'c'].map((recordName) => ({recordType, recordName})), {zoneID: zoneName});
  const first = await database.fetchChangedRecords({zoneName}, {resultsLimit: 2});
  assert.deepEqual([first.records.map(({recordName}) => recordName), first.moreComing], [['a', 'b'], true]);
  const {records} = await database.fetchChangedRecords(zoneName, {resultsLimit: 2, syncToken: first.syncToken});
  assert.deepEqual(records.map(({recordName}) => recordName), ['c']);
});

test('users have the names of CloudKit JS 1, and one user is found as a list', async () => {
  const address = `${unique('ada')}@example.com`;
  const container = await signedIn(address);
  const {userRecordName, firstName} = await container.fetchUserInfo();
  assert.equal(firstName, address.split('@')[0]);
  for (const {users} of [await container.discoverUserIdentityWithUserRecordName(userRecordName),
    await container.discoverUserIdentityWithEmailAddress(address),
    await container.discoverUserInfoWithEmailAddress(address),
    await container.discoverUserInfoWithUserRecordName(userRecordName)]) {
    assert.deepEqual(users.map((user) => user.userRecordName), [userRecordName]);
  }
  assert.ok(Array.isArray((await container.discoverAllContactUserInfos()).users));
  const absent = await container.discoverUserInfoWithUserRecordName(`_${'0'.repeat(32)}`);
  assert.deepEqual([absent.users, absent.errors[0].ckErrorCode], [[], 'NOT_FOUND']);
});

test('a subscription needs no notificationInfo, and a filter with a distance no comparator', async () => {
  const database = (await signedIn()).privateCloudDatabase;
  const recordType = unique('Artwork');
  const location = {latitude: 37.77, longitude: -122.41};
  await database.saveRecords({recordType, recordName: 'park', fields: {location}});
  const query = {recordType, filterBy: [{fieldName: 'location', distance: 100000, fieldValue: location}]};
  assert.deepEqual((await database.performQuery(query)).records.map(({recordName}) => recordName), ['park']);
  const subscription = {subscriptionType: 'query', firesOn: ['create'], query: {recordType}};
  assert.deepEqual((await database.saveSubscriptions(subscription)).errors, []);
  assert.equal('notificationInfo' in subscription, false);
});

test('registering for notifications resolves with the container', async () => {
  const container = await signedIn();
  assert.equal(await container.registerForNotifications(), container);
  assert.equal(container.isRegisteredForNotifications, true);
  assert.equal(await container.unregisterForNotifications(), container);
});

test('the namespace has the constants and the names of the reference', () => {
  assert.equal(CloudKit.Promise, Promise);
  assert.equal(CloudKit.CLOUDKIT_LOADED, 'cloudkitloaded');
  assert.equal(CloudKit.CKError.ZONE_NOT_FOUND, 'ZONE_NOT_FOUND');
  assert.equal(new CKError({ckErrorCode: CKError.CONFLICT}).isError, true);
  assert.equal(CloudKit.QueryFilterComparator.NOT_LIST_CONTAINS_ANY, 'NOT_LIST_CONTAINS_ANY');
  const {NAME, TITLE_FIELD_NAME} = CloudKit.ShareRecordType;
  assert.deepEqual([NAME, TITLE_FIELD_NAME], ['cloudkit.share', 'cloudkit.title']);
  assert.deepEqual([CloudKit.ShareParticipantAcceptanceStatus.PENDING, CloudKit.ShareParticipantType.PRIVATE_USER],
    ['INVITED', 'USER']);
  const one = {containerIdentifier: 'iCloud.com.example.One', url: 'https://x.example/', apiTokenAuth: {apiToken: 'a'}};
  CloudKit.configure({containers: [one, {...one, containerIdentifier: 'iCloud.com.example.Two'}]});
  assert.equal(CloudKit.getContainer('iCloud.com.example.Two'), CloudKit.getAllContainers()[1]);
  assert.equal(CloudKit.getContainer('iCloud.com.example.Three'), undefined);
});

test('a page that is still loading gets its button when the places of the buttons are there', async () => {
  const [places, listeners] = [{}, {}];
  const button = () => ({remove() {}});
  globalThis.document = {readyState: 'interactive', createElement: button, getElementById: (id) => places[id] ?? null};
  globalThis.window = {dispatchEvent() {}};
  globalThis.addEventListener = (name, listener) => { listeners[name] = listener; };
  globalThis.location = {host: 'app.example'};
  const {Container} = await import('../../Clients/JavaScript/fanfare.js?page');
  const container = new Container(
    {containerIdentifier: dev.container, url: dev.url, apiTokenAuth: {apiToken: dev.apiToken}});
  assert.equal(await container.setUpAuth(), null);
  const shown = [];
  places['apple-sign-in-button'] = {replaceChildren: (child) => shown.push(child.textContent)};
  document.readyState = 'complete';
  listeners.load();
  assert.deepEqual(shown, ['Sign in']);
});
