// API tokens, server-to-server keys, and the key ring: by digest and note. What is made is shown once.
import {operate} from '../core/api.js';
import {curl} from '../core/curl.js';
import {dialog} from '../core/dialog.js';
import {signIn} from '../core/frame.js';
import {act, code, once} from '../core/operate.js';
import {badge, emptyBox, load} from '../core/states.js';
import {grouped, marked, time} from '../core/text.js';
import {texts} from '../core/texts-people.js';
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
const revoke = (off, label, action) => button(texts.revokeMore, {kind: 'danger', disabled: Boolean(off), title: off, 'aria-label': label},
  action);
const used = (one) => [one.created && ['made ', time(one.created)], one.lastUsed && [texts.lastUsed, time(one.lastUsed)]];

async function asked(title, text, fields, path, body) {
  let answer;
  const yes = await dialog({title, body: [h('p', {class: 'quiet'}, text), fields],
    actions: [{text: texts.cancel}, {text: texts.make, kind: 'main', value: true,
      act: async () => { answer = await operate(path, body()); }}]});
  return yes && answer;
}

async function newToken() {
  const note = h('input', {autofocus: true, autocomplete: 'off', placeholder: texts.webApp});
  const origins = h('input', {autocomplete: 'off', spellcheck: 'false', placeholder: texts.any});
  const made = await asked(texts.newApiToken, texts.appsSendIt,
    [labelled(texts.note, note), labelled(texts.origins, origins, texts.webPagesThat)],
    'tokens/create', () => ({note: note.value.trim(),
      ...(origins.value.trim() && {origins: origins.value.split(/[,\s]+/).filter(Boolean)})}));
  if (!made) return false;
  await once({title: texts.theApiToken, text: texts.keepItWhere, secret: made.apiToken, file: 'api.token'});
  return true;
}

async function newKey() {
  const note = h('input', {autofocus: true, autocomplete: 'off', placeholder: texts.importJob});
  const made = await asked(texts.newServerTo,
    texts.aServerSigns, labelled(texts.note, note),
    'keys/create', () => ({note: note.value.trim()}));
  if (!made) return false;
  await once({title: texts.thePrivateKey, text: h('span', null, texts.itsIdIs, h('code', null, made.keyID), '.'), secret: made.privateKey,
    file: 'server-key.pem'});
  return true;
}

/** Opens the page. */
export function open(view) {
  const cards = [
    has(['tokens/list']) && card(view, {title: texts.apiTokens, lead: texts.onlyDigestsAre,
      path: 'tokens/list', items: (answer) => answer.tokens, empty: texts.thereIsNoApi,
      make: {text: texts.newToken, act: newToken},
      row: (one, off, redraw) => line('credentials', code(one.digest), one.note,
        [used(one), one.origins?.length > 0 && [', for ', marked(one.origins.join(', '), 200)]],
        revoke(off, texts.revokeToken(one.digest.slice(0, 7)), async () => {
        if (await act(view, {title: texts.revokeThisTokenAsk, text: [texts.appsThatSend,
          marked(one.note || '–', 120), texts.thisCannotBe], yes: texts.revoke, danger: true, name: one.digest.slice(0, 8),
          path: 'tokens/revoke', body: () => ({digest: one.digest}), done: texts.revoked})) redraw();
      }))}),
    has(['keys/list']) && card(view, {title: texts.serverToServer, lead: texts.theServiceHas, path: 'keys/list',
      items: (answer) => answer.keys, empty: texts.thereIsNoKey, make: {text: texts.newKey, act: newKey},
      row: (one, off, redraw) => line('lock', code(one.keyID), one.note, used(one), revoke(off, texts.revokeKey(one.keyID.slice(0, 7)),
        async () => {
        if (await act(view, {title: texts.revokeThisKeyAsk, text: [texts.serversThatSign,
          marked(one.note || '–', 120), texts.thisCannotBe], yes: texts.revoke, danger: true, name: one.keyID.slice(0, 8),
          path: 'keys/revoke', body: () => ({keyID: one.keyID}), done: texts.revoked})) redraw();
      }))}),
    has(['secrets/list']) && card(view,
      {title: texts.keyRing, lead: texts.signInsChangeTokens, path: 'secrets/list', items: (answer) => answer.secrets,
        empty: texts.thereIsNo,
      foot: ({formerIdentifierKeys: former}) => former > 0 && texts.formerKeysOf(grouped(former)),
      make: has(['secrets/rotate']) && {text: texts.rotateMore, icon: 'refresh',
        act: () => act(view, {title: texts.rotateTheKey,
        text: texts.aNewKeySeals, yes: texts.rotate, name: 'rotate',
        path: 'secrets/rotate', body: () => ({}), done: texts.aNewKey})},
      row: (one, off, redraw) => line('lock', h('code', null, marked(one.name, 80)), undefined,
        [one.isCurrent ? texts.sealsNow : texts.opensWhatIt, one.created && [', made ', time(one.created)]], one.isCurrent
        ? badge(texts.current, 'good')
        : has(['secrets/remove']) && button(texts.removeMore, {kind: 'danger', disabled: Boolean(off), title: off,
          'aria-label': texts.removeKey(one.name)}, async () => {
          if (await act(view, {title: texts.removeKeyAsk(one.name),
            text: texts.signInsChange, yes: texts.remove, danger: true, name: one.name, always: true, path: 'secrets/remove',
              body: () => ({name: one.name}), done: texts.removed})) redraw();
        }))}),
  ];
  fill(view.root, h('div', {class: 'page-head'}, view.title(texts.tokensAndKeys)), cards);
}
