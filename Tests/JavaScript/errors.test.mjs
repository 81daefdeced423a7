import assert from 'node:assert/strict';
import test from 'node:test';
import {readFileSync} from 'node:fs';
import {CKError} from '../../Clients/JavaScript/fanfare.js';
import {anonymous, failure, newZone, root, signedIn, unique} from './support.mjs';

const documented = [...readFileSync(new URL('docs/error-codes.md', root), 'utf8').matchAll(/^- `([A-Z_]+)` · (\d+)/gm)]
  .map(([, code, status]) => ({code, status: Number(status)}));

/** A container whose service answers everything with a status and a body. */
const answering = (status, body, headers = {}) => anonymous({},
  {fetch: async () => new Response(typeof body === 'string' ? body : JSON.stringify(body), {status, headers})});

test('each documented code of a whole request is a CKError with all its members', async () => {
  assert.ok(documented.length >= 15);
  for (const {code, status} of documented) {
    const body = {serverErrorCode: code, reason: `because of ${code}`, uuid: 'u', retryAfter: 7, redirectURL: 'https://x.example'};
    const error = await failure(answering(status, body).publicCloudDatabase.fetchRecords('a'));
    assert.ok(error instanceof CKError && error instanceof Error && error.isCKError && error.isServerError);
    assert.deepEqual([error.ckErrorCode, error.serverErrorCode, error.reason, error.uuid, error.retryAfter, error.redirectURL],
      [code, code, body.reason, 'u', 7, 'https://x.example']);
  }
});

test('each documented code of an item is in the errors of the answer', async () => {
  const items = documented.map(({code}) => ({recordName: code, serverErrorCode: code, reason: 'why'}));
  const response = await answering(200, {records: [...items, {recordName: 'good'}]}).publicCloudDatabase.fetchRecords('a');
  assert.deepEqual(response.errors.map((error) => [error.recordName, error.ckErrorCode]), items.map(({recordName: name}) => [name, name]));
  assert.deepEqual(response.records.map(({recordName}) => recordName), ['good']);
});

test('the service\'s own errors arrive', async () => {
  const [ada, bob] = [await signedIn(), await signedIn()];
  const recordType = unique('Thing');
  const publicDatabase = ada.publicCloudDatabase;
  const {records: [record]} = await publicDatabase.saveRecords({recordType, fields: {n: 1}});
  const zoneID = await newZone(ada.privateCloudDatabase);
  const item = async (promise) => (await promise).errors[0];
  const cases = {
    ACCESS_DENIED: () => item(bob.publicCloudDatabase.saveRecords(record)),
    ATOMIC_ERROR: async () => (await ada.privateCloudDatabase.newRecordsBatch({zoneID}).create({recordType, recordName: 'a'})
      .update({recordType, recordName: 'none', recordChangeTag: '1'}).commit()).errors.find(({ckErrorCode}) => ckErrorCode === 'ATOMIC_ERROR'),
    AUTHENTICATION_FAILED: () => failure(anonymous({apiTokenAuth: {apiToken: '0'.repeat(64)}}).publicCloudDatabase.fetchRecords('a')),
    AUTHENTICATION_REQUIRED: () => failure(anonymous().privateCloudDatabase.fetchRecords('a')),
    BAD_REQUEST: () => failure(publicDatabase.performQuery({recordType: 'not a type'})),
    CHANGE_TOKEN_EXPIRED: async () => {
      const {zones: [first]} = await ada.privateCloudDatabase.fetchRecordZoneChanges(zoneID);
      await ada.privateCloudDatabase.deleteRecordZones(zoneID);
      await ada.privateCloudDatabase.saveRecordZones(zoneID);
      return item(ada.privateCloudDatabase.fetchRecordZoneChanges(first));
    },
    CONFLICT: async () => {
      await publicDatabase.saveRecords({...record, fields: {n: 2}});
      return item(publicDatabase.saveRecords({...record, fields: {n: 3}}));
    },
    EXISTS: () => item(publicDatabase.saveRecords({recordType, recordName: record.recordName})),
    NOT_FOUND: () => item(publicDatabase.fetchRecords('absent')),
    QUOTA_EXCEEDED: () => failure(publicDatabase.fetchRecords(Array.from({length: 201}, (_, n) => `r${n}`))),
    VALIDATING_REFERENCE_ERROR: () => item(publicDatabase.saveRecords({recordType,
      fields: {to: {value: {recordName: 'absent', action: 'VALIDATE'}}}})),
    ZONE_NOT_FOUND: () => failure(ada.privateCloudDatabase.performQuery({recordType}, {zoneID: 'absent'})),
  };
  for (const [code, make] of Object.entries(cases)) {
    const error = await make();
    assert.equal(error?.ckErrorCode, code, error?.reason);
    assert.ok(error instanceof CKError && error.reason.length > 0 && error.uuid, code);
  }
  const {limit} = await cases.QUOTA_EXCEEDED();
  assert.equal(limit.value, 200);
  assert.match((await cases.AUTHENTICATION_REQUIRED()).redirectURL, /\/auth\/1\/.*start/);
});

test('what did not come from the service has codes of its own', async () => {
  const gone = anonymous({url: 'http://127.0.0.1:9'});
  const network = await failure(gone.publicCloudDatabase.fetchRecords('a'));
  assert.deepEqual([network.ckErrorCode, network.serverErrorCode, network.isServerError], ['NETWORK_ERROR', undefined, false]);
  for (const [status, body] of [[502, '<html>Bad gateway</html>'], [200, '<html>'], [500, '']]) {
    const error = await failure(answering(status, body).publicCloudDatabase.fetchRecords('a'));
    assert.equal(error.ckErrorCode, 'UNEXPECTED_SERVER_RESPONSE');
  }
  const broken = anonymous({}, {authTokenStore: {getToken: () => null, putToken: () => { throw new CKError({ckErrorCode: 'AUTH_PERSIST_ERROR', reason: 'full'}); }}});
  assert.equal((await failure(broken.signIn({user: 'ada'}))).ckErrorCode, 'AUTH_PERSIST_ERROR');
});
