// Record types with their fields, indexes and permissions; changes of them, and CloudKit's schema language.
import {operate} from '../core/api.js';
import {copied, dialog, note} from '../core/dialog.js';
import {signIn} from '../core/frame.js';
import {amend, format, go, here, to} from '../core/router.js';
import {emptyBox, load} from '../core/states.js';
import {act} from '../core/operate.js';
import {has, service} from '../core/session.js';
import {texts} from '../core/texts-schema.js';
import {rememberType} from '../core/types.js';
import {grouped, marked, plain} from '../core/text.js';
import {button, fill, h, icon, skeleton} from '../core/view.js';
import {choice, download, labelled} from '../core/controls.js';

const kinds = ['STRING', 'INT64', 'DOUBLE', 'TIMESTAMP', 'REFERENCE', 'LOCATION', 'BYTES', 'ASSET'];
const indexKinds = ['QUERYABLE', 'SORTABLE', 'SEARCHABLE'];
const fits = {QUERYABLE: /^(?!.*(ASSET|BYTES))/, SORTABLE: /^(STRING|INT64|DOUBLE|TIMESTAMP|LOCATION)$/,
  SEARCHABLE: /^(STRING|LIST<STRING>)$/};
const roles = {_world: texts.everybody, _icloud: texts.signedInUsers, _creator: texts.theCreator};
const rightNames = ['CREATE', 'READ', 'WRITE'];
const quoted = (name) => /^[A-Za-z][A-Za-z0-9_]*$/.test(name) ? name : `"${name.replaceAll('"', '""')}"`;
const plural = (count, one) => `${grouped(count)} ${one}${count === 1 ? '' : 's'}`;

function fieldTable(type, system) {
  const list = system ? type.systemFields ?? [] : type.fields;
  return h('div', {class: 'scroll', tabindex: '0', role: 'region',
    'aria-label': texts.ofText(system ? texts.systemFields : texts.fields, plain(type.recordType, 60))},
    h('table', null, h('thead', null, h('tr', null, h('th', {scope: 'col'}, texts.field), h('th', {scope: 'col'}, texts.kindWord),
    indexKinds.map((name) => h('th', {scope: 'col'}, name.toLowerCase())))),
    h('tbody', null, list.map((field) => h('tr', null, h('th', {scope: 'row', class: 'field-name'},
      marked(field.name, 80)), h('td', {class: 'code'}, field.isEncrypted ? '🔒 ' : '', field.type),
      indexKinds.map((name) => h('td', null, field.indexes?.includes(name) ? h('span', {class: 'good'}, '✓ ',
      h('span', {class: 'note'}, texts.yes)) : h('span', {class: 'quiet'}, '–'))))))));
}

function grantTable(view, type, redraw) {
  const off = view.barred()
    ?? (has(['schema/modify']) ? undefined : texts.thisBuildChanges);
  const grants = (type.grants ?? []).map((text) => /^GRANT (.*) TO "?([^"]*)"?$/.exec(text)).filter(Boolean).map(([, rights, role]) =>
    ({role, rights: rights.split(', ')}));
  const granted = (role, right) => Boolean(grants.find((one) => one.role === role)?.rights.includes(right));
  const others = grants.filter((one) => !roles[one.role]).map((one) => one.role);
  const set = async (box, role, right) => {
    const wanted = box.checked;
    box.checked = !wanted;
    const answer = await act(view, {title: wanted ? texts.giveThisRightAsk : texts.takeThisRightAsk,
      text: [texts.mayRecordsOf(wanted ? texts.fromNowOn : texts.noLonger, roles[role] ?? role, right.toLowerCase()),
      marked(type.recordType, 60), texts.inThePublicDatabase], yes: wanted ? texts.give : texts.take, danger: !wanted,
        name: type.recordType,
      path: 'schema/modify', body: () => ({grant: {recordType: type.recordType, role, right, isGranted: wanted}}), done: texts.changed});
    if (answer) redraw();
  };
  return h('div', {class: 'scroll', tabindex: '0', role: 'region', 'aria-label': texts.permissionsInThe},
    h('table', null, h('thead', null, h('tr', null, h('th', {scope: 'col'}, texts.who),
    rightNames.map((name) => h('th', {scope: 'col'}, name.toLowerCase())))),
    h('tbody', null, [...Object.keys(roles),
      ...others].map((role) => h('tr', null, h('th', {scope: 'row', class: 'field-name'}, roles[role]
      ?? marked(role, 60), h('span', {class: 'note'}, ' ', role)),
      rightNames.map((right) => h('td', null, h('input', {type: 'checkbox', checked: granted(role, right), disabled: Boolean(off),
      title: off, 'aria-label': texts.may(roles[role] ?? role, right.toLowerCase()), onchange: (event) => set(event.target, role,
      right)}))))))));
}

