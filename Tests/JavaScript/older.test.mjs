// Forms and names of CloudKit JS 1, and of CloudKit JS's reference, as scripts/web-apps found them in code of others.
import assert from 'node:assert/strict';
import test from 'node:test';
import {readFileSync} from 'node:fs';
import CloudKit, {CKError, Response} from '../../Clients/JavaScript/fanfare.js';
import {anonymous, dev, newZone, root, signedIn, take, unique} from './support.mjs';

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

test('VERSION and BUILD_VERSION are the version of the file VERSION', () => {
  const version = readFileSync(new URL('VERSION', root), 'utf8').trim();
  assert.deepEqual([CloudKit.VERSION, CloudKit.BUILD_VERSION], [version, version]);
});

test('each answer says of which class of CloudKit JS it is', async () => {
  const container = await signedIn();
  const database = container.privateCloudDatabase;
  const zoneID = await newZone(database);
  const recordType = unique('Item');
  const subscription = {subscriptionID: unique('zone-'), subscriptionType: 'zone', zoneID: {zoneName: zoneID}};
  const answers = {
    Records: [await database.saveRecords({recordType, recordName: 'a'}, {zoneID}),
      await database.fetchRecords('a', {zoneID}), await database.fetchChangedRecords(zoneID),
      await database.deleteRecords('absent', {zoneID})],
    'Records Query': [await database.performQuery({recordType}, {zoneID})],
    RecordZones: [await database.fetchAllRecordZones(), await database.saveRecordZones(unique('zone-'))],
    RecordZoneChanges: [await database.fetchRecordZoneChanges(zoneID)],
    DatabaseChanges: [await database.fetchDatabaseChanges()],
    Subscriptions: [await database.saveSubscriptions(subscription), await database.fetchAllSubscriptions()],
    UserIdentities: [await container.discoverUserIdentities({userRecordName: container.userRecordName})],
    RecordInfos: [await container.fetchRecordInfos('0absent')],
  };
  const names = Object.getOwnPropertyNames(Response.prototype).filter((name) => /^is.*Response$/.test(name));
  assert.equal(names.length, 9);
  for (const [types, responses] of Object.entries(answers)) {
    const expected = ['isResponse', ...types.split(' ').map((type) => `is${type}Response`)];
    for (const response of responses) {
      assert.deepEqual(names.filter((name) => response[name] === true).sort(), expected.sort());
      assert.deepEqual(names.filter((name) => typeof response[name] !== 'boolean'), []);
    }
  }
  assert.equal(String(answers['Records Query'][0]), '[QueryResponse 1 records, 0 errors]');
  assert.equal(String(answers.RecordInfos[0]), '[RecordInfosResponse 0 results, 1 errors]');
});

test('the answer to a query has the members of its request, and so have later pages', async () => {
  const database = (await signedIn()).privateCloudDatabase;
  const zoneName = await newZone(database);
  const recordType = unique('Item');
  const records = ['a', 'b'].map((recordName) => ({recordType, recordName, fields: {n: 1}}));
  await database.saveRecords(records, {zoneID: zoneName});
  const options = {zoneID: {zoneName}, resultsLimit: 1, desiredKeys: ['n'], numbersAsStrings: true};
  const first = await database.performQuery({recordType}, options);
  const second = await database.performQuery(first);
  assert.deepEqual([first, second].map(({records: [{recordName}]}) => recordName), ['a', 'b']);
  for (const {query, zoneID, resultsLimit, desiredKeys, numbersAsStrings} of [first, second]) {
    assert.deepEqual({zoneID, resultsLimit, desiredKeys, numbersAsStrings}, options);
    assert.equal(query.recordType, recordType);
  }
  assert.equal('zoneWide' in first, false);
  assert.equal((await database.fetchDatabaseChanges({resultsLimit: 5})).resultsLimit, 5);
});

test('a notification says of which class of CloudKit JS it is', async () => {
  const container = await signedIn();
  const {publicCloudDatabase, privateCloudDatabase} = container;
  const zoneID = await newZone(privateCloudDatabase);
  const recordType = unique('Item');
  const notificationInfo = {alertBody: 'Item'};
  const query = {subscriptionType: 'query', firesOn: ['create'], query: {recordType}, notificationInfo};
  for (const {errors} of [await publicCloudDatabase.saveSubscriptions({subscriptionID: 'public', ...query}),
    await privateCloudDatabase.saveSubscriptions([{subscriptionID: 'private', zoneID: {zoneName: zoneID}, ...query},
      {subscriptionID: 'zone', subscriptionType: 'zone', zoneID: {zoneName: zoneID}, notificationInfo}])]) {
    assert.deepEqual(errors, []);
  }
  const heard = new Promise((resolve) => {
    const all = [];
    container.addNotificationListener((notification) => { if (all.push(notification) === 3) resolve(all); });
  });
  await container.registerForNotifications();
  const taken = take(3, container.notifications());
  // A change without the ID of this device notifies it, too.
  const other = anonymous({}, {authTokenStore: {getToken: () => token, putToken: (_, next) => { token = next; }}});
  let token = null;
  await other.signIn({user: (await container.fetchCurrentUserIdentity()).nameComponents.givenName});
  await other.publicCloudDatabase.saveRecords({recordType});
  await other.privateCloudDatabase.saveRecords({recordType}, {zoneID});
  const {NOTIFICATION_TYPE_QUERY, NOTIFICATION_TYPE_RECORD_ZONE, QUERY_NOTIFICATION_REASON_RECORD_CREATED} =
    CloudKit.QueryNotification;
  for (const all of [await taken, await heard]) {
    const {public: open, private: own, zone} = Object.fromEntries(all.map((each) => [each.subscriptionID, each]));
    assert.deepEqual([open, own, zone].map((each) => [each.isQueryNotification, each.isRecordZoneNotification,
      each.isPublicDatabase, each.notificationType]), [[true, false, true, NOTIFICATION_TYPE_QUERY],
      [true, false, false, NOTIFICATION_TYPE_QUERY], [false, true, undefined, NOTIFICATION_TYPE_RECORD_ZONE]]);
    assert.ok(open instanceof CloudKit.QueryNotification && zone instanceof CloudKit.RecordZoneNotification);
    assert.ok(open instanceof CloudKit.Notification && zone instanceof CloudKit.Notification);
    assert.equal(own.queryNotificationReason, QUERY_NOTIFICATION_REASON_RECORD_CREATED);
    assert.equal(open.containerIdentifier, dev.container);
    assert.equal(String(open), `[Notification query ${open.notificationID}]`);
  }
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
