// API tokens, server-to-server keys, and the key ring: by digest and note. What is made is shown once.
import {operate} from '../core/api.js';
import {curl} from '../core/curl.js';
import {dialog} from '../core/dialog.js';
import {signIn} from '../core/frame.js';
import {act, code, once} from '../core/operate.js';
import {badge, emptyBox, load} from '../core/states.js';
import {grouped, marked, time} from '../core/text.js';
import {button, fill, h, icon, skeleton} from '../core/view.js';
import {labelled} from '../core/controls.js';
import {has} from '../core/session.js';

/** A card of a list that is read from a route. */
function card(view, {title, lead, path, items, row, make, empty, foot}) {
  const place = h('section', {class: 'card'}, skeleton(3));
  const off = view.barred();
  const maker = (kind) => make && button(make.text, {icon: make.icon ?? 'plus', kind, disabled: Boolean(off), title: off},
    async () => { if (await make.act()) redraw(); });
  async function redraw() {
    await load(place, async () => {
      const answer = await operate(path, {}, {signal: view.signal});
      const list = items(answer);
      const below = foot?.(answer);
      fill(place, h('div', {class: 'card-head'}, h('h2', null, title), list.length > 0
        && h('span', {class: 'quiet'}, grouped(list.length)),
        list.length > 0 && maker('')), h('p', {class: 'lead'}, lead),
        list.length ? h('ul', {class: 'list'}, list.map((one) => row(one, off, redraw)))
          : emptyBox(empty, {actions: [maker('main')].filter(Boolean), curl: curl('operator', path, {})}),
      below && h('p', {class: 'note'}, below));
    }, {signal: view.signal, signIn: () => signIn('operator')});
  }
  redraw();
  return place;
}

const line = (sign, name, note, facts, action) => h('li', null, icon(sign),
  h('div', {class: 'grow'}, h('div', {class: 'row'}, name, note && marked(note, 120)), h('p', {class: 'note'}, facts)), action);
const revoke = (off, label, action) => button('Revoke …', {kind: 'danger', disabled: Boolean(off), title: off, 'aria-label': label},
  action);
const used = (one) => [one.created && ['made ', time(one.created)], one.lastUsed && [', last used ', time(one.lastUsed)]];

async function asked(title, text, fields, path, body) {
  let answer;
  const yes = await dialog({title, body: [h('p', {class: 'quiet'}, text), fields],
    actions: [{text: 'Cancel'}, {text: 'Make', kind: 'main', value: true, act: async () => { answer = await operate(path, body()); }}]});
  return yes && answer;
}

async function newToken() {
  const note = h('input', {autofocus: true, autocomplete: 'off', placeholder: 'Web app'});
  const origins = h('input', {autocomplete: 'off', spellcheck: 'false', placeholder: 'any'});
  const made = await asked('New API token', 'Apps send it with each request. It says which app asks, and gives no right by itself.',
    [labelled('Note', note), labelled('Origins', origins, 'Web pages that may use it, separated by commas')],
    'tokens/create', () => ({note: note.value.trim(),
      ...(origins.value.trim() && {origins: origins.value.split(/[,\s]+/).filter(Boolean)})}));
  if (!made) return false;
  await once({title: 'The API token', text: 'Keep it where the app is built.', secret: made.apiToken, file: 'api.token'});
  return true;
}

async function newKey() {
  const note = h('input', {autofocus: true, autocomplete: 'off', placeholder: 'Import job'});
  const made = await asked('New server-to-server key',
    'A server signs its requests with the private part, and is a user of its own in the public database.', labelled('Note', note),
    'keys/create', () => ({note: note.value.trim()}));
  if (!made) return false;
  await once({title: 'The private key', text: h('span', null, 'Its ID is ', h('code', null, made.keyID), '.'), secret: made.privateKey,
    file: 'server-key.pem'});
  return true;
}

/** Opens the page. */
export function open(view) {
  const cards = [
    has(['tokens/list']) && card(view, {title: 'API tokens', lead: 'Only digests are kept: a lost token is replaced, not looked up.',
      path: 'tokens/list', items: (answer) => answer.tokens, empty: 'There is no API token: apps cannot ask anything.',
      make: {text: 'New token', act: newToken},
      row: (one, off, redraw) => line('credentials', code(one.digest), one.note,
        [used(one), one.origins?.length > 0 && [', for ', marked(one.origins.join(', '), 200)]],
        revoke(off, `Revoke token ${one.digest.slice(0, 7)}`, async () => {
        if (await act(view, {title: 'Revoke this token?', text: ['Apps that send it get AUTHENTICATION_FAILED within a second. Note: ',
          marked(one.note || '–', 120), '. This cannot be undone.'], yes: 'Revoke', danger: true, name: one.digest.slice(0, 8),
          path: 'tokens/revoke', body: () => ({digest: one.digest}), done: 'Revoked.'})) redraw();
      }))}),
    has(['keys/list']) && card(view, {title: 'Server-to-server keys', lead: 'The service has the public part alone.', path: 'keys/list',
      items: (answer) => answer.keys, empty: 'There is no key: no server signs requests.', make: {text: 'New key', act: newKey},
      row: (one, off, redraw) => line('lock', code(one.keyID), one.note, used(one), revoke(off, `Revoke key ${one.keyID.slice(0, 7)}`,
        async () => {
        if (await act(view, {title: 'Revoke this key?', text: ['Servers that sign with it are refused within a second. Note: ',
          marked(one.note || '–', 120), '. This cannot be undone.'], yes: 'Revoke', danger: true, name: one.keyID.slice(0, 8),
          path: 'keys/revoke', body: () => ({keyID: one.keyID}), done: 'Revoked.'})) redraw();
      }))}),
    has(['secrets/list']) && card(view,
      {title: 'Key ring', lead: 'Sign-ins, change tokens and addresses of files are sealed with these keys: the current one seals, all '
        + 'of them open.', path: 'secrets/list', items: (answer) => answer.secrets, empty: 'There is no key ring.',
      foot: ({formerIdentifierKeys: former}) => former > 0 && `${grouped(former)} former keys of record names are kept beside: `
        + 'names that they made stay good.',
      make: has(['secrets/rotate']) && {text: 'Rotate …', icon: 'refresh',
        act: () => act(view, {title: 'Rotate the key ring?',
        text: 'A new key seals from now on. What the others sealed stays good until they are removed.', yes: 'Rotate', name: 'rotate',
        path: 'secrets/rotate', body: () => ({}), done: 'A new key seals from now on.'})},
      row: (one, off, redraw) => line('lock', h('code', null, marked(one.name, 80)), undefined,
        [one.isCurrent ? 'seals now' : 'opens what it sealed', one.created && [', made ', time(one.created)]], one.isCurrent
        ? badge('✓ current', 'good')
        : has(['secrets/remove']) && button('Remove …', {kind: 'danger', disabled: Boolean(off), title: off,
          'aria-label': `Remove key ${one.name}`}, async () => {
          if (await act(view, {title: `Remove key ${one.name}?`,
            text: 'Sign-ins, change tokens and addresses that it sealed end within a second: users sign in again, and devices read from '
              + 'the start. This cannot be undone.', yes: 'Remove', danger: true, name: one.name, always: true, path: 'secrets/remove',
              body: () => ({name: one.name}), done: 'Removed.'})) redraw();
        }))}),
  ];
  fill(view.root, h('div', {class: 'page-head'}, view.title('Tokens and keys')), cards);
}
