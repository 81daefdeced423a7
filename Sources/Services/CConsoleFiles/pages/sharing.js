// Shares given and taken: participants, rights, addresses.
import {database, item} from '../core/api.js';
import {curl} from '../core/curl.js';
import {confirm, copied, dialog, note} from '../core/dialog.js';
import {signIn} from '../core/frame.js';
import {panel} from '../core/panel.js';
import {bare, lookup, zoneOf, zoneText} from '../core/records.js';
import {amend, here, to} from '../core/router.js';
import {badge, emptyBox, errorBox, load} from '../core/states.js';
import {counted, marked, plain, user} from '../core/text.js';
import {button, fill, h, skeleton} from '../core/view.js';
import {choice, labelled} from '../core/controls.js';

const rights = [['READ_ONLY', 'read'], ['READ_WRITE', 'read and write'], ['NONE', 'nothing']];
const wide = [['NONE', 'those who are invited'], ['READ_ONLY', 'everybody with the address: read'],
  ['READ_WRITE', 'everybody with the address: read and write']];
const title = (share) => share.fields['cloudkit.title']?.value || share.forRecord?.recordName || share.zoneID.zoneName;
const nameOf = (identity) => [identity.nameComponents?.givenName,
  identity.nameComponents?.familyName].filter(Boolean).join(' ') || identity.lookupInfo?.emailAddress;

