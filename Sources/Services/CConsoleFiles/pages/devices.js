// Devices: registering, removing, the badge, and how far each one's feed is.
import {device} from '../core/api.js';
import {curl} from '../core/curl.js';
import {confirm, dialog, note} from '../core/dialog.js';
import {signIn} from '../core/frame.js';
import {goes, goesWithDevice} from '../core/goes.js';
import {here, to} from '../core/router.js';
import {has, operator, setUser} from '../core/session.js';
import {badge, emptyBox, load} from '../core/states.js';
import {marked, plain, time} from '../core/text.js';
import {texts} from '../core/texts-devices.js';
import {button, fill, h, skeleton} from '../core/view.js';
import {labelled} from '../core/controls.js';

/** Opens the page. */
export function open(view) {
  const place = h('div', {class: 'page'}, skeleton());
  const off = view.locked();
  fill(view.root, h('div', {class: 'page-head'}, view.title(texts.devices), operator() && has(['devices/list'])
    && h('a', {class: 'button', href: to('devices', ['all'])}, texts.allUsers),
    h('a', {class: 'button', href: to('devices', ['install'])}, texts.installOnA),
    button(texts.registerADevice2, {icon: 'plus', kind: 'main', disabled: Boolean(off), title: off}, register),
    button('', {icon: 'refresh', label: texts.readAgain}, read)), place);

  async function register() {
    const id = h('input', {placeholder: texts.madeByThe, autocomplete: 'off', spellcheck: 'false',
      autofocus: true});
    const name = h('input', {placeholder: texts.myPhone, autocomplete: 'off'});
    const platform = h('input', {value: 'console', autocomplete: 'off'});
    let made;
    await dialog({title: texts.registerADevice2,
      body: [h('p', {class: 'quiet'},
      texts.fromThenOn),
      labelled(texts.deviceId, id), labelled(texts.name2, name), labelled(texts.platform, platform)],
      actions: [{text: texts.cancel}, {text: texts.register, kind: 'main', act: async () => {
      made = await device('devices/register', {...(id.value.trim() && {deviceID: id.value.trim()}),
        ...(name.value && {name: name.value}), ...(platform.value && {platform: platform.value})});
    }}]});
    if (made) { note(texts.isRegistered(plain(made.deviceID, 40))); read(); }
  }

  async function setBadge(one) {
    const field = h('input', {inputmode: 'numeric', value: '0', autofocus: true});
    if (await dialog({title: texts.setTheBadge, body: [h('p', {class: 'quiet'}, texts.itIsSet),
      labelled(texts.badge, field)],
      actions: [{text: texts.cancel},
      {text: texts.set, kind: 'main', value: true,
      act: async () => { await device('badge/modify',
      {deviceID: one.deviceID, badgeValue: Math.max(0, Number.parseInt(field.value, 10) || 0)}); }}]})) read();
  }

  async function remove(one) {
    if (!await confirm({title: texts.removeAsk(plain(one.deviceID, 60)),
      text: texts.itsFeedGoes,
        what: goes(goesWithDevice(one)), yes: texts.remove2, danger: true, name: here().environment === 'production' ? one.deviceID
          : undefined})) return;
    try {
      await device('devices/unregister', {deviceID: one.deviceID});
      if (view.user().device === one.deviceID) setUser(here(), {...view.user(), device: undefined});
      note(texts.isRemoved(plain(one.deviceID, 40)));
    } catch (error) { note(`${error.code}: ${error.message}`, {kind: 'bad'}); }
    read();
  }

  function card(one, count) {
    const own = view.user().device === one.deviceID;
    return h('section', {class: 'card', 'aria-label': plain(one.deviceID, 60)},
      h('div', {class: 'card-head'}, h('h2', {class: 'cut'}, marked(one.deviceID, 60)), own && badge(texts.thisTab, 'accent'),
      one.platform && badge(plain(one.platform, 30))),
      h('dl', {class: 'facts'}, one.name && [h('dt', null, texts.name), h('dd', null, marked(one.name, 100))],
        h('dt', null, texts.badgeWord), h('dd', null, count ?? '–'), h('dt', null, texts.epoch), h('dd', null, one.epoch),
        h('dt', null, texts.registered), h('dd', null, time(one.registered)), h('dt', null, texts.lastSeen),
        h('dd', null, time(one.lastSeen)), one.expires && [h('dt', null, texts.expires), h('dd', null, time(one.expires))],
        one.push?.map((courier) => [h('dt', null, courier.kind),
          h('dd', null, texts.since(new Date(courier.registered).toISOString().slice(0, 10)), courier.contents === 'none'
          && texts.withoutContents, courier.lastSuccess
          && h('span', {class: 'good'}, texts.taken, time(courier.lastSuccess)), courier.lastFailure
          && h('span', {class: 'bad'}, ` ✕ ${plain(courier.lastFailure.reason, 80)} `,
          time(courier.lastFailure.time)))])),
      h('div', {class: 'row'}, h('a', {class: 'button main', href: to('feed', [one.deviceID])}, texts.openFeed),
        button(texts.badge, {disabled: Boolean(off), title: off, 'aria-label': texts.setTheBadge}, () => setBadge(one)),
        !own && button(texts.beItIn, {title: texts.changesOfThis},
          () => setUser(here(), {...view.user(), device: one.deviceID})), own
          && button(texts.beNoDevice, {}, () => setUser(here(), {...view.user(), device: undefined})),
        button('', {icon: 'trash', label: texts.remove(plain(one.deviceID, 60)), disabled: Boolean(off)},
          () => remove(one))));
  }

  async function read() {
    await load(place, async () => {
      const {devices} = await device('devices/list', undefined, {signal: view.signal});
      if (!devices.length) return fill(place,
        emptyBox(texts.youHaveNo,
        {actions: [button(texts.registerADevice2, {kind: 'main', icon: 'plus', disabled: Boolean(off)}, register)],
        curl: curl('device', 'devices/register', {deviceID: 'phone', name: 'My phone'})}));
      const counts = await Promise.all(devices.slice(0, 20).map((one) => one.platform === 'webcourier' ? undefined
        : device('badge/current', undefined, {query: {deviceID: one.deviceID}}).then(({badgeValue}) => badgeValue,
        () => undefined)));
      if (!view.signal.aborted) fill(place, h('div', {class: 'cards'}, devices.map((one, at) => card(one, counts[at]))));
    }, {signal: view.signal, signIn: () => signIn('user')});
  }
  view.keys({n: [texts.registerADevice, register]});
  read();
}
