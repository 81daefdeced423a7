// What the tests of the JavaScript client share: containers of users of their own, and waiting for events.
import {readFileSync} from 'node:fs';
import {randomBytes} from 'node:crypto';
import {after} from 'node:test';
import {Container, MemoryStorage} from '../../Clients/JavaScript/fanfare.js';

export const root = new URL('../../', import.meta.url);
export const dev = JSON.parse(readFileSync(process.env.FANFARE_DEV_JSON, 'utf8'));
export const unique = (text) => `${text}${randomBytes(5).toString('hex')}`;

/** Keeps the web auth token in memory, as an app's own store would. */
export class Tokens {
  token = null;
  async getToken() { return this.token; }
  async putToken(_, token) { this.token = token; }
}

const containers = [];
// Streams that stay open would keep the process.
after(() => { for (const container of containers) container.close(); });

/** A container without a user, with storage and tokens of its own. */
export function anonymous(configuration = {}, services = {}) {
  const container = new Container(
    {containerIdentifier: dev.container, environment: dev.environment, url: dev.url, apiTokenAuth: {apiToken: dev.apiToken},
      ...configuration},
    {storage: new MemoryStorage(), authTokenStore: new Tokens(), ...services});
  containers.push(container);
  return container;
}

/** A container whose user is signed in; a new user unless one is named. */
export async function signedIn(user = unique('user-'), configuration = {}, services = {}) {
  const container = anonymous(configuration, services);
  await container.signIn({user});
  return container;
}

/** A zone of its own in the private database. */
export async function newZone(database) {
  const zoneName = unique('zone-');
  const {errors} = await database.saveRecordZones(zoneName);
  if (errors.length > 0) throw errors[0];
  return zoneName;
}

/** The first items of something without an end. */
export async function take(count, items, isWanted = () => true) {
  const found = [];
  for await (const item of items) {
    if (isWanted(item)) found.push(item);
    if (found.length === count) break;
  }
  return found;
}

/** The error that a promise fails with. */
export const failure = (promise) => promise.then(() => { throw new Error('it did not fail'); }, (error) => error);

/** Numbers from 0 to below 1 that a seed decides (mulberry32). */
export function randomness(seed) {
  let state = seed >>> 0;
  const next = () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4294967296;
  };
  return {next, below: (bound) => Math.floor(next() * bound), of: (values) => values[Math.floor(next() * values.length)]};
}
