// The panel of a record: its fields, references as links both ways, editing, conflicts, deleting.
import {ServiceError} from './api.js';
import {curl} from './curl.js';
import {json, same} from './code.js';
import {confirm, copied, menu, note} from './dialog.js';
import {form} from './fields.js';
import {goes, goesWith} from './goes.js';
import {panel} from './panel.js';
import {change, fetchFile, isDefault, lookup, modify, offerUndo, pictureType, remembered, sendable, upload,
  zoneText} from './records.js';
import {go, here, to} from './router.js';
import {locked} from './session.js';
import {errorBox} from './states.js';
import {knownFields, referring} from './types.js';
import {kind, shown} from './values.js';
import {absent, marked, plain, time, user} from './text.js';
import {button, fill, h, skeleton} from './view.js';
import {download, labelled} from './controls.js';

const isShare = (record) => record.recordType === 'cloudkit.share';

function linkTo(scope, value, zoneID) {
  return h('a', {href: to('records', [scope, '~'], {open: value.recordName, zone: zoneText(value.zoneID ?? zoneID)})},
    '→ ', marked(value.recordName, 80));
}

function file(value, name) {
  const place = h('div', {class: 'stack'});
  const fetched = async () => fetchFile(value);
  const act = (action) => async (event) => {
    const opener = event.currentTarget;
    opener.disabled = true;
    try { await action(); } catch (error) { note(`${error.code ?? 'ERROR'}: ${error.message}`, {kind: 'bad'}); }
    opener.disabled = false;
  };
  fill(place, h('span', null, shown({type: 'ASSET', value})), h('div', {class: 'row'},
    button('Download', {icon: 'down', 'aria-label': `Download ${name}`},
      act(async () => download(name.replace(/[^\w.-]/g, '_'), await fetched()))),
    Number(value.size) <= 10485760 && button('Show', {'aria-label': `Show ${name} as a picture`}, act(async () => {
      const blob = await fetched();
      const type = await pictureType(blob);
      if (!type) return note('This is no PNG, JPEG, GIF or WebP: download it.');
      const address = URL.createObjectURL(new Blob([blob], {type}));
      const picture = h('img', {class: 'picture', alt: `The file in ${name}`, src: address,
        onload: () => URL.revokeObjectURL(address)});
      place.querySelector('img')?.remove();
      place.append(picture);
    }))));
  return place;
}

function value(scope, name, field, zoneID) {
  if (field?.value === undefined || field.value === null) return absent();
  const type = kind(field);
  if (type === 'REFERENCE') return h('span', null, linkTo(scope, field.value, zoneID), ' ',
    h('span', {class: 'note'}, field.value.action));
  if (type === 'REFERENCE_LIST') return h('ul', null,
    field.value.slice(0, 50).map((one) => h('li', null, linkTo(scope, one, zoneID))));
  if (type === 'ASSET') return file(field.value, name);
  if (type === 'ASSET_LIST') return h('div', {class: 'stack'},
    field.value.map((one, at) => file(one, `${name}-${at + 1}`)));
  if (type === 'TIMESTAMP') return time(field.value, true);
  if (Array.isArray(field.value)) return h('ul', {class: 'value'},
    field.value.slice(0, 100).map((one) => h('li', null, shown({type: type.replace(/_LIST$/, ''), value: one}, 500))),
    field.value.length > 100 && h('li', {class: 'quiet'}, `${field.value.length} in all`));
  if (type === 'STRING' && field.value !== '') return h('div', {class: 'value'},
    marked(field.value.length > 20000 ? field.value.slice(0, 20000) : field.value.replace(/\n/g, '⏎\n'), 20400));
  return h('span', null, shown(field, 2000));
}

/**
 * Opens the panel of a record. `record` may be absent for a new one, of `type` in `zoneID`. `done()` is called after a
 * change, `closed()` when the
 * panel is gone.
 */
