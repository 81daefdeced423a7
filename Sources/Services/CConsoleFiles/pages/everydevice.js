// The devices of all users: where each is in its feed, and how far behind.
import {json} from '../core/code.js';
import {goes, goesWithDevice} from '../core/goes.js';
import {panel} from '../core/panel.js';
import {act, facts, listing} from '../core/operate.js';
import {amend, here, to} from '../core/router.js';
import {badge} from '../core/states.js';
import {has} from '../core/session.js';
import {grouped, marked, plain, time, user} from '../core/text.js';
import {texts} from '../core/texts-devices.js';
import {button, h, icon} from '../core/view.js';

const behind = ({token}) => token?.notificationsBehind ?? token?.entriesBehind;
function standing(one) {
  if (one.token?.refusal) return badge(`✕ ${one.token.refusal.serverErrorCode}`, 'bad');
  const count = behind(one);
  if (count === undefined) return h('span', {class: 'quiet'}, texts.hasNotRead);
  return count ? badge(texts.behind(grouped(count)), 'warn') : badge(texts.upToDate, 'good');
}

/** Opens the page. */
export function open(view) {
  const off = view.barred() ?? (has(['devices/remove']) ? undefined : texts.thisBuildRemoves);
  function show(one) {
    amend({open: one.deviceID});
    const remove = async () => {
      const answer = await act(view, {title: texts.removeAsk(plain(one.deviceID, 60)),
        text: texts.itsFeedGoesAnd, what: goes(goesWithDevice(one)), yes: texts.remove2, danger: true,
        name: one.deviceID, path: 'devices/remove',
          body: () => ({deviceID: one.deviceID}), done: texts.removed});
      if (answer) { pane.end(); list.redraw(); }
    };
    const pane = panel({title: marked(one.deviceID, 80),
      closed: () => { if (here().query.open === one.deviceID && !view.signal.aborted) amend({open: undefined}); },
        content: [standing(one),
      facts([['user', h('a', {href: to('users', [], {open: one.userRecordName})}, user(one.userRecordName))],
        ['name', one.name && marked(one.name, 100)], ['platform', one.platform && marked(one.platform, 60)],
        ['epoch', grouped(one.epoch ?? 0)],
        ['registered', time(one.registered)], [texts.lastSeen, time(one.lastSeen)], ['expires', one.expires && time(one.expires)],
          ['reads', one.token && `its ${one.token.part}, at ${grouped(one.token.offset)}`],
          [texts.entriesBehind, one.token?.entriesBehind !== undefined ? grouped(one.token.entriesBehind) : undefined],
        [texts.notificationsBehind, one.token?.notificationsBehind !== undefined ? grouped(one.token.notificationsBehind) : undefined],
          ['refused', one.token?.refusal && marked(one.token.refusal.reason ?? '', 500)]]),
      one.push?.length > 0 && [h('h3', null, texts.pushes),
        h('ul', {class: 'list'},
          one.push.map((address) => h('li', null, icon('push'), h('span', {class: 'grow'}, plain(address.kind, 40)),
        h('span', {class: 'quiet'}, texts.sinceWord, time(address.registered)), address.lastSuccess && badge(texts.taken2, 'good'))))],
      h('div', {class: 'row'}, has(['feeds/read']) && h('a', {class: 'button', href: to('replay', [one.deviceID])}, icon('feed'),
        texts.replay),
        button(texts.removeMore, {icon: 'trash', kind: 'danger', disabled: Boolean(off), title: off}, remove)),
        json(one, texts.theDevice)]});
  }
  const wanted = view.route.query.user;
  const list = listing(view, {title: texts.devicesOfAll, noun: texts.devicesWord, path: 'devices/list', pages: wanted ? undefined : 'after',
    limit: 50, body: () => wanted ? {user: wanted} : {}, items: (answer) => answer.devices,
    key: (one) => `${one.userRecordName} ${one.deviceID}`, open: show,
    actions: [h('a', {class: 'button', href: to('devices')}, texts.mineAlone),
      wanted && h('a', {class: 'button', href: to('devices', ['all'])}, texts.allUsers2)].filter(Boolean),
      empty: {text: texts.noDeviceIs},
    columns: [{key: 'device', title: texts.device, width: 150, grow: 1.3, draw: (one) => marked(one.deviceID, 80)},
      {key: 'user', title: texts.user, width: 130, draw: (one) => user(one.userRecordName)}, {key: 'name', title: texts.name, width: 130,
      draw: (one) => one.name ? marked(one.name, 60) : h('span', {class: 'quiet'}, '–')},
      {key: 'platform', title: texts.platformWord, width: 100, grow: 0, draw: (one) => one.platform ? marked(one.platform, 30) : '–'},
        {key: 'standing', title: texts.reads, width: 150, draw: standing}, {key: 'seen', title: texts.lastSeen, width: 180, grow: 0,
        draw: (one) => time(one.lastSeen)}]});
}
