// What the first three steps do: devices, a subscription, a change.
import {database, device, item} from './api.js';
import {called, example} from './example.js';
import {rememberType} from './types.js';

/**
 * The ID of a device of the user's that is called `kind`; it is registered if there is none, as `alice-phone`. IDs are unique in
 * a container: where another user has that one, it has the beginning of the user's record name. `as` is another user than the
 * tab's.
 */
export async function ownDevice(kind, {name, userRecordName}, as) {
  const {devices} = await device('devices/list', undefined, {as});
  const found = called(devices, kind);
  if (found) return found;
  const register = async (deviceID) => {
    await device('devices/register', {deviceID, name: `My ${kind}`, platform: 'console'}, {as});
    return deviceID;
  };
  try {
    if (/^[A-Za-z0-9.]{1,24}$/.test(name)) return await register(`${name}-${kind}`);
  } catch (error) {
    if (error.code !== 'ACCESS_DENIED') throw error;
  }
  return register(`${kind}-${userRecordName.slice(1, 7)}`);
}

/** Registers two devices, so that one can see what the other does. */
export async function makeDevices(user) {
  for (const kind of ['laptop', 'phone']) await ownDevice(kind, user);
}

/** Makes the subscription of the example, unless the user has one of its condition. `as` is another user than the tab's. */
export async function subscribe(as) {
  const {subscriptions} = await database('public', 'subscriptions/list', {}, {as});
  const {recordType, predicate} = example.query;
  if (subscriptions.some(({query}) => query?.recordType === recordType && query.predicate === predicate)) return;
  item((await database('public', 'subscriptions/modify',
    {operations: [{operationType: 'create', subscription: example}]}, {as})).subscriptions[0]);
}

/** Saves a record that the subscription fires on, from a device. */
export async function saveArtwork(clientId) {
  const number = Math.floor(Math.random() * 1e6);
  const record = {recordType: example.query.recordType, recordName: `try-${number}`,
    fields: {title: {value: `Composition ${number}`, type: 'STRING'}, year: {value: String(1901 + number % 120), type: 'INT64'}}};
  item((await database('public', 'records/modify', {operations: [{operationType: 'forceUpdate', record}]},
    {query: {clientId}})).records[0]);
  rememberType('public', record.recordType);
}
