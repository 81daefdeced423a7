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
import {locked} from './rights.js';
import {errorBox} from './states.js';
import {texts} from './texts-records.js';
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
    button(texts.download2, {icon: 'down', 'aria-label': texts.download(name)},
      act(async () => download(name.replace(/[^\w.-]/g, '_'), await fetched()))),
    Number(value.size) <= 10485760 && button(texts.show, {'aria-label': texts.showAsA(name)}, act(async () => {
      const blob = await fetched();
      const type = await pictureType(blob);
      if (!type) return note(texts.thisIsNo);
      const address = URL.createObjectURL(new Blob([blob], {type}));
      const picture = h('img', {class: 'picture', alt: texts.theFileIn(name), src: address,
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
    field.value.length > 100 && h('li', {class: 'quiet'}, texts.inAll(field.value.length)));
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
    : texts.newText(type ?? texts.record), content: skeleton(4), closed,
    dirty: () => Boolean(editor?.dirty() || (name?.value && editor)),
    key: {e: [texts.editTheRecord2, () => { if (now && !editor) edit(); }],
      'Ctrl Enter': [texts.saveWord, () => { if (editor) save(); }],
      y: [texts.copyTheRecord2, () => now && copied(JSON.stringify(sendable(now)), texts.theRecord)],
      'Shift y': [texts.copyACurl, () => now && copied(lookupLine(), texts.aCurlLine)]}});
  const lookupLine = () => curl('database', `${scope}/records/lookup`,
    {records: [{recordName: now.recordName}],
    ...(!isDefault(now.zoneID)
    && {zoneID: {zoneName: now.zoneID.zoneName, ownerRecordName: now.zoneID.ownerRecordName}}),
    numbersAsStrings: true});

  function view() {
    editor = undefined;
    const off = locked(here());
    fill(own.title, marked(now.recordName, 60));
    fill(own.actions, button(texts.edit, {icon: 'records', 'aria-label': texts.editTheRecord,
      disabled: Boolean(off || isShare(now)), title: off}, edit), button('', {icon: 'more', label: texts.more}, more));
    const fields = Object.entries(now.fields);
    const links = referring(scope);
    fill(own.element,
      h('dl', {class: 'facts'}, fields.length
        ? fields.slice(0, 500).map(([field, content]) =>
        [h('dt', {title: content.type}, marked(field, 80), content.isEncrypted && ' 🔒'),
        h('dd', null, value(scope, field, content, now.zoneID))]) : h('dt', null, texts.itHasNo),
        fields.length > 500 && [h('dt', null, '…'), h('dd', null, texts.fieldsCopiesHave(fields.length))]),
      h('details', {open: true}, h('summary', null, texts.systemFields), h('dl', {class: 'facts'}, h('dt', null, texts.type),
        h('dd', null, marked(now.recordType, 100)), h('dt', null, texts.zone),
        h('dd', null, zoneText(now.zoneID) || texts.defaultZone),
        h('dt', null, texts.createdWord), h('dd', null, time(now.created?.timestamp, true), ' ',
          user(now.created?.userRecordName)), h('dt', null, texts.modified), h('dd', null, time(now.modified?.timestamp, true),
          ' ', user(now.modified?.userRecordName), now.modified?.deviceID && now.modified.deviceID !== '2'
          && texts.on(plain(now.modified.deviceID, 40))),
        h('dt', null, texts.changeTag), h('dd', {class: 'code'}, now.recordChangeTag), now.parent
          && [h('dt', null, texts.parent), h('dd', null, linkTo(scope, now.parent, now.zoneID))], now.share
          && [h('dt', null, texts.share), h('dd', null, linkTo(scope, now.share, now.zoneID))])),
      links.length > 0 && h('div', {class: 'stack'}, h('h3', null, texts.recordsThatReferTo),
        h('ul', null, links.map(([from, field, list]) => h('li', null,
        h('a', {href: to('records', [scope, from], {zone: zoneText(now.zoneID),
        where: list.endsWith('LIST') ? `${field} CONTAINS %@` : `${field} == %@`,
          args: JSON.stringify([{type: 'REFERENCE', value: {recordName: now.recordName, action: 'NONE'}}])})},
          texts.by(plain(from, 60), plain(field, 60))))))),
      h('details', null, h('summary', null, texts.asJson2), json(sendable(now), texts.theRecordAs)));
  }

  function more(event) {
    const off = locked(here());
    menu(event.currentTarget,
      [{text: texts.copyTheRecord, icon: 'copy', note: 'y', act: () => copied(JSON.stringify(sendable(now)), texts.theRecord)},
      {text: texts.copyAsCurl, icon: 'copy', note: texts.shiftY, act: () => copied(lookupLine(), texts.aCurlLine)},
      {text: texts.duplicate, icon: 'plus', off,
        act: () => openRecord({scope, type: now.recordType, zoneID: now.zoneID, template: now, done})},
      scope === 'private' && !isDefault(now.zoneID)
        && {text: texts.shareIt, icon: 'sharing', off,
        act: () => go(to('sharing', [], {record: now.recordName, zone: zoneText(now.zoneID)}))},
      {text: texts.readAgain, icon: 'refresh', act: read}, null, {text: texts.deleteText, icon: 'trash', danger: true, off,
        act: remove}].filter((entry) => entry !== false));
  }

  function edit() {
    if (locked(here()) || (now && isShare(now))) return;
    const recordType = h('input', {value: type ?? '', spellcheck: 'false', autocomplete: 'off',
      'aria-label': texts.recordType});
    const fields = now?.fields
      ?? Object.fromEntries(Object.entries(template?.fields ?? {}).filter(([, field]) => !/ASSET/.test(field.type)));
    const known = Object.entries(knownFields(scope, now?.recordType ?? type));
    editor = form(fields,
      {names: known, encrypts: scope !== 'public',
      upload: (fieldName, content) => upload(scope, {recordType: now?.recordType ?? recordType.value,
      recordName: now?.recordName ?? (name.value || undefined), fieldName, zoneID: now?.zoneID ?? zoneID}, content)});
    name = now ? undefined
      : h('input', {placeholder: texts.madeByThe, autocomplete: 'off', spellcheck: 'false'});
    fill(own.actions, button(texts.cancel, {kind: ''}, cancel),
      button(texts.save, {kind: 'main', 'aria-label': texts.saveCtrlEnter}, save));
    fill(own.element, now ? undefined : [!type && labelled(texts.recordType, recordType), labelled(texts.recordName2, name)],
      editor.element, h('div', {class: 'outcome', role: 'alert'}));
    if (!now) editor.type = () => type ?? recordType.value.trim();
    own.element.querySelector('textarea, input')?.focus();
  }

  async function cancel() {
    if (editor?.dirty() && !await confirm({title: texts.leaveTheEditsAsk, text: texts.theyAreNot, yes: texts.leaveThem,
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
        note(texts.created, {action: {text: texts.undo,
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
    fill(outcome, h('div', {class: 'box warn-box'}, h('p', null, h('b', null, texts.itChangedMeanwhile), texts.savedBy,
      user(theirs.modified.userRecordName), texts.at, time(theirs.modified.timestamp, true), '. ', both.length
      ? texts.chooseFieldBy : texts.noFieldOf),
      both.map((field) => h('fieldset', null, h('legend', null, field),
        pick(field, 'theirs', 'theirs:', theirs.fields[field]), pick(field, 'mine', 'mine:', changed[field]))),
      h('div', {class: 'row'},
        button(texts.takeTheirsDrop, {}, () => { now = theirs; editor = undefined; view(); done(theirs); }),
        button(texts.saveWhatI, {kind: 'main'}, async () => {
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
      && !await confirm({title: texts.deleteAsk(plain(now.recordName, 60)), text: isShare(now)
        ? texts.thatEndsThe : others.length ? texts.recordsThatRefer : files ? texts.undoSendsItAgain
        : texts.undoSendsIt, what: goes(others), yes: texts.deleteText, danger: true,
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