/** Shows what a text in the schema language adds, and adds it. */
async function apply(view, text, done) {
  const {changes, conflicts, digest} = await operate('schema/difference', {text});
  if (conflicts.length) throw Object.assign(new Error(conflicts.join('; ')), {code: 'BAD_REQUEST'});
  if (!changes.length) { note(texts.theSchemaHas); return false; }
  const answer = await act(view, {title: texts.changeTheSchemaAsk,
    text: texts.typesAndFields,
    what: h('ul', {class: 'list short-list', tabindex: '0', 'aria-label': texts.changes},
      changes.map((change) => h('li', null, h('span', {class: 'good'}, change[0]), h('code', null, marked(change.slice(2), 300))))),
    yes: texts.changeIt, name: 'schema', path: 'schema/modify', body: () => ({text, digest}), done: texts.changed});
  if (answer) done();
  return Boolean(answer);
}

async function addField(view, type, done) {
  const name = h('input', {autofocus: true, autocomplete: 'off', spellcheck: 'false', placeholder: type ? texts.place : texts.artwork});
  const first = h('input', {autocomplete: 'off', spellcheck: 'false', placeholder: texts.title});
  const list = h('input', {type: 'checkbox'});
  const boxes = indexKinds.map((index) => [index, h('input', {type: 'checkbox', checked: index === 'QUERYABLE'})]);
  const kind = choice(kinds, 'STRING', {onchange: allow});
  function allow() { for (const [index, box] of boxes) { box.disabled = !fits[index].test(kind.value);
    if (box.disabled) box.checked = false; } }
  allow();
  let language;
  const yes = await dialog({title: type ? h('span', null, texts.newFieldOf, marked(type.recordType, 60)) : texts.newRecordType,
    body: [labelled(texts.name, name), !type && labelled(texts.itsFirstField, first), labelled(texts.kind, kind),
    h('label', {class: 'check'}, list, texts.aListOf), h('fieldset', null, h('legend', {class: 'label'}, texts.indexes),
    boxes.map(([index, box]) => h('label', {class: 'check'}, box, index.toLowerCase())))],
    actions: [{text: texts.cancel}, {text: texts.goOn, kind: 'main', value: true, act: () => {
      const field = type ? name : first;
      if (!name.value.trim() || !field.value.trim()) { (name.value.trim() ? field : name).focus(); return false; }
      const word = list.checked ? `LIST<${kind.value}>` : kind.value;
      const chosen = boxes.filter(([, box]) => box.checked).map(([index]) => ` ${index}`).join('');
      const own = quoted(type ? type.recordType : name.value.trim());
      language = texts.defineSchemaRecordType(own, quoted(field.value.trim()), word, chosen);
    }}]});
  if (yes) await apply(view, language, done).catch((error) => note(`${error.code}: ${error.message}`, {kind: 'bad', seconds: 12}));
}

async function importLanguage(view, done) {
  const text = h('textarea', {rows: '14', autofocus: true, spellcheck: 'false',
    placeholder: texts.defineSchemaRecord});
  const file = h('input', {type: 'file', accept: '.ckdb,text/plain', onchange: async () => { text.value = await file.files[0].text(); }});
  await dialog({title: texts.importCloudkitS, wide: true, body: [labelled(texts.aFile, file), labelled(texts.orTheText, text)],
    actions: [{text: texts.cancel}, {text: texts.seeWhatIt, kind: 'main', act: async () => await apply(view, text.value, done)}]});
}

/** Removes the types that no record has, after asking; then says which went and which stay. */
async function reset(view, schema, done) {
  const {container} = view.route;
  const own = schema.recordTypes.filter((one) => !/^(Users|cloudkit\.)/.test(one.recordType));
  const names = (list) => h('ul', {class: 'list short-list', tabindex: '0', 'aria-label': texts.types},
    list.map((name) => h('li', null, marked(name, 200))));
  const answer = await act(view, {title: texts.resetAsk, text: texts.typesThatNo, what: [h('h3', null, texts.whatMayGo),
    own.length ? names(own.map((one) => one.recordType)) : h('p', {class: 'quiet'}, texts.none)], yes: texts.reset, danger: true,
  name: container, always: true, path: 'schema/reset', body: () => ({confirm: container})});
  if (!answer) return;
  done();
  const part = (title, list) => list.length > 0 && [h('h3', null, `${title}: ${grouped(list.length)}`), names(list)];
  await dialog({title: texts.resetDone, actions: [{text: texts.close, kind: 'main'}], body: [part(texts.gone, answer.removed),
    part(texts.emptied, answer.emptied), part(texts.kept, answer.kept), part(texts.fromProduction, answer.changes)]});
}

