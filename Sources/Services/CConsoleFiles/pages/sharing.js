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
import {texts} from '../core/texts-sharing.js';
import {button, fill, h, skeleton} from '../core/view.js';
import {choice, labelled} from '../core/controls.js';

const rights = [['READ_ONLY', 'read'], ['READ_WRITE', texts.readAndWrite], ['NONE', 'nothing']];
const wide = [['NONE', texts.thoseWhoAre], ['READ_ONLY', texts.everybodyWithTheAddress],
  ['READ_WRITE', texts.everybodyWithThe]];
const title = (share) => share.fields['cloudkit.title']?.value || share.forRecord?.recordName || share.zoneID.zoneName;
const nameOf = (identity) => [identity.nameComponents?.givenName,
  identity.nameComponents?.familyName].filter(Boolean).join(' ') || identity.lookupInfo?.emailAddress;

/** Opens the page. */
export function open(view) {
  const place = h('div', {class: 'page'}, skeleton());
  const off = view.locked();
  fill(view.root, h('div', {class: 'page-head'}, view.title(texts.sharing),
    button(texts.share2, {icon: 'plus', kind: 'main', disabled: Boolean(off), title: off}, () => create({})),
    button(texts.accept, {disabled: Boolean(off), title: off}, () => accept()),
    button('', {icon: 'refresh', label: texts.readAgain}, read)), place);
  const query = (scope) => database(scope, 'records/query', {query: {recordType: 'cloudkit.share'}, zoneWide: true},
    {signal: view.signal}).then(({records}) => records);

  async function read() {
    await load(place, async () => {
      const [given, taken] = await Promise.all([query('private'), query('shared')]);
      if (view.signal.aborted) return;
      if (!given.length && !taken.length) return fill(place,
        emptyBox(texts.youShareNothingAnd,
          {actions: [button(texts.share2, {kind: 'main', icon: 'plus', disabled: Boolean(off)}, () => create({}))],
          curl: curl('database', 'private/records/query', {query: {recordType: 'cloudkit.share'}, zoneWide: true})}));
      const list = (name, shares, scope, none) => h('section', {class: 'card'}, h('h2', null, name), shares.length
        ? h('ul', {class: 'list'},
        shares.map((share) => h('li', null,
        h('span', {class: 'grow'}, button(plain(title(share), 60), {kind: 'plain'}, () => show(share, scope)),
        h('span', {class: 'quiet'},
        texts.inText(share.forRecord ? texts.aRecord : texts.aZone, plain(share.zoneID.zoneName, 40)))),
        scope === 'shared' ? h('span', {class: 'quiet'}, texts.from, nameOf(share.owner?.userIdentity ?? {})
          ?? user(share.owner?.userIdentity?.userRecordName))
          : h('span', {class: 'quiet'}, counted((share.participants ?? []).filter((one) => one.type !== 'OWNER').length,
          texts.other)), share.publicPermission !== 'NONE' && badge(texts.openToEverybody, 'warn'))))
          : h('p', {class: 'quiet'}, none));
      fill(place, list(texts.given, given, 'private', texts.youShareNothing),
        list(texts.taken, taken, 'shared', texts.nobodySharesWith));
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
      key: {'Ctrl Enter': [texts.saveWord, () => save()]}});
    const mine = () => scope === 'private' || now.currentUserParticipant?.type === 'ADMINISTRATOR';
    let open2;
    let people;
    draw();

    function draw() {
      open2 = choice(wide, now.publicPermission ?? 'NONE',
        {'aria-label': texts.whoMayTake, disabled: scope !== 'private' || Boolean(off),
        onchange: () => { edits = true; }});
      people = (now.participants
        ?? []).filter((one) =>
        one.type !== 'OWNER').map((one) => ({one,
        right: choice(rights, one.permission,
        {'aria-label': texts.rightOf(nameOf(one.userIdentity) ?? one.userIdentity.userRecordName), disabled: !mine()
        || Boolean(off), onchange: () => { edits = true; }}), gone: false}));
      const self = now.currentUserParticipant;
      fill(own.actions, mine() && button(texts.save, {kind: 'main', disabled: Boolean(off)}, save));
      fill(own.element, h('dl', {class: 'facts'}, h('dt', null, texts.shares),
        h('dd', null, now.forRecord
        ? h('a', {href: to('records', [scope, '~'], {open: now.forRecord.recordName, zone: zoneText(now.zoneID)})},
        marked(now.forRecord.recordName, 80)) : texts.theZone(plain(now.zoneID.zoneName, 60))), h('dt', null, texts.owner),
        h('dd', null, nameOf(now.owner.userIdentity) ?? '', ' ', user(now.owner.userIdentity.userRecordName)), self
        && [h('dt', null, texts.you),
        h('dd', null, `${self.type.toLowerCase()}, ${rights.find(([key]) => key === self.permission)?.[1] ?? self.permission}`)]),
        labelled(texts.mayTakePart, open2), h('h3', null, texts.participants), people.length
          ? h('ul', {class: 'list'},
          people.map((entry) => { const row = h('li', null, h('span', {class: 'grow'}, nameOf(entry.one.userIdentity)
          ?? user(entry.one.userIdentity.userRecordName), ' ', badge(entry.one.acceptanceStatus.toLowerCase(),
          entry.one.acceptanceStatus === 'ACCEPTED' ? 'good' : '')), entry.right, mine()
          && button('', {icon: 'trash', label: texts.takeOut, disabled: Boolean(off)},
          () => { entry.gone = true; edits = true; row.remove(); })); return row; }))
          : h('p', {class: 'quiet'}, texts.nobodyYet),
        mine() && h('div', {class: 'row'}, button(texts.invite, {icon: 'plus', disabled: Boolean(off)}, invite)),
          h('h3', null, texts.address), h('p', {class: 'code'}, now.shortGUID),
          h('div', {class: 'row'},
          button(texts.copyItsShort, {icon: 'copy'}, () => copied(now.shortGUID, texts.theShortGuid)),
          button(texts.copyTheAddress, {icon: 'copy'}, address)), fault,
        h('div', {class: 'row'}, button(scope === 'private' ? texts.endTheShare : texts.leaveTheShare,
          {kind: 'danger', disabled: Boolean(off)}, end)));
    }

    async function address() {
      const {results: [found]} = await database('public', 'records/resolve', {shortGUIDs: [{value: now.shortGUID}]});
      if (found.shareURL) copied(found.shareURL, texts.theAddress);
        else note(found.reason ?? texts.thisServiceHas);
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
        note(texts.saved);
        read();
      } catch (error) { fill(fault, errorBox(error)); if (list.length) throw error; }
    }

    async function invite() {
      const who = h('input', {placeholder: texts.bobExampleCom, autocomplete: 'off',
        autofocus: true});
      const right = choice(rights, 'READ_ONLY');
      await dialog({title: texts.invite,
        body: [labelled(texts.who, who, texts.anAddressStays),
        labelled(texts.right, right)],
        actions: [{text: texts.cancel},
        {text: texts.invite, kind: 'main',
        act: () => save([{userIdentity: who.value.includes('@') ? {lookupInfo: {emailAddress: who.value.trim()}}
        : {userRecordName: who.value.trim()}, permission: right.value}])}]});
    }

    async function end() {
      if (!await confirm({title: scope === 'private' ? texts.endTheShareAsk : texts.leaveTheShareAsk, text: scope === 'private'
        ? texts.participantsLoseIt(people.length) : texts.itGoesOn,
        yes: scope === 'private' ? texts.endIt : texts.leaveIt, danger: true, name: here().environment === 'production'
        ? title(now) : undefined})) return;
      try { await modify(scope, 'delete', {recordName: now.recordName, recordChangeTag: now.recordChangeTag}, now.zoneID);
        edits = false; own.end(); read(); } catch (error) { fill(fault, errorBox(error)); }
    }
  }

  async function create({record = '', zone = '', whole}) {
    const zoneField = h('input', {value: zone, placeholder: texts.notes, autocomplete: 'off', autofocus: !zone});
    const recordField = h('input', {value: record, placeholder: texts.emptyForThe, autocomplete: 'off',
      disabled: Boolean(whole)});
    const name = h('input', {autocomplete: 'off'});
    const open2 = choice(wide, 'NONE');
    let made;
    await dialog({title: texts.share2,
      body: [labelled(texts.zone, zoneField), labelled(texts.record, recordField, texts.itAndAll),
      labelled(texts.title, name), labelled(texts.mayTakePart, open2)],
      actions: [{text: texts.cancel}, {text: texts.share2, kind: 'main', act: async () => {
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
    const field = h('input', {value: given, placeholder: texts.shortGuidOr, autocomplete: 'off',
      autofocus: true});
    const found = h('div', {class: 'stack', role: 'status'});
    const value = () => field.value.trim().replace(/^.*\//s, '');
    const yes = await dialog({title: texts.acceptAShare, body: [labelled(texts.share2, field), found],
      actions: [{text: texts.look, act: async () => {
      const answer = item((await database('public', 'records/resolve', {shortGUIDs: [{value: value()}]})).results[0]);
      fill(found, h('p', null, h('b', null, plain(title(answer.share), 80)),
        texts.ofYouAre(nameOf(answer.ownerIdentity ?? {}) ?? '', answer.participantStatus.toLowerCase()),
        `${answer.participantPermission.toLowerCase().replace('_', ' ')}.`));
      return false;
    }}, {text: texts.accept, kind: 'main', value: true,
      act: async () => { item((await database('public', 'records/accept', {shortGUIDs: [{value: value()}]})).results[0]);
      }}]});
    if (yes) { note(texts.acceptedItIs); read(); }
  }

  view.keys({n: [texts.share, () => { if (!off) create({}); }]});
  read().then(() => {
    const {record, zone, whole} = view.route.query;
    if ((record || whole) && !off) { amend({record: undefined, zone: undefined, whole: undefined});
      create({record, zone, whole}); }
  });
}
