// Signing in and out, in either voice.
import {base, call, database, device} from './api.js';
import {dialog, note} from './dialog.js';
import {here} from './router.js';
import {preference, scopeOf, service, setOperator, setPreference, setUser, userOf} from './session.js';
import {texts} from './texts-parts.js';
import {button, h} from './view.js';
import {labelled} from './controls.js';

const names = () => { try { return JSON.parse(preference('names', '[]')); } catch { return []; } };

function keep(scope, name, answer) {
  setPreference('names', JSON.stringify([name, ...names().filter((one) => one !== name)].slice(0, 8)));
  const before = userOf(scope);
  setUser(scope, {name, userRecordName: answer.userRecordName, token: answer.ckWebAuthToken,
    device: before?.userRecordName === answer.userRecordName ? before.device : undefined});
}

/** Signs in by name alone, as development allows. */
export async function byName(name) {
  const scope = here();
  keep(scope, name, await call('auth', 'signin', {user: name}));
}

/** A session of another user by name, for a part of a page: `{name, userRecordName, token}`. It is kept nowhere. */
export async function other(name) {
  const answer = await call('auth', 'signin', {user: name, keepSignedIn: false});
  return {name, userRecordName: answer.userRecordName, token: answer.ckWebAuthToken};
}

/** Trades a code that is good once for an operator's session, and keeps it in the tab. */
export async function trade(code) {
  const {operator: name, role, rights, token} = await call('operator', 'sessions', {code});
  setOperator({name, role, rights, token});
}

/** Opens the sign-in page in a window, which hands what it gets over a channel that is named after the attempt. */
async function page(more) {
  const scope = here();
  const attempt = [...crypto.getRandomValues(new Uint8Array(16))].map((byte) => byte.toString(16).padStart(2, '0')).join('');
  const channel = new BroadcastChannel(`fanfare-sign-in-${attempt}`);
  const query = new URLSearchParams({ckAPIToken: scopeOf(scope).apiToken, channel: attempt, ...more});
  const place = [scope.container, scope.environment].map(encodeURIComponent).join('/');
  window.open(`${base}/auth/1/${place}/start?${query}`, '_blank', 'popup,width=480,height=640,noopener');
  const answer = await new Promise((resolve) => {
    channel.onmessage = ({data}) => resolve(data);
    setTimeout(resolve, 600000);
  });
  channel.close();
  if (!answer) throw new Error(texts.theSignIn);
  return answer;
}

async function byPage() {
  const scope = here();
  const {ckWebAuthToken: token, userRecordName = ''} = await page();
  setUser(scope, {name: '…', token, userRecordName});
  const caller = await database('public', 'users/caller', {});
  keep(scope, [caller.nameComponents?.givenName, caller.nameComponents?.familyName].filter(Boolean).join(' ')
    || caller.userRecordName, {...caller, ckWebAuthToken: userOf(scope).token});
}

/** The dialog to sign in as a user or as an operator; answers whether there is a session now. */
export async function signIn(voice) {
  const scope = here();
  if (voice === 'operator') return operatorSignIn();
  const offers = scopeOf(scope) ?? {};
  const ended = userOf(scope);
  if (!offers.signInByName) {
    return await dialog({title: texts.signIn,
      body: h('p', null, texts.usersOfSign(scope.environment)),
      actions: [{text: texts.cancel}, {text: texts.openTheSign, kind: 'main', value: true, act: byPage}]}) === true;
  }
  const name = h('input', {name: 'user', autocomplete: 'username', autocapitalize: 'off', spellcheck: 'false',
    required: true, autofocus: true, value: ended?.name ?? '', placeholder: 'alice'});
  const pick = (text) => button(text, {kind: 'chip'},
    () => { name.value = text; name.closest('dialog').querySelector('.dialog-foot .main').click(); });
  const recent = [...new Set([...names(), 'alice', 'bob', 'museum'])].slice(0, 6);
  return await dialog({title: texts.whoAreYou, body: [
    h('p', {class: 'quiet'},
      texts.inDevelopmentOne),
    labelled(texts.name, name), h('div', {class: 'row', role: 'group', 'aria-label': texts.names}, recent.map(pick))],
  actions: [{text: texts.cancel}, {text: texts.signIn, kind: 'main', value: true, act: async () => {
    const text = name.value.trim();
    if (!text) { name.focus(); return false; }
    await byName(text);
    return true;
  }}]}) === true;
}

async function operatorSignIn() {
  const code = h('input', {autocomplete: 'off', spellcheck: 'false', type: 'password', autofocus: true});
  return await dialog({title: texts.signInAs, body: [
    h('p', null, h('code', null, texts.fanfareConsole),
      texts.printsAnAddressWith),
    labelled(texts.addressOrCode, code)],
  actions: [{text: texts.cancel}, service.operators?.signIn && {text: texts.openTheSign, value: true,
    act: async () => trade((await page({operator: 1})).code)}, {text: texts.signIn, kind: 'main', value: true, act: async () => {
    const found = /code=([^&\s]+)/.exec(code.value)?.[1] ?? code.value.trim();
    if (!found) return false;
    await trade(found);
    return true;
  }}].filter(Boolean)}) === true;
}

/** Signs out, at the service and in the tab. */
export async function signOut(voice) {
  const scope = here();
  try {
    if (voice === 'operator') await call('operator', 'sessions/end', {});
    else await call('auth', 'signout', {});
  } catch (error) { note(`${error.code}: ${error.message}`, {kind: 'bad'}); }
  if (voice === 'operator') setOperator(null); else setUser(scope, null);
  note(service.readOnly ? texts.signedOut : texts.signedOutThe);
}

/** Asks which of the user's devices this tab's changes come from: that one is not notified of them. */
export async function pickDevice() {
  const scope = here();
  const user = userOf(scope);
  const {devices} = await device('devices/list');
  const list = h('select', {autofocus: true}, h('option', {value: ''}, texts.noneEveryDevice),
    devices.filter((one) => one.platform !== 'webcourier').map((one) => h('option', {value: one.deviceID}, one.name
    ? `${one.deviceID} (${one.name})` : one.deviceID)));
  list.value = user.device ?? '';
  await dialog({title: texts.whereDoChanges,
    body: [labelled(texts.device, list),
    h('p', {class: 'quiet'}, texts.aDeviceGets)],
    actions: [{text: texts.cancel},
      {text: texts.keep, kind: 'main', act: () => { setUser(scope, {...user, device: list.value || undefined}); return true;
      }}]});
}
