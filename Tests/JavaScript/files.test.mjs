// The files themselves: names in fanfare.d.ts, size, both forms as the service serves them.
import assert from 'node:assert/strict';
import test from 'node:test';
import vm from 'node:vm';
import {gunzipSync, gzipSync} from 'node:zlib';
import {readFileSync} from 'node:fs';
import * as module from '../../Clients/JavaScript/fanfare.js';
import {anonymous, dev, root} from './support.mjs';

const source = readFileSync(new URL('Clients/JavaScript/fanfare.js', root), 'utf8');
const types = readFileSync(new URL('Clients/JavaScript/fanfare.d.ts', root), 'utf8');

/** The members that a class of fanfare.d.ts declares. */
function declared(name) {
  const body = new RegExp(`^export class ${name}\\b[^{]*\\{\\n(.*?)^\\}`, 'ms').exec(types)?.[1] ?? '';
  return new Set([...body.matchAll(/^ {2}(?:readonly |get |static )*(\[Symbol\.\w+\]|[A-Za-z_]\w*)[?(<:]/gm)].map(([, member]) => member));
}

test('fanfare.d.ts names what the module exports, and nothing else', () => {
  const values = [...types.matchAll(/^export (?:class|function|const) (\w+)/gm)].map(([, name]) => name);
  assert.deepEqual([...new Set([...values, 'default'])].sort(), Object.keys(module).sort());
  assert.equal(module.default, module.CloudKit);
  const members = /^export const CloudKit: \{\n(.*?)^\};/ms.exec(types)[1];
  assert.deepEqual([...members.matchAll(/^ {2}(\w+):/gm)].map(([, name]) => name).sort(), Object.keys(module.CloudKit).sort());
});

test('each class of fanfare.d.ts has the methods of the module\'s, and nothing else', () => {
  const container = anonymous();
  const own = {Container: container, Database: container.publicCloudDatabase, CKError: new module.CKError({ckErrorCode: 'X'}),
    Response: new module.Response('records', {records: []}), RecordsBatchBuilder: container.publicCloudDatabase.newRecordsBatch()};
  for (const [name, value] of Object.entries(module)) {
    if (typeof value !== 'function' || !/^class /.test(String(value)) || name === 'default') continue;
    const names = new Set(Reflect.ownKeys(value.prototype).map((key) => (typeof key === 'symbol' ? `[${key.description}]` : key)));
    const written = declared(name);
    assert.ok(written.has('constructor'), `${name} is a class of fanfare.d.ts`);
    for (const method of names) assert.ok(written.has(method), `${name}.${method} is absent from fanfare.d.ts`);
    const text = new RegExp(`^class ${name}\\b.*?^\\}`, 'ms').exec(source)[0];
    for (const member of written) {
      const isThere = names.has(member) || (own[name] && member in own[name]) || text.includes(`this.${member} =`) ||
        (name === 'CKError' && ['serverErrorCode', 'uuid', 'retryAfter', 'redirectURL', 'recordName', 'subscriptionID', 'zoneID',
          'limit'].includes(member)) || (name === 'Response' && ['moreComing', 'continuationMarker', 'syncToken'].includes(member)) ||
        (name === 'Container' && member === 'userRecordName');
      assert.ok(isThere, `${name}.${member} of fanfare.d.ts is absent from the module`);
    }
  }
});

test('the module has at most 25 KB with gzip, depends on nothing, and its lines are short', () => {
  assert.ok(gzipSync(source, {level: 9}).length <= 25_000, `${gzipSync(source, {level: 9}).length} bytes`);
  assert.ok(!/^import |\brequire\(|innerHTML|\beval\(/m.test(source));
  assert.deepEqual(source.split('\n').filter((line) => line.length > 120), []);
});

test('the service serves the module, its types and the classic script, and each under the name of the build', async () => {
  const get = (path, headers = {}) => fetch(`${dev.url}/fanfare/${path}`, {headers});
  const answer = await get('fanfare.js');
  assert.equal(await answer.text(), source);
  assert.equal(answer.headers.get('content-type'), 'text/javascript; charset=utf-8');
  assert.equal(await (await get('fanfare.d.ts')).text(), types);
  const build = answer.headers.get('content-location').split('/')[0];
  for (const name of ['fanfare.js', 'cloudkit.js', 'fanfare.d.ts']) {
    const fixed = await get(`${build}/${name}`, {'Accept-Encoding': 'gzip'});
    assert.equal(fixed.headers.get('cache-control'), 'public, max-age=31536000, immutable');
    assert.equal(fixed.headers.get('access-control-allow-origin'), '*');
    assert.equal(await fixed.text(), await (await get(name)).text());
  }
  assert.equal((await get('0/fanfare.js')).status, 404);
  assert.ok(gunzipSync);
});

test('the classic script defines CloudKit on the window, and takes the service from its own address', async () => {
  const script = await (await fetch(`${dev.url}/fanfare/cloudkit.js`)).text();
  const events = [];
  const window = {dispatchEvent: ({type}) => events.push(type)};
  const document = {currentScript: {src: `${dev.url}/fanfare/cloudkit.js?v=1`}, getElementById: () => null};
  const context = vm.createContext({window, document, crypto, setTimeout: (work) => work(), Event, fetch, AbortController,
    URLSearchParams, Response, structuredClone});
  vm.runInContext(script, context);
  assert.deepEqual([Object.keys(window), events], [['dispatchEvent', 'CloudKit'], ['cloudkitloaded']]);
  window.CloudKit.configure({containers: [{containerIdentifier: dev.container, environment: 'development',
    apiTokenAuth: {apiToken: dev.apiToken, persist: true, signInButton: {id: 'in', theme: 'black'}}}]});
  const container = window.CloudKit.getDefaultContainer();
  assert.equal(container.url, dev.url);
  assert.equal(await container.setUpAuth(), null);
  const page = await container.publicCloudDatabase.performQuery({recordType: 'Nothing'}).catch((error) => error);
  assert.ok(page.records || page.isCKError);
});

test('configure makes containers; the default one is the first', () => {
  assert.throws(() => module.getDefaultContainer(), ({ckErrorCode}) => ckErrorCode === 'CONFIGURATION_ERROR');
  const one = {containerIdentifier: 'iCloud.com.example.One', url: 'https://x.example/', apiTokenAuth: {apiToken: 'a'}};
  module.configure({containers: [one, {...one, containerIdentifier: 'iCloud.com.example.Two', environment: 'production'}]});
  assert.equal(module.getDefaultContainer().url, 'https://x.example');
  assert.deepEqual(module.getAllContainers().map(({environment}) => environment), ['development', 'production']);
  assert.throws(() => module.configure({containers: []}), ({ckErrorCode}) => ckErrorCode === 'INVALID_ARGUMENTS');
});
