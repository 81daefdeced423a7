// Subscriptions: mine in each database, made with a dry run while typing.
import {database, item} from '../core/api.js';
import {curl} from '../core/curl.js';
import {json} from '../core/code.js';
import {confirm, copied, dialog, menu, note} from '../core/dialog.js';
import {dryRun} from '../core/dryrun.js';
import {filterRows} from '../core/filter.js';
import {signIn} from '../core/frame.js';
import {panel} from '../core/panel.js';
import {grid} from '../core/grid.js';
import {zoneText} from '../core/records.js';
import {amend, go, here, to} from '../core/router.js';
import {has, operator} from '../core/session.js';
import {badge, emptyBox, errorBox, load} from '../core/states.js';
import {knownFields, knownTypes} from '../core/types.js';
import {absent, counted, marked, plain, time} from '../core/text.js';
import {button, fill, h} from '../core/view.js';
import {choice, labelled, later} from '../core/controls.js';

const scopes = ['public', 'private', 'shared'];

/** What a subscription watches, as a text. */
function condition(one) {
  if (one.subscriptionType === 'query') return one.query.predicate
    || (one.query.filterBy?.length
    ? one.query.filterBy.map((part) =>
    `${part.fieldName ?? part.systemFieldName} ${part.comparator} ${JSON.stringify(part.fieldValue?.value)}`).join(' AND ')
      : 'all records');
  return one.subscriptionType === 'zone' ? `zone ${zoneText(one.zoneID)}` : 'all custom zones';
}