export function openRecord({scope, record, recordName, type, zoneID, edits, template, done = () => {}, closed = () => {}}) {
  let now = record;
  let editor;
  let name;
  const own = panel({title: record ? marked(record.recordName, 60) : recordName ? marked(recordName, 60)
    : `New ${type ?? 'record'}`, content: skeleton(4), closed,
    dirty: () => Boolean(editor?.dirty() || (name?.value && editor)),
    key: {e: ['edit the record', () => { if (now && !editor) edit(); }],
      'Ctrl Enter': ['save', () => { if (editor) save(); }],
      y: ['copy the record', () => now && copied(JSON.stringify(sendable(now)), 'the record')],
      'Shift y': ['copy a curl line', () => now && copied(lookupLine(), 'a curl line')]}});
  const lookupLine = () => curl('database', `${scope}/records/lookup`,
    {records: [{recordName: now.recordName}],
    ...(!isDefault(now.zoneID)
    && {zoneID: {zoneName: now.zoneID.zoneName, ownerRecordName: now.zoneID.ownerRecordName}}),
    numbersAsStrings: true});

  function view() {
    editor = undefined;
    const off = locked(here());
    fill(own.title, marked(now.recordName, 60));
    fill(own.actions, button('Edit', {icon: 'records', 'aria-label': 'Edit the record',
      disabled: Boolean(off || isShare(now)), title: off}, edit), button('', {icon: 'more', label: 'More'}, more));
    const fields = Object.entries(now.fields);
    const links = referring(scope);
    fill(own.element,
      h('dl', {class: 'facts'}, fields.length
        ? fields.slice(0, 500).map(([field, content]) =>
        [h('dt', {title: content.type}, marked(field, 80), content.isEncrypted && ' 🔒'),
        h('dd', null, value(scope, field, content, now.zoneID))]) : h('dt', null, 'It has no fields.'),
        fields.length > 500 && [h('dt', null, '…'), h('dd', null, `${fields.length} fields; copies have all.`)]),
      h('details', {open: true}, h('summary', null, 'System fields'), h('dl', {class: 'facts'}, h('dt', null, 'type'),
        h('dd', null, marked(now.recordType, 100)), h('dt', null, 'zone'),
        h('dd', null, zoneText(now.zoneID) || 'default zone'),
        h('dt', null, 'created'), h('dd', null, time(now.created?.timestamp, true), ' ',
          user(now.created?.userRecordName)), h('dt', null, 'modified'), h('dd', null, time(now.modified?.timestamp, true),
          ' ', user(now.modified?.userRecordName), now.modified?.deviceID && now.modified.deviceID !== '2'
          && ` on ${plain(now.modified.deviceID, 40)}`),
        h('dt', null, 'change tag'), h('dd', {class: 'code'}, now.recordChangeTag), now.parent
          && [h('dt', null, 'parent'), h('dd', null, linkTo(scope, now.parent, now.zoneID))], now.share
          && [h('dt', null, 'share'), h('dd', null, linkTo(scope, now.share, now.zoneID))])),
      links.length > 0 && h('div', {class: 'stack'}, h('h3', null, 'Records that refer to it'),
        h('ul', null, links.map(([from, field, list]) => h('li', null,
        h('a', {href: to('records', [scope, from], {zone: zoneText(now.zoneID),
        where: list.endsWith('LIST') ? `${field} CONTAINS %@` : `${field} == %@`,
          args: JSON.stringify([{type: 'REFERENCE', value: {recordName: now.recordName, action: 'NONE'}}])})},
          `${plain(from, 60)} by ${plain(field, 60)}`))))),
      h('details', null, h('summary', null, 'As JSON'), json(sendable(now), 'the record as JSON')));
  }

  function more(event) {
    const off = locked(here());
    menu(event.currentTarget,
      [{text: 'Copy the record', icon: 'copy', note: 'y', act: () => copied(JSON.stringify(sendable(now)), 'the record')},
      {text: 'Copy as curl', icon: 'copy', note: 'Shift y', act: () => copied(lookupLine(), 'a curl line')},
      {text: 'Duplicate', icon: 'plus', off,
        act: () => openRecord({scope, type: now.recordType, zoneID: now.zoneID, template: now, done})},
      scope === 'private' && !isDefault(now.zoneID)
        && {text: 'Share it', icon: 'sharing', off,
        act: () => go(to('sharing', [], {record: now.recordName, zone: zoneText(now.zoneID)}))},
      {text: 'Read again', icon: 'refresh', act: read}, null, {text: 'Delete', icon: 'trash', danger: true, off,
        act: remove}].filter((entry) => entry !== false));
  }

  function edit() {
    if (locked(here()) || (now && isShare(now))) return;
    const recordType = h('input', {value: type ?? '', spellcheck: 'false', autocomplete: 'off',
      'aria-label': 'Record type'});
    const fields = now?.fields
      ?? Object.fromEntries(Object.entries(template?.fields ?? {}).filter(([, field]) => !/ASSET/.test(field.type)));
    const known = Object.entries(knownFields(scope, now?.recordType ?? type));
    editor = form(fields,
      {names: known, encrypts: scope !== 'public',
      upload: (fieldName, content) => upload(scope, {recordType: now?.recordType ?? recordType.value,
      recordName: now?.recordName ?? (name.value || undefined), fieldName, zoneID: now?.zoneID ?? zoneID}, content)});
    name = now ? undefined
      : h('input', {placeholder: 'made by the service when empty', autocomplete: 'off', spellcheck: 'false'});
    fill(own.actions, button('Cancel', {kind: ''}, cancel),
      button('Save', {kind: 'main', 'aria-label': 'Save (Ctrl Enter)'}, save));
    fill(own.element, now ? undefined : [!type && labelled('Record type', recordType), labelled('Record name', name)],
      editor.element, h('div', {class: 'outcome', role: 'alert'}));
    if (!now) editor.type = () => type ?? recordType.value.trim();
    own.element.querySelector('textarea, input')?.focus();
  }

  async function cancel() {
    if (editor?.dirty() && !await confirm({title: 'Leave the edits?', text: 'They are not saved yet.', yes: 'Leave them',
      danger: true})) return;
    editor = undefined;
    name = undefined;
    if (now) { view(); own.focus(); } else own.end();
  }

  async function save() {
    const outcome = own.element.querySelector('.outcome');
    fill(outcome);
    let read;
    try { read = await editor.read(); } catch (error) { if (error.code !== 'VALUE') fill(outcome, errorBox(error)); return;
      }
    try {
      if (!now) {
        const made = await change(scope, 'create', {recordType: editor.type(), ...(name.value && {recordName: name.value}),
          fields: read.fields}, {zoneID});
        editor = undefined;
        now = made;
        note('Created.', {action: {text: 'Undo',
          act: async () => { try { await change(scope, 'delete', made, {zoneID}); own.end();
          } catch (error) { note(error.message, {kind: 'bad'}); } done(); }}});
      } else if (Object.keys(read.changed).length === 0) {
        editor = undefined;
      } else await send(read.changed);
      if (!editor) { view(); own.focus(); done(now); }
    } catch (error) {
      if (error.code === 'CONFLICT') return conflict(read.changed, outcome);
      fill(outcome, errorBox(error, save));
    }
  }

  async function send(changed) {
    const before = await remembered(scope, now);
    const after = await change(scope, 'update', {recordName: now.recordName, recordType: now.recordType,
      recordChangeTag: now.recordChangeTag, fields: changed}, {zoneID: now.zoneID});
    const {zoneID: zone} = now;
    now = after;
    editor = undefined;
    offerUndo('Saved.', scope, [before], zone, async () => { done(); if (own.isOpen()) read(); });
  }

  /** Shows what somebody else saved meanwhile beside the edits, field by field. */
  async function conflict(changed, outcome) {
    let theirs;
    try { theirs = await lookup(scope, now.recordName, now.zoneID);
      } catch (error) { return fill(outcome, errorBox(error, () => conflict(changed, outcome))); }
    const both = Object.keys(changed).filter((field) => !same(theirs.fields[field]?.value, now.fields[field]?.value)
      && !same(theirs.fields[field]?.value, changed[field].value ?? undefined));
    const picks = Object.fromEntries(both.map((field) => [field, 'mine']));
    const pick = (field, side, text, content) => h('label', {class: 'check'},
      h('input', {type: 'radio', name: `pick-${field}`, checked: side === 'mine',
      onchange: () => { picks[field] = side; }}), h('span', null, h('b', null, text), ' ', shown(content, 120)));
    fill(outcome, h('div', {class: 'box warn-box'}, h('p', null, h('b', null, 'It changed meanwhile'), ': saved by ',
      user(theirs.modified.userRecordName), ' at ', time(theirs.modified.timestamp, true), '. ', both.length
      ? 'Choose field by field.' : 'No field of yours is touched.'),
      both.map((field) => h('fieldset', null, h('legend', null, field),
        pick(field, 'theirs', 'theirs:', theirs.fields[field]), pick(field, 'mine', 'mine:', changed[field]))),
      h('div', {class: 'row'},
        button('Take theirs, drop my edits', {}, () => { now = theirs; editor = undefined; view(); done(theirs); }),
        button('Save what I chose', {kind: 'main'}, async () => {
        now = theirs;
        const rest = Object.fromEntries(Object.entries(changed).filter(([field]) => picks[field] !== 'theirs'));
        try {
          if (Object.keys(rest).length) await send(rest);
          editor = undefined;
          view();
          done(now);
        } catch (error) { if (error.code === 'CONFLICT') conflict(rest, outcome); else fill(outcome, errorBox(error)); }
      }))));
    outcome.querySelector('button')?.focus();
  }

  async function remove() {
    const production = here().environment === 'production';
    const files = Object.values(now.fields).some((field) => /ASSET/.test(field.type));
    const others = await goesWith(scope, now);
    if ((production || files || isShare(now) || others.length)
      && !await confirm({title: `Delete ${plain(now.recordName, 60)}?`, text: isShare(now)
        ? 'That ends the share, for all participants.' : others.length ? 'Records that refer to it by DELETE_SELF go, too, and do not come '
          + 'back. Undo sends it again, within 10 s.' : files ? 'Undo sends it again with its files, within 10 s.'
        : 'Undo sends it again, within 10 s.', what: goes(others), yes: 'Delete', danger: true,
      name: production ? now.recordName : undefined})) return;
    try {
      const before = await remembered(scope, now);
      const [result] = await modify(scope,
        [{operationType: 'delete', record: {recordName: now.recordName, recordChangeTag: now.recordChangeTag}}],
        {zoneID: now.zoneID});
      if (result.serverErrorCode) throw new ServiceError(result, 200);
      own.end();
      offerUndo(`Deleted ${plain(now.recordName, 40)}.`, scope, isShare(now) ? [] : [before], now.zoneID, done);
      done();
    } catch (error) { note(`${error.code}: ${error.message}`, {kind: 'bad', seconds: 12}); }
  }

  async function read() {
    try {
      now = await lookup(scope, recordName ?? now.recordName, zoneID ?? now?.zoneID);
      if (own.isOpen() && !editor) { view(); if (edits) edit(); }
      return now;
    } catch (error) { fill(own.element, errorBox(error, read)); return undefined; }
  }

  if (!record && !recordName) edit();
  else if (record && Object.values(record.fields).every((field) => !field.cut)) { view();
    if (edits) edit(); own.focus(); } else { read().then(() => own.focus()); }
  return {...own, read};
}
