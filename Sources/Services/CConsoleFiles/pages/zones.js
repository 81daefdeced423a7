// Zones of a database, and their change feeds as a device reads them.
import {curl, database, item} from '../core/api.js';
import {confirm, copied, dialog, menu, note} from '../core/dialog.js';
import {panel, signIn} from '../core/frame.js';
import {grid} from '../core/grid.js';
import {bare, isDefault, zoneText} from '../core/records.js';
import {go, here, to} from '../core/router.js';
import {badge, emptyBox, errorBox, load} from '../core/states.js';
import {absent, counted, grouped, marked, plain, shown, time, user} from '../core/values.js';
import {button, fill, h, labelled} from '../core/view.js';

const tokenText = (token) => `${token.slice(-14, -2)}…`;

/** Opens the page. */
export function open(view) {
  const [scope = 'private'] = view.route.parts;
  view.root.classList.add('full');
  const off = view.locked();
  const place = h('div', {class: 'page full'});
  let zones = [];
  const table = grid({label: `Zones of the ${scope} database`, key: (zone) => zoneText(zone.zoneID), open: show, columns: [{key: 'name', title: 'Zone', width: 160, draw: (zone) => marked(zone.zoneID.zoneName, 100)}, {key: 'owner', title: 'Owner', width: 130, draw: (zone) => user(zone.zoneID.ownerRecordName)}, {key: 'share', title: 'Share', width: 110, draw: (zone) => zone.share ? badge('whole zone', 'accent') : absent()},
    {key: 'atomic', title: 'Atomic', width: 80, grow: 0, draw: (zone) => zone.atomic ? 'yes' : 'no'}, {key: 'token', title: 'Sync token', width: 140, code: true, draw: (zone) => zone.syncToken ? tokenText(zone.syncToken) : absent()}]});
  fill(view.root, h('div', {class: 'page-head'}, view.title('Zones'), h('div', {class: 'tabs', role: 'group', 'aria-label': 'Database'}, ['public', 'private', 'shared'].map((name) => button(name, {'aria-current': name === scope ? 'true' : undefined}, () => go(to('zones', [name]))))),
    scope === 'private' && button('New zone', {icon: 'plus', kind: 'main', disabled: Boolean(off), title: off}, create), scope !== 'public' && button('Change feed', {title: 'The feed of the database: which zones changed'}, () => feedPanel(undefined)), button('', {icon: 'refresh', label: 'Read again'}, read)), place);

  async function read() {
    await load(place, async () => {
      ({zones} = await database(scope, 'zones/list', {}, {signal: view.signal}));
      if (!zones.length) return fill(place, emptyBox(scope === 'shared' ? 'Nobody shares a zone or a record with you yet.' : 'There are no zones.', {actions: [h('a', {class: 'button', href: to('sharing')}, 'Sharing')], curl: curl('database', `${scope}/zones/list`, {})}));
      fill(place, table.element, h('div', {class: 'under-grid', role: 'status'}, counted(zones.length, 'zone'), scope === 'public' && ' The public database has its default zone alone, without a change feed.'));
      table.rows(zones);
    }, {signal: view.signal, signIn: () => signIn('user')});
  }

  async function create() {
    const name = h('input', {placeholder: 'Notes', autocomplete: 'off', spellcheck: 'false', autofocus: true});
    if (await dialog({title: 'New zone', body: [h('p', {class: 'quiet'}, 'A custom zone is atomic, has a change feed, and can be shared.'), labelled('Name', name)], actions: [{text: 'Cancel'}, {text: 'Create', kind: 'main', value: true, act: async () => { item((await database(scope, 'zones/modify', {operations: [{operationType: 'create', zone: {zoneID: {zoneName: name.value}}}]})).zones[0]); }}]})) read();
  }

  /** Deletes a zone, after saying what goes with it. */
  async function remove(zone) {
    const name = zone.zoneID.zoneName;
    let going = '';
    if (scope === 'private') {
      try {
        const [changes, {subscriptions}] = await Promise.all([isDefault(zone.zoneID) ? undefined : database(scope, 'changes/zone', {zones: [{zoneID: bare(zone.zoneID), desiredKeys: []}]}), database(scope, 'subscriptions/list')]);
        const records = changes?.zones[0].records ?? [];
        const watching = subscriptions.filter((one) => one.zoneID?.zoneName === name && one.subscriptionType !== 'database').length;
        going = changes ? ` With it go ${records.filter((one) => one.recordType !== 'cloudkit.share').length}${changes.zones[0].moreComing ? ' or more' : ''} records, ${records.filter((one) => one.recordType === 'cloudkit.share').length} shares and ${watching} subscriptions.` : '';
      } catch { going = ''; }
    }
    const text = scope === 'shared' ? 'You leave all shares in it. Its owner keeps them.' : isDefault(zone.zoneID) ? 'It is emptied: all its records go.' : `The zone goes, and devices are notified.${going}`;
    if (!await confirm({title: `${scope === 'shared' ? 'Leave' : 'Delete'} ${plain(name, 60)}?`, text: `${text} This cannot be undone.`, yes: scope === 'shared' ? 'Leave' : 'Delete', danger: true, name: here().environment === 'production' ? name : undefined})) return;
    try {
      item((await database(scope, 'zones/modify', {operations: [{operationType: 'delete', zone: {zoneID: bare(zone.zoneID)}}]})).zones[0]);
      note(`${plain(name, 40)} is gone.`);
      go(to('zones', [scope]));
    } catch (error) { note(`${error.code}: ${error.message}`, {kind: 'bad', seconds: 12}); }
  }

  function show(zone) {
    if (zone.syncToken) return feedPanel(zone);
    return panel({title: marked(zone.zoneID.zoneName, 60), actions: [button('', {icon: 'trash', label: 'Empty the zone', disabled: Boolean(off)}, () => remove(zone))], content: [h('p', null, 'The default zone has no change feed.'), h('a', {class: 'button', href: to('records', [scope])}, 'Its records')]});
  }

  /** The change feed of a zone, or of the database: from the start or a token, page by page, and what lies between two tokens. */
  function feedPanel(zone) {
    const from = h('textarea', {rows: '2', 'aria-label': 'Token to read from', placeholder: 'From the start', spellcheck: 'false'});
    const until = h('textarea', {rows: '2', 'aria-label': 'Token to compare with', placeholder: 'Another token', spellcheck: 'false'});
    const list = h('ol', {class: 'list'});
    const status = h('p', {class: 'quiet', role: 'status'});
    const fault = h('div');
    const next = button('Read on', {icon: 'down', kind: 'main'}, () => page());
    let token;
    const ask = async (syncToken) => {
      if (!zone) return database(scope, 'changes/database', {...(syncToken && {syncToken})});
      const answer = item((await database(scope, 'changes/zone', {zones: [{zoneID: bare(zone.zoneID), ...(syncToken && {syncToken})}]})).zones[0]);
      return answer;
    };
    const line = (change) => zone ? h('li', {class: change.deleted ? 'bad' : ''}, h('span', {class: 'grow'}, h('a', {href: change.deleted ? undefined : to('records', [scope, change.recordType ?? '~'], {open: change.recordName, zone: zoneText(zone.zoneID)})}, marked(change.recordName, 80)), ' ', h('span', {class: 'quiet'}, plain(change.recordType ?? '', 60)), h('div', {class: 'quiet cut'}, change.deleted ? '✕ deleted' : Object.entries(change.fields).slice(0, 3).map(([name, field]) => `${plain(name, 30)}: ${shown(field, 30)}`).join(', '))), h('span', {class: 'quiet'}, change.modified ? time(change.modified.timestamp) : ''))
      : h('li', {class: change.deleted ? 'bad' : ''}, h('span', {class: 'grow'}, marked(change.zoneID.zoneName, 80), ' ', change.deleted && '✕ deleted'), user(change.zoneID.ownerRecordName));
    const changes = (answer) => (zone ? answer.records : answer.zones);
    async function page() {
      next.disabled = true;
      try {
        const answer = await ask(token ?? from.value.trim());
        token = answer.syncToken;
        fill(fault);
        list.append(...changes(answer).slice(0, 200).map(line));
        fill(status, `${counted(list.children.length, 'change')}; `, answer.moreComing ? 'more are coming.' : 'that is all until now.', ' ', button('Copy the token', {icon: 'copy', kind: 'plain'}, () => copied(token, 'the sync token')));
        next.lastChild.textContent = answer.moreComing ? 'Read on' : 'Look for newer changes';
      } catch (error) { fill(fault, errorBox(error)); }
      next.disabled = false;
    }
    async function compare() {
      const every = async (start) => {
        const all = [];
        for (let at = start; ;) { const answer = await ask(at); all.push(...changes(answer)); at = answer.syncToken; if (!answer.moreComing || all.length > 2000) return all; }
      };
      try {
        const [first, second] = await Promise.all([every(from.value.trim()), every(until.value.trim())]);
        const name = (change) => JSON.stringify(change.recordName ?? change.zoneID);
        const has = new Set(second.map(name));
        const between = first.filter((change) => !has.has(name(change)));
        fill(fault);
        fill(list, between.slice(0, 500).map(line));
        fill(status, `${grouped(between.length)} changes came between the two tokens and did not change since; ${grouped(second.length)} after both.`);
      } catch (error) { fill(fault, errorBox(error)); }
    }
    panel({title: zone ? marked(zone.zoneID.zoneName, 60) : `Change feed: ${scope}`, actions: [button('', {icon: 'more', label: 'More'}, (event) => menu(event.currentTarget, [zone && {text: 'Share the zone', icon: 'sharing', off: off ?? (scope !== 'private' ? 'Its owner shares it' : undefined), act: () => go(to('sharing', [], {zone: zoneText(zone.zoneID), whole: 1}))}, zone?.syncToken && {text: 'Copy its sync token', icon: 'copy', act: () => copied(zone.syncToken, 'the sync token')},
      {text: 'Copy as curl', icon: 'copy', act: () => copied(zone ? curl('database', `${scope}/changes/zone`, {zones: [{zoneID: bare(zone.zoneID)}]}) : curl('database', `${scope}/changes/database`, {}), 'a curl line')}, zone && null, zone && {text: scope === 'shared' ? 'Leave it' : 'Delete the zone', icon: 'trash', danger: true, off, act: () => remove(zone)}].filter((entry) => entry !== undefined && entry !== false)))], content: [
      h('p', {class: 'quiet'}, zone ? 'Each record once, in its present state, in the order of its last change, as a device reads it.' : 'The custom zones that changed, came or went.'), labelled('From', from), h('div', {class: 'row'}, next, button('From the start', {}, () => { from.value = ''; token = undefined; fill(list); page(); })),
      h('details', null, h('summary', null, 'Compare two tokens'), h('div', {class: 'stack'}, until, button('What came between', {}, compare))), fault, status, list]});
    from.addEventListener('input', () => { token = undefined; fill(list); });
    page();
  }
  view.keys({n: ['new zone', () => { if (scope === 'private' && !off) create(); }]});
  read();
}