/** Opens the page. */
export function open(view) {
  const place = h('div', {class: 'page'}, skeleton());
  const off = view.locked();
  fill(view.root, h('div', {class: 'page-head'}, view.title('Sharing'),
    button('Share', {icon: 'plus', kind: 'main', disabled: Boolean(off), title: off}, () => create({})),
    button('Accept', {disabled: Boolean(off), title: off}, () => accept()),
    button('', {icon: 'refresh', label: 'Read again'}, read)), place);
  const query = (scope) => database(scope, 'records/query', {query: {recordType: 'cloudkit.share'}, zoneWide: true},
    {signal: view.signal}).then(({records}) => records);

  async function read() {
    await load(place, async () => {
      const [given, taken] = await Promise.all([query('private'), query('shared')]);
      if (view.signal.aborted) return;
      if (!given.length && !taken.length) return fill(place,
        emptyBox('You share nothing, and nobody shares with you. A share gives others a zone, or a record with all below it.',
          {actions: [button('Share', {kind: 'main', icon: 'plus', disabled: Boolean(off)}, () => create({}))],
          curl: curl('database', 'private/records/query', {query: {recordType: 'cloudkit.share'}, zoneWide: true})}));
      const list = (name, shares, scope, none) => h('section', {class: 'card'}, h('h2', null, name), shares.length
        ? h('ul', {class: 'list'},
        shares.map((share) => h('li', null,
        h('span', {class: 'grow'}, button(plain(title(share), 60), {kind: 'plain'}, () => show(share, scope)),
        h('span', {class: 'quiet'},
        ` ${share.forRecord ? 'a record' : 'a zone'} in ${plain(share.zoneID.zoneName, 40)}`)),
        scope === 'shared' ? h('span', {class: 'quiet'}, 'from ', nameOf(share.owner?.userIdentity ?? {})
          ?? user(share.owner?.userIdentity?.userRecordName))
          : h('span', {class: 'quiet'}, counted((share.participants ?? []).filter((one) => one.type !== 'OWNER').length,
          'other')), share.publicPermission !== 'NONE' && badge('open to everybody', 'warn'))))
          : h('p', {class: 'quiet'}, none));
      fill(place, list('Given', given, 'private', 'You share nothing.'),
        list('Taken', taken, 'shared', 'Nobody shares with you.'));
    }, {signal: view.signal, signIn: () => signIn('user')});
  }

  async function modify(scope, operationType, record, zoneID) {
    return item((await database(scope, 'records/modify',
      {operations: [{operationType, record}], zoneID: bare(zoneID)})).records.at(-1));
  }

  /** The panel of a share: who takes part, with which right. */
  function show(share, scope) {
    let now = share;
    let edits = false;
    const fault = h('div');
    const own = panel({title: marked(title(share), 60), dirty: () => edits, content: [],
      key: {'Ctrl Enter': ['save', () => save()]}});
    const mine = () => scope === 'private' || now.currentUserParticipant?.type === 'ADMINISTRATOR';
    let open2;
    let people;
    draw();

    function draw() {
      open2 = choice(wide, now.publicPermission ?? 'NONE',
        {'aria-label': 'Who may take part', disabled: scope !== 'private' || Boolean(off),
        onchange: () => { edits = true; }});
      people = (now.participants
        ?? []).filter((one) =>
        one.type !== 'OWNER').map((one) => ({one,
        right: choice(rights, one.permission,
        {'aria-label': `Right of ${nameOf(one.userIdentity) ?? one.userIdentity.userRecordName}`, disabled: !mine()
        || Boolean(off), onchange: () => { edits = true; }}), gone: false}));
      const self = now.currentUserParticipant;
      fill(own.actions, mine() && button('Save', {kind: 'main', disabled: Boolean(off)}, save));
      fill(own.element, h('dl', {class: 'facts'}, h('dt', null, 'shares'),
        h('dd', null, now.forRecord
        ? h('a', {href: to('records', [scope, '~'], {open: now.forRecord.recordName, zone: zoneText(now.zoneID)})},
        marked(now.forRecord.recordName, 80)) : `the zone ${plain(now.zoneID.zoneName, 60)}`), h('dt', null, 'owner'),
        h('dd', null, nameOf(now.owner.userIdentity) ?? '', ' ', user(now.owner.userIdentity.userRecordName)), self
        && [h('dt', null, 'you'),
        h('dd', null, `${self.type.toLowerCase()}, ${rights.find(([key]) => key === self.permission)?.[1] ?? self.permission}`)]),
        labelled('May take part', open2), h('h3', null, 'Participants'), people.length
          ? h('ul', {class: 'list'},
          people.map((entry) => { const row = h('li', null, h('span', {class: 'grow'}, nameOf(entry.one.userIdentity)
          ?? user(entry.one.userIdentity.userRecordName), ' ', badge(entry.one.acceptanceStatus.toLowerCase(),
          entry.one.acceptanceStatus === 'ACCEPTED' ? 'good' : '')), entry.right, mine()
          && button('', {icon: 'trash', label: 'Take out', disabled: Boolean(off)},
          () => { entry.gone = true; edits = true; row.remove(); })); return row; }))
          : h('p', {class: 'quiet'}, 'Nobody yet.'),
        mine() && h('div', {class: 'row'}, button('Invite', {icon: 'plus', disabled: Boolean(off)}, invite)),
          h('h3', null, 'Address'), h('p', {class: 'code'}, now.shortGUID),
          h('div', {class: 'row'},
          button('Copy its short GUID', {icon: 'copy'}, () => copied(now.shortGUID, 'the short GUID')),
          button('Copy the address for people', {icon: 'copy'}, address)), fault,
        h('div', {class: 'row'}, button(scope === 'private' ? 'End the share' : 'Leave the share',
          {kind: 'danger', disabled: Boolean(off)}, end)));
    }

    async function address() {
      const {results: [found]} = await database('public', 'records/resolve', {shortGUIDs: [{value: now.shortGUID}]});
      if (found.shareURL) copied(found.shareURL, 'the address');
        else note(found.reason ?? 'This service has no page for shares.');
    }

    async function save(added = []) {
      const list = Array.isArray(added) ? added : [];
      const participants = [...people.filter((entry) =>
        !entry.gone).map(({one, right}) => ({userIdentity: one.userIdentity.userRecordName
        ? {userRecordName: one.userIdentity.userRecordName} : {lookupInfo: one.userIdentity.lookupInfo}, type: one.type,
        permission: right.value})), ...list];
      try {
        now = await modify(scope, 'update', {recordName: now.recordName, recordType: 'cloudkit.share',
          recordChangeTag: now.recordChangeTag, ...(scope === 'private' && {publicPermission: open2.value}), participants},
          now.zoneID);
        edits = false;
        draw();
        note('Saved.');
        read();
      } catch (error) { fill(fault, errorBox(error)); if (list.length) throw error; }
    }

    async function invite() {
      const who = h('input', {placeholder: 'bob@example.com, or a user’s record name', autocomplete: 'off',
        autofocus: true});
      const right = choice(rights, 'READ_ONLY');
      await dialog({title: 'Invite',
        body: [labelled('Who', who, 'An address stays invited until somebody signs in with it.'),
        labelled('Right', right)],
        actions: [{text: 'Cancel'},
        {text: 'Invite', kind: 'main',
        act: () => save([{userIdentity: who.value.includes('@') ? {lookupInfo: {emailAddress: who.value.trim()}}
        : {userRecordName: who.value.trim()}, permission: right.value}])}]});
    }

    async function end() {
      if (!await confirm({title: scope === 'private' ? 'End the share?' : 'Leave the share?', text: scope === 'private'
        ? `${people.length} participants lose it. The records stay yours.` : 'It goes on for the others.',
        yes: scope === 'private' ? 'End it' : 'Leave it', danger: true, name: here().environment === 'production'
        ? title(now) : undefined})) return;
      try { await modify(scope, 'delete', {recordName: now.recordName, recordChangeTag: now.recordChangeTag}, now.zoneID);
        edits = false; own.end(); read(); } catch (error) { fill(fault, errorBox(error)); }
    }
  }

  async function create({record = '', zone = '', whole}) {
    const zoneField = h('input', {value: zone, placeholder: 'Notes', autocomplete: 'off', autofocus: !zone});
    const recordField = h('input', {value: record, placeholder: 'empty for the whole zone', autocomplete: 'off',
      disabled: Boolean(whole)});
    const name = h('input', {autocomplete: 'off'});
    const open2 = choice(wide, 'NONE');
    let made;
    await dialog({title: 'Share',
      body: [labelled('Zone', zoneField), labelled('Record', recordField, 'It and all records below it, by parent.'),
      labelled('Title', name), labelled('May take part', open2)],
      actions: [{text: 'Cancel'}, {text: 'Share', kind: 'main', act: async () => {
      const zoneID = zoneOf(zoneField.value.trim());
      const root = recordField.value.trim() && await lookup('private', recordField.value.trim(), zoneID);
      const share = {recordType: 'cloudkit.share', publicPermission: open2.value, participants: [], fields: name.value
        ? {'cloudkit.title': {type: 'STRING', value: name.value}} : {},
        ...(root ? {forRecord: {recordName: root.recordName, recordChangeTag: root.recordChangeTag}}
        : {recordName: 'cloudkit.zoneshare'})};
      made = await modify('private', 'create', share, zoneID);
    }}]});
    if (made) { await read(); show(made, 'private'); }
  }

  async function accept(given = '') {
    const field = h('input', {value: given, placeholder: 'short GUID, or the address of a share', autocomplete: 'off',
      autofocus: true});
    const found = h('div', {class: 'stack', role: 'status'});
    const value = () => field.value.trim().replace(/^.*\//s, '');
    const yes = await dialog({title: 'Accept a share', body: [labelled('Share', field), found],
      actions: [{text: 'Look', act: async () => {
      const answer = item((await database('public', 'records/resolve', {shortGUIDs: [{value: value()}]})).results[0]);
      fill(found, h('p', null, h('b', null, plain(title(answer.share), 80)),
        ` of ${nameOf(answer.ownerIdentity ?? {}) ?? ''}: you are ${answer.participantStatus.toLowerCase()}, `,
        `${answer.participantPermission.toLowerCase().replace('_', ' ')}.`));
      return false;
    }}, {text: 'Accept', kind: 'main', value: true,
      act: async () => { item((await database('public', 'records/accept', {shortGUIDs: [{value: value()}]})).results[0]);
      }}]});
    if (yes) { note('Accepted: it is in your shared database.'); read(); }
  }

  view.keys({n: ['share', () => { if (!off) create({}); }]});
  read().then(() => {
    const {record, zone, whole} = view.route.query;
    if ((record || whole) && !off) { amend({record: undefined, zone: undefined, whole: undefined});
      create({record, zone, whole}); }
  });
}