/** Opens the page. */
export function open(view) {
  view.root.classList.add('full');
  let all = [];
  const place = h('div', {class: 'page full'});
  const off = view.locked();
  const table = grid({label: 'Subscriptions', key: (row) => `${row.database} ${row.subscriptionID}`, open: show, columns: [
    {key: 'id', title: 'Subscription', width: 150, draw: (row) => marked(row.subscriptionID, 80)},
      {key: 'database', title: 'Database', width: 88, grow: 0, draw: (row) => row.database},
    {key: 'type', title: 'Type', width: 120, draw: (row) => marked(row.query?.recordType ?? row.recordType ?? row.subscriptionType, 60)},
      {key: 'condition', title: 'Condition', width: 220, grow: 2, code: true, draw: (row) => marked(condition(row), 200)},
    {key: 'fires', title: 'Fires on', width: 150, draw: (row) => row.firesOn?.join(', ') ?? 'any change'},
      {key: 'alert', title: 'Alert', width: 140, draw: (row) => row.notificationInfo.alertBody
      ? marked(row.notificationInfo.alertBody, 80) : absent()}]});
  fill(view.root, h('div', {class: 'page-head'}, view.title('Subscriptions'), operator() && has(['subscriptions/list'])
    && h('a', {class: 'button', href: to('subscriptions', ['all'])}, 'All users’'),
      button('New subscription', {icon: 'plus', kind: 'main', disabled: Boolean(off), title: off}, () => create({})),
    button('', {icon: 'more', label: 'More'},
      (event) => menu(event.currentTarget,
      [{text: 'Copy all as JSON', icon: 'copy', act: () => copied(JSON.stringify(all.map(given), null, 2),
      `${all.length} subscriptions`)},
      {text: 'Copy the list as curl', icon: 'copy', act: () => copied(curl('database', 'public/subscriptions/list', {}),
      'a curl line')}])), button('', {icon: 'refresh', label: 'Read again'}, read)), place);

  async function read() {
    await load(place, async () => {
      const lists = await Promise.all(scopes.map((scope) => database(scope, 'subscriptions/list', {},
        {signal: view.signal})));
      all = lists.flatMap(({subscriptions}, at) => subscriptions.map((one) => ({...one, database: scopes[at]})));
      if (!all.length) return fill(place,
        emptyBox('You have no subscriptions. One notifies your devices of changes that satisfy a query, or of any in a zone or database.',
          {actions: [button('New subscription', {kind: 'main', icon: 'plus', disabled: Boolean(off)}, () => create({}))],
          curl: curl('database', 'public/subscriptions/list', {})}));
      fill(place, table.element, h('div', {class: 'under-grid', role: 'status'}, counted(all.length, 'subscription')));
      table.rows(all);
      const wanted = here().query.open;
      if (wanted) { const found = all.find((one) => one.subscriptionID === wanted); if (found) show(found); }
    }, {signal: view.signal, signIn: () => signIn('user')});
  }

  const given = ({database: scope, ...one}) => ({database: scope, ...one});

  function show(row) {
    amend({open: row.subscriptionID});
    const {database: scope, ...one} = row;
    panel({title: marked(row.subscriptionID, 60), closed: () => { if (!view.signal.aborted) amend({open: undefined}); },
      actions: [button('Edit text', {disabled: Boolean(off), title: off}, () => editText(row)),
      button('', {icon: 'trash', label: 'Delete the subscription', disabled: Boolean(off)}, () => remove(row))],
      key: {Delete: ['delete the subscription', () => { if (!off) remove(row); }],
      y: ['copy the subscription', () => copied(JSON.stringify(one), 'the subscription')]}, content: [
      h('dl', {class: 'facts'}, h('dt', null, 'condition'), h('dd', {class: 'code'}, marked(condition(row), 2000)),
        h('dt', null, 'database'), h('dd', null, scope), h('dt', null, 'kind'), h('dd', null, row.subscriptionType),
        row.query && [h('dt', null, 'record type'),
          h('dd', null, h('a', {href: to('records', [scope, row.query.recordType], {where: row.query.predicate})},
          marked(row.query.recordType, 80)))], h('dt', null, 'fires on'),
          h('dd', null, row.firesOn?.join(', ') ?? 'any change', row.firesOnce && [' ', badge('once', 'warn')]),
        h('dt', null, 'zone'), h('dd', null, row.zoneID ? zoneText(row.zoneID) || 'default zone' : 'all zones'),
          row.startingFrom && [h('dt', null, 'begins'), h('dd', null, time(row.startingFrom))]),
      h('h3', null, 'What a notification says'), json(one.notificationInfo, 'notificationInfo'),
        h('div', {class: 'row'},
        button('Test it', {icon: 'run'},
        (event) => dryRun(scope, one, event.currentTarget.parentElement.nextElementSibling))),
        h('div', {class: 'stack', role: 'status'}), h('details', null, h('summary', null, 'As JSON'),
        json(one, 'the subscription as JSON'))]});
  }

  async function editText(row) {
    const {database: scope, ...one} = row;
    const body = h('input', {value: one.notificationInfo.alertBody ?? '', autofocus: true});
    const badgeBox = h('input', {type: 'checkbox', checked: Boolean(one.notificationInfo.shouldBadge)});
    const yes = await dialog({title: 'What its notifications say',
      body: [labelled('Alert', body), h('label', {class: 'check'}, badgeBox, 'adds one to the badge'),
      h('p', {class: 'quiet'}, 'The condition of a subscription never changes: delete it and make another.')],
      actions: [{text: 'Cancel'}, {text: 'Save', kind: 'main', value: true, act: async () => {
      const info = {...one.notificationInfo, alertBody: body.value || undefined, shouldBadge: badgeBox.checked};
      const {subscriptions: [answer]} = await database(scope, 'subscriptions/modify',
        {operations: [{operationType: 'update', subscription: {...one, startingFrom: undefined, notificationInfo: info}}]});
      item(answer);
    }}]});
    if (yes) { await read(); note('Saved.'); }
  }

  async function remove(row) {
    const {database: scope, ...one} = row;
    if (!await confirm({title: `Delete ${plain(row.subscriptionID, 60)}?`,
      text: 'No device is notified for it any more. Notifications that are there stay.', yes: 'Delete', danger: true,
      name: here().environment === 'production' ? row.subscriptionID : undefined})) return;
    try {
      item((await database(scope, 'subscriptions/modify',
        {operations: [{operationType: 'delete', subscription: {subscriptionID: row.subscriptionID}}]})).subscriptions[0]);
      note(`Deleted ${plain(row.subscriptionID, 40)}.`,
        {action: {text: 'Undo',
        act: async () => { try { item((await database(scope, 'subscriptions/modify',
        {operations: [{operationType: 'create', subscription: {...one, startingFrom: undefined}}]})).subscriptions[0]);
        } catch (error) { note(error.message, {kind: 'bad'}); } read(); }}});
      amend({open: undefined});
      go(to('subscriptions'));
      read();
    } catch (error) { note(`${error.code}: ${error.message}`, {kind: 'bad', seconds: 12}); }
  }

  /** The panel that makes a subscription, with a dry run 300 ms after the last key. */
  function create({database: scope = 'public', type = '', where = ''}) {
    if (off) return;
    const scopeField = choice(scopes, scope, {onchange: adapt});
    const kind = choice([['query', 'records that satisfy a query'], ['zone', 'any change in a zone'],
      ['database', 'any change in any custom zone']], 'query', {onchange: adapt});
    const id = h('input', {placeholder: 'made by the service when empty', autocomplete: 'off', spellcheck: 'false',
      oninput: () => soon()});
    const typeField = h('input', {value: type, list: 'types-known', placeholder: 'Artwork', autocomplete: 'off',
      spellcheck: 'false', oninput: () => soon()});
    const predicate = h('textarea', {value: where, rows: '2', placeholder: 'year > 1900', spellcheck: 'false',
      oninput: () => soon()});
    const zone = h('input', {placeholder: 'name of the zone', autocomplete: 'off', oninput: () => soon()});
    const fires = ['create', 'update', 'delete', 'enter',
      'leave'].map((name) =>
      [name, h('input', {type: 'checkbox', checked: name === 'create' || name === 'update', onchange: () => soon()})]);
    const once = h('input', {type: 'checkbox'});
    const alert = h('input', {placeholder: 'A text that devices show'});
    const fieldsOf = h('input', {placeholder: 'title, year', autocomplete: 'off'});
    const badgeBox = h('input', {type: 'checkbox', checked: true});
    const past = h('input', {placeholder: 'now', autocomplete: 'off'});
    const dry = h('div', {class: 'stack', role: 'status'});
    const wrong = h('div');
    const queryPart = h('div', {class: 'stack'}, labelled('Record type', typeField),
      h('datalist', {id: 'types-known'}, knownTypes(scope).map((name) => h('option', {value: name}))),
      labelled('Predicate', predicate, 'Empty for all records of the type.'),
      button('Filter by rows', {},
        async () => { const made = await filterRows(knownFields(scopeField.value, typeField.value));
        if (made) { predicate.value = made.where; predicate.dataset.args = made.args ?? ''; soon(); } }),
      h('fieldset', {class: 'checks'}, h('legend', null, 'Fires on'),
        fires.map(([name, box]) => h('label', {class: 'check'}, box, name))),
        h('label', {class: 'check'}, once, 'once: it is deleted after its first notification'));
    const zonePart = labelled('Zone', zone);
    const own = panel({title: 'New subscription',
      dirty: () => Boolean(typeField.value !== type || predicate.value !== where || alert.value),
      key: {'Ctrl Enter': ['save', save]},
      actions: [button('Save', {kind: 'main', 'aria-label': 'Save (Ctrl Enter)'}, save)],
      content: [labelled('Database', scopeField), labelled('Watches', kind), queryPart, zonePart, h('h3', null, 'Dry run'),
        dry, h('h3', null, 'Notification'), labelled('Alert', alert),
        labelled('Fields that it carries (up to 3)', fieldsOf),
        h('label', {class: 'check'}, badgeBox, 'adds one to the badge'),
        h('details', null, h('summary', null, 'More'), h('div', {class: 'stack'}, labelled('Subscription ID', id),
          labelled('Begins at', past,
          'now, or a time such as 2026-11-27 02:00Z: changes since then come first, marked.'))), wrong]});
    (type ? predicate : typeField).focus();

    function build() {
      const info = {...(alert.value && {alertBody: alert.value}), shouldBadge: badgeBox.checked,
        ...(fieldsOf.value.trim() && kind.value === 'query'
        && {additionalFields: fieldsOf.value.split(',').map((name) => name.trim()).filter(Boolean)})};
      const from = past.value.trim() && past.value.trim() !== 'now'
        ? {startingFrom: Date.parse(past.value.trim().replace(' ', 'T')) || past.value.trim()} : {};
      const base = {...(id.value.trim() && {subscriptionID: id.value.trim()}), subscriptionType: kind.value,
        notificationInfo: info, ...from};
      if (kind.value === 'zone') return {...base, zoneID: {zoneName: zone.value.trim()}};
      if (kind.value === 'database') return base;
      const args = predicate.value.includes('%@') && predicate.dataset.args
        ? {predicateArguments: JSON.parse(predicate.dataset.args)} : {};
      return {...base, firesOn: fires.filter(([, box]) => box.checked).map(([name]) => name),
        ...(once.checked && {firesOnce: true}),
        query: {recordType: typeField.value.trim(),
        ...(predicate.value.trim() && {predicate: predicate.value.trim(), ...args})}};
    }

    function adapt() {
      queryPart.hidden = kind.value !== 'query';
      zonePart.hidden = kind.value !== 'zone';
      soon();
    }
    const soon = later(300, () => dryRun(scopeField.value, build(), dry, predicate.value));
    adapt();

    async function save() {
      try {
        const made = item((await database(scopeField.value, 'subscriptions/modify',
          {operations: [{operationType: 'create', subscription: build()}]})).subscriptions[0]);
        own.end();
        note(`${plain(made.subscriptionID, 40)} is subscribed: changes from now on notify your devices.`);
        go(to('subscriptions', [], {open: made.subscriptionID}));
        read();
      } catch (error) { fill(wrong, errorBox(error, save)); wrong.scrollIntoView({block: 'nearest'}); }
    }
  }

  view.keys({n: ['new subscription', () => create({})]});
  read().then(() => { if (view.route.query.new) { const {database: scope, type, where} = view.route.query;
    amend({new: undefined, database: undefined, type: undefined, where: undefined});
    create({database: scope, type, where}); } });
}
