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
import {button, fill, h, skeleton} from '../core/view.js';
import {labelled} from '../core/controls.js';

/** Opens the page. */
export function open(view) {
  const place = h('div', {class: 'page'}, skeleton());
  const off = view.locked();
  fill(view.root, h('div', {class: 'page-head'}, view.title('Devices'), operator() && has(['devices/list'])
    && h('a', {class: 'button', href: to('devices', ['all'])}, 'All users’'),
    h('a', {class: 'button', href: to('devices', ['install'])}, 'Install on a new device'),
    button('Register a device', {icon: 'plus', kind: 'main', disabled: Boolean(off), title: off}, register),
    button('', {icon: 'refresh', label: 'Read again'}, read)), place);

  async function register() {
    const id = h('input', {placeholder: 'made by the service when empty', autocomplete: 'off', spellcheck: 'false',
      autofocus: true});
    const name = h('input', {placeholder: 'My phone', autocomplete: 'off'});
    const platform = h('input', {value: 'console', autocomplete: 'off'});
    let made;
    await dialog({title: 'Register a device',
      body: [h('p', {class: 'quiet'},
      'From then on it gets notifications, and its first fetch has what came before, but for what it caused itself.'),
      labelled('Device ID', id), labelled('Name', name), labelled('Platform', platform)],
      actions: [{text: 'Cancel'}, {text: 'Register', kind: 'main', act: async () => {
      made = await device('devices/register', {...(id.value.trim() && {deviceID: id.value.trim()}),
        ...(name.value && {name: name.value}), ...(platform.value && {platform: platform.value})});
    }}]});
    if (made) { note(`${plain(made.deviceID, 40)} is registered.`); read(); }
  }

  async function setBadge(one) {
    const field = h('input', {inputmode: 'numeric', value: '0', autofocus: true});
    if (await dialog({title: 'Set the badge', body: [h('p', {class: 'quiet'}, 'It is set on all of your devices.'),
      labelled('Badge', field)],
      actions: [{text: 'Cancel'},
      {text: 'Set', kind: 'main', value: true,
      act: async () => { await device('badge/modify',
      {deviceID: one.deviceID, badgeValue: Math.max(0, Number.parseInt(field.value, 10) || 0)}); }}]})) read();
  }

  async function remove(one) {
    if (!await confirm({title: `Remove ${plain(one.deviceID, 60)}?`,
      text: 'Its feed goes. Registered again it begins a new feed, and tokens of the old one expire. This cannot be undone.',
        what: goes(goesWithDevice(one)), yes: 'Remove', danger: true, name: here().environment === 'production' ? one.deviceID
          : undefined})) return;
    try {
      await device('devices/unregister', {deviceID: one.deviceID});
      if (view.user().device === one.deviceID) setUser(here(), {...view.user(), device: undefined});
      note(`${plain(one.deviceID, 40)} is removed.`);
    } catch (error) { note(`${error.code}: ${error.message}`, {kind: 'bad'}); }
    read();
  }

  function card(one, count) {
    const own = view.user().device === one.deviceID;
    return h('section', {class: 'card', 'aria-label': plain(one.deviceID, 60)},
      h('div', {class: 'card-head'}, h('h2', {class: 'cut'}, marked(one.deviceID, 60)), own && badge('this tab', 'accent'),
      one.platform && badge(plain(one.platform, 30))),
      h('dl', {class: 'facts'}, one.name && [h('dt', null, 'name'), h('dd', null, marked(one.name, 100))],
        h('dt', null, 'badge'), h('dd', null, count ?? '–'), h('dt', null, 'epoch'), h('dd', null, one.epoch),
        h('dt', null, 'registered'), h('dd', null, time(one.registered)), h('dt', null, 'last seen'),
        h('dd', null, time(one.lastSeen)), one.expires && [h('dt', null, 'expires'), h('dd', null, time(one.expires))],
        one.push?.map((courier) => [h('dt', null, courier.kind),
          h('dd', null, `since ${new Date(courier.registered).toISOString().slice(0, 10)}`, courier.contents === 'none'
          && ' without contents', courier.lastSuccess
          && h('span', {class: 'good'}, ' ✓ taken ', time(courier.lastSuccess)), courier.lastFailure
          && h('span', {class: 'bad'}, ` ✕ ${plain(courier.lastFailure.reason, 80)} `,
          time(courier.lastFailure.time)))])),
      h('div', {class: 'row'}, h('a', {class: 'button main', href: to('feed', [one.deviceID])}, 'Open feed'),
        button('Badge', {disabled: Boolean(off), title: off, 'aria-label': 'Set the badge'}, () => setBadge(one)),
        !own && button('Be it in this tab', {title: 'Changes of this tab come from it: it is not notified of them'},
          () => setUser(here(), {...view.user(), device: one.deviceID})), own
          && button('Be no device', {}, () => setUser(here(), {...view.user(), device: undefined})),
        button('', {icon: 'trash', label: `Remove ${plain(one.deviceID, 60)}`, disabled: Boolean(off)},
          () => remove(one))));
  }

  async function read() {
    await load(place, async () => {
      const {devices} = await device('devices/list', undefined, {signal: view.signal});
      if (!devices.length) return fill(place,
        emptyBox('You have no devices. A device has a feed of notifications, from which its app reads.',
        {actions: [button('Register a device', {kind: 'main', icon: 'plus', disabled: Boolean(off)}, register)],
        curl: curl('device', 'devices/register', {deviceID: 'phone', name: 'My phone'})}));
      const counts = await Promise.all(devices.slice(0, 20).map((one) => one.platform === 'webcourier' ? undefined
        : device('badge/current', undefined, {query: {deviceID: one.deviceID}}).then(({badgeValue}) => badgeValue,
        () => undefined)));
      if (!view.signal.aborted) fill(place, h('div', {class: 'cards'}, devices.map((one, at) => card(one, counts[at]))));
    }, {signal: view.signal, signIn: () => signIn('user')});
  }
  view.keys({n: ['register a device', register]});
  read();
}