/** Opens the page. */
export function open(view) {
  const off = view.barred();
  const body = h('div', {class: 'split'}, skeleton(6));
  const production = here().environment === 'production';
  const other = service.containers.find((one) => one.container === here().container && one.environment !== here().environment);
  let schema;
  let shown = view.route.query.type;
  const changes = has(['schema/modify', 'schema/difference']) && !production;

  function draw() {
    const types = [...schema.recordTypes].sort((a, b) => a.recordType.localeCompare(b.recordType));
    const type = types.find((one) => one.recordType === shown) ?? types.find((one) => !/^(Users|cloudkit\.)/.test(one.recordType))
      ?? types[0];
    if (!type) return fill(body, emptyBox(production ? texts.productionHasNo
      : texts.thereIsNo,
      {actions: [h('a', {class: 'button main', href: to('records', ['public'])}, texts.records)]}));
    const own = type.fields;
    return fill(body, h('nav', {class: 'card side-list', 'aria-label': texts.recordTypes},
      h('ul', null, types.map((one) => h('li', null, h('a', {href: to('schema', [], {type: one.recordType}), 'aria-current': one === type
      ? 'true' : undefined, onclick: (event) => { event.preventDefault(); shown = one.recordType; amend({type: shown}); draw();
      body.querySelector('[aria-current]').focus(); }}, marked(one.recordType, 60),
      h('span', {class: 'quiet'}, grouped(one.fields.length))))))),
      h('div', {class: 'stack grow'},
        h('section', {class: 'card'}, h('div', {class: 'card-head'}, h('h2', null, marked(type.recordType, 80)),
        h('a', {class: 'button', href: to('records', ['public', type.recordType])}, icon('records'), texts.records),
        changes && button(texts.newField, {icon: 'plus', disabled: Boolean(off), title: off}, () => addField(view, type, redraw))),
        own.length ? fieldTable(type, false) : h('p', {class: 'quiet'}, texts.noFieldOf),
          h('details', null, h('summary', null, texts.systemFields), fieldTable(type, true))),
      h('section', {class: 'card'}, h('h2', null, texts.whoMayDo),
        h('p', {class: 'lead'}, texts.inThePublic),
        grantTable(view, type, redraw))));
  }

  async function redraw() {
    await load(body, async () => {
      schema = await operate('schema', {}, {signal: view.signal});
      if (view.signal.aborted) return;
      for (const type of schema.recordTypes) if (!/^cloudkit\./.test(type.recordType)) rememberType('public', type.recordType,
        Object.fromEntries(type.fields.map((field) => [field.name,
        field.type.replace(/^LIST<(.*)>$/, '$1_LIST')])));
      draw();
      fill(count, plural(schema.recordTypes.length, texts.type));
    }, {signal: view.signal, signIn: () => signIn('operator')});
  }

  const count = h('span', {class: 'quiet', role: 'status'});
  fill(view.root, h('div', {class: 'page-head'}, view.title(texts.schema), count,
    changes && button(texts.newType2, {icon: 'plus', kind: 'main', disabled: Boolean(off), title: off},
    () => addField(view, undefined, redraw)), changes && button(texts.import, {icon: 'up', disabled: Boolean(off), title: off},
    () => importLanguage(view, redraw)),
    !production && has(['schema/reset']) && button(texts.resetMore, {icon: 'trash', disabled: Boolean(off), title: off},
      () => schema && reset(view, schema, redraw)),
    button(texts.export, {icon: 'down'}, () => schema && download(`${here().container}.${here().environment}.ckdb`,
      new Blob([schema.text], {type: 'text/plain'}))), button('', {icon: 'copy', label: texts.copyTheSchema}, () => schema
      && copied(schema.text, texts.theSchema)),
    has(['schema/difference']) && (other || production) && button(production ? texts.promote : texts.compareWithProduction,
      {icon: 'schema'},
      () => go(format({container: here().container, environment: 'production', page: 'schema', parts: ['promote']})))),
  production && h('p', {class: 'lead'},
    texts.productionSSchema), body);
  view.keys({...(changes && !off && {n: [texts.newType, () => addField(view, undefined, redraw)]})});
  redraw();
}
